-- Outlines of transcripts: what a list of their events shows, made from the bytes of a part when it is first read. They are no evidence, and go
-- with their part. From 0 on `n` are the blocks of a thousand events; `start` is the first byte of a block, and `first_message` the number of
-- its first message. -1 is the state, whose `start` is the byte up to which the part was read, and -2 are the spans.
CREATE TABLE outlines (
  part_no bigint NOT NULL,
  version bigint NOT NULL,
  n bigint NOT NULL,
  start bigint NOT NULL,
  first_message bigint NOT NULL,
  bytes :bytes NOT NULL,
  PRIMARY KEY (part_no, version, n)
);
