"""Errors in the shape of the API that was spoken to."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from aiohttp import web

from qmdesk.router import Rejected
from qmdesk.scheduler import Refusal

_OPENAI_TYPES = {
    400: ("invalid_request_error", "bad_request"),
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", "forbidden"),
    404: ("invalid_request_error", "not_found"),
    405: ("invalid_request_error", "method_not_allowed"),
    409: ("invalid_request_error", "conflict"),
    408: ("invalid_request_error", "request_timeout"),
    413: ("invalid_request_error", "request_too_large"),
    431: ("invalid_request_error", "headers_too_large"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    502: ("server_error", "bad_gateway"),
    503: ("server_error", "service_unavailable"),
    504: ("server_error", "gateway_timeout"),
}
# https://docs.anthropic.com/en/api/errors
_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}
_STATUS = {
    Refusal.UNKNOWN_MODEL: (404, "model_not_found"),
    Refusal.TOO_BUSY: (429, "concurrency_limit"),
    Refusal.START_FAILED: (503, "start_failed"),
    Refusal.UNLOADED: (503, "model_unloaded"),
    Refusal.QUEUE_TIMEOUT: (503, "queue_timeout"),
    Refusal.PAUSED: (503, "paused"),
    Refusal.NO_ROOM: (503, "no_room"),
    Refusal.SHUTTING_DOWN: (503, "shutting_down"),
}


class ApiError(Exception):
    """An answer that says what happened, why, and what to do."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.retry_after = retry_after
        """Seconds."""

    @classmethod
    def of(cls, rejected: Rejected) -> ApiError:
        """The answer to a request that gets no turn."""
        status, code = _STATUS[rejected.refusal]
        return cls(status, str(rejected), code=code, retry_after=rejected.retry_after)

    def body(self, path: str) -> dict[str, object]:
        """The JSON body for whoever asked at ``path``."""
        if speaks_anthropic(path):
            kind = _ANTHROPIC_TYPES.get(self.status, "api_error")
            return {"type": "error", "error": {"type": kind, "message": self.message}}
        kind, code = _OPENAI_TYPES.get(
            self.status,
            ("invalid_request_error", "invalid_request")
            if self.status < 500
            else ("server_error", "internal_error"),
        )
        return {
            "error": {
                "message": self.message,
                "type": kind,
                "param": self.param,
                "code": self.code or code,
            }
        }

    def headers(self) -> Mapping[str, str]:
        headers = {}
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.status == 401:
            # A browser asks for the key then, as a password.
            headers["WWW-Authenticate"] = 'Basic realm="qmdesk"'
        return headers

    def response(self, request: web.BaseRequest) -> web.Response:
        """The whole answer; the bare text for whoever accepts only that."""
        accept = request.headers.get("Accept", "")
        if "text/plain" in accept and "json" not in accept:
            text = f"{self.message}\n".encode("utf-8", "replace")
            headers = {"Content-Type": "text/plain; charset=utf-8", **self.headers()}
            return web.Response(status=self.status, body=text, headers=headers)
        return web.json_response(
            self.body(request.path), status=self.status, headers=self.headers()
        )

    def event(self, path: str) -> bytes:
        """The error inside a stream whose status has gone out already."""
        body = json.dumps(self.body(path))
        if speaks_anthropic(path):
            return f"event: error\ndata: {body}\n\n".encode()
        return f"data: {body}\n\n".encode()


def speaks_anthropic(path: str) -> bool:
    """Whether ``path`` is of Anthropic's API; everything else is answered as OpenAI's."""
    return "/messages" in path
