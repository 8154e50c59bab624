-- Each run of a suite in a few bytes a case (`domain/series/outline.ts`), so that reads over many runs read one value a run
-- instead of its cases. `provider_key` is equal in runs of the same providers. The read tables are rebuilt after this.
CREATE TABLE run_outlines (
  run_no :position PRIMARY KEY,
  run_id :key NOT NULL,
  set_key :key NOT NULL,
  provider_key :key NOT NULL,
  git_branch :key,
  created_at bigint NOT NULL,
  case_count bigint NOT NULL,
  pass_count bigint NOT NULL,
  outline :bytes NOT NULL
);
CREATE INDEX run_outlines_by_set ON run_outlines (set_key, created_at DESC, run_id DESC, provider_key);
CREATE INDEX run_outlines_like ON run_outlines (set_key, provider_key, created_at DESC, run_id DESC);
CREATE INDEX run_outlines_by_branch ON run_outlines (set_key, git_branch, created_at DESC, run_id DESC);

-- only: postgres
-- Hashes do not compress.
ALTER TABLE run_outlines ALTER COLUMN outline SET STORAGE EXTERNAL;
-- both
-- The model that a provider reported for a case.
ALTER TABLE cases ADD COLUMN model text;
