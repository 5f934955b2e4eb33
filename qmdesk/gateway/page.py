"""The page at ``/``: is it up, the address to paste, the models and their states."""

from __future__ import annotations

from html import escape

from aiohttp import web

from qmdesk import __version__
from qmdesk.router import Router

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
code { padding: .15em .4em; border-radius: 4px; background: color-mix(in srgb, gray 18%, Canvas) }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid
  color-mix(in srgb, gray 35%, Canvas); vertical-align: top }
small { opacity: .75 }
"""


def page(router: Router, base: str) -> web.Response:
    """``base`` is the address that the browser used, without a path."""
    snapshot = router.snapshot()
    rows = "".join(
        f"<tr><td><code>{escape(model.id)}</code>"
        f"{f'<br><small>{escape(model.description)}</small>' if model.description else ''}</td>"
        f"<td>{escape(model.state)}"
        f"{f'<br><small>{escape(model.error)}</small>' if model.error else ''}</td>"
        f"<td>{model.in_flight or ''}</td></tr>"
        for model in snapshot.models
        if not model.unlisted
    )
    table = (
        f"<table><tr><th>Model<th>State<th>Requests</tr>{rows}</table>"
        if rows
        else "<p>The configuration has no models yet.</p>"
    )
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Quartermaster Desk</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{_STYLE}</style></head><body>
<h1>Quartermaster Desk</h1>
<p>It is up. Point a front end at <code>{escape(base)}/v1</code>
(OpenAI) or <code>{escape(base)}</code> (Anthropic).</p>
{table}
<p><small>{snapshot.in_flight} running, {snapshot.waiting} waiting.
<a href="/v1/models">/v1/models</a>, <a href="/running">/running</a>,
<a href="/logs">/logs</a>. Version {__version__}.</small></p>
</body></html>
"""
    return web.Response(
        text=text,
        content_type="text/html",
        headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"},
    )
