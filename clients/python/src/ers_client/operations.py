# Written by `npm run clients` from clients/openapi.json. Do not edit.
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from .transport import Caller, path_of
from .types import *  # noqa: F403


class Operations(Caller):
    """A method for each operation of the API. Each raises ErsError when the service answers with an error."""

    def get_root_health(self) -> Health:
        """Whether the process answers, at an address outside of the API."""
        found: Health = self._call("GET", "/health", answer="json")
        return found

    def get_health(self) -> Health:
        """Whether the process answers."""
        found: Health = self._call("GET", "/api/v1/health", answer="json")
        return found

    def get_readiness(self) -> Readiness:
        """Whether the service can answer requests for stored data."""
        found: Readiness = self._call("GET", "/api/v1/ready", answer="json")
        return found

    def get_meta(self) -> Meta:
        """Version, limits and features of the service."""
        found: Meta = self._call("GET", "/api/v1/meta", answer="json")
        return found

    def get_open_api_document(self) -> Any:
        """This document."""
        found: Any = self._call("GET", "/api/v1/openapi.json", answer="json")
        return found

    def get_run_document_schema(self) -> Any:
        """The format of run documents as JSON Schema."""
        found: Any = self._call("GET", "/api/v1/schemas/run-document", answer="json")
        return found

    def upload_run(self, body: RunDocument, *, plan: str | None = None) -> Ingested:
        """Upload a run document.

        plan: Id of the plan that the run follows. Without it, the run follows the newest plan of its suite with the same `config_digest`.
        """
        found: Ingested = self._call(
            "POST",
            "/api/v1/runs",
            query={"plan": plan},
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_runs(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        tag: str | None = None,
        provider: str | None = None,
        branch: str | None = None,
        status: Literal["pass", "fail", "error"] | None = None,
        since: str | None = None,
        until: str | None = None,
        cached: Literal["exclude", "only", "all"] | None = None,
        origin: Literal["ci", "local"] | None = None,
        actor: str | None = None,
        sort: Literal["time", "uploaded", "pass_rate", "cost", "duration"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> RunList:
        """List runs, newest first unless another order is given.

        project: Name of the project.
        suite: Name of the suite.
        tag: Only those with this tag.
        provider: Runs with a case of this provider
        branch: Only runs of this branch.
        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        since: Epoch milliseconds or RFC 3339, inclusive.
        until: Epoch milliseconds or RFC 3339, inclusive.
        cached: Whether the response of the provider was read from a cache.
        origin: Only runs of CI, or only local ones.
        actor: Only runs whose document names this actor, or that an account or token with this name uploaded.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: RunList = self._call(
            "GET",
            "/api/v1/runs",
            query={
                "project": project,
                "suite": suite,
                "tag": tag,
                "provider": provider,
                "branch": branch,
                "status": status,
                "since": since,
                "until": until,
                "cached": cached,
                "origin": origin,
                "actor": actor,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def delete_run_by_id(self, *, run_id: str) -> None:
        """Delete a run, whatever its id.

        run_id: Id of the run.
        """
        self._call("DELETE", "/api/v1/runs", query={"run_id": run_id}, answer="nothing")

    def list_run_facets(self) -> RunFacets:
        """Projects, suites and providers by which the list of runs can be filtered, with their number of runs."""
        found: RunFacets = self._call("GET", "/api/v1/run-facets", answer="json")
        return found

    def list_run_changes(self, *, runs: str) -> RunChanges:
        """What got worse and better in each of several runs since its previous like run.

        runs: 1 to 50 runs, comma-separated; a comma or a percent sign within one is percent-encoded.
        """
        found: RunChanges = self._call(
            "GET",
            "/api/v1/run-changes",
            query={"runs": runs},
            answer="json",
        )
        return found

    def export_runs_csv(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        tag: str | None = None,
        provider: str | None = None,
        branch: str | None = None,
        status: Literal["pass", "fail", "error"] | None = None,
        since: str | None = None,
        until: str | None = None,
        cached: Literal["exclude", "only", "all"] | None = None,
        origin: Literal["ci", "local"] | None = None,
        actor: str | None = None,
        sort: Literal["time", "uploaded", "pass_rate", "cost", "duration"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        bom: bool | None = None,
    ) -> str:
        """The filtered list of runs as CSV (RFC 4180).

        project: Name of the project.
        suite: Name of the suite.
        tag: Only those with this tag.
        provider: Runs with a case of this provider
        branch: Only runs of this branch.
        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        since: Epoch milliseconds or RFC 3339, inclusive.
        until: Epoch milliseconds or RFC 3339, inclusive.
        cached: Whether the response of the provider was read from a cache.
        origin: Only runs of CI, or only local ones.
        actor: Only runs whose document names this actor, or that an account or token with this name uploaded.
        sort: What the rows are sorted by.
        order: The direction of the order.
        bom: `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8.
        """
        found: str = self._call(
            "GET",
            "/api/v1/runs.csv",
            query={
                "project": project,
                "suite": suite,
                "tag": tag,
                "provider": provider,
                "branch": branch,
                "status": status,
                "since": since,
                "until": until,
                "cached": cached,
                "origin": origin,
                "actor": actor,
                "sort": sort,
                "order": order,
                "bom": bom,
            },
            answer="text",
        )
        return found

    def get_run(self, id: str | int) -> RunDetail:
        """A run with its summary, without its cases.

        id: Id of the run.
        """
        found: RunDetail = self._call("GET", path_of("/api/v1/runs/{id}", id=id), answer="json")
        return found

    def delete_run(self, id: str | int) -> None:
        """Delete a run.

        id: Id of the run.
        """
        self._call("DELETE", path_of("/api/v1/runs/{id}", id=id), answer="nothing")

    def get_run_in_suite(self, id: str | int) -> RunInSuite:
        """A run, the baseline of its suite, what the viewer may do there, and the previous run that is like it.

        id: Id of the run.
        """
        found: RunInSuite = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/in-suite", id=id),
            answer="json",
        )
        return found

    def get_previous_run(self, id: str | int) -> PreviousRun:
        """The previous run of the suite with the same providers and most of the cases, and what changed between the two.

        id: Id of the run.
        """
        found: PreviousRun = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/previous", id=id),
            answer="json",
        )
        return found

    def export_run(self, id: str | int) -> Any:
        """The uploaded document, byte for byte.

        id: Id of the run.
        """
        found: Any = self._call("GET", path_of("/api/v1/runs/{id}/export", id=id), answer="json")
        return found

    def get_run_config(self, id: str | int) -> RunConfig:
        """The configuration of a run.

        id: Id of the run.
        """
        found: RunConfig = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/config", id=id),
            answer="json",
        )
        return found

    def get_matrix(
        self,
        id: str | int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Matrix:
        """Tests as rows, and columns of provider and prompt, with one cell for each case.

        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: Matrix = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/matrix", id=id),
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def compare_runs(self, id: str | int, other: str | int) -> RunComparison:
        """Two runs: what got worse, what got better, and the difference of the totals.

        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: RunComparison = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}", id=id, other=other),
            answer="json",
        )
        return found

    def import_file(
        self,
        body: bytes,
        *,
        format: Literal["auto", "ers", "promptfoo", "inspect", "openai-evals", "lm-eval", "mlflow", "deepeval", "every-eval-ever", "helm", "swe-bench", "junit", "table", "ctrf", "phoenix", "langsmith", "langfuse", "braintrust", "ers-export", "atif", "otlp"] | None = None,
        name: str | None = None,
        project: str | None = None,
        suite: str | None = None,
        provider: str | None = None,
        scorer: str | list[str] | None = None,
        pass_threshold: str | list[str] | None = None,
        score: str | list[str] | None = None,
        lower_is_better: str | list[str] | None = None,
        higher_is_better: str | list[str] | None = None,
        time_zone: str | None = None,
        created_at: str | None = None,
        aggregates: bool | None = None,
        strict: bool | None = None,
        evidence: Literal["all", "transcripts", "none"] | None = None,
        map: str | None = None,
        dry_run: bool | None = None,
    ) -> ImportResult:
        """Import a file with results of another tool.

        format: The format of the file; `auto` recognises it by its content.
        name: The name of the file, which may show its time. A multipart part has its own.
        project: The project of the runs. Default: the name of the format.
        suite: The suite of the runs. Default: what the file says.
        provider: The provider of the cases. Default: what the file says.
        scorer: The name of the assertion that decides a case; of several, all must pass. Default: those that decide in the tool.
        pass_threshold: A score without a result passes from this value on, in its own units: a number, or NAME=X for one score. Default: the middle of its range. May be given several times.
        score: The range of a score, as NAME=MIN..MAX. Default: what the file says, else 0..1. May be given several times.
        lower_is_better: The name of a score of which a low value is good. May be given several times.
        higher_is_better: The name of a score of which a high value is good in spite of its name. May be given several times.
        time_zone: The IANA zone of times without one. Default: UTC.
        created_at: The time of runs whose source has none.
        aggregates: Whether a source that has only totals becomes a run with one case for each total.
        strict: Whether a run is refused if its tool reports another number of cases than its file contains.
        evidence: What is kept with the runs apart from their documents: `all` (the file, transcripts, pictures and other files), `transcripts` (with their pictures), or `none`.
        map: A preset for a table, such as `preset:ragas`. A map of your own is the part `map` of a multipart body.
        dry_run: Whether the file is only converted and checked, and nothing is stored.
        """
        found: ImportResult = self._call(
            "POST",
            "/api/v1/import",
            query={
                "format": format,
                "name": name,
                "project": project,
                "suite": suite,
                "provider": provider,
                "scorer": scorer,
                "pass_threshold": pass_threshold,
                "score": score,
                "lower_is_better": lower_is_better,
                "higher_is_better": higher_is_better,
                "time_zone": time_zone,
                "created_at": created_at,
                "aggregates": aggregates,
                "strict": strict,
                "evidence": evidence,
                "map": map,
                "dry_run": dry_run,
            },
            body=body,
            body_type="application/octet-stream",
            answer="json",
        )
        return found

    def export_run_as(
        self,
        id: str | int,
        format: str | int,
        *,
        bom: bool | None = None,
        raw: bool | None = None,
    ) -> bytes:
        """A run in a format of other tools.

        bom: CSV alone: `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8.
        raw: CSV alone: `true` leaves fields as they are. Otherwise a field that begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe gets an apostrophe in front.
        id: Id of the run.
        format: `jsonl`: JSON Lines; `csv`: CSV; `parquet`: Parquet; `junit`: JUnit XML; `ctrf`: CTRF; `every-eval-ever`: Every Eval Ever
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/export/{format}", id=id, format=format),
            query={"bom": bom, "raw": raw},
            answer="bytes",
        )
        return found

    def export_run_as_page(
        self,
        id: str | int,
        *,
        compare: str | None = None,
        base_column: str | None = None,
        head_column: str | None = None,
        without: str | None = None,
        with_: Literal["comments"] | None = None,
        full: bool | None = None,
        case: str | None = None,
    ) -> str:
        """A run, and its comparison with another or of two of its columns, as one HTML file that needs no server.

        compare: The id of a run that it is compared with; with columns also the run itself.
        base_column: With `compare`: the column of the run that it names, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        head_column: With `compare`: the column of the run of the file, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        without: Parts of the cases to leave out, separated by commas: outputs, vars, prompts, raw.
        with_: What the file has besides: `comments` on the runs and their cases, without their authors.
        full: Whole outputs. Without it, those beyond 4 KiB are cut.
        case: The key of the case with which the page opens.
        id: Id of the run.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/share.html", id=id),
            query={
                "compare": compare,
                "base_column": base_column,
                "head_column": head_column,
                "without": without,
                "with": with_,
                "full": full,
                "case": case,
            },
            answer="text",
        )
        return found

    def import_samples(self) -> ImportedSamples:
        """Import sample runs, public results whose times are moved to now."""
        found: ImportedSamples = self._call("POST", "/api/v1/samples", answer="json")
        return found

    def remove_samples(self) -> RemovedSamples:
        """Delete the sample runs, whatever else is in their project."""
        found: RemovedSamples = self._call("DELETE", "/api/v1/samples", answer="json")
        return found

    def change_run_annotations(self, id: str | int, body: ChangeRunAnnotationsBody) -> AnnotatedRun:
        """Change the title, the note and the tags that a run has in addition to its document.

        id: Id of the run.
        """
        found: AnnotatedRun = self._call(
            "PATCH",
            path_of("/api/v1/runs/{id}/annotations", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_run_annotations(
        self,
        id: str | int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> RunAnnotations:
        """What was added to a run after its upload, the newest change first.

        limit: Maximum number of rows, from 1 to 100. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: RunAnnotations = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/annotations", id=id),
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def list_comments(
        self,
        id: str | int,
        *,
        case: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CommentList:
        """Comments on a run and its cases, the newest first.

        case: Only the comments on the case with this key.
        limit: Maximum number of rows, from 1 to 50. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: CommentList = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/comments", id=id),
            query={"case": case, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def create_comment(self, id: str | int, body: CreateCommentBody) -> Comment:
        """Comment on a run, or on one of its cases.

        id: Id of the run.
        """
        found: Comment = self._call(
            "POST",
            path_of("/api/v1/runs/{id}/comments", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def delete_comment(self, id: str | int, comment_id: str | int) -> None:
        """Delete a comment: its author or an admin.

        id: Id of the run.
        comment_id: The `id` of the comment.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/runs/{id}/comments/{comment_id}", id=id, comment_id=comment_id),
            answer="nothing",
        )

    def get_run_statistics(
        self,
        id: str | int,
        *,
        k: int | None = None,
        cluster_by: str | None = None,
        column: str | None = None,
    ) -> RunStatistics:
        """Statistics of a run, or of a column of it: intervals, trials, pass@k.

        k: Number of trials.
        cluster_by: What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.
        column: The column of the run that is meant, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        id: Id of the run.
        """
        found: RunStatistics = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/statistics", id=id),
            query={"k": k, "cluster_by": cluster_by, "column": column},
            answer="json",
        )
        return found

    def get_calibration(
        self,
        id: str | int,
        *,
        metric: str | None = None,
        target: Literal["case", "metric"] | None = None,
        cluster_by: str | None = None,
        as_of: int | None = None,
    ) -> RunCalibration:
        """How good the judge of a run is against people, and the pass rate that people would give the run.

        metric: The metric whose judge is meant. Without it and without `target`: the whole case if people labelled that, else the metric that they labelled last, else the only metric of the run.
        target: What people judge: the whole `case`, or one `metric` of it.
        cluster_by: What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.
        as_of: Only what was recorded up to this record of the log, as it was at its time. Labels that were erased since then are left out.
        id: Id of the run.
        """
        found: RunCalibration = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/calibration", id=id),
            query={"metric": metric, "target": target, "cluster_by": cluster_by, "as_of": as_of},
            answer="json",
        )
        return found

    def get_leaderboard(
        self,
        id: str | int,
        *,
        by: Literal["column", "provider"] | None = None,
        base: str | None = None,
    ) -> Leaderboard:
        """The columns of a run, the best first, each compared with one of them.

        by: `column`: a line for each provider with each of its prompts. `provider`: one for each provider.
        base: The column with which the others are compared; the best one by default. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        id: Id of the run.
        """
        found: Leaderboard = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/leaderboard", id=id),
            query={"by": by, "base": base},
            answer="json",
        )
        return found

    def get_comparison_statistics(
        self,
        id: str | int,
        other: str | int,
        *,
        cluster_by: str | None = None,
        base_column: str | None = None,
        head_column: str | None = None,
    ) -> ComparisonStatistics:
        """Whether one run, or column of a run, is better than another, and which difference the comparison could have detected.

        cluster_by: What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.
        base_column: The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        head_column: The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: ComparisonStatistics = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/statistics", id=id, other=other),
            query={"cluster_by": cluster_by, "base_column": base_column, "head_column": head_column},
            answer="json",
        )
        return found

    def compare_calibration(
        self,
        id: str | int,
        other: str | int,
        *,
        metric: str | None = None,
        target: Literal["case", "metric"] | None = None,
        cluster_by: str | None = None,
        as_of: int | None = None,
    ) -> ComparedCalibration:
        """The difference of two runs by their judge, and the one that people would find.

        metric: The metric whose judge is meant. Without it and without `target`: the whole case if people labelled that, else the metric that they labelled last, else the only metric of the run.
        target: What people judge: the whole `case`, or one `metric` of it.
        cluster_by: What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.
        as_of: Only what was recorded up to this record of the log, as it was at its time. Labels that were erased since then are left out.
        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: ComparedCalibration = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/calibration", id=id, other=other),
            query={"metric": metric, "target": target, "cluster_by": cluster_by, "as_of": as_of},
            answer="json",
        )
        return found

    def get_suite_trend(
        self,
        project: str | int,
        suite: str | int,
        *,
        branch: str | None = None,
    ) -> SuiteTrend:
        """The pass rates, scores, costs, latencies and tokens of a suite, and where they changed.

        branch: Only runs of this branch.
        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteTrend = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/trend", project=project, suite=suite),
            query={"branch": branch},
            answer="json",
        )
        return found

    def list_compared_cases(
        self,
        id: str | int,
        other: str | int,
        *,
        filter: Literal["changed", "worse", "better", "undecided", "still_failing", "still_passing", "base_only", "head_only", "lost", "flipped", "all"] | None = None,
        case: str | None = None,
        q: str | None = None,
        tag: str | None = None,
        field: str | None = None,
        provider: str | None = None,
        base_column: str | None = None,
        head_column: str | None = None,
        sort: Literal["change", "name", "tags", "base_score", "head_score", "score_change", "flips", "base_latency", "head_latency", "tokens_change"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ComparedCases:
        """The cases of two runs, or of columns of runs, in pairs, by what happened to them.

        filter: What happened to the cases. `changed`: they got worse or better. `lost`: they passed, and have no verdict now.
        case: The key of a case that is returned as `linked` too; `linked` is null if neither run has it.
        q: The words, or the part of a text, to search for.
        tag: Only those with this tag.
        field: A variable of the case with its value, such as `var.city=Lima`. Text without `=` selects nothing.
        provider: Id of the provider.
        base_column: The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        head_column: The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: ComparedCases = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/cases", id=id, other=other),
            query={
                "filter": filter,
                "case": case,
                "q": q,
                "tag": tag,
                "field": field,
                "provider": provider,
                "base_column": base_column,
                "head_column": head_column,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def list_compared_groups(
        self,
        id: str | int,
        other: str | int,
        *,
        by: str | None = None,
        base_column: str | None = None,
        head_column: str | None = None,
    ) -> ComparedGroups:
        """The cases that two runs, or columns of runs, share, by tag or by a variable: where most were lost.

        by: What groups the cases: `tag`, or one of `fields`, such as `var.city`.
        base_column: The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        head_column: The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded.
        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: ComparedGroups = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/groups", id=id, other=other),
            query={"by": by, "base_column": base_column, "head_column": head_column},
            answer="json",
        )
        return found

    def compare_configs(self, id: str | int, other: str | int) -> ComparedConfigs:
        """The configurations of two runs.

        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: ComparedConfigs = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/config", id=id, other=other),
            answer="json",
        )
        return found

    def find_nearest_run(self, id: str | int, other: str | int) -> NearestRun:
        """The run of the suite, other than the base, with which the head can be compared best.

        id: Id of the run.
        other: Id of the run that is compared with the first.
        """
        found: NearestRun = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/compare/{other}/nearest", id=id, other=other),
            answer="json",
        )
        return found

    def list_matrix_rows(
        self,
        id: str | int,
        *,
        value: Literal["score", "pass", "latency", "cost", "outputs"] | None = None,
        sort: Literal["document", "worst", "best", "spread", "name"] | None = None,
        only: Literal["disagree"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MatrixRows:
        """The sorted rows of a matrix, with one value in each cell.

        value: The number in the cells.
        sort: The order of the rows: by the mean or the spread of `value`, or by name.
        only: `disagree`: rows whose columns differ in what passed.
        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: MatrixRows = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/matrix/rows", id=id),
            query={"value": value, "sort": sort, "only": only, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def compare_many_runs(
        self,
        *,
        runs: str,
        base: str | None = None,
        filter: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ManyRuns:
        """Several runs against one base, and their cases row by row.

        runs: 2 to 8 ids of runs, comma-separated; a comma or a percent sign within one is percent-encoded.
        base: The run with which the others are compared: one of `runs`.
        filter: Which rows: `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`.
        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: ManyRuns = self._call(
            "GET",
            "/api/v1/compare",
            query={"runs": runs, "base": base, "filter": filter, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def compare_outputs(self, *, runs: str, test: str, against: str | None = None) -> TestOutputs:
        """The outputs of one test in several runs, side by side.

        runs: 2 to 8 ids of runs, comma-separated; a comma or a percent sign within one is percent-encoded.
        test: Id of the test.
        against: The run with which the others are compared: one of `runs`.
        """
        found: TestOutputs = self._call(
            "GET",
            "/api/v1/compare/outputs",
            query={"runs": runs, "test": test, "against": against},
            answer="json",
        )
        return found

    def get_test_outputs(
        self,
        id: str | int,
        test_id: str | int,
        *,
        against: str | None = None,
        cases: str | None = None,
    ) -> TestOutputs:
        """The outputs of one test in all columns of a run, side by side.

        against: The case key of the column with which the others are compared: one of the columns, or 400.
        cases: 1 to 48 case keys, comma-separated; a comma or a percent sign within one is percent-encoded.
        id: Id of the run.
        test_id: Id of the test.
        """
        found: TestOutputs = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/tests/{test_id}", id=id, test_id=test_id),
            query={"against": against, "cases": cases},
            answer="json",
        )
        return found

    def list_cases(
        self,
        id: str | int,
        *,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        tag: str | None = None,
        q: str | None = None,
        provider: str | None = None,
        prompt: str | None = None,
        test: str | None = None,
        stop_reason: str | None = None,
        error_class: str | None = None,
        empty_reason: str | None = None,
        cached: bool | None = None,
        field: str | None = None,
        sort: Literal["document", "failures", "status", "score", "latency", "cost", "name"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CaseList:
        """The cases of a run.

        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        tag: Only those with this tag.
        q: The words, or the part of a text, to search for.
        provider: Id of the provider.
        prompt: Id of the prompt.
        test: Id of the test.
        stop_reason: Why the model stopped.
        error_class: The class of the error.
        empty_reason: Why the output is empty.
        cached: Whether the response of the provider was read from a cache.
        field: A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: CaseList = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/cases", id=id),
            query={
                "status": status,
                "tag": tag,
                "q": q,
                "provider": provider,
                "prompt": prompt,
                "test": test,
                "stop_reason": stop_reason,
                "error_class": error_class,
                "empty_reason": empty_reason,
                "cached": cached,
                "field": field,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def list_distribution_cases(
        self,
        id: str | int,
        *,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        tag: str | None = None,
        q: str | None = None,
        provider: str | None = None,
        prompt: str | None = None,
        test: str | None = None,
        stop_reason: str | None = None,
        error_class: str | None = None,
        empty_reason: str | None = None,
        cached: bool | None = None,
        field: str | None = None,
        score_from: float | None = None,
        score_below: float | None = None,
        latency_from: float | None = None,
        latency_below: float | None = None,
        sort: Literal["document", "failures", "status", "score", "latency", "cost", "name"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CaseList:
        """The cases in one part of the distribution.

        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        tag: Only those with this tag.
        q: The words, or the part of a text, to search for.
        provider: Id of the provider.
        prompt: Id of the prompt.
        test: Id of the test.
        stop_reason: Why the model stopped.
        error_class: The class of the error.
        empty_reason: Why the output is empty.
        cached: Whether the response of the provider was read from a cache.
        field: A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.
        score_from: Scores from this on.
        score_below: Scores below this.
        latency_from: Latencies from this on, in milliseconds.
        latency_below: Latencies below this, in milliseconds.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the run.
        """
        found: CaseList = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/distribution/cases", id=id),
            query={
                "status": status,
                "tag": tag,
                "q": q,
                "provider": provider,
                "prompt": prompt,
                "test": test,
                "stop_reason": stop_reason,
                "error_class": error_class,
                "empty_reason": empty_reason,
                "cached": cached,
                "field": field,
                "score_from": score_from,
                "score_below": score_below,
                "latency_from": latency_from,
                "latency_below": latency_below,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def list_case_rows(
        self,
        id: str | int,
        *,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        tag: str | None = None,
        q: str | None = None,
        provider: str | None = None,
        prompt: str | None = None,
        test: str | None = None,
        stop_reason: str | None = None,
        error_class: str | None = None,
        empty_reason: str | None = None,
        cached: bool | None = None,
        field: str | None = None,
        score_from: float | None = None,
        score_below: float | None = None,
        latency_from: float | None = None,
        latency_below: float | None = None,
        sort: Literal["document", "failures", "status", "score", "latency", "cost", "name"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        fields: bool | None = None,
        around: str | None = None,
    ) -> CaseRows:
        """The cases from a position of the list on, each with one line about its call and its failure.

        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        tag: Only those with this tag.
        q: The words, or the part of a text, to search for.
        provider: Id of the provider.
        prompt: Id of the prompt.
        test: Id of the test.
        stop_reason: Why the model stopped.
        error_class: The class of the error.
        empty_reason: Why the output is empty.
        cached: Whether the response of the provider was read from a cache.
        field: A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.
        score_from: Scores from this on.
        score_below: Scores below this.
        latency_from: Latencies from this on, in milliseconds.
        latency_below: Latencies below this, in milliseconds.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        offset: Position of the first row in the whole list, counted from 0.
        fields: Whether each row has the variables and assertions of its case.
        around: Key of a case: the page that has it. If the run does not have it, or the filters leave it out, the page at `offset` with `place` null.
        id: Id of the run.
        """
        found: CaseRows = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/case-rows", id=id),
            query={
                "status": status,
                "tag": tag,
                "q": q,
                "provider": provider,
                "prompt": prompt,
                "test": test,
                "stop_reason": stop_reason,
                "error_class": error_class,
                "empty_reason": empty_reason,
                "cached": cached,
                "field": field,
                "score_from": score_from,
                "score_below": score_below,
                "latency_from": latency_from,
                "latency_below": latency_below,
                "sort": sort,
                "order": order,
                "limit": limit,
                "offset": offset,
                "fields": fields,
                "around": around,
            },
            answer="json",
        )
        return found

    def get_case_fields(
        self,
        id: str | int,
        *,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        tag: str | None = None,
        q: str | None = None,
        provider: str | None = None,
        prompt: str | None = None,
        test: str | None = None,
        stop_reason: str | None = None,
        error_class: str | None = None,
        empty_reason: str | None = None,
        cached: bool | None = None,
        field: str | None = None,
        score_from: float | None = None,
        score_below: float | None = None,
        latency_from: float | None = None,
        latency_below: float | None = None,
        by: str | None = None,
    ) -> CaseFields:
        """The fields by which the cases of a run can be shown and grouped, and the groups of one of them.

        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        tag: Only those with this tag.
        q: The words, or the part of a text, to search for.
        provider: Id of the provider.
        prompt: Id of the prompt.
        test: Id of the test.
        stop_reason: Why the model stopped.
        error_class: The class of the error.
        empty_reason: Why the output is empty.
        cached: Whether the response of the provider was read from a cache.
        field: A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.
        score_from: Scores from this on.
        score_below: Scores below this.
        latency_from: Latencies from this on, in milliseconds.
        latency_below: Latencies below this, in milliseconds.
        by: The field to group by: `provider`, `prompt`, `tag`, `stop_reason`, `error_class`, or one of `fields`, such as `var.city`.
        id: Id of the run.
        """
        found: CaseFields = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/case-fields", id=id),
            query={
                "status": status,
                "tag": tag,
                "q": q,
                "provider": provider,
                "prompt": prompt,
                "test": test,
                "stop_reason": stop_reason,
                "error_class": error_class,
                "empty_reason": empty_reason,
                "cached": cached,
                "field": field,
                "score_from": score_from,
                "score_below": score_below,
                "latency_from": latency_from,
                "latency_below": latency_below,
                "by": by,
            },
            answer="json",
        )
        return found

    def export_cases_csv(
        self,
        id: str | int,
        *,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        tag: str | None = None,
        q: str | None = None,
        provider: str | None = None,
        prompt: str | None = None,
        test: str | None = None,
        stop_reason: str | None = None,
        error_class: str | None = None,
        empty_reason: str | None = None,
        cached: bool | None = None,
        field: str | None = None,
        score_from: float | None = None,
        score_below: float | None = None,
        latency_from: float | None = None,
        latency_below: float | None = None,
        sort: Literal["document", "failures", "status", "score", "latency", "cost", "name"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        bom: bool | None = None,
    ) -> str:
        """The filtered cases of a run as CSV (RFC 4180).

        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        tag: Only those with this tag.
        q: The words, or the part of a text, to search for.
        provider: Id of the provider.
        prompt: Id of the prompt.
        test: Id of the test.
        stop_reason: Why the model stopped.
        error_class: The class of the error.
        empty_reason: Why the output is empty.
        cached: Whether the response of the provider was read from a cache.
        field: A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.
        score_from: Scores from this on.
        score_below: Scores below this.
        latency_from: Latencies from this on, in milliseconds.
        latency_below: Latencies below this, in milliseconds.
        sort: What the rows are sorted by.
        order: The direction of the order.
        bom: `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8.
        id: Id of the run.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/cases.csv", id=id),
            query={
                "status": status,
                "tag": tag,
                "q": q,
                "provider": provider,
                "prompt": prompt,
                "test": test,
                "stop_reason": stop_reason,
                "error_class": error_class,
                "empty_reason": empty_reason,
                "cached": cached,
                "field": field,
                "score_from": score_from,
                "score_below": score_below,
                "latency_from": latency_from,
                "latency_below": latency_below,
                "sort": sort,
                "order": order,
                "bom": bom,
            },
            answer="text",
        )
        return found

    def get_case(self, id: str | int, case_key: str | int) -> Case:
        """A case with its prompt, output and assertions.

        id: Id of the run.
        case_key: Key of the case.
        """
        found: Case = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/cases/{case_key}", id=id, case_key=case_key),
            answer="json",
        )
        return found

    def get_case_in_suite(self, id: str | int, case_key: str | int) -> CaseInSuite:
        """A case, the cases of its test in the run, its history, and the newest runs of its suite.

        id: Id of the run.
        case_key: Key of the case.
        """
        found: CaseInSuite = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/cases/{case_key}/in-suite", id=id, case_key=case_key),
            answer="json",
        )
        return found

    def get_distribution(self, id: str | int) -> Distribution:
        """The distribution of the cases of a run.

        id: Id of the run.
        """
        found: Distribution = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/distribution", id=id),
            answer="json",
        )
        return found

    def get_case_history(
        self,
        project: str | int,
        suite: str | int,
        case_key: str | int,
        *,
        limit: int | None = None,
    ) -> CaseHistory:
        """A case in the newest runs of its suite.

        limit: Maximum number of rows, from 1 to 100. A value out of range is clamped.
        project: Name of the project.
        suite: Name of the suite.
        case_key: Key of the case.
        """
        found: CaseHistory = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/cases/{case_key}/history", project=project, suite=suite, case_key=case_key),
            query={"limit": limit},
            answer="json",
        )
        return found

    def put_part(self, sha256: str | int, body: bytes) -> PartReceived:
        """Send a part of evidence, whole or a piece of it (Content-Range), before the run that names it.

        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: PartReceived = self._call(
            "PUT",
            path_of("/api/v1/parts/{sha256}", sha256=sha256),
            body=body,
            body_type="application/octet-stream",
            answer="json",
        )
        return found

    def put_parts(self, body: bytes) -> PartsReceived:
        """Send many small parts of evidence as a form, each file named by its digest: all are stored, or none."""
        found: PartsReceived = self._call(
            "POST",
            "/api/v1/parts",
            body=body,
            body_type="multipart/form-data",
            answer="json",
        )
        return found

    def get_part_upload(self, sha256: str | int) -> PartUpload:
        """What the caller has sent of a part that no run names.

        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: PartUpload = self._call(
            "GET",
            path_of("/api/v1/parts/{sha256}/upload", sha256=sha256),
            answer="json",
        )
        return found

    def delete_part_upload(self, sha256: str | int) -> None:
        """Drop what the caller has sent of a part that no run names.

        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/parts/{sha256}/upload", sha256=sha256),
            answer="nothing",
        )

    def find_missing_parts(self, body: FindMissingPartsBody) -> MissingParts:
        """Which parts the caller would have to send before a run names them."""
        found: MissingParts = self._call(
            "POST",
            "/api/v1/parts/missing",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def attach_evidence(self, id: str | int, body: AttachEvidenceBody) -> AttachedEvidence:
        """Add evidence to a run: its parts and the manifest were sent before.

        id: Id of the run.
        """
        found: AttachedEvidence = self._call(
            "POST",
            path_of("/api/v1/runs/{id}/evidence", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_evidence(self, id: str | int) -> EvidenceList:
        """The manifests of the evidence of a run, the oldest first, and its source files.

        id: Id of the run.
        """
        found: EvidenceList = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/evidence", id=id),
            answer="json",
        )
        return found

    def get_evidence_manifest(self, id: str | int, n: str | int) -> Any:
        """A manifest of the evidence of a run, byte for byte.

        id: Id of the run.
        n: 0 for what came with the upload, from 1 for what was added later.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/evidence/{n}", id=id, n=n),
            answer="json",
        )
        return found

    def get_run_part(self, id: str | int, sha256: str | int) -> bytes:
        """A part of the evidence of a run, byte for byte.

        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/parts/{sha256}", id=id, sha256=sha256),
            answer="bytes",
        )
        return found

    def list_case_parts(self, id: str | int, case_key: str | int) -> CaseParts:
        """The parts of a case: its transcript, inputs, outputs and what graded it.

        id: Id of the run.
        case_key: Key of the case.
        """
        found: CaseParts = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/cases/{case_key}/parts", id=id, case_key=case_key),
            answer="json",
        )
        return found

    def get_transcript(self, id: str | int, sha256: str | int) -> TranscriptSummary:
        """What a transcript has: its totals, its spans, and its events over time.

        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: TranscriptSummary = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/transcripts/{sha256}", id=id, sha256=sha256),
            answer="json",
        )
        return found

    def list_transcript_outline(
        self,
        id: str | int,
        sha256: str | int,
        *,
        from_: int | None = None,
        limit: int | None = None,
        types: str | None = None,
        span: int | None = None,
    ) -> TranscriptOutline:
        """The events of a transcript in a line each.

        from_: The number of the first event, from 1: those before it are left out.
        limit: Maximum number of rows, from 1 to 2000. A value out of range is clamped.
        types: Types of events, with commas between them. `error` is every event with an error, `text` a line that is no event.
        span: The number of a span: only it and what is in it, at any depth.
        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: TranscriptOutline = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/transcripts/{sha256}/outline", id=id, sha256=sha256),
            query={"from": from_, "limit": limit, "types": types, "span": span},
            answer="json",
        )
        return found

    def list_transcript_events(
        self,
        id: str | int,
        sha256: str | int,
        *,
        from_: int | None = None,
        message: int | None = None,
        limit: int | None = None,
        types: str | None = None,
        span: int | None = None,
    ) -> TranscriptEvents:
        """Events of a transcript: as many as fit into 1 MiB, the texts of long ones shortened.

        from_: The number of the first event, from 1: those before it are left out.
        message: The number of a message, from 0: the list begins with its event, whatever `from` is.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        types: Types of events, with commas between them. `error` is every event with an error, `text` a line that is no event.
        span: The number of a span: only it and what is in it, at any depth.
        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: TranscriptEvents = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/transcripts/{sha256}/events", id=id, sha256=sha256),
            query={"from": from_, "message": message, "limit": limit, "types": types, "span": span},
            answer="json",
        )
        return found

    def get_transcript_event(self, id: str | int, sha256: str | int, n: str | int) -> bytes:
        """An event of a transcript, whole: its line, byte for byte.

        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        n: The number of the event, from 1.
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/transcripts/{sha256}/events/{n}", id=id, sha256=sha256, n=n),
            answer="bytes",
        )
        return found

    def find_in_transcript(
        self,
        id: str | int,
        sha256: str | int,
        *,
        q: str | None = None,
        from_: int | None = None,
        limit: int | None = None,
    ) -> TranscriptMatches:
        """The events of a transcript that have a text, looked for in some hundred megabytes at a time.

        q: A text, without regard to case. It is found in the texts of events, whole.
        from_: The number of the first event, from 1: those before it are left out.
        limit: Maximum number of rows, from 1 to 1000. A value out of range is clamped.
        id: Id of the run.
        sha256: The SHA-256 of the bytes, in lower-case hex.
        """
        found: TranscriptMatches = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/transcripts/{sha256}/find", id=id, sha256=sha256),
            query={"q": q, "from": from_, "limit": limit},
            answer="json",
        )
        return found

    def search(
        self,
        *,
        q: str,
        limit: int | None = None,
        cached: Literal["exclude", "only", "all"] | None = None,
    ) -> SearchHits:
        """Runs and cases that contain all words, or have an id.

        q: The words, or the part of a text, to search for.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cached: Whether the response of the provider was read from a cache.
        """
        found: SearchHits = self._call(
            "GET",
            "/api/v1/search",
            query={"q": q, "limit": limit, "cached": cached},
            answer="json",
        )
        return found

    def search_cases(
        self,
        *,
        q: str,
        project: str | None = None,
        suite: str | None = None,
        status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CaseSearch:
        """Cases that contain all words, one entry for each test.

        q: The words, or the part of a text, to search for.
        project: Name of the project.
        suite: Name of the suite.
        status: Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.
        limit: Maximum number of rows, from 1 to 50. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: CaseSearch = self._call(
            "GET",
            "/api/v1/search/cases",
            query={
                "q": q,
                "project": project,
                "suite": suite,
                "status": status,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def search_runs(
        self,
        *,
        q: str,
        project: str | None = None,
        suite: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> RunSearch:
        """Runs that contain all words, with pages.

        q: The words, or the part of a text, to search for.
        project: Name of the project.
        suite: Name of the suite.
        limit: Maximum number of rows, from 1 to 50. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: RunSearch = self._call(
            "GET",
            "/api/v1/search/runs",
            query={"q": q, "project": project, "suite": suite, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def search_comments(
        self,
        *,
        q: str,
        project: str | None = None,
        suite: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CommentSearch:
        """Comments on runs and cases that contain all words, the newest first.

        q: The words, or the part of a text, to search for.
        project: Name of the project.
        suite: Name of the suite.
        limit: Maximum number of rows, from 1 to 50. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: CommentSearch = self._call(
            "GET",
            "/api/v1/search/comments",
            query={"q": q, "project": project, "suite": suite, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def list_projects(self) -> ProjectList:
        """Projects with their number of runs."""
        found: ProjectList = self._call("GET", "/api/v1/projects", answer="json")
        return found

    def list_suites(self, project: str | int) -> SuiteList:
        """Suites of a project with their number of runs.

        project: Name of the project.
        """
        found: SuiteList = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites", project=project),
            answer="json",
        )
        return found

    def list_sets(self) -> ProjectSets:
        """Projects with their suites and newest runs."""
        found: ProjectSets = self._call("GET", "/api/v1/sets", answer="json")
        return found

    def get_project(self, project: str | int) -> ProjectSet:
        """A project and its suites.

        project: Name of the project.
        """
        found: ProjectSet = self._call(
            "GET",
            path_of("/api/v1/sets/{project}", project=project),
            answer="json",
        )
        return found

    def get_suite(self, project: str | int, suite: str | int) -> SuiteSet:
        """A suite, its baseline and its runs.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteSet = self._call(
            "GET",
            path_of("/api/v1/sets/{project}/suites/{suite}", project=project, suite=suite),
            answer="json",
        )
        return found

    def get_suite_grid(
        self,
        project: str | int,
        suite: str | int,
        *,
        runs: int | None = None,
        branch: str | None = None,
        order: Literal["changed", "flaky", "failing", "name"] | None = None,
        q: str | None = None,
        fold: Literal["trials", "test", "auto"] | None = None,
        measure: Literal["score", "cost_usd", "latency_ms", "tokens"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SuiteGrid:
        """The status of each case of a suite in its newest runs.

        runs: Maximum number of runs, from 1 to 200. A value out of range is clamped.
        branch: Only runs of this branch.
        order: The direction of the order.
        q: A part of a name, or of the id of a test, provider, prompt or case.
        fold: One row for all trials of a case, or for all cases of a test, whatever their provider; `~` where they disagree. `auto`: by test where the runs share tests but no cases.
        measure: Adds the values of each row: the mean of its cases in each run, without those read from a cache.
        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteGrid = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/grid", project=project, suite=suite),
            query={
                "runs": runs,
                "branch": branch,
                "order": order,
                "q": q,
                "fold": fold,
                "measure": measure,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def get_suite_flakiness(
        self,
        project: str | int,
        suite: str | int,
        *,
        window: int | None = None,
        branch: str | None = None,
    ) -> SuiteFlakiness:
        """The cases of a suite that change between passing and failing.

        window: Number of runs: the newest one, and the runs before it with the same providers and most of its cases.
        branch: Only runs of this branch.
        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteFlakiness = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/flakiness", project=project, suite=suite),
            query={"window": window, "branch": branch},
            answer="json",
        )
        return found

    def get_case_timeline(
        self,
        project: str | int,
        suite: str | int,
        case_key: str | int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CaseTimeline:
        """A case in the runs of its suite, with what changed from run to run.

        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        project: Name of the project.
        suite: Name of the suite.
        case_key: Key of the case.
        """
        found: CaseTimeline = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/cases/{case_key}/timeline", project=project, suite=suite, case_key=case_key),
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def get_badge(
        self,
        project: str | int,
        suite: str | int,
        *,
        branch: str | None = None,
        metric: Literal["pass-rate", "status", "score", "calibrated"] | None = None,
        label: str | None = None,
        key: str | None = None,
    ) -> str:
        """The newest result of a suite as an image (SVG).

        branch: Only runs of this branch.
        metric: `status`: whether any case failed or ended with an error. `calibrated`: the pass rate that people would give, by their labels.
        label: The text on the left side of the image. Default: the name of the suite.
        key: A key of the suite, from `POST …/badge`: with it, no other credential is needed.
        project: Name of the project.
        suite: Name of the suite.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/badge.svg", project=project, suite=suite),
            query={"branch": branch, "metric": metric, "label": label, "key": key},
            answer="text",
        )
        return found

    def create_badge(self, project: str | int, suite: str | int) -> CreateBadgeAnswer:
        """Create an address of the image that needs no credential until it is revoked.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: CreateBadgeAnswer = self._call(
            "POST",
            path_of("/api/v1/projects/{project}/suites/{suite}/badge", project=project, suite=suite),
            answer="json",
        )
        return found

    def revoke_badges(self, project: str | int, suite: str | int) -> None:
        """Revoke all keys of the image of a suite.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/projects/{project}/suites/{suite}/badge", project=project, suite=suite),
            answer="nothing",
        )

    def get_suite_settings(self, project: str | int, suite: str | int) -> SuiteSettings:
        """The owner, the snooze, the archive and the thresholds of a suite, with who set them, when and why.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteSettings = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/settings", project=project, suite=suite),
            answer="json",
        )
        return found

    def change_suite_settings(
        self,
        project: str | int,
        suite: str | int,
        body: ChangeSuiteSettingsBody,
    ) -> SuiteSettings:
        """Set or end the owner, the snooze, the archive and the thresholds of a suite.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteSettings = self._call(
            "PATCH",
            path_of("/api/v1/projects/{project}/suites/{suite}/settings", project=project, suite=suite),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_judges(self, project: str | int, suite: str | int) -> SuiteJudges:
        """The judges of each metric of a suite, with the runs in which they judged, the newest first.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: SuiteJudges = self._call(
            "GET",
            path_of("/api/v1/projects/{project}/suites/{suite}/judges", project=project, suite=suite),
            answer="json",
        )
        return found

    def change_declared_judge(
        self,
        project: str | int,
        suite: str | int,
        body: DeclaredJudge,
    ) -> DeclaredJudge:
        """Say that the programs and embeddings of a metric are a judge, or no judge any more.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: DeclaredJudge = self._call(
            "POST",
            path_of("/api/v1/projects/{project}/suites/{suite}/judges/declare", project=project, suite=suite),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def get_overview(
        self,
        *,
        project: str | list[str] | None = None,
        attention: bool | None = None,
        archived: bool | None = None,
        owner: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Overview:
        """What needs attention: every suite, worst first.

        project: Only suites of this project. Give it several times for several projects.
        attention: Only suites that need attention.
        archived: Only archived suites. Otherwise they are left out.
        owner: Only suites with this owner.
        q: Only suites with all of these words in their name, project, owner or reason.
        limit: Maximum number of rows, from 1 to 500. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: Overview = self._call(
            "GET",
            "/api/v1/overview",
            query={
                "project": project,
                "attention": attention,
                "archived": archived,
                "owner": owner,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def list_plans(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PlanList:
        """Plans, the newest first.

        project: Name of the project.
        suite: Name of the suite.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: PlanList = self._call(
            "GET",
            "/api/v1/plans",
            query={"project": project, "suite": suite, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def register_plan(self, body: RegisterPlanBody) -> PlanDetail:
        """Register a plan for future runs of a suite."""
        found: PlanDetail = self._call(
            "POST",
            "/api/v1/plans",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def get_plan(self, id: str | int) -> PlanDetail:
        """A plan, and the runs that follow it.

        id: Id of the plan.
        """
        found: PlanDetail = self._call("GET", path_of("/api/v1/plans/{id}", id=id), answer="json")
        return found

    def reveal_plan(self, id: str | int, body: RevealPlanBody) -> PlanDetail:
        """Reveal the text of a plan that was registered by its digest.

        id: Id of the plan.
        """
        found: PlanDetail = self._call(
            "POST",
            path_of("/api/v1/plans/{id}/reveal", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def withdraw_plan(self, id: str | int) -> PlanDetail:
        """Withdraw a plan: later runs do not follow it.

        id: Id of the plan.
        """
        found: PlanDetail = self._call(
            "POST",
            path_of("/api/v1/plans/{id}/withdraw", id=id),
            answer="json",
        )
        return found

    def list_rubrics(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> RubricList:
        """The newest version of each rubric, the newest rubric first.

        project: Name of the project.
        suite: Name of the suite.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: RubricList = self._call(
            "GET",
            "/api/v1/rubrics",
            query={"project": project, "suite": suite, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def create_rubric(self, body: CreateRubricBody) -> RubricDetail:
        """Write a rubric: what people decide by when they label cases of a suite."""
        found: RubricDetail = self._call(
            "POST",
            "/api/v1/rubrics",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def get_rubric(self, id: str | int, *, version: int | None = None) -> RubricDetail:
        """A version of a rubric.

        version: The version, counted from 1; the newest without it.
        id: Id of the rubric.
        """
        found: RubricDetail = self._call(
            "GET",
            path_of("/api/v1/rubrics/{id}", id=id),
            query={"version": version},
            answer="json",
        )
        return found

    def change_rubric(self, id: str | int, body: ChangeRubricBody) -> RubricDetail:
        """Add a version of a rubric; the earlier ones stay as they are.

        id: Id of the rubric.
        """
        found: RubricDetail = self._call(
            "POST",
            path_of("/api/v1/rubrics/{id}/versions", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def retire_rubric(self, id: str | int) -> RubricDetail:
        """Retire a rubric: no new queue uses it.

        id: Id of the rubric.
        """
        found: RubricDetail = self._call(
            "POST",
            path_of("/api/v1/rubrics/{id}/retire", id=id),
            answer="json",
        )
        return found

    def list_review_queues(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        state: Literal["open", "closed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ReviewQueueList:
        """Review queues, the newest first.

        project: Name of the project.
        suite: Name of the suite.
        state: Only open queues, or only closed ones.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: ReviewQueueList = self._call(
            "GET",
            "/api/v1/review-queues",
            query={
                "project": project,
                "suite": suite,
                "state": state,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def open_review_queue(self, body: OpenReviewQueueBody) -> ReviewQueuePreview | ReviewQueue:
        """Open a queue: a sample of cases that people label."""
        found: ReviewQueuePreview | ReviewQueue = self._call(
            "POST",
            "/api/v1/review-queues",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def import_labels(
        self,
        body: bytes,
        *,
        from_: Literal["label-studio", "argilla", "langfuse", "langsmith", "csv"],
        rubric_id: str,
        run_id: str,
        target: Literal["case", "metric"] | None = None,
        metric: str | None = None,
        match: str | None = None,
        question: str | None = None,
        pass_: str | list[str] | None = None,
        cannot_tell: str | list[str] | None = None,
        resolve: Literal["adjudicate", "majority"] | None = None,
        random_sample: bool | None = None,
    ) -> ImportedLabels:
        """Record labels that people gave in another tool, as a closed queue.

        from_: The tool that wrote the file; `csv` for a table of your own.
        rubric_id: The rubric that the labels follow: its newest version.
        run_id: The run whose cases were labelled.
        target: Whole cases, or one judged metric.
        metric: The name of the metric; none for whole cases.
        match: What names a case, in the file and in the run: `case_key`, `test_id`, or the name of a variable of the cases.
        question: The name of the question in the tool. Its answers are those to the deciding question of the rubric.
        pass_: For a verdict: a value that passes; all others fail. May be given several times.
        cannot_tell: A value that says that the person cannot tell. May be given several times.
        resolve: What makes a final label where labels differ. A closed queue has no adjudicator, so with `adjudicate` these items wait.
        random_sample: Whether the cases were drawn at random. Otherwise the labels never say how often a judge is wrong.
        """
        found: ImportedLabels = self._call(
            "POST",
            "/api/v1/review-queues/import",
            query={
                "from": from_,
                "rubric_id": rubric_id,
                "run_id": run_id,
                "target": target,
                "metric": metric,
                "match": match,
                "question": question,
                "pass": pass_,
                "cannot_tell": cannot_tell,
                "resolve": resolve,
                "random_sample": random_sample,
            },
            body=body,
            body_type="application/octet-stream",
            answer="json",
        )
        return found

    def get_review_queue(self, id: str | int) -> ReviewQueue:
        """A review queue: its sample, its people and how far it came.

        id: Id of the review queue.
        """
        found: ReviewQueue = self._call(
            "GET",
            path_of("/api/v1/review-queues/{id}", id=id),
            answer="json",
        )
        return found

    def list_review_items(
        self,
        id: str | int,
        *,
        state: Literal["open", "waiting", "final", "gone"] | None = None,
        verdict: Literal["pass", "fail"] | None = None,
        final: Literal["pass", "fail", "cannot_tell"] | None = None,
        differs: Literal["people", "judge"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ReviewItemList:
        """The cases of a review queue; with their labels once it is closed.

        state: Only items in this state.
        verdict: Only items with this verdict of the judge.
        final: Only items that people decided so. Of a closed queue.
        differs: Only items where `people` differ, or where they and the `judge` do. Of a closed queue.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the review queue.
        """
        found: ReviewItemList = self._call(
            "GET",
            path_of("/api/v1/review-queues/{id}/items", id=id),
            query={
                "state": state,
                "verdict": verdict,
                "final": final,
                "differs": differs,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def change_reviewers(self, id: str | int, body: ChangeReviewersBody) -> ReviewQueue:
        """Add people to an open review queue, and remove others; their labels stay.

        id: Id of the review queue.
        """
        found: ReviewQueue = self._call(
            "POST",
            path_of("/api/v1/review-queues/{id}/people", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def close_review_queue(self, id: str | int) -> ReviewQueue:
        """Close a review queue: then its labels are shown, and no more are given.

        id: Id of the review queue.
        """
        found: ReviewQueue = self._call(
            "POST",
            path_of("/api/v1/review-queues/{id}/close", id=id),
            answer="json",
        )
        return found

    def get_review_agreement(self, id: str | int) -> ReviewAgreement:
        """How far the people of a closed review queue agree.

        id: Id of the review queue.
        """
        found: ReviewAgreement = self._call(
            "GET",
            path_of("/api/v1/review-queues/{id}/agreement", id=id),
            answer="json",
        )
        return found

    def export_labels(self, id: str | int, format: str | int) -> bytes:
        """The labels of a closed review queue, a row a label; replaced and withdrawn ones too.

        id: Id of the review queue.
        format: `csv`: CSV; `jsonl`: JSON Lines; `parquet`: Parquet
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/review-queues/{id}/export/{format}", id=id, format=format),
            answer="bytes",
        )
        return found

    def list_my_review_queues(self) -> MyReviewQueues:
        """The review queues in which you are listed, the newest first."""
        found: MyReviewQueues = self._call("GET", "/api/v1/review/queues", answer="json")
        return found

    def take_review_items(self, body: TakeReviewItemsBody) -> MyReviewItems:
        """The next items to label, kept for you for 15 minutes; none if nothing is left for you."""
        found: MyReviewItems = self._call(
            "POST",
            "/api/v1/review/next",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def get_review_item(self, item: str | int) -> MyReviewItem:
        """An item of a queue in which you are listed, with your own labels.

        item: Id of the item: the id of its queue, a point and its number.
        """
        found: MyReviewItem = self._call(
            "GET",
            path_of("/api/v1/review/items/{item}", item=item),
            answer="json",
        )
        return found

    def label_item(self, item: str | int, body: LabelItemBody) -> RecordedLabel:
        """Label an item.

        item: Id of the item: the id of its queue, a point and its number.
        """
        found: RecordedLabel = self._call(
            "POST",
            path_of("/api/v1/review/items/{item}/labels", item=item),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def adjudicate_item(self, item: str | int, body: AdjudicateItemBody) -> RecordedLabel:
        """Decide an item whose labels differ.

        item: Id of the item: the id of its queue, a point and its number.
        """
        found: RecordedLabel = self._call(
            "POST",
            path_of("/api/v1/review/items/{item}/adjudicate", item=item),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def decline_item(self, item: str | int, body: DeclineItemBody) -> None:
        """Decline an item: it goes to another person, and never back.

        item: Id of the item: the id of its queue, a point and its number.
        """
        self._call(
            "POST",
            path_of("/api/v1/review/items/{item}/decline", item=item),
            body=body,
            body_type="application/json",
            answer="nothing",
        )

    def withdraw_label(self, id: str | int, body: WithdrawLabelBody) -> None:
        """Withdraw an own label while its queue is open: it stops counting, and stays in exports.

        id: Id of the label.
        """
        self._call(
            "POST",
            path_of("/api/v1/review/labels/{id}/withdraw", id=id),
            body=body,
            body_type="application/json",
            answer="nothing",
        )

    def get_project_access(self, project: str | int) -> AccessList:
        """The restriction of a project, and who was granted what.

        project: Name of the project.
        """
        found: AccessList = self._call(
            "GET",
            path_of("/api/v1/sets/{project}/access", project=project),
            answer="json",
        )
        return found

    def find_project_accounts(self, project: str | int, *, name: str) -> FoundAccounts:
        """Accounts whose names begin with a text, to grant them a level.

        name: The beginning of a name, in any case. An empty one finds no account.
        project: Name of the project.
        """
        found: FoundAccounts = self._call(
            "GET",
            path_of("/api/v1/sets/{project}/accounts", project=project),
            query={"name": name},
            answer="json",
        )
        return found

    def restrict_project(self, project: str | int) -> None:
        """Restrict a project: only granted accounts and admins see it.

        project: Name of the project.
        """
        self._call(
            "PUT",
            path_of("/api/v1/sets/{project}/restriction", project=project),
            answer="nothing",
        )

    def lift_project_restriction(self, project: str | int) -> None:
        """Lift the restriction of a project.

        project: Name of the project.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/sets/{project}/restriction", project=project),
            answer="nothing",
        )

    def grant_project_access(
        self,
        project: str | int,
        user_id: str | int,
        body: GrantProjectAccessBody,
    ) -> None:
        """Grant an account a level on a project.

        project: Name of the project.
        user_id: Id of the account.
        """
        self._call(
            "PUT",
            path_of("/api/v1/sets/{project}/grants/{user_id}", project=project, user_id=user_id),
            body=body,
            body_type="application/json",
            answer="nothing",
        )

    def revoke_project_access(self, project: str | int, user_id: str | int) -> None:
        """Revoke what an account was granted on a project.

        project: Name of the project.
        user_id: Id of the account.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/sets/{project}/grants/{user_id}", project=project, user_id=user_id),
            answer="nothing",
        )

    def get_suite_access(self, project: str | int, suite: str | int) -> AccessList:
        """The restriction of a suite, and who was granted what.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: AccessList = self._call(
            "GET",
            path_of("/api/v1/sets/{project}/suites/{suite}/access", project=project, suite=suite),
            answer="json",
        )
        return found

    def find_suite_accounts(
        self,
        project: str | int,
        suite: str | int,
        *,
        name: str,
    ) -> FoundAccounts:
        """Accounts whose names begin with a text, to grant them a level.

        name: The beginning of a name, in any case. An empty one finds no account.
        project: Name of the project.
        suite: Name of the suite.
        """
        found: FoundAccounts = self._call(
            "GET",
            path_of("/api/v1/sets/{project}/suites/{suite}/accounts", project=project, suite=suite),
            query={"name": name},
            answer="json",
        )
        return found

    def restrict_suite(self, project: str | int, suite: str | int) -> None:
        """Restrict a suite: only granted accounts and admins see it.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "PUT",
            path_of("/api/v1/sets/{project}/suites/{suite}/restriction", project=project, suite=suite),
            answer="nothing",
        )

    def lift_suite_restriction(self, project: str | int, suite: str | int) -> None:
        """Lift the restriction of a suite.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/sets/{project}/suites/{suite}/restriction", project=project, suite=suite),
            answer="nothing",
        )

    def grant_suite_access(
        self,
        project: str | int,
        suite: str | int,
        user_id: str | int,
        body: GrantProjectAccessBody,
    ) -> None:
        """Grant an account a level on a suite.

        project: Name of the project.
        suite: Name of the suite.
        user_id: Id of the account.
        """
        self._call(
            "PUT",
            path_of("/api/v1/sets/{project}/suites/{suite}/grants/{user_id}", project=project, suite=suite, user_id=user_id),
            body=body,
            body_type="application/json",
            answer="nothing",
        )

    def revoke_suite_access(self, project: str | int, suite: str | int, user_id: str | int) -> None:
        """Revoke what an account was granted on a suite.

        project: Name of the project.
        suite: Name of the suite.
        user_id: Id of the account.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/sets/{project}/suites/{suite}/grants/{user_id}", project=project, suite=suite, user_id=user_id),
            answer="nothing",
        )

    def list_access(
        self,
        *,
        project: str | None = None,
        user_id: str | None = None,
        open: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AccessOverview:
        """All restrictions and grants, also of suites without runs.

        project: Name of the project.
        user_id: Only projects and suites on which this account has a grant.
        open: Whether projects and suites without restrictions and grants are listed too.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: AccessOverview = self._call(
            "GET",
            "/api/v1/access",
            query={
                "project": project,
                "user_id": user_id,
                "open": open,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def lift_restriction_by_name(self, *, project: str, suite: str | None = None) -> None:
        """Lift a restriction; works for any names.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "DELETE",
            "/api/v1/restrictions",
            query={"project": project, "suite": suite},
            answer="nothing",
        )

    def revoke_grant_by_name(self, *, project: str, user_id: str, suite: str | None = None) -> None:
        """Revoke a grant; works for any names.

        project: Name of the project.
        suite: Name of the suite.
        user_id: Id of the account.
        """
        self._call(
            "DELETE",
            "/api/v1/grants",
            query={"project": project, "user_id": user_id, "suite": suite},
            answer="nothing",
        )

    def list_audit(
        self,
        *,
        actor: str | None = None,
        type: Literal["RunIngested", "RunDeleted", "EvidenceAttached", "RunAnnotated", "RunCommented", "CommentDeleted", "BaselinePinned", "BaselineUnpinned", "BadgeKeyMinted", "BadgeKeysRevoked", "SetRestricted", "RestrictionLifted", "AccessGranted", "AccessRevoked", "UserCreated", "UserChanged", "UserDeleted", "IdentityLinked", "SignedIn", "SignedOut", "SessionsEnded", "SignInRefused", "KeyMinted", "KeyRevoked", "InviteMade", "ResetLinkMade", "LinkUsed", "LinkRevoked", "Started", "ProjectionRebuilt", "CachePruned", "CacheEntryDeleted", "LogKeyAdopted", "LogKeyRetired", "EventErased", "HoldPlaced", "HoldLifted", "PlanRegistered", "PlanRevealed", "PlanWithdrawn", "RubricVersioned", "RubricRetired", "ReviewQueueOpened", "ReviewersChanged", "ReviewQueueClosed", "LabelGiven", "LabelWithdrawn", "ItemDeclined", "ItemAdjudicated", "SuiteSettingChanged", "JudgeDeclared", "WebhookCreated", "WebhookSecretReplaced", "WebhookDisabled", "WebhookDeleted"] | None = None,
        stream: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AuditList:
        """The audit trail, newest first.

        actor: Id of an account or a credential, or the label of one.
        type: Only events of this type.
        stream: A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`.
        since: Epoch milliseconds or RFC 3339, inclusive.
        until: Epoch milliseconds or RFC 3339, inclusive.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: AuditList = self._call(
            "GET",
            "/api/v1/audit",
            query={
                "actor": actor,
                "type": type,
                "stream": stream,
                "since": since,
                "until": until,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def export_audit(
        self,
        *,
        actor: str | None = None,
        type: Literal["RunIngested", "RunDeleted", "EvidenceAttached", "RunAnnotated", "RunCommented", "CommentDeleted", "BaselinePinned", "BaselineUnpinned", "BadgeKeyMinted", "BadgeKeysRevoked", "SetRestricted", "RestrictionLifted", "AccessGranted", "AccessRevoked", "UserCreated", "UserChanged", "UserDeleted", "IdentityLinked", "SignedIn", "SignedOut", "SessionsEnded", "SignInRefused", "KeyMinted", "KeyRevoked", "InviteMade", "ResetLinkMade", "LinkUsed", "LinkRevoked", "Started", "ProjectionRebuilt", "CachePruned", "CacheEntryDeleted", "LogKeyAdopted", "LogKeyRetired", "EventErased", "HoldPlaced", "HoldLifted", "PlanRegistered", "PlanRevealed", "PlanWithdrawn", "RubricVersioned", "RubricRetired", "ReviewQueueOpened", "ReviewersChanged", "ReviewQueueClosed", "LabelGiven", "LabelWithdrawn", "ItemDeclined", "ItemAdjudicated", "SuiteSettingChanged", "JudgeDeclared", "WebhookCreated", "WebhookSecretReplaced", "WebhookDisabled", "WebhookDeleted"] | None = None,
        stream: str | None = None,
        since: str | None = None,
        until: str | None = None,
        full: bool | None = None,
    ) -> str:
        """The audit trail as JSON lines, newest first.

        actor: Id of an account or a credential, or the label of one.
        type: Only events of this type.
        stream: A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`.
        since: Epoch milliseconds or RFC 3339, inclusive.
        until: Epoch milliseconds or RFC 3339, inclusive.
        full: Whether each line also has the salt, body, commitment and leaf of its record.
        """
        found: str = self._call(
            "GET",
            "/api/v1/audit/export",
            query={
                "actor": actor,
                "type": type,
                "stream": stream,
                "since": since,
                "until": until,
                "full": full,
            },
            answer="text",
        )
        return found

    def get_audit_record(self, seq: str | int) -> AuditRecord:
        """A record of the audit trail.

        seq: Number of the record, counted from 1.
        """
        found: AuditRecord = self._call(
            "GET",
            path_of("/api/v1/audit/{seq}", seq=seq),
            answer="json",
        )
        return found

    def get_log_keys(self) -> str:
        """The keys that verify checkpoints of this service, one on each line."""
        found: str = self._call("GET", "/api/v1/log/keys", answer="text")
        return found

    def get_checkpoint(self, *, cosigned: bool | None = None) -> str:
        """The newest checkpoint, or the newest one that enough witnesses have cosigned.

        cosigned: Whether the checkpoint must meet the witness policy.
        """
        found: str = self._call(
            "GET",
            "/api/v1/log/checkpoint",
            query={"cosigned": cosigned},
            answer="text",
        )
        return found

    def list_checkpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CheckpointList:
        """Checkpoints that were signed, the largest first.

        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: CheckpointList = self._call(
            "GET",
            "/api/v1/log/checkpoints",
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def get_checkpoint_of_size(self, size: str | int) -> str:
        """The checkpoint of a size.

        size: Size of the log: its number of records.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/log/checkpoints/{size}", size=size),
            answer="text",
        )
        return found

    def get_entry_tile(self, rest: str | int) -> bytes:
        """The entries of up to 256 records, each preceded by its length in two bytes.

        rest: Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width.
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/log/tile/entries/{rest}", rest=rest),
            answer="bytes",
        )
        return found

    def get_hash_tile(self, level: str | int, rest: str | int) -> bytes:
        """Up to 256 hashes of the tree at a level.

        level: Level of the tile, counted from 0.
        rest: Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width.
        """
        found: bytes = self._call(
            "GET",
            path_of("/api/v1/log/tile/{level}/{rest}", level=level, rest=rest),
            answer="bytes",
        )
        return found

    def get_inclusion_proof(self, index: str | int, *, size: int | None = None) -> Any:
        """A proof that the record of an index, counted from 0, is in the log.

        size: Size of a checkpoint that the log keeps; without it, the newest.
        index: Index of the record, counted from 0.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/log/proof/{index}", index=index),
            query={"size": size},
            answer="json or text",
        )
        return found

    def get_consistency_proof(self, *, from_: int, to: int) -> ConsistencyProof:
        """A proof that the records of a smaller log begin a larger one.

        from_: Size of the smaller log: its number of records.
        to: Size of the larger log.
        """
        found: ConsistencyProof = self._call(
            "GET",
            "/api/v1/log/consistency",
            query={"from": from_, "to": to},
            answer="json",
        )
        return found

    def get_run_receipt(
        self,
        id: str | int,
        *,
        cosigned: bool | None = None,
        evidence: int | None = None,
    ) -> Any:
        """The receipt of an upload: proves that the document was recorded, and when.

        cosigned: Whether the checkpoint of the receipt must meet the witness policy.
        evidence: The number of evidence of the run: the receipt is that of the record that added it.
        id: Id of the run.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/runs/{id}/receipt", id=id),
            query={"cosigned": cosigned, "evidence": evidence},
            answer="json or text",
        )
        return found

    def get_plan_receipt(self, id: str | int, *, cosigned: bool | None = None) -> Any:
        """The receipt of a plan: proves that it was registered before any record with a higher index.

        cosigned: Whether the checkpoint of the receipt must meet the witness policy.
        id: Id of the plan.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/plans/{id}/receipt", id=id),
            query={"cosigned": cosigned},
            answer="json or text",
        )
        return found

    def get_label_receipt(self, id: str | int, *, cosigned: bool | None = None) -> Any:
        """The receipt of an own label, once its queue is closed: it names the document that the case is in.

        cosigned: Whether the checkpoint of the receipt must meet the witness policy.
        id: Id of the label.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/review/labels/{id}/receipt", id=id),
            query={"cosigned": cosigned},
            answer="json or text",
        )
        return found

    def get_record_receipt(self, seq: str | int, *, cosigned: bool | None = None) -> Any:
        """The receipt of any record.

        cosigned: Whether the checkpoint of the receipt must meet the witness policy.
        seq: Number of the record, counted from 1.
        """
        found: Any = self._call(
            "GET",
            path_of("/api/v1/log/records/{seq}/receipt", seq=seq),
            query={"cosigned": cosigned},
            answer="json or text",
        )
        return found

    def pin_baseline(
        self,
        project: str | int,
        suite: str | int,
        body: PinBaselineBody,
    ) -> PinBaselineAnswer:
        """Pin the run with which later runs of a suite are compared.

        project: Name of the project.
        suite: Name of the suite.
        """
        found: PinBaselineAnswer = self._call(
            "PUT",
            path_of("/api/v1/projects/{project}/suites/{suite}/baseline", project=project, suite=suite),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def unpin_baseline(self, project: str | int, suite: str | int) -> None:
        """Unpin the baseline of a suite.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "DELETE",
            path_of("/api/v1/projects/{project}/suites/{suite}/baseline", project=project, suite=suite),
            answer="nothing",
        )

    def unpin_baseline_by_name(self, *, project: str, suite: str) -> None:
        """Unpin a baseline; works for any names.

        project: Name of the project.
        suite: Name of the suite.
        """
        self._call(
            "DELETE",
            "/api/v1/baselines",
            query={"project": project, "suite": suite},
            answer="nothing",
        )

    def get_cache_body(self, key: str | int) -> bytes:
        """The stored body of a provider response, byte for byte.

        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        found: bytes = self._call("GET", path_of("/api/v1/cache/{key}", key=key), answer="bytes")
        return found

    def put_cache_body(self, key: str | int, body: bytes) -> None:
        """Store a body; a key keeps its first body.

        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        self._call(
            "PUT",
            path_of("/api/v1/cache/{key}", key=key),
            body=body,
            body_type="application/octet-stream",
            answer="nothing",
        )

    def get_cache_stats(self) -> CacheStats:
        """Entries, bytes and lookups of the cache."""
        found: CacheStats = self._call("GET", "/api/v1/cache/stats", answer="json")
        return found

    def prune_cache(
        self,
        *,
        older_than_days: int | None = None,
        newer_than_days: int | None = None,
        empty_reason: str | None = None,
        model: str | None = None,
        kind: str | None = None,
        target_bytes: int | None = None,
    ) -> CachePruned:
        """Evict what all rules match; without any, what is beyond the configured limits.

        older_than_days: Evicts entries that were stored more than this many days ago.
        newer_than_days: Evicts entries that were stored less than this many days ago.
        empty_reason: One or more reasons, comma-separated.
        model: Entries of this model.
        kind: Entries of this kind.
        target_bytes: Evicts the least recently used entries until the cache has at most this many bytes.
        """
        found: CachePruned = self._call(
            "POST",
            "/api/v1/cache/prune",
            query={
                "older_than_days": older_than_days,
                "newer_than_days": newer_than_days,
                "empty_reason": empty_reason,
                "model": model,
                "kind": kind,
                "target_bytes": target_bytes,
            },
            answer="json",
        )
        return found

    def preview_cache_prune(
        self,
        *,
        older_than_days: int | None = None,
        newer_than_days: int | None = None,
        empty_reason: str | None = None,
        model: str | None = None,
        kind: str | None = None,
        target_bytes: int | None = None,
    ) -> CacheEviction:
        """What a prune with these rules would evict now, without evicting it.

        older_than_days: Evicts entries that were stored more than this many days ago.
        newer_than_days: Evicts entries that were stored less than this many days ago.
        empty_reason: One or more reasons, comma-separated.
        model: Entries of this model.
        kind: Entries of this kind.
        target_bytes: Evicts the least recently used entries until the cache has at most this many bytes.
        """
        found: CacheEviction = self._call(
            "GET",
            "/api/v1/cache/prune",
            query={
                "older_than_days": older_than_days,
                "newer_than_days": newer_than_days,
                "empty_reason": empty_reason,
                "model": model,
                "kind": kind,
                "target_bytes": target_bytes,
            },
            answer="json",
        )
        return found

    def preview_cache_eviction(self, key: str | int) -> CacheEviction:
        """What the deletion of this entry would remove.

        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        found: CacheEviction = self._call(
            "GET",
            path_of("/api/v1/cache/entries/{key}/eviction", key=key),
            answer="json",
        )
        return found

    def get_cache_overview(self, *, days: int | None = None) -> CacheOverview:
        """What the cache holds, and how many responses the visible runs reused on each of the last days.

        days: Maximum number of rows, from 1 to 366. A value out of range is clamped.
        """
        found: CacheOverview = self._call(
            "GET",
            "/api/v1/cache/overview",
            query={"days": days},
            answer="json",
        )
        return found

    def delete_cache_entry(self, key: str | int) -> None:
        """Evict an entry of the cache.

        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        self._call("DELETE", path_of("/api/v1/cache/entries/{key}", key=key), answer="nothing")

    def get_cache_entry(
        self,
        key: str | int,
        *,
        raw: bool | None = None,
        tier: Literal["server", "local"] | None = None,
    ) -> CacheEntry:
        """An entry of the cache, with its request and response.

        raw: Whether the stored text is returned too.
        tier: The cache of the service, or its local directory.
        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        found: CacheEntry = self._call(
            "GET",
            path_of("/api/v1/cache/entries/{key}", key=key),
            query={"raw": raw, "tier": tier},
            answer="json",
        )
        return found

    def list_cache_entries(
        self,
        *,
        kind: str | None = None,
        model: str | None = None,
        empty_reason: str | None = None,
        q: str | None = None,
        since: str | None = None,
        until: str | None = None,
        min_cost_microusd: int | None = None,
        max_cost_microusd: int | None = None,
        tier: Literal["server", "local"] | None = None,
        sort: Literal["created", "last_access", "size", "cost"] | None = None,
        order: Literal["desc", "asc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CacheList:
        """Entries of the cache.

        kind: A kind; or `unindexed` or `unparseable`.
        model: The model that was asked.
        empty_reason: Why the output is empty.
        q: The words, or the part of a text, to search for.
        since: Epoch milliseconds or RFC 3339, inclusive.
        until: Epoch milliseconds or RFC 3339, inclusive.
        min_cost_microusd: The least cost in millionths of a US dollar.
        max_cost_microusd: The greatest cost in millionths of a US dollar.
        tier: The cache of the service, or its local directory.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: CacheList = self._call(
            "GET",
            "/api/v1/cache/entries",
            query={
                "kind": kind,
                "model": model,
                "empty_reason": empty_reason,
                "q": q,
                "since": since,
                "until": until,
                "min_cost_microusd": min_cost_microusd,
                "max_cost_microusd": max_cost_microusd,
                "tier": tier,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def list_runs_of_cache_entry(
        self,
        key: str | int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CacheRuns:
        """Runs with cases that used an entry of the cache.

        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        key: Key of the cache entry: `sha256:` and 64 hexadecimal digits.
        """
        found: CacheRuns = self._call(
            "GET",
            path_of("/api/v1/cache/entries/{key}/runs", key=key),
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def list_cache_facets(self, *, tier: Literal["server", "local"] | None = None) -> CacheFacets:
        """Values by which entries of the cache can be filtered.

        tier: The cache of the service, or its local directory.
        """
        found: CacheFacets = self._call(
            "GET",
            "/api/v1/cache/facets",
            query={"tier": tier},
            answer="json",
        )
        return found

    def create_first_account(self, body: CreateFirstAccountBody) -> SignedIn:
        """Create the first account, an admin."""
        found: SignedIn = self._call(
            "POST",
            "/api/v1/auth/setup",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def sign_in(self, body: SignInBody) -> SignedIn:
        """Sign in with a password."""
        found: SignedIn = self._call(
            "POST",
            "/api/v1/auth/login",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def change_password(self, body: ChangePasswordBody) -> SessionsEnded:
        """Change your own password and end your other sessions; needs a session."""
        found: SessionsEnded = self._call(
            "POST",
            "/api/v1/auth/password",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def find_invite(self, body: FindInviteBody) -> ShownInvite:
        """What an invite gives, by the secret of its link."""
        found: ShownInvite = self._call(
            "POST",
            "/api/v1/auth/invite",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def create_invited_account(self, body: CreateInvitedAccountBody) -> SignedIn:
        """Make the account of an invite, and sign in with it."""
        found: SignedIn = self._call(
            "POST",
            "/api/v1/auth/invite/accept",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def find_reset_link(self, body: FindInviteBody) -> ShownResetLink:
        """Whose password a link resets, by its secret."""
        found: ShownResetLink = self._call(
            "POST",
            "/api/v1/auth/reset",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def change_password_by_link(self, body: ChangePasswordByLinkBody) -> None:
        """Set a password with a link, and end all sessions of the account."""
        self._call(
            "POST",
            "/api/v1/auth/reset/password",
            body=body,
            body_type="application/json",
            answer="nothing",
        )

    def start_oidc_sign_in(self, provider: str | int, *, return_to: str | None = None) -> str:
        """Start a sign-in through an identity provider; a browser opens it.

        return_to: The path of this service to open after the sign-in.
        provider: Name of the identity provider.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/auth/oidc/{provider}/start", provider=provider),
            query={"return_to": return_to},
            answer="location",
        )
        return found

    def finish_oidc_sign_in(self, provider: str | int) -> str:
        """Where an OpenID provider sends the browser back to, with a code or an error.

        provider: Name of the identity provider.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/auth/oidc/{provider}/callback", provider=provider),
            answer="location",
        )
        return found

    def start_saml_sign_in(self, provider: str | int, *, return_to: str | None = None) -> str:
        """Start a sign-in through an identity provider; a browser opens it.

        return_to: The path of this service to open after the sign-in.
        provider: Name of the identity provider.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/auth/saml/{provider}/start", provider=provider),
            query={"return_to": return_to},
            answer="location",
        )
        return found

    def finish_saml_sign_in(self, provider: str | int) -> str:
        """Where the page of a SAML provider posts its response, as a form.

        provider: Name of the identity provider.
        """
        found: str = self._call(
            "POST",
            path_of("/api/v1/auth/saml/{provider}/acs", provider=provider),
            answer="location",
        )
        return found

    def get_saml_metadata(self, provider: str | int) -> str:
        """The SAML metadata of this service for an identity provider, in XML.

        provider: Name of the identity provider.
        """
        found: str = self._call(
            "GET",
            path_of("/api/v1/auth/saml/{provider}/metadata", provider=provider),
            answer="json",
        )
        return found

    def sign_out(self) -> Done:
        """End the session of this request."""
        found: Done = self._call("POST", "/api/v1/auth/logout", answer="json")
        return found

    def get_me(self) -> Me:
        """The account and the scope of this request."""
        found: Me = self._call("GET", "/api/v1/auth/me", answer="json")
        return found

    def list_own_sessions(self) -> OwnSessions:
        """Your open sessions."""
        found: OwnSessions = self._call("GET", "/api/v1/auth/sessions", answer="json")
        return found

    def end_other_sessions(self) -> SessionsEnded:
        """End all your other sessions; needs a session."""
        found: SessionsEnded = self._call("DELETE", "/api/v1/auth/sessions", answer="json")
        return found

    def end_session(self, id: str | int) -> None:
        """End one of your sessions; needs a session.

        id: Id of the session.
        """
        self._call("DELETE", path_of("/api/v1/auth/sessions/{id}", id=id), answer="nothing")

    def list_views(self, *, format: Literal["json"] | None = None) -> SavedViews:
        """Your saved views, and those that others shared and whose sets you may see.

        format: Offers the answer as a file to download.
        """
        found: SavedViews = self._call(
            "GET",
            "/api/v1/views",
            query={"format": format},
            answer="json",
        )
        return found

    def create_view(self, body: CreateViewBody) -> SavedView:
        """Save a view."""
        found: SavedView = self._call(
            "POST",
            "/api/v1/views",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def change_view(self, id: str | int, body: ChangeViewBody) -> SavedView:
        """Change a saved view; `position` moves it in the list.

        id: Id of the saved view.
        """
        found: SavedView = self._call(
            "PATCH",
            path_of("/api/v1/views/{id}", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def delete_view(self, id: str | int) -> None:
        """Delete a saved view; an admin removes a shared one from the list of all.

        id: Id of the saved view.
        """
        self._call("DELETE", path_of("/api/v1/views/{id}", id=id), answer="nothing")

    def list_webhooks(self) -> Webhooks:
        """Your webhooks."""
        found: Webhooks = self._call("GET", "/api/v1/webhooks", answer="json")
        return found

    def create_webhook(self, body: CreateWebhookBody) -> WebhookWithSecret:
        """Create a webhook; the answer has its secret, which is shown once."""
        found: WebhookWithSecret = self._call(
            "POST",
            "/api/v1/webhooks",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def delete_webhook(self, id: str | int) -> None:
        """Delete a webhook.

        id: Id of the webhook.
        """
        self._call("DELETE", path_of("/api/v1/webhooks/{id}", id=id), answer="nothing")

    def rotate_webhook_secret(self, id: str | int) -> WebhookWithSecret:
        """Replace the secret; for a day, the former one signs too.

        id: Id of the webhook.
        """
        found: WebhookWithSecret = self._call(
            "POST",
            path_of("/api/v1/webhooks/{id}/secret", id=id),
            answer="json",
        )
        return found

    def test_webhook(self, id: str | int) -> WebhookTest:
        """Send a message of type webhook.test, once.

        id: Id of the webhook.
        """
        found: WebhookTest = self._call(
            "POST",
            path_of("/api/v1/webhooks/{id}/test", id=id),
            answer="json",
        )
        return found

    def list_webhook_deliveries(
        self,
        id: str | int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> WebhookDeliveries:
        """What a webhook sent, and what is waiting, newest first.

        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        id: Id of the webhook.
        """
        found: WebhookDeliveries = self._call(
            "GET",
            path_of("/api/v1/webhooks/{id}/deliveries", id=id),
            query={"limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def list_api_keys(self) -> ApiKeys:
        """Your API keys."""
        found: ApiKeys = self._call("GET", "/api/v1/apikeys", answer="json")
        return found

    def create_api_key(self, body: CreateApiKeyBody) -> MintedApiKey:
        """Create an API key; the secret is in this response only."""
        found: MintedApiKey = self._call(
            "POST",
            "/api/v1/apikeys",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def revoke_api_key(self, id: str | int) -> None:
        """Revoke an API key.

        id: Id of the API key.
        """
        self._call("DELETE", path_of("/api/v1/apikeys/{id}", id=id), answer="nothing")

    def list_users(self) -> Users:
        """All accounts."""
        found: Users = self._call("GET", "/api/v1/users", answer="json")
        return found

    def create_user(self, body: CreateUserBody) -> User:
        """Create an account."""
        found: User = self._call(
            "POST",
            "/api/v1/users",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_user_overviews(self) -> UserOverviews:
        """Every account with its numbers of keys, sessions and grants, and when it was last seen."""
        found: UserOverviews = self._call("GET", "/api/v1/users/overview", answer="json")
        return found

    def list_api_keys_of_user(self, id: str | int) -> ApiKeys:
        """An account's API keys.

        id: Id of the account.
        """
        found: ApiKeys = self._call(
            "GET",
            path_of("/api/v1/users/{id}/apikeys", id=id),
            answer="json",
        )
        return found

    def create_service_key(self, id: str | int, body: CreateApiKeyBody) -> MintedApiKey:
        """Create an API key of a service account; the secret is in this response only.

        id: Id of the account.
        """
        found: MintedApiKey = self._call(
            "POST",
            path_of("/api/v1/users/{id}/apikeys", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def change_user(self, id: str | int, body: ChangeUserBody) -> User:
        """Change the role, the password or the state of an account.

        id: Id of the account.
        """
        found: User = self._call(
            "PATCH",
            path_of("/api/v1/users/{id}", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def delete_user(self, id: str | int) -> None:
        """Delete an account.

        id: Id of the account.
        """
        self._call("DELETE", path_of("/api/v1/users/{id}", id=id), answer="nothing")

    def create_reset_link(self, id: str | int) -> MadeAccountLink:
        """Make a link with which the owner of an account can set a password; it is in this response only.

        id: Id of the account.
        """
        found: MadeAccountLink = self._call(
            "POST",
            path_of("/api/v1/users/{id}/reset-link", id=id),
            answer="json",
        )
        return found

    def list_account_links(self) -> AccountLinks:
        """Invites and password reset links that were neither used nor revoked, without their secrets."""
        found: AccountLinks = self._call("GET", "/api/v1/links", answer="json")
        return found

    def create_invite(self, body: CreateInviteBody) -> MadeAccountLink:
        """Make a link with which one person can make an account; it is in this response only."""
        found: MadeAccountLink = self._call(
            "POST",
            "/api/v1/links",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def revoke_account_link(self, id: str | int) -> None:
        """End an invite or a password reset link that was not used.

        id: Id of the invite or of the link for a new password.
        """
        self._call("DELETE", path_of("/api/v1/links/{id}", id=id), answer="nothing")

    def apply_retention(self, *, dry_run: bool | None = None) -> Retention:
        """Delete what exceeds the configured limits now, even if the clock is in doubt, or count it (dry_run).

        dry_run: Only counts: nothing is written.
        """
        found: Retention = self._call(
            "POST",
            "/api/v1/retention",
            query={"dry_run": dry_run},
            answer="json",
        )
        return found

    def get_server(self) -> Server:
        """This process, its store and its limits."""
        found: Server = self._call("GET", "/api/v1/server", answer="json")
        return found

    def list_all_api_keys(
        self,
        *,
        q: str | None = None,
        user_id: str | None = None,
        scope: Literal["review", "read", "write", "admin"] | None = None,
        state: Literal["usable", "disabled", "expired", "revoked", "live"] | None = None,
        unused_since: str | None = None,
        sort: Literal["created", "used", "account", "name"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AccountKeys:
        """The API keys of all accounts.

        q: A part of the key's name or prefix, or of the account's name. The case of ASCII letters does not matter.
        user_id: Id of the account.
        scope: Only keys of this scope.
        state: Only keys in this state.
        unused_since: Only keys that were neither created nor used since then. Epoch milliseconds or RFC 3339, exclusive.
        sort: What the rows are sorted by.
        order: The direction of the order.
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: AccountKeys = self._call(
            "GET",
            "/api/v1/users/apikeys",
            query={
                "q": q,
                "user_id": user_id,
                "scope": scope,
                "state": state,
                "unused_since": unused_since,
                "sort": sort,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
        return found

    def erase_records(self, body: EraseRecordsBody) -> Erased:
        """Erase the records of a run, of a deleted account, or with given numbers; what proofs need is kept."""
        found: Erased = self._call(
            "POST",
            "/api/v1/erasures",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def place_hold(self, body: PlaceHoldBody) -> Hold:
        """Place a legal hold on a run, or on all present and future runs of a suite or a project."""
        found: Hold = self._call(
            "POST",
            "/api/v1/holds",
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def list_holds(
        self,
        *,
        standing: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> HoldList:
        """Legal holds.

        standing: Only holds that stand (true), or only those that were lifted (false).
        limit: Maximum number of rows, from 1 to 200. A value out of range is clamped.
        cursor: Opaque position from `next_cursor`. With any other text, the response is the first page.
        """
        found: HoldList = self._call(
            "GET",
            "/api/v1/holds",
            query={"standing": standing, "limit": limit, "cursor": cursor},
            answer="json",
        )
        return found

    def get_hold(self, id: str | int) -> Hold:
        """A legal hold, and what it holds.

        id: Id of the hold.
        """
        found: Hold = self._call("GET", path_of("/api/v1/holds/{id}", id=id), answer="json")
        return found

    def lift_hold(self, id: str | int, body: LiftHoldBody) -> Hold:
        """Lift a legal hold; other holds on the same runs still stand.

        id: Id of the hold.
        """
        found: Hold = self._call(
            "POST",
            path_of("/api/v1/holds/{id}/lift", id=id),
            body=body,
            body_type="application/json",
            answer="json",
        )
        return found

    def stream_events(
        self,
        *,
        project: str | None = None,
        suite: str | None = None,
        after: str | None = None,
    ) -> Iterator[str]:
        """Changes as server-sent events: changed, access, reset.

        project: Name of the project.
        suite: Name of the suite.
        after: The id of the last message that was received. The header `Last-Event-ID` takes precedence.
        """
        found: Iterator[str] = self._call(
            "GET",
            "/api/v1/events/stream",
            query={"project": project, "suite": suite, "after": after},
            answer="lines",
        )
        return found
