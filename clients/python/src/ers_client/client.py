"""The client: every operation of the API, and what makes the common ones short."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .gate import Gate, judge_run
from .operations import Operations
from .transport import path_of
from .types import CaseListItem, ImportResult, Ingested, RunListItem

if TYPE_CHECKING:
    import pandas


# How the file of each format begins and ends, as regular expressions.
EDGES = {
    "jsonl": (r"\{", r"\}\n\Z"),
    "csv": (r"(?:\xef\xbb\xbf)?[^<{\[\s]", r"\n\Z"),
    "parquet": (r"PAR1", r"PAR1\Z"),
    "junit": (r"<\?xml", r"</testsuites?>\s*\Z"),
    "ctrf": (r"\s*\{", r"\}\s*\Z"),
    "every-eval-ever": (r"PK\x03\x04", r"(?s)PK\x05\x06.{18}\Z"),
}


class ErsClient(Operations):
    """A client of the Evaluation Results Service.

    Each method raises ErsError where the service answers with an error, or does not answer. A client may be used by
    several threads.
    """

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> ErsClient:
        """A client of the service in SERVICE_SERVER_URL, with SERVICE_TOKEN as its token, as the ``ers`` command.

        Raises KeyError if SERVICE_SERVER_URL is not set.
        """
        return cls(environment["SERVICE_SERVER_URL"], environment.get("SERVICE_TOKEN") or None, **options)

    def iter_runs(self, **filters: Any) -> Iterator[RunListItem]:
        """All runs that match, page by page. The filters are those of ``list_runs``."""
        cursor: str | None = None
        while True:
            page = self.list_runs(**{"limit": 200, **filters, "cursor": cursor})
            yield from page["runs"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def iter_cases(self, run_id: str, **filters: Any) -> Iterator[CaseListItem]:
        """All cases of a run that match, page by page. The filters are those of ``list_cases``."""
        cursor: str | None = None
        while True:
            page = self.list_cases(run_id, **{"limit": 200, **filters, "cursor": cursor})
            yield from page["cases"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def upload(
        self, document: Mapping[str, Any] | str | bytes | os.PathLike[str], *, plan: str | None = None
    ) -> Ingested:
        """Uploads a run document: a mapping, its JSON text, or the path of a file (also ``.gz``).

        A second upload of the same run changes nothing.
        """
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        if isinstance(document, os.PathLike):
            content = Path(document).read_bytes()
        elif isinstance(document, bytes):
            content = document
        elif isinstance(document, str):
            content = document.encode("utf-8")
        else:
            content = json.dumps(document, allow_nan=False, ensure_ascii=False).encode("utf-8")
        answer = self._send("POST", "/api/v1/runs", query={"plan": plan}, body=_gzipped(content), headers=headers)
        uploaded: Ingested = answer.json()
        if not isinstance(uploaded.get("id"), str):
            raise answer.wrong("the answer is not that of an upload")
        return uploaded

    def import_file(  # type: ignore[override]
        self,
        file: bytes | os.PathLike[str],
        *,
        map: bytes | str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> ImportResult:
        """Imports the results of another tool from one file: ``import_file(Path("results.json"))``.

        ``map`` says how to read a table: a text in YAML, the path of such a file, or a preset such as ``preset:ragas``.
        The options are the parameters of ``POST /api/v1/import``: format, name (by default that of the path), project,
        suite, provider, scorer, pass_threshold, time_zone, created_at, aggregates, dry_run.

        Raises ErsError with the status 422 if no run of the file could be imported. If some could, ``refused`` in the answer
        has the others.
        """
        name: str | None = None
        if isinstance(file, os.PathLike):
            path = Path(file)
            name, content = path.name, path.read_bytes()
        else:
            content = file
        query: dict[str, Any] = {"name": name, **options}
        table = Path(map).read_bytes() if isinstance(map, os.PathLike) else map
        if isinstance(table, str) and table.startswith("preset:"):
            query["map"], table = table, None
        if table is None:
            content_type, body = "application/octet-stream", content
        else:
            boundary, body = _multipart(file=content, map=table if isinstance(table, bytes) else table.encode("utf-8"))
            content_type = f"multipart/form-data; boundary={boundary}"
        headers = {"Content-Type": content_type, "Content-Encoding": "gzip"}
        report: ImportResult = self._send(
            "POST", "/api/v1/import", query=query, body=_gzipped(body), headers=headers
        ).json()
        return report

    def document(self, run_id: str) -> bytes:
        """The uploaded document of a run, byte for byte. Raises ErsError if the answer is not a document, or not complete."""
        answer = self._send("GET", path_of("/api/v1/runs/{id}/export", id=run_id))
        etag = answer.headers.get("etag") or ""
        if re.fullmatch('"[0-9a-f]{64}"', etag) and hashlib.sha256(answer.body).hexdigest() != etag[1:-1]:
            raise answer.wrong("the document is not whole")
        if "run_id" not in answer.json():
            raise answer.wrong("the answer is no run document")
        return answer.body

    def export(self, run_id: str, format: str) -> bytes:
        """A run in another format: jsonl, csv, parquet, junit, ctrf or every-eval-ever.

        Raises ErsError if the answer does not begin and end as a file of that format does.
        """
        path = path_of("/api/v1/runs/{id}/export/{format}", id=run_id, format=format)
        answer = self._send("GET", path)
        begins, ends = EDGES.get(format, ("", ""))
        if not re.match(begins.encode("ascii"), answer.body) or not re.search(ends.encode("ascii"), answer.body[-64:]):
            raise answer.wrong(f"the answer is not {format}, or not whole")
        return answer.body

    def frame(self, run_id: str) -> pandas.DataFrame:
        """The cases of a run as a table, one row a case. It needs pandas, and pyarrow or fastparquet."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError('frame() needs pandas and pyarrow: pip install "pandas" "pyarrow"') from error
        return pandas.read_parquet(io.BytesIO(self.export(run_id, "parquet")))

    def gate(
        self,
        run_id: str,
        *,
        against: str = "baseline",
        rules: Sequence[str] = ("no-regression",),
        alpha: float = 0.05,
        cluster_by: str | None = None,
    ) -> Gate:
        """Judges a run by rules, as ``ers gate`` does.

        ``against`` is ``baseline`` (the pinned run), ``previous``, ``branch:NAME``, or the id of a run. Raises ValueError
        for a rule that is not known, and LookupError if there is no run to compare with and a rule needs one.
        """
        return judge_run(self, run_id, against=against, rules=rules, alpha=alpha, cluster_by=cluster_by)


def _gzipped(content: bytes) -> bytes:
    """The content compressed, unless it is a gzip file already."""
    return content if content.startswith(b"\x1f\x8b") else gzip.compress(content, mtime=0)


def _multipart(**parts: bytes) -> tuple[str, bytes]:
    """Returns the boundary and the body of a form with files (RFC 7578)."""
    boundary = secrets.token_hex(24)
    body = b"".join(
        b"--%b\r\nContent-Disposition: form-data; name=\"%b\"; filename=\"%b\"\r\n"
        b"Content-Type: application/octet-stream\r\n\r\n%b\r\n"
        % (boundary.encode(), name.encode(), name.encode(), content)
        for name, content in parts.items()
    )
    return boundary, body + b"--%b--\r\n" % boundary.encode()
