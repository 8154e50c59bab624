"""A pytest plugin: the tests that are marked with ``@pytest.mark.eval`` become the cases of one run.

It does nothing without ``--ers-suite``. With pytest-xdist, each worker sends what its tests recorded with their reports,
and the controller makes the run.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .errors import ErsError
from .recorder import Recorder
from .run_document import (
    MAX_REASON_CHARACTERS,
    MAX_TRACE_CHARACTERS,
    as_json,
    cut,
    document_bytes,
    named,
    new_run_id,
    run_document,
)

DEFAULT_FILE = "ers-run.json"
_RECORDER = pytest.StashKey[Recorder]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ers", "runs for the Evaluation Results Service")
    group.addoption("--ers-suite", metavar="NAME", help="make a run of the tests that are marked with eval, in this suite")
    group.addoption("--ers-project", metavar="NAME", help="the project of the run")
    group.addoption("--ers-file", metavar="PATH", help=f"write the run there (default without a server: {DEFAULT_FILE})")
    group.addoption("--ers-url", metavar="URL", help="upload the run there (default: SERVICE_SERVER_URL)")
    group.addoption("--ers-run-id", metavar="ID", help="the id of the run (default: a new one)")
    group.addoption("--ers-tag", metavar="TAG", action="append", default=[], help="a tag of the run; may be repeated")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "eval(*tags): the test is a case of the run that --ers-suite makes")
    if config.getoption("ers_suite") is None:
        return
    config.pluginmanager.register(_Reports(), "ers-reports")
    # Workers of xdist send their reports to the controller, which alone makes the run.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Run(config), "ers-run")


@pytest.fixture
def ers(request: pytest.FixtureRequest) -> Recorder:
    """Records what a case shows: output, prompt, score, tokens and cost."""
    recorder: Recorder = request.node.stash.setdefault(_RECORDER, Recorder())
    return recorder


def _label(value: object, given: str | None) -> str:
    """A text that stays the same from run to run: the value, else a digest of it, else what pytest calls it."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return str(value)
    if isinstance(value, (dict, list, tuple)):
        return hashlib.sha256(json.dumps(as_json(value), sort_keys=True).encode()).hexdigest()[:12]
    return given or type(value).__name__


def _case_of(item: pytest.Item) -> dict[str, Any]:
    """What identifies the case of a test: its name and parameters, but for the provider."""
    callspec = getattr(item, "callspec", None)
    test, parameters, parts = item.nodeid, {}, []
    if callspec is not None:
        test = test.removesuffix(f"[{callspec.id}]")
        # With one name a decorator, each parameter has an id of its own.
        ids = getattr(callspec, "_idlist", ())
        given = dict(zip(callspec.params, ids)) if len(ids) == len(callspec.params) else {}
        # Plugins that repeat a test give it a parameter of their own, whose name starts so.
        parameters = {name: value for name, value in callspec.params.items() if not name.startswith("__")}
        parts = [f"{name}={_label(value, given.get(name))}" for name, value in parameters.items() if name != "provider"]
    provider = parameters.pop("provider", None)
    marker = item.get_closest_marker("eval")
    return {
        "test": named(f"{test}[{','.join(parts)}]" if parts else test),
        "provider": None if provider is None else named(str(provider)),
        "vars": as_json(parameters),
        "tags": [named(str(tag)) for tag in marker.args] if marker else [],
        "name": named(item.name),
    }


