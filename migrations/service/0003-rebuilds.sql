-- A rebuild that was begun and is not swapped in yet: what it builds (a digest over the read models' versions and their
-- tables), how far it is, and the leaf of the record it stands at, so that it goes on with the same log only.
CREATE TABLE rebuilds (
  one bigint PRIMARY KEY CHECK (one = 1),
  plan text NOT NULL,
  position bigint NOT NULL,
  leaf :bytes
);
