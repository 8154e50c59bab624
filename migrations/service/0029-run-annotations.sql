-- What people add to a run after its upload, as JSON, with what the index of the search needs of the run: prose stays out of the
-- log, so that it is deleted with its run.
CREATE TABLE annotation_texts (
  annotation_id :key PRIMARY KEY,
  run_no bigint NOT NULL,
  texts text NOT NULL,
  salt :key NOT NULL
);
CREATE INDEX annotation_texts_by_run ON annotation_texts (run_no);

-- Read tables, from the events `RunAnnotated`: every change, what a run has now, and the tags that were added to it.
CREATE TABLE run_annotations (
  annotation_id :key PRIMARY KEY,
  run_no bigint NOT NULL,
  seq bigint NOT NULL,
  annotated_by :key,
  added text NOT NULL
);
CREATE INDEX run_annotations_by_run ON run_annotations (run_no, seq);
CREATE TABLE run_annotated (
  run_no :position PRIMARY KEY,
  annotation_id :key NOT NULL,
  annotated_by :key,
  added text NOT NULL
);
CREATE INDEX run_annotated_by_annotation ON run_annotated (annotation_id);
CREATE TABLE run_added_tags (
  tag :key NOT NULL,
  created_at bigint NOT NULL,
  id :key NOT NULL,
  run_no bigint NOT NULL,
  annotation_id :key NOT NULL,
  PRIMARY KEY (tag, run_no)
);
CREATE INDEX run_added_tags_newest ON run_added_tags (tag, created_at DESC, id DESC);
CREATE INDEX run_added_tags_by_run ON run_added_tags (run_no);
CREATE INDEX run_added_tags_by_annotation ON run_added_tags (annotation_id);
