-- Where the documents are that were moved out of `document_frames`: in objects, in one of them unless a run has more than 64 MiB. `bytes` are the
-- raw bytes of an object. The first `document_bytes` of them are the next ones of the document, and small parts of the run follow.
CREATE TABLE run_objects (
  run_no bigint NOT NULL,
  n bigint NOT NULL,
  object_id :key NOT NULL,
  bytes bigint NOT NULL,
  document_bytes bigint NOT NULL,
  PRIMARY KEY (run_no, n)
);

-- Where the bytes of a part begin in an object of its run; null for a part with an object of its own.
ALTER TABLE part_objects ADD COLUMN start bigint;

-- Runs whose documents wait to be moved: since when, and the replica that moves one until a time.
CREATE TABLE pending_moves (
  run_no bigint PRIMARY KEY,
  since bigint NOT NULL,
  holder :key,
  until bigint NOT NULL
);
