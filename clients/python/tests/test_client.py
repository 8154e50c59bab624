"""The client against the real service."""

from __future__ import annotations

import gzip
import json
import tempfile
import unittest
from pathlib import Path

from ers_client import ErsClient, ErsError

from .support import FAIL, PASS, a_run, service

SAMPLES = Path(__file__).parents[3] / "spec" / "interchange" / "samples"


class Client(unittest.TestCase):
    def setUp(self) -> None:
        self.ers = service()

    def test_uploads_a_mapping_a_text_or_a_file_once(self) -> None:
        run = a_run("python-upload", [PASS])
        uploaded = self.ers.upload(run)
        self.assertEqual(uploaded, {"id": "python-upload", "url": f"{self.ers.url}/runs/python-upload"})
        self.assertEqual(self.ers.upload(json.dumps(run)), uploaded)
        self.assertEqual(self.ers.upload_run(run), uploaded)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {"run.json": json.dumps(run).encode(), "run.json.gz": gzip.compress(json.dumps(run).encode())}.items():
                (Path(folder) / name).write_bytes(content)
                self.assertEqual(self.ers.upload(Path(folder) / name), uploaded)
        self.assertEqual(json.loads(self.ers.document("python-upload"))["cases"][0]["output"], "answer 0")

    def test_imports_the_files_of_other_tools_once(self) -> None:
        for name, found, cases in (
            ("promptfoo/v3-capitals.json", "promptfoo", 48),
            ("junit/jest-junit.xml", "junit", 6),
            ("inspect/2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval", "inspect", 12),
            # Its time is in its name alone.
            ("deepeval/test_run_20261122_045649.json", "deepeval", 3),
        ):
            first, second = (self.ers.import_file(SAMPLES / name, project="python-imports") for _ in range(2))
            (run,), (again,) = first["runs"], second["runs"]
            self.assertEqual((first["format"], run["cases"]), (found, cases))
            self.assertEqual((again["id"], again["outcome"]), (run["id"], "already_there"))
            self.assertEqual(self.ers.get_run(run["id"])["case_count"], cases)

    def test_imports_a_table_by_a_map(self) -> None:
        columns = {"provider": {"column": "model"}, "test": {"column": "id"}}
        status = {"column": "outcome", "pass": ["PASS"], "fail": ["FAIL"]}
        options = {"format": "table", "name": "nightly.csv", "created_at": "2026-05-04T09:00:00Z"}
        table_map = json.dumps({"format": "csv", "case": columns, "status": status})
        report = self.ers.import_file(b"model,id,outcome\nm,1,PASS\nm,2,FAIL\n", map=table_map, dry_run=True, **options)
        (run,) = report["runs"]
        self.assertEqual((run["outcome"], run["statuses"], run["suite"]), ("new", {"pass": 1, "fail": 1}, "nightly"))
        report = self.ers.import_file(SAMPLES / "ragas/evaluate.csv", map="preset:ragas", created_at="2026-05-04T09:00:00Z")
        self.assertEqual((report["format"], report["runs"][0]["cases"]), ("table", 3))

    def test_a_file_that_is_refused_raises_the_reason(self) -> None:
        with self.assertRaises(ErsError) as caught:
            self.ers.import_file(SAMPLES / "promptfoo/v3-capitals.csv")
        self.assertEqual(caught.exception.status, 422)
        self.assertIn("a CSV of promptfoo has no assertions", str(caught.exception))

    def test_lists_all_runs_and_cases_page_by_page(self) -> None:
        for n in range(5):
            self.ers.upload(a_run(f"page/{n}", [PASS, FAIL, PASS], suite="paged"))
        ids = [run["id"] for run in self.ers.iter_runs(project="python", suite="paged", limit=2)]
        self.assertEqual(sorted(ids), [f"page/{n}" for n in range(5)])
        keys = [item["case_key"] for item in self.ers.iter_cases("page/3", limit=2)]
        self.assertEqual(keys, ["key-0", "key-1", "key-2"])
        self.assertEqual([item["case_key"] for item in self.ers.iter_cases("page/3", status=FAIL)], ["key-1"])

    def test_names_in_paths_and_queries_are_escaped(self) -> None:
        name = "a b/c?d#é%2F"
        run = {**a_run(name, [PASS], suite=name), "project": name}
        self.ers.upload(run)
        self.assertEqual(self.ers.get_run(name)["suite"], name)
        self.assertEqual(self.ers.get_suite(name, name)["suite"], name)
        self.assertEqual([found["id"] for found in self.ers.iter_runs(project=name)], [name])

    def test_reads_each_kind_of_answer(self) -> None:
        self.ers.upload(a_run("kinds", [PASS], suite="kinds"))
        self.assertEqual(self.ers.get_health(), {"status": "ok"})
        self.assertIn("key-0", self.ers.export_cases_csv("kinds"))
        self.assertIn("<svg", self.ers.get_badge("python", "kinds"))
        self.assertIsNone(self.ers.delete_run("kinds"))
        self.assertTrue(self.ers.get_overview(attention=False)["suites"])
        key = "sha256:" + "0" * 64
        self.assertIsNone(self.ers.put_cache_body(key, b"\x00bytes"))
        self.assertEqual(self.ers.get_cache_body(key), b"\x00bytes")
        created = self.ers.create_user({"username": "ada", "password": "correct horse", "role": "viewer"})
        self.assertEqual(created["username"], "ada")

    def test_streams_events(self) -> None:
        lines = self.ers.stream_events(project="python")
        self.assertIn("retry: 3000", next(lines))
        lines.close()

    def test_raises_an_error_with_status_message_and_request_id(self) -> None:
        with self.assertRaises(ErsError) as caught:
            self.ers.get_run("none")
        self.assertEqual((caught.exception.status, caught.exception.message), (404, "run not found"))
        self.assertRegex(caught.exception.request_id or "", r"^\w{26}$")
        self.assertRegex(str(caught.exception), r"^404: run not found \(request \w{26}\)$")
        with self.assertRaises(ErsError) as caught:
            ErsClient(self.ers.url, "wrong").upload(a_run("refused", []))
        self.assertEqual(caught.exception.status, 401)
        with self.assertRaises(ErsError) as caught:
            self.ers.upload({**a_run("refused", []), "project": 7})
        self.assertEqual(caught.exception.status, 422)
        self.assertIn("project", caught.exception.message)

    def test_reads_its_address_and_token_from_the_environment(self) -> None:
        ers = ErsClient.from_environment({"SERVICE_SERVER_URL": self.ers.url + "/", "SERVICE_TOKEN": ""})
        self.assertEqual(ers.get_health(), {"status": "ok"})
        with self.assertRaises(KeyError):
            ErsClient.from_environment({})


if __name__ == "__main__":
    unittest.main()
