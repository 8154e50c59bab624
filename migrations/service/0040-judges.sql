-- Read tables, from the events `RunIngested`: the judges of each run. A slot is a metric with one judge; `judge` is canonical JSON, and
-- `judge_id` the beginning of its SHA-256, null if it is not known what judged. Counts are of cases. `set_key` is null without a suite.
CREATE TABLE run_judges (
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
);
CREATE INDEX run_judges_by_judge ON run_judges (judge_id, run_no);
CREATE INDEX run_judges_by_set ON run_judges (set_key, created_at, run_id, metric, judge_id);

-- The verdict on each case of a slot, packed.
CREATE TABLE judged_cases (
  run_no bigint NOT NULL,
  slot bigint NOT NULL,
  cases :bytes NOT NULL,
  PRIMARY KEY (run_no, slot)
);

-- Read table, from the events `JudgeDeclared`: metrics whose programs and embeddings count as judges.
CREATE TABLE declared_judges (
  set_key :key NOT NULL,
  metric :key NOT NULL,
  PRIMARY KEY (set_key, metric)
);
