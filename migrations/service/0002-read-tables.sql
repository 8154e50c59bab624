-- Read tables: emptied and replayed by `ers rebuild`. Times are epoch milliseconds, money is whole micro-USD.
CREATE TABLE runs (
  run_no :position PRIMARY KEY,
  id :key NOT NULL UNIQUE,
  -- The run set as one value, so that a null suite is a set like any other; null where the project is null.
  set_key :key,
  project :key,
  suite :key,
  created_at bigint NOT NULL,
  uploaded_at bigint NOT NULL,
  uploaded_by :key,
  schema_version bigint NOT NULL,
  content_hash :key NOT NULL,
  hash_version bigint NOT NULL,
  document_sha256 :key NOT NULL,
  document_bytes bigint NOT NULL,
  config_digest text,
  git_branch :key,
  git_commit text,
  git_dirty boolean,
  case_count bigint NOT NULL,
  pass_count bigint NOT NULL,
  fail_count bigint NOT NULL,
  error_count bigint NOT NULL,
  xfail_count bigint NOT NULL,
  xpass_count bigint NOT NULL,
  prompt_tokens bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  cost_micro bigint,
  grader_cost_micro bigint,
  cache_savings_micro bigint,
  duration_ms bigint NOT NULL,
  cache_hits bigint,
  cache_misses bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  empty_count bigint,
  empty_counts :json,
  assert_labels :json NOT NULL,
  actor :key,
  host text,
  ci_provider :key,
  ci_run_url text,
  note text,
  service_version text,
  tags :json NOT NULL,
  digests :json NOT NULL,
  -- Derived states of the run list's filters.
  fully_cached boolean NOT NULL,
  failing boolean NOT NULL,
  erroring boolean NOT NULL,
  -- Cases that the read tables hold: a repeated case_key stays in the document alone.
  stored_cases bigint NOT NULL,
  -- Assertions of the case that has the most: tells which pages are long.
  largest_asserts bigint NOT NULL
);
CREATE INDEX runs_newest ON runs (created_at DESC, id DESC);
CREATE INDEX runs_by_set ON runs (set_key, created_at DESC, id DESC);
CREATE INDEX runs_by_project ON runs (project, created_at DESC, id DESC);
CREATE INDEX runs_by_suite ON runs (suite, created_at DESC, id DESC);
CREATE INDEX runs_by_branch ON runs (git_branch, created_at DESC, id DESC);
CREATE INDEX runs_by_actor ON runs (actor, created_at DESC, id DESC);
CREATE INDEX runs_by_uploader ON runs (uploaded_by, created_at DESC, id DESC);
CREATE INDEX runs_by_document ON runs (document_sha256);
CREATE INDEX runs_failing ON runs (created_at DESC, id DESC) WHERE failing;
CREATE INDEX runs_erroring ON runs (created_at DESC, id DESC) WHERE erroring;
CREATE INDEX runs_passing ON runs (created_at DESC, id DESC) WHERE NOT failing AND NOT erroring;
CREATE INDEX runs_cached ON runs (created_at DESC, id DESC) WHERE fully_cached;
CREATE INDEX runs_fresh ON runs (created_at DESC, id DESC) WHERE NOT fully_cached;
CREATE INDEX runs_ci ON runs (created_at DESC, id DESC) WHERE ci_provider IS NOT NULL;
CREATE INDEX runs_local ON runs (created_at DESC, id DESC) WHERE ci_provider IS NULL;

-- The configuration as it was resolved: zstd over its JSON text.
CREATE TABLE run_configs (
  run_no :position PRIMARY KEY,
  raw_length bigint NOT NULL,
  bytes :bytes NOT NULL
);

CREATE TABLE run_tags (
  tag :key NOT NULL,
  created_at bigint NOT NULL,
  id :key NOT NULL,
  run_no bigint NOT NULL,
  PRIMARY KEY (tag, run_no)
);
CREATE INDEX run_tags_newest ON run_tags (tag, created_at DESC, id DESC);
CREATE INDEX run_tags_by_run ON run_tags (run_no);

