-- A list of runs that is sorted by a measure reads all runs that match. This index has every column by which runs are sorted
-- and filtered, except tags, so that such a list reads no row of the table before it has its page.
CREATE INDEX runs_measured ON runs (
  set_key, suite, created_at, id, run_no, case_count, pass_count, cost_micro, duration_ms, git_branch, failing, erroring, fully_cached, ci_provider, actor, uploaded_by
);
