-- Sealed bytes of a part or of a piece of it, under a random id. The row is written before the bytes, and has the key that opens them: bytes
-- without their key can be read by no one. `lengths` are those of the sealed chunks, 4 bytes each.
CREATE TABLE objects (
  object_id :key PRIMARY KEY,
  place :key NOT NULL,
  state :key NOT NULL,
  key :bytes,
  lengths :bytes,
  created_at bigint NOT NULL
);
CREATE INDEX objects_unstored ON objects (state, created_at) WHERE state <> 'stored';

-- The bytes of objects in the place `table`, in rows of 256 KiB.
CREATE TABLE object_rows (
  object_id :key NOT NULL,
  n bigint NOT NULL,
  bytes :bytes NOT NULL,
  PRIMARY KEY (object_id, n)
);

-- Stored copies of parts: in frames if a part is small or a manifest, else in objects. The numbers are those of pieces.
CREATE TABLE parts (
  part_no bigint PRIMARY KEY,
  sha256 :key NOT NULL,
  bytes bigint NOT NULL
);
CREATE TABLE part_objects (
  part_no bigint NOT NULL,
  n bigint NOT NULL,
  object_id :key NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (part_no, n)
);
CREATE TABLE part_frames (
  part_no bigint NOT NULL,
  n bigint NOT NULL,
  raw_length bigint NOT NULL,
  bytes :bytes NOT NULL,
  PRIMARY KEY (part_no, n)
);

-- Parts that no run names yet, by who sent them. `complete` is 0 until all pieces are there and have the digest.
CREATE TABLE staged_parts (
  actor :key NOT NULL,
  sha256 :key NOT NULL,
  part_no bigint NOT NULL,
  bytes bigint NOT NULL,
  complete bigint NOT NULL,
  touched_at bigint NOT NULL,
  PRIMARY KEY (actor, sha256)
);
CREATE INDEX staged_parts_by_time ON staged_parts (touched_at);
CREATE INDEX staged_parts_by_actor ON staged_parts (actor, bytes);

-- Sets of runs with parts, and how many runs. Which parts a caller may name is read by ranges of sets that it can see, so that no row of a
-- hidden run is touched: else the time of an answer would show how many hidden runs have a part.
CREATE TABLE part_sets (
  set_no bigint PRIMARY KEY,
  project :key,
  suite :key,
  run_count bigint NOT NULL
);
CREATE INDEX part_sets_by_name ON part_sets (project, suite);

-- The parts of a run, its manifests among them: `manifest` is 1 for what no manifest lists.
CREATE TABLE run_parts (
  run_no bigint NOT NULL,
  sha256 :key NOT NULL,
  part_no bigint NOT NULL,
  manifest bigint NOT NULL,
  set_no bigint NOT NULL,
  PRIMARY KEY (run_no, sha256)
);
CREATE INDEX run_parts_by_part ON run_parts (part_no);
CREATE INDEX run_parts_by_digest ON run_parts (sha256, set_no, part_no);

-- Read tables, from the events `RunIngested` and `EvidenceAttached` with their manifests. `with_run` is 1 for what came with the upload.
CREATE TABLE run_evidence (
  run_no bigint NOT NULL,
  seq bigint NOT NULL,
  with_run bigint NOT NULL,
  manifest_sha256 :key NOT NULL,
  manifest_bytes bigint NOT NULL,
  part_count bigint NOT NULL,
  part_bytes bigint NOT NULL,
  attached_at bigint NOT NULL,
  attached_by :key,
  PRIMARY KEY (run_no, seq)
);

-- The entries of manifests. `case_key` is null for what belongs to the whole run.
CREATE TABLE case_parts (
  run_no bigint NOT NULL,
  seq bigint NOT NULL,
  n bigint NOT NULL,
  case_key text,
  sha256 :key NOT NULL,
  bytes bigint NOT NULL,
  role :key NOT NULL,
  name text,
  media_type text,
  from_sha256 :key,
  from_path text,
  PRIMARY KEY (run_no, seq, n)
);
CREATE INDEX case_parts_by_case ON case_parts (run_no, case_key);
CREATE INDEX case_parts_by_digest ON case_parts (run_no, sha256);
