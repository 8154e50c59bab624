"""Which requests are sent again, and what is sent to routes whose answers are prepared here."""

from __future__ import annotations

import hashlib
import itertools
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ers_client import ErsClient, ErsError

from .support import JSON, Answers, ok, refused


class SentAgain(unittest.TestCase):
    def client(self, answers: Answers) -> ErsClient:
        self.waits: list[float] = []
        return ErsClient(answers.url, "secret", sleep=self.waits.append)

    def test_after_the_time_in_retry_after(self) -> None:
        later = "Thu, 01 Jan 2099 00:00:00 GMT"
        with Answers(refused(503, retry_after="2"), refused(429, retry_after=later), refused(503, retry_after="x"), ok(b'{"id": "1", "url": "u"}')) as answers:
            self.client(answers).upload({"run_id": "1"})
        self.assertEqual(self.waits, [2, 60, 2])
        self.assertEqual({item.content() for item in answers.received}, {b'{"run_id": "1"}'})

    def test_after_half_a_second_and_then_twice_as_long(self) -> None:
        with Answers(refused(503), refused(503), refused(503), ok()) as answers:
            self.client(answers).list_projects()
        self.assertEqual(self.waits, [0.5, 1, 2])

    def test_if_the_connection_failed_and_a_second_request_does_no_harm(self) -> None:
        with Answers(None, refused(502), refused(504), ok()) as answers:
            self.client(answers).list_projects()
        self.assertEqual(len(answers.received), 4)

    def test_but_not_if_it_may_have_been_done(self) -> None:
        with Answers(None, refused(502)) as answers:
            with self.assertRaises(ErsError) as caught:
                self.client(answers).create_api_key({})
            self.assertEqual(caught.exception.status, 0)
            with self.assertRaises(ErsError) as caught:
                self.client(answers).create_api_key({})
        self.assertEqual(caught.exception.status, 502)
        self.assertEqual(len(answers.received), 2)

    def test_never_after_a_4xx_but_429(self) -> None:
        for status in (400, 401, 403, 404, 408, 409, 413, 422):
            with Answers(refused(status, retry_after="1")) as answers, self.assertRaises(ErsError) as caught:
                self.client(answers).list_projects()
            self.assertEqual((caught.exception.status, caught.exception.message), (status, "no"))
            self.assertEqual((len(answers.received), caught.exception.request_id), (1, "abc"))

    def test_four_times_at_most(self) -> None:
        with Answers(refused(503)) as answers, self.assertRaises(ErsError) as caught:
            self.client(answers).list_projects()
        self.assertEqual((caught.exception.status, len(answers.received)), (503, 4))

    def test_a_service_that_is_not_there_is_an_error(self) -> None:
        with Answers(ok()) as answers:
            pass
        with self.assertRaises(ErsError) as caught:
            self.client(answers).list_projects()
        self.assertEqual((caught.exception.status, caught.exception.request_id), (0, None))
        self.assertEqual(self.waits, [0.5, 1, 2])