CREATE TABLE cases (
  run_no bigint NOT NULL,
  n bigint NOT NULL,
  -- 48 bits of a hash over (project, suite, case_key): one small index finds a case in its run and its history.
  history_key bigint NOT NULL,
  created_at bigint NOT NULL,
  case_key :key NOT NULL,
  name text,
  status text NOT NULL,
  score double precision,
  provider_id :key,
  prompt_id :key,
  test_id :key,
  repeat bigint,
  stop_reason :key,
  error text,
  error_class :key,
  empty_reason :key,
  answered_by_provider_id :key,
  cached boolean,
  cache_key :key,
  prompt_tokens bigint,
  completion_tokens bigint,
  cost_micro bigint,
  latency_ms bigint,
  output_hash :bytes,
  output_preview text,
  asserts :json NOT NULL,
  tags text,
  prompt_digest text,
  provider_digest text,
  assert_digest text,
  document_offset bigint NOT NULL,
  document_length bigint NOT NULL,
  PRIMARY KEY (run_no, n)
);
CREATE INDEX cases_history ON cases (history_key, created_at);
CREATE INDEX cases_by_cache_key ON cases (cache_key) WHERE cache_key IS NOT NULL;

-- The matrix is made once, at ingest: its columns and provider costs, and a row of finished cells per test.
CREATE TABLE matrices (
  run_no :position PRIMARY KEY,
  column_count bigint NOT NULL,
  columns text NOT NULL,
  provider_costs text NOT NULL
);
CREATE TABLE matrix_rows (
  run_no bigint NOT NULL,
  n bigint NOT NULL,
  -- A full row is finished text; of a row with empty cells the body names those that have cases, by column.
  is_full boolean NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run_no, n)
);

CREATE TABLE sets (
  set_key :key PRIMARY KEY,
  project :key NOT NULL,
  suite :key,
  run_count bigint NOT NULL,
  case_count bigint NOT NULL,
  pass_count bigint NOT NULL,
  fail_count bigint NOT NULL,
  error_count bigint NOT NULL,
  empty_count bigint NOT NULL,
  latest_run_no bigint
);
CREATE INDEX sets_by_project ON sets (project, suite);

-- The points of a suite's sparkline and series, newest first.
CREATE TABLE suite_series (
  set_key :key NOT NULL,
  created_at bigint NOT NULL,
  run_id :key NOT NULL,
  run_no bigint NOT NULL,
  total bigint NOT NULL,
  passed bigint NOT NULL,
  PRIMARY KEY (set_key, created_at, run_id)
);

CREATE TABLE baselines (
  project :key NOT NULL,
  suite :key NOT NULL,
  run_id :key NOT NULL,
  pinned_at bigint NOT NULL,
  PRIMARY KEY (project, suite)
);
CREATE INDEX baselines_by_run ON baselines (run_id);

-- Who may see what: a row restricts a whole project (suite null) or one suite.
CREATE TABLE restrictions (
  scope_key :key PRIMARY KEY,
  project :key NOT NULL,
  suite :key,
  created_at bigint NOT NULL,
  created_by text
);
CREATE INDEX restrictions_by_set ON restrictions (project, suite);
CREATE TABLE grants (
  scope_key :key NOT NULL,
  user_id :key NOT NULL,
  project :key NOT NULL,
  suite :key,
  level text NOT NULL,
  created_at bigint NOT NULL,
  created_by text,
  PRIMARY KEY (scope_key, user_id)
);
CREATE INDEX grants_by_user ON grants (user_id, project, suite);

-- only: sqlite
-- Contentless: the text stays in the document alone. rowid = run_no * 2^20 + case number, 0 being the run itself.
-- Text comes tokenized; `ascii` splits it at the same places and folds nothing that is not folded already.
CREATE VIRTUAL TABLE search USING fts5 (
  scope, name, tags, error, reasons, output, prompt,
  content = '', contentless_delete = 1, detail = full, tokenize = 'ascii'
);
INSERT INTO search (search, rank) VALUES ('hashsize', 16777216);
-- only: postgres
-- Rows are numbered as in SQLite: run_no * 2^20 + case number, 0 being the run itself. `words` holds every word with its
-- places and weights, besides tokens for the run set; of a row too long for that, `parts` holds the places, stretch by stretch.
CREATE TABLE search (
  rowid bigint PRIMARY KEY,
  -- The tokens once more, for viewers from whom more is hidden than can be told to the index. Empty without a project.
  project_token :key NOT NULL,
  set_token :key NOT NULL,
  words tsvector NOT NULL,
  parts tsvector[]
);
-- Compressing costs more at ingest than the bytes are worth. Which words are common is found out by looking, not by statistics.
ALTER TABLE search ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE search ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE search ALTER COLUMN parts SET STATISTICS 0;
CREATE INDEX search_by_word ON search USING gin (words) WITH (fastupdate = on);
-- both
