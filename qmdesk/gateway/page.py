"""The page at ``/``: is it up, the address to paste, the models and their states."""

from __future__ import annotations

from html import escape

from aiohttp import web

from qmdesk import __version__, resources
from qmdesk.gateway.scope import Scope
from qmdesk.router import ModelSnapshot, Router

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PARTS = {
    "/page.css": ("page/page.css", "text/css"),
    "/page.js": ("page/page.js", "text/javascript"),
    "/page.svg": ("icons/qmdesk.svg", "image/svg+xml"),
}


class Page:
    """The page and its parts."""

    paths = tuple(_PARTS)
    """Of the parts."""

    def __init__(self, router: Router) -> None:
        """Reads files: not for the event loop."""
        self._router = router
        self._parts = {
            path: (resources.path(name).read_bytes(), kind) for path, (name, kind) in _PARTS.items()
        }

    def part(self, path: str) -> web.Response:
        body, kind = self._parts[path]
        return web.Response(
            body=body,
            content_type=kind,
            charset="utf-8",
            headers={"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"},
        )

    def show(self, base: str, scope: Scope | None, *, operator: bool) -> web.Response:
        """``base`` is the address that the browser used, without a path.

        ``scope`` says which models are shown; None: none of them.  For an ``operator`` it
        is live, with buttons.
        """
        snapshot = self._router.snapshot()
        models = [
            model
            for model in snapshot.models
            if not model.unlisted and (operator or (scope is not None and scope.sees(model.id)))
        ]
        text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Quartermaster Desk</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/page.svg"><link rel="stylesheet" href="/page.css">
{'<script src="/page.js" defer></script>' if operator else ""}</head><body>
<h1>Quartermaster Desk</h1>
<p>It is up. Point a front end at <code>{escape(base)}/v1</code>
(OpenAI) or <code>{escape(base)}</code> (Anthropic).</p>
<p id="lost" role="status" hidden>qmdesk does not answer any more.</p>
{_table(models) if models or operator else ""}
{"<p>The configuration has no models yet.</p>" if operator and not models else ""}
<p><small>{_counts(snapshot.in_flight, snapshot.waiting) if operator else ""}
<a href="/v1/models">/v1/models</a>, <a href="/running">/running</a>,
<a href="/logs">/logs</a>. Version {__version__}.</small></p>
</body></html>
"""
        return web.Response(
            text=text,
            content_type="text/html",
            headers={
                "Content-Security-Policy": _POLICY,
                "Cache-Control": "no-store",
                "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
            },
        )


def _counts(running: int, waiting: int) -> str:
    return (
        f'<span id="running">{running}</span> running, <span id="waiting">{waiting}</span> waiting.'
    )


def _table(models: list[ModelSnapshot]) -> str:
    rows = "\n".join(map(_row, models))
    return (
        "<table><thead><tr><th>Model<th>State<th>Requests<th></tr></thead>\n"
        f'<tbody id="models">\n{rows}\n</tbody></table>'
    )


def _row(model: ModelSnapshot) -> str:
    about = f"<br><small>{escape(model.description)}</small>" if model.description else ""
    return (
        f'<tr data-model="{escape(model.id)}" data-state="{escape(model.state)}">'
        f"<td><code>{escape(model.id)}</code>{about}</td>"
        f'<td><span class="state">{escape(model.state)}</span>'
        f'<br><small class="error">{escape(model.error or "")}</small></td>'
        f'<td class="requests">{model.in_flight or ""}</td>'
        "<td><button hidden></button></td></tr>"
    )
