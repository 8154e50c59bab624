-- Cases of a document that have the key of an earlier case of it: `hidden_by` is the number of that case. No list shows them;
-- exports do. Runs of earlier versions have none here, and null as their number.
CREATE TABLE hidden_cases (
  run_no bigint NOT NULL,
  n bigint NOT NULL,
  hidden_by bigint NOT NULL,
  provider_id :key,
  document_offset bigint NOT NULL,
  document_length bigint NOT NULL,
  PRIMARY KEY (run_no, n)
);
ALTER TABLE runs ADD COLUMN hidden_cases bigint;
