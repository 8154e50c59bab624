-- Read tables: plans that were registered before the runs that follow them, from the events of the streams `plan/…`.
CREATE TABLE plans (
  plan_id :key PRIMARY KEY,
  project :key NOT NULL,
  suite :key NOT NULL,
  plan_sha256 :key NOT NULL,
  plan_bytes bigint,
  config_digest :key,
  metric text,
  comparator text,
  threshold double precision,
  case_count bigint,
  registered_at bigint NOT NULL,
  registered_by :key,
  registered_seq bigint NOT NULL,
  revealed_at bigint,
  withdrawn_at bigint
);
CREATE INDEX plans_by_set ON plans (project, suite, plan_id);
CREATE INDEX plans_by_digest ON plans (config_digest, project, suite, registered_seq) WHERE config_digest IS NOT NULL;

-- The runs that followed a plan, also deleted ones, each as the record of its upload. `attempt` counts from 1 per plan. `run_no`
-- is null if the upload was erased and the run is gone.
CREATE TABLE plan_runs (
  seq :position PRIMARY KEY,
  plan_id :key NOT NULL,
  attempt bigint NOT NULL,
  run_no bigint
);
CREATE INDEX plan_runs_by_plan ON plan_runs (plan_id, attempt);
CREATE INDEX plan_runs_by_run ON plan_runs (run_no);

-- The texts of plans, byte for byte.
CREATE TABLE plan_texts (
  plan_id :key PRIMARY KEY,
  bytes :bytes NOT NULL
);

-- The start of a run as its document says: a run that started before its plan was registered is late. The read tables are
-- rebuilt after this.
ALTER TABLE runs ADD COLUMN started_at bigint;