class Sent(unittest.TestCase):
    def test_a_redirect_is_an_answer_and_the_token_stays_here(self) -> None:
        with Answers(ok()) as elsewhere, Answers((303, {"location": f"{elsewhere.url}/login"}, b"")) as answers:
            ers = ErsClient(answers.url, "secret")
            self.assertEqual(ers.start_oidc_sign_in("corp", return_to="/"), f"{elsewhere.url}/login")
        self.assertEqual(elsewhere.received, [])
        self.assertEqual(answers.received[0].path, "/api/v1/auth/oidc/corp/start?return_to=%2F")

    def test_an_answer_that_is_no_json_is_an_error(self) -> None:
        for answer in (ok(b"<html>"), (404, {"content-type": "text/html"}, b"<html>")):
            with Answers(answer) as answers, self.assertRaises(ErsError):
                ErsClient(answers.url).list_projects()

    def test_a_redirect_is_an_error_that_names_its_target_and_gets_no_token(self) -> None:
        with Answers(ok()) as elsewhere, Answers((301, {"location": f"{elsewhere.url}/login"}, b"")) as answers:
            ers = ErsClient(answers.url, "secret")
            for call in (ers.list_projects, lambda: ers.document("1"), lambda: ers.upload({"run_id": "1"})):
                with self.assertRaisesRegex(ErsError, f"redirect to {elsewhere.url}/login; use that address"):
                    call()
        self.assertEqual(elsewhere.received, [])

    def test_a_page_is_no_answer_of_any_kind(self) -> None:
        page = b"<!doctype html><title>Sign in</title>"
        for answer in ((200, {"content-type": "text/html; charset=utf-8"}, page), (200, JSON, page), (200, {}, page)):
            with Answers(answer) as answers:
                ers = ErsClient(answers.url)
                calls = [ers.list_projects, lambda: ers.document("1"), lambda: ers.upload({"run_id": "1"})]
                calls += [lambda: ers.export("1", name) for name in ("jsonl", "csv", "parquet", "junit", "ctrf")]
                for call in calls:
                    with self.assertRaisesRegex(ErsError, "check the address"):
                        call()

    def test_an_answer_that_is_not_whole_is_an_error(self) -> None:
        whole = b'{"run_id": "1"}'
        etag = f'"{hashlib.sha256(whole).hexdigest()}"'
        with Answers((200, {**JSON, "etag": etag}, whole)) as answers:
            self.assertEqual(ErsClient(answers.url).document("1"), whole)
        for headers, body in (({"etag": etag}, b'{"run_id": ""}'), ({"content-length": "99"}, whole), ({}, whole[:-1])):
            with Answers((200, {**JSON, **headers}, body)) as answers, self.assertRaises(ErsError):
                ErsClient(answers.url, sleep=lambda _: None).document("1")
        for name, body in (("csv", b"run_id,project\r\nru"), ("parquet", b"PAR1 and"), ("jsonl", b'{"a": 1}\n{"b"')):
            with Answers((200, {}, body)) as answers, self.assertRaisesRegex(ErsError, "not whole"):
                ErsClient(answers.url).export("1", name)

    def test_an_answer_without_an_end_is_given_up(self) -> None:
        for part in (b" " * 65536, b'{"a":"' + b"a" * 65536):
            with Answers((200, {**JSON, "content-length": "1000000000"}, part * 40)) as answers:
                with self.assertRaisesRegex(ErsError, "larger than 1000000 bytes"):
                    ErsClient(answers.url, max_answer_bytes=1_000_000).list_projects()

    def test_an_answer_that_is_too_slow_is_given_up(self) -> None:
        with Answers(ok(b'{"a": 1}')) as answers, mock.patch("time.monotonic", side_effect=itertools.count(0, 1000)):
            with self.assertRaisesRegex(ErsError, "too slowly"):
                ErsClient(answers.url).list_projects()

    def test_other_json_is_no_answer(self) -> None:
        for body in (b"[]", b"1", b'"text"', b"", b"null", b"[" * 100_000):
            with Answers(ok(body)) as answers, self.assertRaisesRegex(ErsError, "JSON"):
                ErsClient(answers.url).list_projects()

    def test_what_a_terminal_obeys_is_escaped_in_errors(self) -> None:
        reason = json.dumps({"error": "x\u001b]0;owned\u0007\r\nforged\u202ey\u009b"}).encode()
        with Answers((422, JSON, reason)) as answers, self.assertRaises(ErsError) as caught:
            ErsClient(answers.url).list_projects()
        self.assertEqual(caught.exception.message, r"x\x1b]0;owned\x07\r\nforged\u202ey\x9b")

    def test_an_address_needs_a_scheme_and_has_no_password(self) -> None:
        for url in ("", "localhost:8321", "ftp://host", "http://user:secret@host", "http://"):
            with self.assertRaises(ValueError) as caught:
                ErsClient(url)
            self.assertNotIn("secret", str(caught.exception))

    def test_a_file_to_import_is_sent_unchanged_compressed_and_named(self) -> None:
        with Answers(ok(b'{"format": "promptfoo"}')) as answers, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            path.write_bytes(b'{"results": {}}')
            ers = ErsClient(answers.url)
            self.assertEqual(ers.import_file(path, project="p", dry_run=True), {"format": "promptfoo"})
            ers.import_file(b"a,b\n1,2\n", map="format: csv\n")
            ers.import_file(b"a\n1\n", map="preset:ragas")
        first, second, third = answers.received
        self.assertEqual((first.method, first.path), ("POST", "/api/v1/import?name=results.json&project=p&dry_run=true"))
        self.assertEqual((first.headers["content-type"], first.content()), ("application/octet-stream", b'{"results": {}}'))
        boundary = second.headers["content-type"].removeprefix("multipart/form-data; boundary=").encode()
        parts = second.content().split(b"--" + boundary)
        self.assertEqual([part.partition(b"\r\n\r\n")[2] for part in parts[1:-1]], [b"a,b\n1,2\n\r\n", b"format: csv\n\r\n"])
        self.assertIn(b'name="map"', parts[2])
        self.assertEqual(parts[-1], b"--\r\n")
        self.assertEqual((third.path, third.content()), ("/api/v1/import?map=preset%3Aragas", b"a\n1\n"))

    def test_a_frame_needs_pandas(self) -> None:
        with Answers((200, {}, b"PAR1")) as answers:
            ers = ErsClient(answers.url)
            self.assertEqual(ers.export("a/b", "parquet"), b"PAR1")
            with mock.patch.dict("sys.modules", {"pandas": None}), self.assertRaisesRegex(ImportError, "pip install"):
                ers.frame("a/b")
        self.assertEqual([item.path for item in answers.received], ["/api/v1/runs/a%2Fb/export/parquet"])

    def test_what_json_cannot_say_is_not_sent(self) -> None:
        with Answers((200, JSON, b"{}")) as answers, self.assertRaises(ValueError):
            ErsClient(answers.url).upload({"score": float("nan")})
        self.assertEqual(answers.received, [])


if __name__ == "__main__":
    unittest.main()
