-- The record whose body an `EventErased` event erased. The streams `erasure/…` hold events of that type alone. With an
-- index, so that the check of a deleted body does not read every erasure.
-- Also the stream and version that an erased body had, if other tables still need its facts: the next event of that stream
-- gets the version after it.
-- And what an erasure looks for: the run of a pin, the account that a record is about, and the account of kept facts.
-- only: sqlite
ALTER TABLE event_bodies ADD COLUMN erased_seq integer GENERATED ALWAYS AS (CASE WHEN stream LIKE 'erasure/%' AND json_valid(body) THEN json_extract(body, '$.data.seq') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN kept_stream text GENERATED ALWAYS AS (CASE WHEN stream LIKE 'erasure/%' AND json_valid(body) THEN json_extract(body, '$.data.kept.stream') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN kept_version integer GENERATED ALWAYS AS (CASE WHEN stream LIKE 'erasure/%' AND json_valid(body) THEN json_extract(body, '$.data.kept.version') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN pinned_run text GENERATED ALWAYS AS (CASE WHEN stream LIKE 'baseline/%' AND json_valid(body) THEN json_extract(body, '$.data.run_id') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN account text GENERATED ALWAYS AS (CASE WHEN (stream = 'accounts' OR substr(stream, 1, instr(stream, '/')) IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/')) AND json_valid(body) THEN json_extract(body, '$.data.user_id') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN kept_account text GENERATED ALWAYS AS (CASE WHEN stream LIKE 'erasure/%' AND json_valid(body) THEN json_extract(body, '$.data.kept.data.user_id') END) VIRTUAL;
CREATE INDEX event_bodies_by_erased ON event_bodies (erased_seq) WHERE erased_seq IS NOT NULL;
CREATE INDEX event_bodies_by_kept ON event_bodies (kept_stream, kept_version) WHERE kept_stream IS NOT NULL;
CREATE INDEX event_bodies_by_pinned_run ON event_bodies (pinned_run, seq) WHERE pinned_run IS NOT NULL;
CREATE INDEX event_bodies_by_account ON event_bodies (account, seq) WHERE account IS NOT NULL;
CREATE INDEX event_bodies_by_kept_account ON event_bodies (kept_account) WHERE kept_account IS NOT NULL;

DROP TRIGGER event_bodies_erased_only;
CREATE TRIGGER event_bodies_erased_only BEFORE DELETE ON event_bodies
WHEN NOT EXISTS (
  SELECT 1 FROM event_bodies b JOIN events e ON e.seq = b.seq
  WHERE b.erased_seq = OLD.seq AND e.type = 'EventErased'
)
BEGIN SELECT RAISE(ABORT, 'event bodies are deleted only where an EventErased event names them'); END;
-- only: postgres
-- Indexes on expressions, because a stored column would rewrite the whole table.
CREATE INDEX event_bodies_by_erased ON event_bodies (CAST(CAST(body AS json) #>> '{data,seq}' AS bigint)) WHERE stream_kind = 'erasure/';
CREATE INDEX event_bodies_by_kept ON event_bodies ((CAST(body AS json) #>> '{data,kept,stream}') COLLATE "C", CAST(CAST(body AS json) #>> '{data,kept,version}' AS bigint)) WHERE stream_kind = 'erasure/';
CREATE INDEX event_bodies_by_pinned_run ON event_bodies ((CAST(body AS json) #>> '{data,run_id}') COLLATE "C", seq) WHERE stream_kind = 'baseline/';
CREATE INDEX event_bodies_by_account ON event_bodies ((CAST(body AS json) #>> '{data,user_id}') COLLATE "C", seq) WHERE stream = 'accounts' OR stream_kind IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/');
CREATE INDEX event_bodies_by_kept_account ON event_bodies ((CAST(body AS json) #>> '{data,kept,data,user_id}') COLLATE "C") WHERE stream_kind = 'erasure/';

CREATE OR REPLACE FUNCTION event_bodies_erased_only() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM event_bodies b JOIN events e ON e.seq = b.seq
    WHERE b.stream_kind = 'erasure/' AND CAST(CAST(b.body AS json) #>> '{data,seq}' AS bigint) = OLD.seq AND e.type = 'EventErased'
  ) THEN
    RAISE EXCEPTION 'event bodies are deleted only where an EventErased event names them' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;
-- both

-- Read table: legal holds, from the events of the streams `hold/…`. A hold is on one run, or on a suite of a project, or on a
-- project (then `suite` is null). It stands until `lifted_at` is set.
CREATE TABLE holds (
  hold_id :key PRIMARY KEY,
  project :key,
  suite :key,
  run_id :key,
  reference text NOT NULL,
  placed_at bigint NOT NULL,
  placed_by :key,
  lifted_at bigint,
  lifted_by :key
);
CREATE INDEX holds_standing_by_run ON holds (run_id) WHERE lifted_at IS NULL AND run_id IS NOT NULL;
CREATE INDEX holds_standing_by_set ON holds (project, suite) WHERE lifted_at IS NULL AND run_id IS NULL;

-- The notes of holds: prose stays out of the log, so that it can be deleted.
CREATE TABLE hold_notes (
  hold_id :key PRIMARY KEY,
  note text NOT NULL
);

-- Erasures whose bytes may still be in the files: written in their commits, deleted when the files are wiped.
CREATE TABLE pending_wipes (
  erasure_id :key PRIMARY KEY
);
