"""Sends requests: token, errors, and which requests are sent again."""

from __future__ import annotations

import email.utils
import gzip
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from typing import Any, NamedTuple

from .errors import ErsError, printable

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 60.0
MAX_ERROR_BYTES = 64 * 1024
PART_BYTES = 64 * 1024
# A server that sends a byte now and then is too slow, but not one on a slow line.
MIN_BYTES_PER_S = 16 * 1024

# Refused before anything was done, so any request may be sent again.
REFUSED = (429, 503)
# A proxy had no answer. What the server did is not known.
UNKNOWN = (502, 504)


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes

    def text(self) -> str:
        return self.body.decode("utf-8")

    def type(self) -> str:
        """The media type in lower case, without parameters; empty if the answer does not say it."""
        return (self.headers.get("content-type") or "").partition(";")[0].strip().lower()

    def json(self) -> Any:
        """Every answer of the service in JSON is an object. Another one is of another site, or the page of a proxy."""
        if self.type() != "" and not _is_json(self.type()):
            raise self.wrong(f"the answer is {self.type()[:80]}, not JSON")
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise self.wrong("the answer is no JSON") from error
        if not isinstance(found, dict):
            raise self.wrong("the answer is no JSON object")
        return found

    def wrong(self, fault: str) -> ErsError:
        return ErsError(self.status, printable(f"{fault}; check the address"), self.headers.get("x-request-id"))


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: following one would send the token to another site."""

    def redirect_request(self, *_: Any) -> None:
        return None


def path_of(template: str, **names: str | int) -> str:
    """Fills the names into a path. ``rest`` is what follows a prefix, so its slashes stay."""
    return template.format_map(
        {name: urllib.parse.quote(str(value), safe="/" if name == "rest" else "") for name, value in names.items()}
    )


def _query_text(query: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is not None:
                pairs.append((name, str(item).lower() if isinstance(item, bool) else str(item)))
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _retry_after_s(headers: Message) -> float | None:
    """How long the server asks to wait, at most a minute; None if it says nothing (RFC 9110, 10.2.3)."""
    value = (headers.get("retry-after") or "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return min(MAX_WAIT_S, float(value))
    try:
        wait_s = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except ValueError:
        return None
    return min(MAX_WAIT_S, max(0.0, wait_s))


def _error_of(status: int, headers: Message, body: bytes) -> ErsError:
    message = f"the server answered {status}"
    try:
        found = json.loads(body)
        if isinstance(found, dict) and "error" in found:
            message = str(found["error"])
    except ValueError:
        # A proxy answers with a page of its own.
        pass
    return ErsError(status, printable(message), headers.get("x-request-id"))


def _redirect_of(status: int, headers: Message) -> ErsError:
    target = (headers.get("location") or "nowhere")[:200]
    message = f"the server answers with a redirect to {target}; use that address"
    return ErsError(status, printable(message), headers.get("x-request-id"))


class Caller:
    """Sends requests to one service."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_s: float = 60.0,
        max_tries: int = 4,
        max_answer_bytes: int = 1024 * 1024 * 1024,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("url must be an http or https address")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url must not contain a user or password; use token")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._max_tries = max_tries
        self._max_answer_bytes = max_answer_bytes
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _request(
        self, method: str, path: str, query: Mapping[str, Any], body: bytes | None, headers: Mapping[str, str]
    ) -> urllib.request.Request:
        request = urllib.request.Request(f"{self.url}{path}{_query_text(query)}", data=body, method=method)
        for name, value in headers.items():
            request.add_header(name, value)
        if self._token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        return request

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        may_redirect: bool = False,
    ) -> Answer:
        """Returns a successful response. Raises ErsError for all others, and for a page: the service has none.

        A redirect is an error too, unless it is what was asked for: this service sends none else.

        A request is sent again when the server asks for it (429 and 503), and when the connection failed and a second
        request does no harm. No other 4xx is sent again.
        """
        # Sent twice, these do what they do once. An upload of the same run changes nothing.
        is_repeatable = method in ("GET", "HEAD", "PUT", "DELETE") or (method == "POST" and path.endswith("/runs"))
        for attempt in range(1, self._max_tries + 1):
            is_last = attempt == self._max_tries
            wait_s: float | None = None
            request = self._request(method, path, query or {}, body, headers or {})
            try:
                with self._opener.open(request, timeout=self._timeout_s) as response:
                    return self._whole(response)
            except urllib.error.HTTPError as error:
                with error:
                    if 300 <= error.code < 400:
                        if not may_redirect:
                            raise _redirect_of(error.code, error.headers) from None
                        return Answer(error.code, error.headers, b"")
                    found = _error_of(error.code, error.headers, error.read(MAX_ERROR_BYTES))
                    wait_s = _retry_after_s(error.headers)
                may_repeat = found.status in REFUSED or (found.status in UNKNOWN and is_repeatable)
                if is_last or not may_repeat:
                    raise found from None
            except (OSError, http.client.HTTPException) as error:
                if is_last or not is_repeatable:
                    raise ErsError(0, f"the server at {self.url} could not be reached: {error}") from error
            self._sleep(min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1)) if wait_s is None else wait_s)
        raise AssertionError("a request is sent at least once")

    def _whole(self, response: http.client.HTTPResponse) -> Answer:
        """Reads a response within the limits of size and time. Raises ErsError, or IncompleteRead if it was cut."""
        answer = Answer(response.status, response.headers, b"")
        if answer.type() in ("text/html", "application/xhtml+xml"):
            raise answer.wrong(f"the answer is a page ({answer.type()})")
        parts: list[bytes] = []
        length = 0
        began = time.monotonic()
        while part := response.read1(PART_BYTES):
            parts.append(part)
            length += len(part)
            if length > self._max_answer_bytes:
                raise answer.wrong(f"the answer is larger than {self._max_answer_bytes} bytes")
            if time.monotonic() - began > self._timeout_s + length / MIN_BYTES_PER_S:
                raise answer.wrong("the answer is sent too slowly")
        # `read1` does not say that the connection ended early.
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return answer._replace(body=b"".join(parts))

    def _lines(self, path: str, query: Mapping[str, Any]) -> Iterator[str]:
        """The lines of a response without an end, as they arrive."""
        request = self._request("GET", path, query, None, {})
        try:
            with self._opener.open(request) as response:
                answer = Answer(response.status, response.headers, b"")
                if answer.type() == "text/html":
                    raise answer.wrong("the answer is a page")
                while line := response.readline(self._max_answer_bytes + 1):
                    if len(line) > self._max_answer_bytes:
                        raise answer.wrong(f"a line is longer than {self._max_answer_bytes} bytes")
                    yield line.decode("utf-8").rstrip("\r\n")
        except urllib.error.HTTPError as error:
            with error:
                if 300 <= error.code < 400:
                    raise _redirect_of(error.code, error.headers) from None
                raise _error_of(error.code, error.headers, error.read(MAX_ERROR_BYTES)) from None
        except (OSError, http.client.HTTPException) as error:
            raise ErsError(0, f"the connection to {self.url} ended: {error}") from error

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        body_type: str | None = None,
        answer: str,
    ) -> Any:
        """Calls an operation. ``answer`` is how its response is read."""
        if answer == "lines":
            return self._lines(path, query or {})
        headers = {} if body_type is None else {"Content-Type": body_type}
        data: bytes | None = None
        if body_type is not None:
            data = body if isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode("utf-8")
            if len(data) > 1024:
                headers["Content-Encoding"] = "gzip"
                data = gzip.compress(data, mtime=0)
        got = self._send(
            method, path, query=query, body=data, headers=headers, may_redirect=answer == "location"
        )
        if answer == "nothing":
            return None
        if answer == "location":
            return got.headers.get("location", "")
        if answer == "bytes":
            return got.body
        if answer == "json" or (answer == "json or text" and _is_json(got.type())):
            return got.json()
        return got.text()
