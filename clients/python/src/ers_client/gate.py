"""The rules of ``ers gate``, judged by the statistics that the service computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from .client import ErsClient

_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(%?)", re.ASCII)


@dataclass(frozen=True)
class Judged:
    """The result of a rule: whether it holds, and its numbers in words."""

    rule: str
    holds: bool
    numbers: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.numbers}: {'ok' if self.holds else 'FAIL'}"


@dataclass(frozen=True)
class Gate:
    """A run judged by rules. It is true if all of them hold. ``base_id`` is None if no rule needed a comparison."""

    run_id: str
    base_id: str | None
    results: tuple[Judged, ...]

    @property
    def holds(self) -> bool:
        return all(result.holds for result in self.results)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return "\n".join(str(result) for result in self.results)


@dataclass
class _Facts:
    """What the rules read. Each part is fetched when a rule needs it."""

    client: ErsClient
    run_id: str
    against: str
    alpha: float
    cluster_by: str | None
    base_id: str | None = None
    _run: Any = None
    _statistics: Any = None
    _comparison: Any = None

    def run(self) -> Any:
        self._run = self._run or self.client.get_run(self.run_id)
        return self._run

    def statistics(self) -> Any:
        self._statistics = self._statistics or self.client.get_run_statistics(self.run_id, cluster_by=self.cluster_by)
        return self._statistics

    def comparison(self) -> Any:
        if self._comparison is None:
            self.base_id = _base_of(self.client, self.run(), self.against)
            self._comparison = self.client.get_comparison_statistics(
                self.base_id, self.run_id, cluster_by=self.cluster_by
            )
        return self._comparison


def _base_of(client: ErsClient, run: Any, against: str) -> str:
    project, suite = run["project"], run["suite"]
    if against == "previous":
        previous = client.get_previous_run(run["id"])["previous"]
        if previous is None:
            raise LookupError("no earlier run of the suite is like it")
        return previous["id"]
    if against != "baseline" and not against.startswith("branch:"):
        return against
    if project is None or suite is None:
        raise LookupError("the run has no project or no suite")
    if against == "baseline":
        suites = client.list_suites(project)["suites"]
        pinned = next((item["baseline_run_id"] for item in suites if item["suite"] == suite), None)
        if pinned is None:
            raise LookupError("the suite has no pinned run")
        return pinned
    branch = against[len("branch:") :]
    runs = client.list_runs(project=project, suite=suite, branch=branch, limit=2)["runs"]
    other = next((item["id"] for item in runs if item["id"] != run["id"]), None)
    if other is None:
        raise LookupError(f"the suite has no other run on the branch {branch}")
    return other


_Result = tuple[bool, str]


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _is_clustered(facts: _Facts, compared: Any) -> bool:
    """Whether cases depend on each other: trials of one test, or a grouping that was asked for."""
    return facts.cluster_by is not None or compared["assumes_independence"]


def _no_regression(facts: _Facts, _: str) -> _Result:
    compared = facts.comparison()
    worse, better, p = compared["worse"], compared["better"], compared["p_value"]
    counts = f"{worse} worse, {better} better of {compared['pairs']} pairs"
    clustered = compared["clustered"]["passes"] if _is_clustered(facts, compared) else None
    if clustered is not None:
        # The interval lies below 0 exactly when the difference is negative and p is below alpha.
        p = clustered["p_value"]
        return not (p < facts.alpha and clustered["mean"] < 0), (
            f"{counts}, grouped by {compared['clustered']['by']}: {_points(clustered['mean'])} points, p = {p:.3g}"
        )
    if p is None:
        return True, "no case passed or failed in both runs"
    return not (p < facts.alpha and worse > better), f"{counts}, p = {p:.3g}"


def _non_inferior(facts: _Facts, argument: str) -> _Result:
    margin = _share(argument)
    compared = facts.comparison()
    clustered = compared["clustered"]["passes"] if _is_clustered(facts, compared) else None
    interval = clustered if clustered is not None else compared["difference"]
    if interval is None:
        return False, "no case passed or failed in both runs: a drop cannot be ruled out"
    holds = interval["lower"] >= -margin
    ruled = "is" if holds else "cannot be"
    return holds, f"lower limit {_points(interval['lower'])}: a drop of {_points(margin)} points {ruled} ruled out"


def _no_newly_failing(facts: _Facts, argument: str) -> _Result:
    most = _count(argument or "0")
    facts.comparison()
    assert facts.base_id is not None
    changed = facts.client.compare_runs(facts.base_id, facts.run_id)["cases"]
    failing = {item["case_key"] for item in changed if item["delta"] == "newly_failing"}
    flaky = _flaky_among(facts, failing) if failing else 0
    left_out = f", {flaky} flaky not counted" if flaky else ""
    return len(failing) - flaky <= most, f"{len(failing) - flaky} newly failing{left_out} (at most {most})"


def _flaky_among(facts: _Facts, failing: set[str]) -> int:
    """How many of the cases are flaky on the branch of the base: a new branch has no history."""
    base = facts.client.get_run(str(facts.base_id))
    if base["project"] is None or base["suite"] is None:
        return 0
    found = facts.client.get_suite_flakiness(base["project"], base["suite"], branch=base["git_branch"])["cases"]
    flaky = {_unit_of(item) for item in found if item["flaky"]}
    if not flaky:
        return 0
    cases = [item for status in ("fail", "error") for item in facts.client.iter_cases(facts.run_id, status=status)]
    return len([item for item in cases if item["case_key"] in failing and _unit_of(item) in flaky])


def _unit_of(item: Any) -> tuple[str | None, ...]:
    """Trials of a test flip together, so they are one unit."""
    return item["test_id"], item["provider_id"], item["prompt_id"]


def _pass_rate(facts: _Facts, argument: str) -> _Result:
    least, is_lower = _least(argument)
    found = facts.statistics()
    rate = found["run"]["pass_rate"]
    if rate["total"] == 0:
        return False, "the run has no cases"
    is_clustered = facts.cluster_by is not None or found["trials"] is not None
    clustered = found["clustered"]["passes"] if is_clustered else None
    lower = clustered["lower"] if clustered is not None else rate["lower"]
    limit = f", lower limit {_points(lower)}%" if is_lower else ""
    numbers = f"{_points(rate['rate'])}% ({rate['passed']} of {rate['total']}){limit}, at least {_points(least)}%"
    return (lower if is_lower else rate["rate"]) >= least, numbers


def _score(facts: _Facts, argument: str) -> _Result:
    least, is_lower = _least(argument)
    found = facts.statistics()
    scores = found["scores"]
    if scores is None:
        # A run with one scored test has a mean and no interval. A run is comparable with itself.
        itself = facts.client.get_comparison_statistics(facts.run_id, facts.run_id)["scores"]
        if itself is None:
            return False, "no case has a score"
        scores = {"mean": itself["head_mean"], "lower": None}
    elif facts.cluster_by is not None or found["trials"] is not None:
        scores = {"mean": scores["mean"], "lower": (found["clustered"]["scores"] or scores)["lower"]}
    value = scores["lower"] if is_lower else scores["mean"]
    if value is None:
        return False, f"mean {scores['mean']:.3f}, without a lower limit: there are fewer than two tests"
    limit = f", lower limit {value:.3f}" if is_lower else ""
    return value >= least, f"mean {scores['mean']:.3f}{limit}, at least {least}"


def _rose(name: str, figure: str, what: str) -> Callable[[_Facts, str], _Result]:
    def judge(facts: _Facts, argument: str) -> _Result:
        rise, is_clear = _limit(argument)
        measured = facts.comparison()[name]
        if is_clear:
            return _clearly_rose(measured, rise, what)
        base, head = measured[f"base_{figure}"], measured[f"head_{figure}"]
        # What cannot be compared does not hold: otherwise a system that stops to report its cost would always pass.
        if base is None or head is None:
            return False, f"no case recorded its {what} in both runs"
        # A sum of two decimal fractions may miss the limit by a last digit.
        holds = head <= base * (1 + rise) * (1 + 1e-12)
        return holds, f"{base:g} → {head:g} over {measured['pairs']} pairs (at most +{100 * rise:g}%)"

    return judge


def _clearly_rose(measured: dict[str, Any], rise: float, what: str) -> _Result:
    """Fails only if the whole interval of the ratio is above the limit. What was read from a cache is not judged."""
    ratio, cached = measured["ratio"], measured["from_cache"]
    if ratio is None:
        if cached > 0:
            return True, f"nothing to judge: {cached} pairs were read from a cache"
        return False, f"fewer than two tests recorded their {what} in both runs"
    # Logarithms and their exponentials may miss the limit by a last digit.
    holds = ratio["lower"] <= (1 + rise) * (1 + 1e-9)
    interval = f"95% interval {ratio['lower']:.2f} to {ratio['upper']:.2f}"
    return holds, f"{ratio['estimate']:.2f} times over {ratio['pairs']} pairs, {interval} (not clearly above +{100 * rise:g}%)"


def _errors(facts: _Facts, argument: str) -> _Result:
    most = _count(argument)
    found = facts.run()["error_count"]
    return found <= most, f"{found} errors (at most {most})"


_RULES: dict[str, Callable[[_Facts, str], _Result]] = {
    "no-regression": _no_regression,
    "no-newly-failing": _no_newly_failing,
    "non-inferior": _non_inferior,
    "pass-rate": _pass_rate,
    "score": _score,
    "cost": _rose("cost_usd", "total", "cost"),
    "latency": _rose("latency_ms", "median", "latency"),
    "errors": _errors,
}


def _share(given: str) -> float:
    found = _NUMBER.fullmatch(given)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value <= 1:
        raise ValueError(f"{given!r} is no share from 0 to 1, such as 0.9 or 90%")
    return value


def _least(given: str) -> tuple[float, bool]:
    is_lower = given.startswith("lower:")
    return _share(given[len("lower:") :] if is_lower else given), is_lower


def _rise(given: str) -> float:
    found = _NUMBER.fullmatch(given[1:]) if given.startswith("+") else None
    if found is None or not found[2]:
        raise ValueError(f"{given!r} is no percentage, such as +20%")
    return float(found[1]) / 100


def _limit(given: str) -> tuple[float, bool]:
    is_clear = given.startswith("clear:")
    return _rise(given[len("clear:") :] if is_clear else given), is_clear


def _count(given: str) -> int:
    if re.fullmatch(r"\d{1,9}", given, re.ASCII) is None:
        raise ValueError(f"{given!r} is no whole number from 0")
    return int(given)


def _checked(rule: str) -> tuple[str, str]:
    """The kind and the argument of a rule. Raises ValueError, before anything is fetched."""
    kind, colon, argument = rule.partition(":")
    if kind not in _RULES:
        raise ValueError(f"the rule {rule!r} is not known: {', '.join(_RULES)}")
    if kind == "no-regression":
        if colon:
            raise ValueError(f"the rule {rule!r} takes no value")
        return kind, argument
    try:
        if kind in ("pass-rate", "score"):
            _least(argument)
        elif kind in ("cost", "latency"):
            _limit(argument)
        elif kind == "non-inferior":
            _share(argument)
        elif kind == "errors" or colon:
            _count(argument)
    except ValueError as error:
        raise ValueError(f"the rule {rule!r}: {error}") from None
    return kind, argument


def judge_run(
    client: ErsClient, run_id: str, *, against: str, rules: Sequence[str], alpha: float, cluster_by: str | None
) -> Gate:
    """Judges a run by rules. Raises ValueError, LookupError or ErsError."""
    if isinstance(rules, str):
        raise ValueError("rules must be a list of rules")
    if not 0 < alpha < 1:
        raise ValueError("alpha must be between 0 and 1")
    if against in ("", "branch:"):
        raise ValueError("against must be a run, baseline, previous, or branch:NAME")
    checked = [(rule, *_checked(rule)) for rule in rules]
    facts = _Facts(client, run_id, against, alpha, cluster_by)
    results = tuple(Judged(rule, *_RULES[kind](facts, argument)) for rule, kind, argument in checked)
    return Gate(run_id, facts.base_id, results)
