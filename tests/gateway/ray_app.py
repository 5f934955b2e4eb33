"""A Ray Serve application with OpenAI's two routes, run until its input is closed.

``ray_app.py PORT`` prints ``ready`` once it answers.  Its own process, for Ray brings many.
"""

import asyncio
import json
import sys

import ray
from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse


@serve.deployment(num_replicas=2, ray_actor_options={"num_cpus": 0})
class Chat:
    """Says back the last message, word for word."""

    async def __call__(self, request: Request) -> Response:
        if request.url.path == "/v1/models":
            row = {"id": "echo", "object": "model", "owned_by": "serve"}
            return JSONResponse({"object": "list", "data": [row]})
        body = await request.json()
        if body.get("model") != "echo":
            return JSONResponse({"error": {"message": f"no {body.get('model')}"}}, status_code=404)
        words = body["messages"][-1]["content"].split()
        if body.get("stream"):
            return StreamingResponse(self.chunks(words), media_type="text/event-stream")
        message = {"role": "assistant", "content": " ".join(words)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        rest = {"id": "1", "object": "chat.completion", "created": 0, "model": "echo"}
        key = request.headers.get("authorization", "")
        return JSONResponse({**rest, "choices": [choice], "key": key})

    async def chunks(self, words: list[str]):
        for index, word in enumerate(words):
            await asyncio.sleep(0.01)
            delta = {"content": f"{word} "}
            reason = "stop" if index == len(words) - 1 else None
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            rest = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "echo"}
            yield f"data: {json.dumps({**rest, 'choices': [choice]})}\n\n"
        yield "data: [DONE]\n\n"


def main() -> None:
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
    serve.run(Chat.bind(), name="chat", route_prefix="/")
    print("ready", flush=True)
    sys.stdin.read()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
