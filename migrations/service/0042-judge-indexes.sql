-- Each index costs every upload with judges a page. No read finds judges by their id.
-- only: sqlite
-- The key is the table itself.
CREATE TABLE judges_of_runs (
  run_no bigint NOT NULL,
  slot bigint NOT NULL,
  set_key :key,
  created_at bigint NOT NULL,
  run_id :key NOT NULL,
  kind :key NOT NULL,
  metric :key NOT NULL,
  judge_id :key,
  judge text NOT NULL,
  passed bigint NOT NULL,
  failed bigint NOT NULL,
  other bigint NOT NULL,
  PRIMARY KEY (run_no, slot)
) WITHOUT ROWID;
INSERT INTO judges_of_runs SELECT * FROM run_judges;
DROP TABLE run_judges;
ALTER TABLE judges_of_runs RENAME TO run_judges;
CREATE INDEX run_judges_by_set ON run_judges (set_key, created_at, run_id, metric, judge_id);
-- only: postgres
DROP INDEX run_judges_by_judge;
