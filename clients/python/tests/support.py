"""What the tests share: the real service, and a server that gives prepared answers."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from ers_client import ErsClient

PASS, FAIL, ERROR = "pass", "fail", "error"


def service() -> ErsClient:
    """A client of the service that the tests run against: see README.md."""
    return ErsClient(os.environ["ERS_TEST_URL"], os.environ["ERS_TEST_TOKEN"])


def a_run(run_id: str, statuses: Iterable[str], *, suite: str = "smoke", **fields: Any) -> dict[str, Any]:
    """A run document with a case for each status."""
    cases = [
        {
            "cell": {"provider_id": "model", "test_id": f"test {i}", "repeat": 0},
            "case_key": f"key-{i}",
            "status": status,
            "score": 1.0 if status == PASS else 0.0,
            "output": f"answer {i}",
            "latency_ms": 100,
            "cost_usd": 0.001,
            **fields.get("case", {}),
        }
        for i, status in enumerate(statuses)
    ]
    return {
        "schema_version": 3,
        "run_id": run_id,
        "project": "python",
        "suite": suite,
        "started_at": "2026-05-04T09:00:00Z",
        "finished_at": fields.get("finished_at", "2026-05-04T09:00:01Z"),
        "config_digest": "",
        "config_snapshot": None,
        "cases": cases,
        "summary": {
            "total": len(cases),
            "passed": sum(1 for item in cases if item["status"] == PASS),
            "failed": sum(1 for item in cases if item["status"] == FAIL),
            "errored": sum(1 for item in cases if item["status"] == ERROR),
            "skipped": 0,
        },
    }


class Received(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def content(self) -> bytes:
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body


class Answers:
    """A server that gives the answers in turn, and keeps what it received. The last answer is given for ever."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes] | None) -> None:
        received: list[Received] = []

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received.append(Received(self.command, self.path, headers, body))
                found = answers[min(len(received), len(answers)) - 1]
                if found is None:
                    self.close_connection = True
                    return
                status, more, content = found
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.received = received
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Answers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


JSON = {"content-type": "application/json"}


def ok(body: bytes = b"{}", **headers: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {**JSON, **headers}, body


def refused(status: int, **headers: str) -> tuple[int, dict[str, str], bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {**JSON, "x-request-id": "abc", **named}, b'{"error":"no"}'
