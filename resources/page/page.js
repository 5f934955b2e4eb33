// Keeps the page at / as it is now.  Without it the page shows what was when it was asked for.
"use strict";

const EVENTS = ["model_state_changed", "queue_changed", "request_started", "request_finished",
  "config_applied", "swap_finished", "load_failed"];
const PAUSE = 200; // ms between two looks at the status
const table = document.getElementById("models");
let waiting = false;
let again = false;

function cell(row, name) {
  return row.querySelector("." + name);
}

function show(row, model) {
  row.dataset.state = model.state;
  const percent = model.progress === null ? "" : " " + Math.round(model.progress * 100) + "%";
  cell(row, "state").textContent = model.state + (model.state === "starting" ? percent : "");
  cell(row, "error").textContent = model.state === "stopped" && model.error ? model.error : "";
  cell(row, "requests").textContent = model.in_flight || "";
  const button = row.querySelector("button");
  const runs = model.state === "ready" || model.state === "starting";
  button.hidden = model.external;
  button.disabled = model.state === "stopping";
  button.textContent = runs ? "Unload" : "Load";
  button.dataset.verb = runs ? "unload" : "load";
}

async function refresh() {
  if (waiting) {
    again = true;
    return;
  }
  waiting = true;
  try {
    const answer = await fetch("/api/status", { cache: "no-store" });
    if (!answer.ok) return;
    const status = await answer.json();
    const rows = new Map([...table.rows].map((row) => [row.dataset.model, row]));
    const shown = status.models.filter((model) => !model.unlisted);
    // Models came or went: the server makes the rows.
    if (shown.some((model) => !rows.has(model.model)) || shown.length !== rows.size) {
      location.reload();
      return;
    }
    for (const model of shown) show(rows.get(model.model), model);
    document.getElementById("running").textContent = status.in_flight;
    document.getElementById("waiting").textContent = status.waiting;
  } catch {
    // The stream of events says when it is back.
  } finally {
    setTimeout(() => {
      waiting = false;
      if (again) {
        again = false;
        refresh();
      }
    }, PAUSE);
  }
}

table.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const row = button.closest("tr");
  const model = row.dataset.model.split("/").map(encodeURIComponent).join("/");
  button.disabled = true;
  const answer = await fetch(`/api/models/${model}/${button.dataset.verb}`, { method: "POST" });
  if (!answer.ok) {
    const body = await answer.json();
    cell(row, "error").textContent = body.error.message;
  }
  button.disabled = false;
  refresh();
});

const lost = document.getElementById("lost");
const events = new EventSource("/api/events");
events.onopen = () => {
  lost.hidden = true;
  refresh();
};
events.onerror = () => {
  lost.hidden = false;
};
for (const name of EVENTS) events.addEventListener(name, refresh);
