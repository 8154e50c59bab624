-- What people wrote in labels: comments and marks, as JSON.
CREATE TABLE label_texts (
  label_id :key PRIMARY KEY,
  texts text NOT NULL,
  salt text NOT NULL
);

-- Items that were handed out to a reviewer, so that fewer people work on one item in vain. Without a history.
CREATE TABLE review_leases (
  queue_id :key NOT NULL,
  n bigint NOT NULL,
  user_id :key NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (queue_id, n, user_id)
);

-- Read tables, from the events of the streams `review-queue/…` and `review-item/…`.
CREATE TABLE review_queues (
  queue_id :key PRIMARY KEY,
  project :key NOT NULL,
  suite :key NOT NULL,
  rubric_id :key NOT NULL,
  rubric_version bigint NOT NULL,
  target text NOT NULL,
  metric text,
  per_item bigint NOT NULL,
  resolve text NOT NULL,
  kind text NOT NULL,
  selection text NOT NULL,
  seed text NOT NULL,
  targeted bigint NOT NULL,
  runs text NOT NULL,
  opened_at bigint NOT NULL,
  opened_by :key,
  opened_seq bigint NOT NULL,
  closed_at bigint,
  closed_seq bigint,
  cause text
);
CREATE INDEX review_queues_by_set ON review_queues (project, suite, queue_id);
CREATE INDEX review_queues_open ON review_queues (project, suite) WHERE closed_at IS NULL;

-- `final` is the deciding answer, `final_pass` the side that it is on. Both follow from the labels.
CREATE TABLE review_items (
  queue_id :key NOT NULL,
  n bigint NOT NULL,
  run_index bigint NOT NULL,
  run_no bigint NOT NULL,
  case_n bigint NOT NULL,
  second_run_no bigint,
  second_case_n bigint,
  judge_id :key,
  verdict bigint,
  criterion text,
  given bigint NOT NULL,
  state :key NOT NULL,
  final text,
  final_pass bigint,
  final_score double precision,
  final_seq bigint,
  PRIMARY KEY (queue_id, n)
);
CREATE INDEX review_items_by_state ON review_items (queue_id, state, n);
CREATE INDEX review_items_by_case ON review_items (run_no, case_n);

-- `person` is the number of the reviewer in the queue; it outlives the account.
CREATE TABLE labels (
  label_id :key PRIMARY KEY,
  queue_id :key NOT NULL,
  n bigint NOT NULL,
  person bigint NOT NULL,
  reviewer :key,
  seq bigint NOT NULL,
  given_at bigint NOT NULL,
  answers text,
  decides text,
  passes bigint,
  score double precision,
  seconds double precision,
  revises :key,
  blind text,
  recognised bigint NOT NULL,
  side text,
  text_sha256 :key,
  imported text,
  own_run bigint NOT NULL,
  adjudicates bigint NOT NULL,
  standing bigint NOT NULL,
  withdrawn_at bigint,
  erased bigint NOT NULL
);
CREATE INDEX labels_by_item ON labels (queue_id, n);
CREATE INDEX labels_by_reviewer ON labels (reviewer, seq);
CREATE UNIQUE INDEX labels_standing ON labels (queue_id, n, person) WHERE standing = 1;

CREATE TABLE review_people (
  queue_id :key NOT NULL,
  user_id :key NOT NULL,
  person bigint NOT NULL,
  role text NOT NULL,
  removed bigint NOT NULL,
  PRIMARY KEY (queue_id, user_id)
);
CREATE INDEX review_people_by_user ON review_people (user_id, queue_id);

CREATE TABLE review_declines (
  queue_id :key NOT NULL,
  n bigint NOT NULL,
  person bigint NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (queue_id, n, person)
);
