"""A run document from the cases of a test runner. Its format: ``GET /api/v1/schemas/run-document``."""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

# The service takes names of at most 400 bytes of UTF-8, and no NUL.
MAX_NAME_BYTES = 400
_CUT_BYTES = 380
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

# A text that is longer is cut, so that a run stays within the 64 MiB of an upload.
MAX_OUTPUT_CHARACTERS = 200_000
MAX_REASON_CHARACTERS = 16_000
MAX_TRACE_CHARACTERS = 32_000
# Also ends a list that contains itself.
MAX_DEPTH = 32

COUNTS = {"pass": "passed", "fail": "failed", "error": "errored", "skip": "skipped", "xfail": "xfailed", "xpass": "xpassed"}


def instant(seconds: float) -> str:
    """A time in seconds since 1970 as RFC 3339, in milliseconds."""
    text = datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def new_run_id(seconds: float, entropy: bytes) -> str:
    """A ULID: 48 bits of time in milliseconds and 80 bits of entropy, in Crockford's base 32."""
    number = int(seconds * 1000) << 80 | int.from_bytes(entropy[:10], "big")
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -5, -5))


def well_formed(text: str) -> str:
    """The text as the service accepts it: half of a surrogate pair and NUL become U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def named(text: str) -> str:
    """A name the service accepts. One that is too long ends with a digest of the whole, so that it stays the same."""
    clean = well_formed(text)
    content = clean.encode("utf-8")
    if len(content) <= MAX_NAME_BYTES:
        return clean
    return f"{content[:_CUT_BYTES].decode('utf-8', 'ignore')}~{hashlib.sha256(content).hexdigest()[:16]}"


def cut(text: str, characters: int) -> str:
    clean = well_formed(text)
    return clean if len(clean) <= characters else f"{clean[:characters]}… [cut, {len(clean) - characters} characters]"


def case_key(provider: str, test: str, repeat: int) -> str:
    """Identifies a case across runs: the beginning of the SHA-256 of provider, prompt, test and repeat."""
    content = f"{provider}\0\0{test}\0".encode() + struct.pack("<I", repeat)
    return hashlib.sha256(content).hexdigest()[:16]


def as_json(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it; what JSON cannot say, and what is nested too deep, becomes a text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return well_formed(value)
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        return {well_formed(str(key)): as_json(item, depth + 1) for key, item in value.items()}
    if depth < MAX_DEPTH and isinstance(value, (list, tuple)):
        return [as_json(item, depth + 1) for item in value]
    return cut(repr(value), MAX_REASON_CHARACTERS)


def run_document(
    cases: Iterable[dict[str, Any]],
    *,
    run_id: str,
    suite: str,
    project: str | None,
    started: float,
    finished: float,
    tags: Iterable[str],
    tool: str,
    environment: Mapping[str, str],
    folder: Path,
) -> dict[str, Any]:
    """Returns the document of a run. ``cases`` have the fields of the document but for ``case_key`` and ``repeat``.

    Two cases of the same test and provider are repeats of it, in their order.
    """
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], int] = {}
    for row in cases:
        provider, test = row["cell"]["provider_id"], row["cell"]["test_id"]
        repeat = seen.get((provider, test), 0)
        seen[provider, test] = repeat + 1
        cell = {"provider_id": provider, "test_id": test, "repeat": repeat}
        rows.append({**row, "cell": cell, "case_key": case_key(provider, test, repeat)})
    usage = [row.get("usage", {}) for row in rows]
    costs = [row["cost_usd"] for row in rows if "cost_usd" in row]
    summary: dict[str, Any] = {"total": len(rows)}
    for status, name in COUNTS.items():
        summary[name] = sum(1 for row in rows if row["status"] == status)
    summary["prompt_tokens"] = sum(item.get("input_tokens", 0) + item.get("cache_read_tokens", 0) for item in usage)
    summary["completion_tokens"] = sum(item.get("output_tokens", 0) for item in usage)
    if costs:
        summary["cost_usd"] = sum(round(cost * 1e6) for cost in costs) / 1e6
    git, ci = _git(environment, folder), _ci(environment)
    filters = sorted({named(tag) for tag in tags if tag})
    return {
        "schema_version": 3,
        "run_id": named(run_id),
        **({} if project is None else {"project": named(project)}),
        "suite": named(suite),
        "started_at": instant(started),
        "finished_at": instant(max(started, finished)),
        "config_digest": "",
        "config_snapshot": {"runner": tool},
        **({} if git is None else {"git": git}),
        **({} if ci is None else {"ci": ci}),
        "origin": {"version": tool},
        "filters": {"tags": filters} if filters else {},
        "cases": rows,
        "summary": summary,
    }


def _git(environment: Mapping[str, str], folder: Path) -> dict[str, Any] | None:
    """Branch and commit: of the CI, which often works on a commit without a branch, else of the folder."""
    branch = environment.get("GITHUB_HEAD_REF") or environment.get("GITHUB_REF_NAME") or environment.get("CI_COMMIT_REF_NAME")
    commit = environment.get("GITHUB_SHA") or environment.get("CI_COMMIT_SHA") or _ask_git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    branch = branch or _ask_git(folder, "symbolic-ref", "--short", "-q", "HEAD")
    changes = _ask_git(folder, "status", "--porcelain", "--untracked-files=no")
    return {
        **({"branch": named(branch)} if branch else {}),
        "commit": well_formed(commit),
        "dirty": bool(changes),
    }


def _ask_git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", os.fspath(folder), *arguments], capture_output=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        # No repository, or no git: a run without a commit is complete too.
        return None
    return done.stdout.decode("utf-8", "replace").strip() or None


def _ci(environment: Mapping[str, str]) -> dict[str, Any] | None:
    if environment.get("GITHUB_ACTIONS") == "true":
        server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
        url = f"{server}/{repository}/actions/runs/{environment.get('GITHUB_RUN_ID', '')}"
        return {"provider": "github", "run_url": well_formed(url)}
    if environment.get("GITLAB_CI") == "true":
        return {"provider": "gitlab", "run_url": well_formed(environment.get("CI_JOB_URL", ""))}
    if environment.get("JENKINS_URL"):
        return {"provider": "jenkins", "run_url": well_formed(environment.get("BUILD_URL", ""))}
    return {"provider": "ci"} if environment.get("CI") in ("true", "1") else None


def document_bytes(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
