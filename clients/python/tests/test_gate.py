"""The gate against the real service."""

from __future__ import annotations

import unittest

from ers_client import ErsClient, Gate

from .support import ERROR, FAIL, PASS, a_run, service


class Gates(unittest.TestCase):
    ers: ErsClient

    @classmethod
    def setUpClass(cls) -> None:
        cls.ers = service()
        cls.ers.upload(a_run("gate-base", [PASS] * 20, suite="gated"))
        cls.ers.upload(a_run("gate-worse", [FAIL] * 8 + [PASS] * 12, suite="gated", finished_at="2026-05-05T09:00:00Z"))
        cls.ers.upload(
            a_run("gate-alike", [FAIL] + [ERROR] + [PASS] * 18, suite="gated", finished_at="2026-05-06T09:00:00Z")
        )
        costly = {"cost_usd": 0.0012, "latency_ms": 130}
        cls.ers.upload(
            a_run("gate-costly", [PASS] * 20, suite="gated", case=costly, finished_at="2026-05-07T09:00:00Z")
        )

    def gate(self, run: str, *rules: str, against: str = "gate-base", **options: object) -> Gate:
        return self.ers.gate(run, against=against, rules=rules or ("no-regression",), **options)  # type: ignore[arg-type]

    def test_a_significant_drop_is_a_regression(self) -> None:
        worse = self.gate("gate-worse")
        self.assertFalse(worse)
        self.assertEqual(str(worse), "no-regression: 8 worse, 0 better of 20 pairs, p = 0.00781: FAIL")
        self.assertEqual((worse.run_id, worse.base_id), ("gate-worse", "gate-base"))
        self.assertTrue(self.gate("gate-worse", alpha=0.001))
        self.assertTrue(self.gate("gate-alike"))
        self.assertTrue(self.gate("gate-base", against="gate-worse"))

    def test_a_grouping_decides_by_groups(self) -> None:
        self.assertFalse(self.gate("gate-worse", cluster_by="test"))
        self.assertTrue(self.gate("gate-alike", cluster_by="test"))

    def test_each_rule_holds_and_fails(self) -> None:
        for run, rule, holds in [
            ("gate-worse", "pass-rate:0.6", True),
            ("gate-worse", "pass-rate:61%", False),
            ("gate-worse", "pass-rate:lower:0.39", False),
            ("gate-worse", "pass-rate:lower:0.38", True),
            ("gate-worse", "score:0.6", True),
            ("gate-worse", "score:0.61", False),
            ("gate-worse", "score:lower:0.5", False),
            ("gate-alike", "errors:1", True),
            ("gate-alike", "errors:0", False),
            ("gate-base", "non-inferior:20%", True),
            ("gate-worse", "non-inferior:5%", False),
            ("gate-alike", "no-newly-failing:2", True),
            ("gate-alike", "no-newly-failing", False),
            ("gate-costly", "cost:+20%", True),
            ("gate-costly", "cost:+19%", False),
            ("gate-costly", "cost:clear:+20%", True),
            ("gate-costly", "cost:clear:+19%", False),
            ("gate-costly", "latency:+30%", True),
            ("gate-costly", "latency:+29.9%", False),
        ]:
            with self.subTest(run=run, rule=rule):
                gate = self.gate(run, rule)
                self.assertEqual(gate.holds, holds, str(gate))

    def test_all_rules_must_hold(self) -> None:
        gate = self.gate("gate-alike", "no-regression", "errors:0", "pass-rate:0.9")
        self.assertEqual([result.holds for result in gate.results], [True, False, True])
        self.assertFalse(gate)

    def test_finds_the_run_to_compare_with(self) -> None:
        with self.assertRaisesRegex(LookupError, "no pinned run"):
            self.gate("gate-worse", against="baseline")
        self.assertIsNone(self.gate("gate-worse", "pass-rate:0", against="baseline").base_id)
        self.ers.pin_baseline("python", "gated", {"run_id": "gate-base"})
        self.assertEqual(self.ers.gate("gate-worse").base_id, "gate-base")
        self.ers.unpin_baseline("python", "gated")
        self.assertEqual(self.gate("gate-worse", against="previous").base_id, "gate-base")
        with self.assertRaisesRegex(LookupError, "branch none"):
            self.gate("gate-worse", against="branch:none")

    def test_a_bad_rule_is_named_before_anything_is_asked(self) -> None:
        nowhere = ErsClient("http://127.0.0.1:9")
        for rule in [
            "no-regressions",
            "no-regression:1",
            "pass-rate",
            "pass-rate:1.5",
            "pass-rate:٥",
            "score:lower:x",
            "cost:20%",
            "latency:+20",
            "errors",
            "errors:-1",
            "no-newly-failing:",
            "non-inferior:5",
        ]:
            with self.subTest(rule=rule), self.assertRaisesRegex(ValueError, "the rule"):
                nowhere.gate("x", rules=[rule])
        for options in ({"alpha": 0}, {"against": ""}, {"rules": "no-regression"}):
            with self.subTest(options=options), self.assertRaises(ValueError):
                nowhere.gate("x", **options)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