class _Reports:
    """Attaches what a test recorded to its reports. Runs where the test runs."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if item.get_closest_marker("eval") is None:
            return report
        recorder = item.stash.get(_RECORDER, None) or Recorder()
        # As text: xdist sends simple values alone.
        case = {**_case_of(item), **recorder.recorded(), **_failure_of(report, call)}
        report.ers = json.dumps(case)  # type: ignore[attr-defined]
        return report


def _failure_of(report: pytest.TestReport, call: pytest.CallInfo[None]) -> dict[str, Any]:
    if report.outcome != "failed":
        return {}
    excinfo = call.excinfo
    verdicts = (AssertionError, pytest.fail.Exception)
    is_verdict = report.when == "call" and (excinfo is None or excinfo.errisinstance(verdicts))
    message = str(report.longrepr) if excinfo is None else excinfo.exconly()
    return {
        "failure": cut(message, MAX_REASON_CHARACTERS),
        "is_verdict": is_verdict,
        "class": None if excinfo is None else named(excinfo.typename),
        "trace": cut(report.longreprtext, MAX_TRACE_CHARACTERS),
    }


class _Run:
    """Collects the reports of all tests, and makes the run of them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._started = time.time()
        # By the id of the node. A plugin that runs a test again sends its reports again.
        self._cases: dict[str, dict[str, Any]] = {}
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = self._cases.get(report.nodeid)
        if not hasattr(report, "ers"):
            # A worker that crashed reports its last test so.
            if case is not None and report.outcome == "failed":
                case["crashed"] = cut(report.longreprtext, MAX_REASON_CHARACTERS)
            return
        if case is None or report.when == "setup":
            attempts = 1 if case is None else case["attempts"] + 1
            case = self._cases[report.nodeid] = {"attempts": attempts, "reports": {}, "seconds": 0.0}
        case["reports"][report.when] = report
        case["seconds"] += report.duration
        case["recorded"] = json.loads(report.ers)
        if report.outcome == "failed":
            case["failed"] = case["recorded"]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._config.getoption("collectonly"):
            return
        if not self._cases:
            self._lines.append("no test that ran is marked with @pytest.mark.eval: no run was made")
            return
        try:
            self._deliver(exitstatus)
        except (ErsError, OSError, ValueError) as error:
            self._lines.append(f"the run could not be delivered: {error}")
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("evaluation results")
            for line in self._lines:
                terminalreporter.write_line(line)

    def _deliver(self, exitstatus: int) -> None:
        option = self._config.getoption
        url = option("ers_url") or os.environ.get("SERVICE_SERVER_URL") or None
        document = self._document(exitstatus)
        count = len(document["cases"])
        file = Path(option("ers_file") or DEFAULT_FILE)
        if url is None or option("ers_file"):
            file.write_bytes(document_bytes(document))
            self._lines.append(f"wrote {count} cases to {file}")
        if url is None:
            return
        from .client import ErsClient

        try:
            uploaded = ErsClient(url, os.environ.get("SERVICE_TOKEN") or None).upload(document_bytes(document))
        except ErsError as error:
            file.write_bytes(document_bytes(document))
            raise ErsError(error.status, f"{error.message}; the run is in {file}", error.request_id) from error
        except ValueError as error:
            file.write_bytes(document_bytes(document))
            raise ErsError(0, f"{error}; the run is in {file}") from error
        self._lines.append(f"uploaded {count} cases: {uploaded['url']}")

    def _document(self, exitstatus: int) -> dict[str, Any]:
        option = self._config.getoption
        cases = list(self._cases.items())
        if self._config.pluginmanager.hasplugin("dsession"):
            # Workers finish in any order.
            cases.sort(key=lambda item: item[0])
        is_whole = exitstatus not in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        return run_document(
            [_row_of(case) for _, case in cases],
            run_id=option("ers_run_id") or new_run_id(self._started, secrets.token_bytes(10)),
            suite=option("ers_suite"),
            project=option("ers_project"),
            started=self._started,
            finished=time.time(),
            tags=[*option("ers_tag"), *([] if is_whole else ["status:interrupted"])],
            tool=f"pytest {pytest.__version__}",
            environment=os.environ,
            folder=self._config.rootpath,
        )


def _status_of(case: dict[str, Any]) -> str:
    """The status of a case: an assertion that does not hold is a failure, anything else that goes wrong an error."""
    reports = case["reports"]
    called = reports.get("call")
    if "crashed" in case:
        return "error"
    if called is not None and hasattr(called, "wasxfail"):
        return "xfail" if called.outcome == "skipped" else "xpass"
    if called is not None and called.outcome == "failed" and "[XPASS(strict)]" in str(called.longrepr):
        return "xpass"
    if "failed" in case:
        return "fail" if case["failed"]["is_verdict"] else "error"
    if any(report.outcome == "skipped" for report in reports.values()):
        return "xfail" if any(hasattr(report, "wasxfail") for report in reports.values()) else "skip"
    # A test whose last report never arrived was interrupted.
    return "pass" if called is not None else "error"


def _row_of(case: dict[str, Any]) -> dict[str, Any]:
    recorded, status = case["recorded"], _status_of(case)
    called = case["reports"].get("call")
    failed = case.get("failed", {})
    passed = status in ("pass", "xpass")
    reason = failed.get("failure", "")
    asserts = list(recorded["scores"])
    if status in ("pass", "fail", "xfail", "xpass"):
        verdict = {"kind": "exec", "status": "pass" if passed else "fail", "score": 1 if passed else 0, "weight": 1}
        criteria = {"type": "exec", "original_type": "pytest", "name": "assert"}
        asserts.insert(0, {**verdict, "reason": reason, "criteria": criteria})
    row: dict[str, Any] = {
        "cell": {
            "provider_id": recorded["recorded_provider"] or recorded["provider"] or "tests",
            "test_id": recorded["test"],
        },
        "name": recorded["name"],
        "status": status,
        "score": recorded["score"] if recorded["score"] is not None else (1.0 if passed else 0.0),
        "asserts": asserts,
        "latency_ms": 0 if called is None else round(called.duration * 1000),
        "wall_ms": round(case["seconds"] * 1000),
        "attempts": case["attempts"],
        **recorded["fields"],
    }
    if recorded["tags"]:
        row["tags"] = sorted(set(recorded["tags"]))
    if recorded["vars"]:
        row["vars"] = recorded["vars"]
    if status == "error":
        row["error"] = case.get("crashed") or reason or "the test did not end"
        row["error_class"] = "crashed" if "crashed" in case else (failed.get("class") or "unfinished")
    if failed.get("trace") and status in ("error", "fail"):
        row["error_details" if status == "error" else "raw"] = {"trace": failed["trace"]}
    expected = [report.wasxfail for report in case["reports"].values() if hasattr(report, "wasxfail")]
    if expected and expected[0]:
        row["expect_fail_reason"] = cut(str(expected[0]).removeprefix("reason: "), MAX_REASON_CHARACTERS)
    return row
