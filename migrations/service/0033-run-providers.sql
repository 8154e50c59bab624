-- Read tables, from the events `RunIngested`: the providers of each run, and how many runs of a run set have each provider. A run
-- without a set counts for the empty key.
CREATE TABLE run_providers (
  provider_id :key NOT NULL,
  created_at bigint NOT NULL,
  id :key NOT NULL,
  run_no bigint NOT NULL,
  PRIMARY KEY (run_no, provider_id)
);
CREATE INDEX run_providers_newest ON run_providers (provider_id, created_at DESC, id DESC, run_no);
CREATE TABLE set_providers (
  set_key :key NOT NULL,
  provider_id :key NOT NULL,
  run_count bigint NOT NULL,
  PRIMARY KEY (set_key, provider_id)
);

-- As before, and with the time of the upload, by which runs are sorted too.
DROP INDEX runs_measured;
CREATE INDEX runs_measured ON runs (
  set_key, suite, created_at, id, run_no, case_count, pass_count, cost_micro, duration_ms, git_branch, failing, erroring, fully_cached, ci_provider, actor, uploaded_by, uploaded_at
);
