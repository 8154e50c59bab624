-- Read table: the keys that open the image of a suite, from the events of the streams `badge/…`. A key is stored as its SHA-256
-- alone.
CREATE TABLE badge_keys (
  key_sha256 :key PRIMARY KEY,
  project :key NOT NULL,
  suite :key NOT NULL,
  minted_at bigint NOT NULL
);
CREATE INDEX badge_keys_by_set ON badge_keys (project, suite);
