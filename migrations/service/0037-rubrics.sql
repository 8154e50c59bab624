-- The words and the text of each version of a rubric. `text_id` is the id of the rubric, a point and the version.
CREATE TABLE rubric_texts (
  text_id :key PRIMARY KEY,
  words text NOT NULL,
  text text NOT NULL
);

-- Read table, from the events of the streams `rubric/…`: the versions of rubrics, with their questions as JSON.
CREATE TABLE rubrics (
  rubric_id :key NOT NULL,
  version bigint NOT NULL,
  project :key NOT NULL,
  suite :key NOT NULL,
  text_sha256 :key NOT NULL,
  questions text NOT NULL,
  change text,
  valid_days bigint NOT NULL,
  versioned_at bigint NOT NULL,
  versioned_by :key,
  seq bigint NOT NULL,
  retired_at bigint,
  PRIMARY KEY (rubric_id, version)
);
CREATE INDEX rubrics_by_set ON rubrics (project, suite, rubric_id);
