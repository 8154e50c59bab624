-- The tree of the log above its leaves (RFC 6962, in the tiles of c2sp.org/tlog-tiles): the node n of level l is the root
-- of the full subtree of the 256^l leaves from index n * 256^l. The commit that completes a subtree writes its node. Level 0
-- is `events.leaf`. A node can be computed again from the leaves.
CREATE TABLE log_nodes (
  level bigint NOT NULL,
  n bigint NOT NULL,
  hash :bytes NOT NULL,
  PRIMARY KEY (level, n)
);

-- The checkpoints that this log has signed (c2sp.org/tlog-checkpoint), as signed notes without cosignatures. They have no
-- events: an event would grow what is signed.
CREATE TABLE checkpoints (
  size :position PRIMARY KEY,
  root :bytes NOT NULL,
  signed_at bigint NOT NULL,
  note text NOT NULL
);

-- Verified cosignatures of witnesses on checkpoints (c2sp.org/tlog-cosignature). `line` is the signature line without its
-- line end, `at` the time of the witness in seconds since the epoch.
CREATE TABLE cosignatures (
  size bigint NOT NULL,
  key_name :key NOT NULL,
  key_id :key NOT NULL,
  line text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (size, key_name, key_id)
);

-- The size of the last checkpoint that each witness has cosigned, as far as this log knows.
CREATE TABLE witnesses (
  key_name :key NOT NULL,
  key_id :key NOT NULL,
  size bigint NOT NULL,
  PRIMARY KEY (key_name, key_id)
);

-- Read table: the keys that have signed checkpoints of this log, from the events of the streams `log-key/…`. `continues` is
-- JSON, the end of the log that this one continues under a new origin, or null.
CREATE TABLE log_keys (
  key_id :key PRIMARY KEY,
  origin text NOT NULL,
  vkey text NOT NULL,
  continues text,
  adopted_at bigint NOT NULL,
  adopted_seq bigint NOT NULL,
  retired_at bigint
);
