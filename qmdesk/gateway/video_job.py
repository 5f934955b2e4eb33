"""Jobs that outlive their request: stable-diffusion.cpp renders a video for minutes.

``POST /sdcpp/v1/vid_gen`` answers a job's number at once.  The model is leased from
then on, so that nobody evicts it between two polls; the job is watched here, clients
that ask for it get what was seen last, and the lease ends with the job.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from aiohttp import web

from qmdesk.config import Model
from qmdesk.events import ModelState
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.forward import Forwarder
from qmdesk.gateway.passage import Fetched
from qmdesk.gateway.scope import EVERYTHING, Scope
from qmdesk.gateway.target import join
from qmdesk.router import Router
from qmdesk.tasks import spawn

log = logging.getLogger(__name__)

SUBMIT = "/sdcpp/v1/vid_gen"
JOBS = "/sdcpp/v1/jobs"
POLL = 2.0
KEEP = 600.0
"""Seconds for which the last word on an ended job is kept for late clients."""
LONGEST = 7200.0
"""Seconds after which a job is given up."""
_ENDED = frozenset(("completed", "failed", "cancelled"))


@dataclass(eq=False, slots=True)
class _Job:
    id: str
    model: Model
    release: Callable[[], None]
    document: bytes = b""
    ended: bool = False
    watch: asyncio.Task[None] | None = None


class VideoJobs:
    """Watches jobs, each under a lease on its model."""

    def __init__(self, router: Router, forwarder: Forwarder, poll: float = POLL) -> None:
        self._router = router
        self._forwarder = forwarder
        self._poll = poll
        self._jobs: dict[str, _Job] = {}
        self._forgetting: set[asyncio.TimerHandle] = set()

    def close(self) -> None:
        """Stop watching."""
        for job in self._jobs.values():
            if job.watch is not None:
                job.watch.cancel()
        for handle in self._forgetting:
            handle.cancel()

    def accepted(self, model: Model, answer: Fetched) -> None:
        """An upstream has answered a submission; to be called while its turn is held."""
        number = _number(answer)
        if number is None:
            log.warning("%s answered a video job without a number: it is not protected", model.id)
            return
        job = _Job(number, model, self._router.lease(model.id))
        self._jobs[number] = job
        job.watch = spawn(self._watch(job), f"video job {number}")

    def document(self, number: str, scope: Scope = EVERYTHING) -> web.Response:
        """What is known of a job; raises ``ApiError`` where ``scope`` sees none."""
        job = self._job(number, scope)
        if not job.document:
            return web.json_response({"id": number, "status": "queued"}, status=202)
        return web.Response(body=job.document, content_type="application/json")

    async def cancel(self, number: str, scope: Scope = EVERYTHING) -> web.Response:
        """Ask the job's server to end it."""
        job = self._job(number, scope)
        if job.ended:
            return self.document(number, scope)
        answer = await self._ask(job, "POST", f"{JOBS}/{quote(number, safe='')}/cancel")
        if answer is None:
            raise ApiError(502, f"the server of job {number} does not answer")
        return web.Response(status=answer.status, body=answer.body, content_type="application/json")

    def _job(self, number: str, scope: Scope) -> _Job:
        job = self._jobs.get(number)
        if job is None or not scope.sees(job.model.id):
            raise ApiError(404, f"there is no job {number}", code="job_not_found")
        return job

    async def _watch(self, job: _Job) -> None:
        try:
            async with asyncio.timeout(LONGEST):
                while not job.ended:
                    await asyncio.sleep(self._poll)
                    answer = await self._ask(job, "GET", f"{JOBS}/{quote(job.id, safe='')}")
                    if answer is None or answer.status != 200:
                        log.warning("video job %s of %s has gone", job.id, job.model.id)
                        break
                    job.document = answer.body
                    job.ended = _status(answer.body) in _ENDED
        except TimeoutError:
            log.warning("video job %s of %s is given up: it takes too long", job.id, job.model.id)
        finally:
            job.release()
        if not job.ended:
            self._jobs.pop(job.id, None)
            return
        loop = asyncio.get_running_loop()
        handle = loop.call_later(KEEP, lambda: self._jobs.pop(job.id, None))
        self._forgetting = {each for each in self._forgetting if not each.cancelled()} | {handle}

    async def _ask(self, job: _Job, method: str, path: str) -> Fetched | None:
        # Not by a turn: the lease keeps the model, and a poll that queued behind somebody
        # who waits for the lease's end would never be answered.
        if self._router.state(job.model.id) is not ModelState.READY:
            return None
        base = self._router.snapshot_of(job.model).proxy
        return await self._forwarder.fetch(method, join(base, path))


def _number(answer: Fetched) -> str | None:
    if not 200 <= answer.status < 300:
        return None
    content = _content(answer.body)
    number = content.get("id", content.get("job_id"))
    return str(number) if isinstance(number, str | int) and number != "" else None


def _status(body: bytes) -> str:
    return str(_content(body).get("status", "")).lower()


def _content(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
