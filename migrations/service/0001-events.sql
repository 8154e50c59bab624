-- The log. `events` holds nothing personal and never changes; `event_bodies` never changes either, and a body goes
-- only when an `EventErased` event names its seq.
CREATE TABLE events (
  seq :position PRIMARY KEY,
  recorded_at bigint NOT NULL,
  type text NOT NULL,
  commitment :bytes NOT NULL,
  leaf :bytes NOT NULL
);

CREATE TABLE event_bodies (
  seq :position PRIMARY KEY,
  stream :key NOT NULL,
  version bigint NOT NULL,
  salt :bytes NOT NULL,
  body text NOT NULL,
  UNIQUE (stream, version)
);

CREATE INDEX events_erased ON events (seq) WHERE type = 'EventErased';

-- The Merkle frontier of the log (RFC 6962), moved in the commit that appends.
CREATE TABLE log_head (
  one bigint PRIMARY KEY CHECK (one = 1),
  size bigint NOT NULL,
  frontier :bytes NOT NULL,
  recorded_at bigint NOT NULL
);

-- What a commit numbers and nothing else remembers: the last run_no given out.
CREATE TABLE sequences (
  name :key PRIMARY KEY,
  value bigint NOT NULL
);

-- The instance that may write (the fence): every commit checks that it is still the one named here.
CREATE TABLE holder (
  one bigint PRIMARY KEY CHECK (one = 1),
  instance_id text NOT NULL
);

-- Labels of who acts, by id; events hold ids alone.
CREATE TABLE principals (
  id :key PRIMARY KEY,
  kind text NOT NULL,
  label :key
);
CREATE INDEX principals_label ON principals (label);

-- Documents as they came: zstd frames over every 256 KiB of the raw bytes.
CREATE TABLE document_frames (
  run_no bigint NOT NULL,
  n bigint NOT NULL,
  raw_length bigint NOT NULL,
  bytes :bytes NOT NULL,
  PRIMARY KEY (run_no, n)
);

-- The read models, the version that wrote their tables, and the position up to which the last rebuild replayed the log:
-- commits move them on together with it.
CREATE TABLE projections (
  name :key PRIMARY KEY,
  version bigint NOT NULL,
  position bigint NOT NULL
);

-- only: sqlite
CREATE TRIGGER events_dense BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'events: seq must be the next one'); END;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

CREATE TRIGGER event_bodies_last BEFORE INSERT ON event_bodies
WHEN NEW.seq IS NOT (SELECT max(seq) FROM events)
  OR EXISTS (SELECT 1 FROM event_bodies WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM event_bodies WHERE stream = NEW.stream AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'event_bodies: only the newest event gets a body, once'); END;

CREATE TRIGGER event_bodies_no_update BEFORE UPDATE ON event_bodies
BEGIN SELECT RAISE(ABORT, 'event bodies are never changed'); END;

CREATE TRIGGER event_bodies_erased_only BEFORE DELETE ON event_bodies
WHEN NOT EXISTS (
  SELECT 1 FROM events e JOIN event_bodies b ON b.seq = e.seq
  WHERE e.type = 'EventErased' AND json_extract(b.body, '$.data.seq') = OLD.seq
)
BEGIN SELECT RAISE(ABORT, 'event bodies are deleted only where an EventErased event names them'); END;
