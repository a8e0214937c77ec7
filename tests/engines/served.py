"""A real server of chat completions on loopback, with a simulated model behind it and faults on demand."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.types import Message, Request, Sampling

Fault = Callable[["Exchange"], bool]
"""Answers an exchange in its own way and returns True, or leaves it alone."""


@dataclass
class Exchange:
    """One request as it came in, and the handler that can answer it."""

    number: int
    tries: int
    body: dict
    handler: Handler

    def answer(self, status: int, text: str, **headers: str) -> bool:
        self.handler.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("content-length", str(len(text.encode())))
        self.handler.end_headers()
        self.handler.wfile.write(text.encode())
        return True


@dataclass
class Log:
    """What a server saw."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    times: list[float] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    tries: dict[str, int] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    inside: int = 0
    most: int = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        Exchange(0, 0, {}, self).answer(200, '{"object": "list", "data": []}')

    def do_POST(self) -> None:
        log, body = self.server.log, json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = json.dumps([body["messages"], body.get("seed")])
        with log.lock:
            log.times.append(time.monotonic())
            log.keys.add(self.headers["authorization"])
            log.tries[key] = log.tries.get(key, 0) + 1
            log.inside += 1
            log.most = max(log.most, log.inside)
            exchange = Exchange(len(log.times) - 1, log.tries[key], body, self)
        try:
            if not self.server.fault(exchange):
                log.answered.append(key)
                exchange.answer(200, json.dumps(self.server.complete(body)))
        finally:
            with log.lock:
                log.inside -= 1

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, model: SimulatedModel, fault: Fault) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.engine, self.fault, self.log = SimulatedEngine(model), fault, Log()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def complete(self, body: dict) -> dict:
        messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
        form = body.get("response_format", {}).get("json_schema", {}).get("schema")
        sampling = Sampling(
            temperature=body["temperature"], top_p=body.get("top_p", 1.0), max_tokens=body["max_tokens"]
        )
        request = Request(messages, sampling, body.get("seed", 0), form and json.dumps(form))
        done = asyncio.run(self.engine.generate(request))
        pieces = [
            {"token": text, "logprob": share, "bytes": list(text.encode())} for text, share in done.pieces
        ]
        end = {"token": "<end>", "logprob": -0.1, "bytes": list(b"<end>")}
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": done.text},
            "finish_reason": done.finish,
            "logprobs": {"content": [*pieces, end]} if body.get("logprobs") else None,
        }
        usage = {
            "prompt_tokens": done.prompt_tokens,
            "completion_tokens": done.output_tokens,
            "total_tokens": done.prompt_tokens + done.output_tokens,
        }
        return {"id": "1", "object": "chat.completion", "model": "sim", "choices": [choice], "usage": usage}


@contextmanager
def serving(model: SimulatedModel | None = None, fault: Fault = lambda exchange: False) -> Iterator[Server]:
    """Serve while the context lasts."""
    server = Server(model or SimulatedModel(accuracy=0.5), fault)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status(code: int, text: str = "{}", **headers: str) -> Fault:
    return lambda exchange: exchange.answer(code, text, **headers)


def garbage(exchange: Exchange) -> bool:
    return exchange.answer(200, '{"choices": [{"message": {"conte')


def cut(exchange: Exchange) -> bool:
    """Promise more than is sent, and hang up."""
    exchange.handler.send_response(200)
    exchange.handler.send_header("content-type", "application/json")
    exchange.handler.send_header("content-length", "1000")
    exchange.handler.end_headers()
    exchange.handler.wfile.write(b'{"choices"')
    exchange.handler.close_connection = True
    return True


def slow(seconds: float) -> Fault:
    """Answer as ever, but late."""

    def fault(exchange: Exchange) -> bool:
        time.sleep(seconds)
        return False

    return fault


def first(times: int, fault: Fault) -> Fault:
    """A fault at the first so many tries of every request."""
    return lambda exchange: exchange.tries <= times and fault(exchange)
