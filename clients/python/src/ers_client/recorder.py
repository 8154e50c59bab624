"""What a test records about its case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .run_document import MAX_OUTPUT_CHARACTERS, as_json, cut, named

ROLES = ("system", "user", "assistant", "tool")
# A score passes from here on, where the test does not say: as for imported results.
THRESHOLD = 0.5


def _count(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise ValueError(f"{name} must be a whole number from 0")
    return value


def _number(name: str, value: float, most: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or not 0 <= value <= most:
        raise ValueError(f"{name} must be a number {'from 0' if most == math.inf else f'from 0 to {most:g}'}")
    return float(value)


class Recorder:
    """The fixture ``ers``. What is recorded last counts. Without ``--ers-suite`` it checks its values and keeps nothing."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {}
        self._scores: dict[str, dict[str, Any]] = {}
        self._score: float | None = None
        self._provider: str | None = None

    def provider(self, name: str) -> None:
        """The system under test, where it is no parameter ``provider`` of the test."""
        self._provider = named(str(name))

    def output(self, value: Any) -> None:
        """What the system answered: a text, or a value that JSON can say."""
        found = as_json(value)
        self._fields["output"] = cut(found, MAX_OUTPUT_CHARACTERS) if isinstance(found, str) else found

    def prompt(self, value: str | Sequence[Mapping[str, Any]]) -> None:
        """What was asked: a text, or turns of ``role`` and ``content``."""
        if isinstance(value, str):
            self._fields["prompt"] = {"text": cut(value, MAX_OUTPUT_CHARACTERS)}
            return
        turns = []
        for turn in value:
            role, content = turn.get("role"), turn.get("content")
            if role not in ROLES or not isinstance(content, str):
                raise ValueError(f"each turn of prompt needs a content that is a text, and a role: {', '.join(ROLES)}")
            turns.append({"role": role, "content": cut(content, MAX_OUTPUT_CHARACTERS)})
        self._fields["prompt"] = {"messages": turns}

    def score(self, value: float, *, name: str | None = None, threshold: float = THRESHOLD, reason: str = "") -> None:
        """A score from 0 to 1: of the case, or with a name of one of its measures. Scores alone do not fail a test."""
        score = _number("score", value, 1)
        if name is None:
            self._score = score
            return
        least = _number("threshold", threshold, 1)
        self._scores[name] = {
            "kind": "exec",
            "status": "pass" if score >= least else "fail",
            "score": score,
            "weight": 0,
            "reason": cut(str(reason), MAX_OUTPUT_CHARACTERS),
            "criteria": {"type": "exec", "original_type": "pytest", "name": as_json(name), "threshold": least},
        }

    def tokens(self, *, input: int = 0, output: int = 0, cache_read: int | None = None, cache_write: int | None = None) -> None:
        """The tokens of the call. ``input`` is without those read from or written to the provider's cache."""
        usage = {"input_tokens": _count("input", input), "output_tokens": _count("output", output)}
        for name, value in {"cache_read": cache_read, "cache_write": cache_write}.items():
            if value is not None:
                usage[f"{name}_tokens"] = _count(name, value)
        self._fields["usage"] = usage

    def cost(self, usd: float) -> None:
        """The cost of the system under test in US dollars, without grading."""
        self._fields["cost_usd"] = _number("cost", usd)

    def latency(self, ms: float) -> None:
        """The time of the system under test in milliseconds. Without it, the time of the test counts."""
        self._fields["latency_ms"] = round(_number("latency", ms))

    def recorded(self) -> dict[str, Any]:
        return {
            "fields": self._fields,
            "scores": list(self._scores.values()),
            "score": self._score,
            "recorded_provider": self._provider,
        }
