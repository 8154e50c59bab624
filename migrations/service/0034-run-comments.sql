-- Comments on runs and their cases: prose stays out of the log, so that it can be deleted. `case_key` is null for the run itself.
CREATE TABLE comment_texts (
  comment_id :key PRIMARY KEY,
  run_no bigint NOT NULL,
  case_key :key,
  text text NOT NULL,
  salt :key NOT NULL
);
CREATE INDEX comment_texts_by_run ON comment_texts (run_no, case_key);

-- Read table, from the events `RunCommented`: who commented, and when.
CREATE TABLE run_comments (
  comment_id :key PRIMARY KEY,
  run_no bigint NOT NULL,
  seq bigint NOT NULL,
  commented_by :key,
  commented_at bigint NOT NULL
);
CREATE INDEX run_comments_by_run ON run_comments (run_no, seq);
