"""The pytest plugin: pytest runs in processes of its own, and its runs are uploaded to the real service."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from .support import service

HAS_PYTEST = importlib.util.find_spec("pytest") is not None
HAS_XDIST = importlib.util.find_spec("xdist") is not None

EVALS = '''
import os
import pytest

@pytest.fixture
def broken():
    raise RuntimeError("no data")

@pytest.fixture
def leaky():
    yield
    raise RuntimeError("not closed")

@pytest.mark.eval("smoke")
@pytest.mark.parametrize("provider", ["small", "large"])
@pytest.mark.parametrize("question", ["a", "b"])
def test_answers(provider, question, ers):
    ers.prompt([{"role": "user", "content": question}])
    ers.output({"answer": question, "distance": float("nan")})
    ers.tokens(input=5, output=7, cache_read=2)
    ers.cost(0.001)
    ers.score(0.75)
    ers.score(0.2, name="similarity", reason="far")
    assert provider == "large" or question == "a", "small knows a alone \\0"

@pytest.mark.eval
def test_provider(ers):
    ers.provider("named")
    ers.prompt("Say it.")
    ers.output("x" * 200_001)
    ers.latency(12.4)

@pytest.mark.eval
def test_error(): raise TimeoutError("no answer")

@pytest.mark.eval
@pytest.mark.xfail(reason="known")
def test_xfail(): assert False

@pytest.mark.eval
@pytest.mark.xfail
def test_xpass(): pass

@pytest.mark.eval
@pytest.mark.xfail(strict=True)
def test_strict(): pass

@pytest.mark.eval
def test_skip(): pytest.skip("later")

@pytest.mark.eval
def test_setup(broken): pass

@pytest.mark.eval
def test_teardown(leaky): pass

@pytest.mark.eval
@pytest.mark.parametrize("__step", range(2))
@pytest.mark.parametrize("data", [object()])
def test_repeated(__step, data): pass

@pytest.mark.eval
@pytest.mark.parametrize("provider,row", [("small", {"q": 1})])
def test_rows(provider, row): pass

def test_plain(ers):
    ers.output("no case")
    for wrong in (lambda: ers.score(1.1), lambda: ers.tokens(input=-1), lambda: ers.cost("1"), lambda: ers.prompt([{}])):
        with pytest.raises(ValueError):
            wrong()
'''

STATUSES = {
    ("small", "test_evals.py::test_answers[question=a]", 0): "pass",
    ("small", "test_evals.py::test_answers[question=b]", 0): "fail",
    ("large", "test_evals.py::test_answers[question=a]", 0): "pass",
    ("large", "test_evals.py::test_answers[question=b]", 0): "pass",
    ("named", "test_evals.py::test_provider", 0): "pass",
    ("tests", "test_evals.py::test_error", 0): "error",
    ("tests", "test_evals.py::test_xfail", 0): "xfail",
    ("tests", "test_evals.py::test_xpass", 0): "xpass",
    ("tests", "test_evals.py::test_strict", 0): "xpass",
    ("tests", "test_evals.py::test_skip", 0): "skip",
    ("tests", "test_evals.py::test_setup", 0): "error",
    ("tests", "test_evals.py::test_teardown", 0): "error",
    ("tests", "test_evals.py::test_repeated[data=data0]", 0): "pass",
    ("tests", "test_evals.py::test_repeated[data=data0]", 1): "pass",
    ("small", "test_evals.py::test_rows[row=7a160a56eccf]", 0): "pass",
}


def statuses_of(document: dict[str, Any]) -> dict[tuple[str, str, int], str]:
    return {
        (item["cell"]["provider_id"], item["cell"]["test_id"], item["cell"]["repeat"]): item["status"]
        for item in document["cases"]
    }


@unittest.skipUnless(HAS_PYTEST, "needs pytest")
class Plugin(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write(EVALS)
        self.ers = service()

    def write(self, program: str) -> None:
        (self.folder / "test_evals.py").write_text(program, encoding="utf-8")

    def pytest(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest in the folder. As the plugin of an installed distribution, but of these sources."""
        base = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICE_", "PYTEST_", "GIT", "CI"))}
        source = str(Path(__file__).parents[1] / "src")
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "ers_client.pytest_plugin", "-p", "no:cacheprovider", *arguments],
            cwd=self.folder,
            env={**base, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def upload(self, run_id: str, *arguments: str) -> dict[str, Any]:
        done = self.pytest(
            "--ers-suite=evals", "--ers-project=pytest", f"--ers-run-id={run_id}", "--strict-markers", *arguments,
            SERVICE_SERVER_URL=self.ers.url, SERVICE_TOKEN=os.environ["ERS_TEST_TOKEN"],
        )
        self.assertIn(f"uploaded 15 cases: {self.ers.url}/runs/{run_id}", done.stdout, done.stderr)
        self.assertEqual(done.returncode, 1)
        return json.loads(self.ers.document(run_id))

    def test_uploads_the_marked_tests_as_one_run(self) -> None:
        document = self.upload("pytest-1", "--ers-tag=nightly")
        self.assertEqual(statuses_of(document), STATUSES)
        self.assertEqual((document["suite"], document["project"], document["filters"]), ("evals", "pytest", {"tags": ["nightly"]}))
        self.assertFalse((self.folder / "ers-run.json").exists())
        run = self.ers.get_run("pytest-1")
        self.assertEqual((run["case_count"], run["pass_count"], run["fail_count"], run["error_count"]), (15, 7, 1, 3))
        self.assertEqual(run["cost_usd"], 0.004)

    def test_a_case_has_what_its_test_recorded(self) -> None:
        cases = {(item["cell"]["provider_id"], item["name"]): item for item in self.upload("pytest-2")["cases"]}
        answer = cases["small", "test_answers[b-small]"]
        for name, value in {
            "output": {"answer": "b", "distance": "nan"},
            "prompt": {"messages": [{"role": "user", "content": "b"}]},
            "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_tokens": 2},
            "vars": {"question": "b"},
            "tags": ["smoke"],
            "score": 0.75,
            "cost_usd": 0.001,
        }.items():
            self.assertEqual(answer[name], value)
        decides, measures = answer["asserts"]
        self.assertEqual((decides["status"], decides["weight"], measures["status"], measures["weight"]), ("fail", 1, "fail", 0))
        self.assertIn("small knows a alone \ufffd", decides["reason"])
        named = cases["named", "test_provider"]
        self.assertEqual((named["latency_ms"], named["prompt"]), (12, {"text": "Say it."}))
        self.assertTrue(named["output"].endswith("… [cut, 1 characters]"))
        error = cases["tests", "test_error"]
        self.assertEqual((error["error"], error["error_class"]), ("TimeoutError: no answer", "TimeoutError"))
        self.assertIn("test_evals.py", error["error_details"]["trace"])
        self.assertEqual(cases["tests", "test_xfail"]["expect_fail_reason"], "known")

    @unittest.skipUnless(HAS_XDIST, "needs pytest-xdist")
    def test_workers_make_one_run(self) -> None:
        document = self.upload("pytest-3", "-n", "3")
        self.assertEqual(statuses_of(document), STATUSES)

    @unittest.skipUnless(HAS_XDIST, "needs pytest-xdist")
    def test_a_crash_of_a_worker_is_an_error_of_its_case(self) -> None:
        self.write("import os, pytest\n@pytest.mark.eval\ndef test_crash(): os._exit(3)\n@pytest.mark.eval\ndef test_fine(): pass\n")
        self.pytest("--ers-suite=evals", "-n", "1", "--ers-file=run.json")
        document = json.loads((self.folder / "run.json").read_bytes())
        statuses = {item["name"]: (item["status"], item.get("error_class")) for item in document["cases"]}
        self.assertEqual(statuses, {"test_crash": ("error", "crashed"), "test_fine": ("pass", None)})

    def test_writes_a_file_without_a_server(self) -> None:
        self.assertIn("wrote 15 cases to ers-run.json", self.pytest("--ers-suite=evals").stdout)
        self.assertEqual(statuses_of(json.loads((self.folder / "ers-run.json").read_bytes())), STATUSES)
        self.assertEqual(self.ers.upload(self.folder / "ers-run.json")["url"].startswith(self.ers.url), True)

    def test_a_run_that_cannot_be_uploaded_is_kept_and_fails(self) -> None:
        self.write("import pytest\n@pytest.mark.eval\ndef test_fine(): pass\n")
        done = self.pytest("--ers-suite=evals", f"--ers-url={self.ers.url}", SERVICE_TOKEN="wrong")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the run is in ers-run.json", done.stdout)
        self.assertEqual(len(json.loads((self.folder / "ers-run.json").read_bytes())["cases"]), 1)

    def test_does_nothing_without_a_suite(self) -> None:
        done = self.pytest("-k", "plain", "--strict-markers", SERVICE_SERVER_URL=self.ers.url)
        self.assertEqual((done.returncode, "evaluation results" in done.stdout), (0, False))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["test_evals.py"])

    def test_a_run_without_marked_tests_is_not_made(self) -> None:
        done = self.pytest("-k", "plain", "--ers-suite=evals", SERVICE_SERVER_URL=self.ers.url)
        self.assertEqual(done.returncode, 0)
        self.assertIn("no run was made", done.stdout)


if __name__ == "__main__":
    unittest.main()
