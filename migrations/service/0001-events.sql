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
-- only: postgres
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION events_dense() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.seq IS DISTINCT FROM (SELECT coalesce(max(seq), 0) + 1 FROM events) THEN
    RAISE EXCEPTION 'events: seq must be the next one' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION event_bodies_last() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.seq IS DISTINCT FROM (SELECT max(seq) FROM events) THEN
    RAISE EXCEPTION 'event_bodies: only the newest event gets a body, once' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION event_bodies_erased_only() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM events e JOIN event_bodies b ON b.seq = e.seq
    WHERE e.type = 'EventErased' AND (CAST(b.body AS json) -> 'data' ->> 'seq') = CAST(OLD.seq AS text)
  ) THEN
    RAISE EXCEPTION 'event bodies are deleted only where an EventErased event names them' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER events_dense BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION events_dense();
CREATE TRIGGER events_no_update BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse('events are never changed');
CREATE TRIGGER events_no_delete BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse('events are never deleted');
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse('events are never deleted');
CREATE TRIGGER event_bodies_last BEFORE INSERT ON event_bodies FOR EACH ROW EXECUTE FUNCTION event_bodies_last();
CREATE TRIGGER event_bodies_no_update BEFORE UPDATE ON event_bodies FOR EACH ROW EXECUTE FUNCTION refuse('event bodies are never changed');
CREATE TRIGGER event_bodies_erased_only BEFORE DELETE ON event_bodies FOR EACH ROW EXECUTE FUNCTION event_bodies_erased_only();
CREATE TRIGGER event_bodies_no_truncate BEFORE TRUNCATE ON event_bodies FOR EACH STATEMENT EXECUTE FUNCTION refuse('event bodies are deleted only where an EventErased event names them');

-- Also where a session plays the part of a replica, which switches ordinary triggers off.
ALTER TABLE events ENABLE ALWAYS TRIGGER events_dense;
ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_update;
ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_delete;
ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_truncate;
ALTER TABLE event_bodies ENABLE ALWAYS TRIGGER event_bodies_last;
ALTER TABLE event_bodies ENABLE ALWAYS TRIGGER event_bodies_no_update;
ALTER TABLE event_bodies ENABLE ALWAYS TRIGGER event_bodies_erased_only;
ALTER TABLE event_bodies ENABLE ALWAYS TRIGGER event_bodies_no_truncate;
-- both
