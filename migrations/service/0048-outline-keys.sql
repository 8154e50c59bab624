-- Outlines are stored sealed: the key that opens the rows of an outline is here, and is deleted in the same commit as its part. Those that were not
-- sealed are made again when they are read.
DELETE FROM outlines;
CREATE TABLE outline_keys (
  part_no bigint PRIMARY KEY,
  key :bytes NOT NULL
);
