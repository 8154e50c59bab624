-- What the audit trail is asked for, each with the number as its tail: answered from an index however long the log is.
-- These are indexes of the log itself, so nothing has to be replayed, and what an erasure takes is gone from them too.
CREATE INDEX events_by_type ON events (type, seq);
CREATE INDEX event_bodies_by_stream ON event_bodies (stream, seq);

-- only: sqlite
-- Read from the row wherever they are asked for, and stored in their indexes alone. A body that is no JSON (somebody
-- altered it) has no actor: it must still be there for whoever checks the log.
ALTER TABLE event_bodies ADD COLUMN actor_user text GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.actor.user_id') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN actor_credential text GENERATED ALWAYS AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.actor.credential_id') END) VIRTUAL;
-- The stream up to its first slash (`run/`), and up to its last where that is another one (`baseline/chat/`).
ALTER TABLE event_bodies ADD COLUMN stream_kind text GENERATED ALWAYS AS (substr(stream, 1, instr(stream, '/'))) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN stream_parent text GENERATED ALWAYS AS (nullif(rtrim(stream, replace(stream, '/', '')), substr(stream, 1, instr(stream, '/')))) VIRTUAL;
CREATE INDEX event_bodies_by_user ON event_bodies (actor_user, seq) WHERE actor_user IS NOT NULL;
CREATE INDEX event_bodies_by_credential ON event_bodies (actor_credential, seq) WHERE actor_credential IS NOT NULL;
CREATE INDEX event_bodies_by_kind ON event_bodies (stream_kind, seq);
CREATE INDEX event_bodies_by_parent ON event_bodies (stream_parent, seq) WHERE stream_parent IS NOT NULL;
-- only: postgres
-- The same, but stored: PostgreSQL has no index on a column that is computed when it is read.
ALTER TABLE event_bodies ADD COLUMN actor_user :key GENERATED ALWAYS AS (CAST(body AS json) #>> '{actor,user_id}') STORED;
ALTER TABLE event_bodies ADD COLUMN actor_credential :key GENERATED ALWAYS AS (CAST(body AS json) #>> '{actor,credential_id}') STORED;
ALTER TABLE event_bodies ADD COLUMN stream_kind :key GENERATED ALWAYS AS (substr(stream, 1, strpos(stream, '/'))) STORED;
ALTER TABLE event_bodies ADD COLUMN stream_parent :key GENERATED ALWAYS AS (nullif(rtrim(stream, replace(stream, '/', '')), substr(stream, 1, strpos(stream, '/')))) STORED;
CREATE INDEX event_bodies_by_user ON event_bodies (actor_user, seq) WHERE actor_user IS NOT NULL;
CREATE INDEX event_bodies_by_credential ON event_bodies (actor_credential, seq) WHERE actor_credential IS NOT NULL;
CREATE INDEX event_bodies_by_kind ON event_bodies (stream_kind, seq);
CREATE INDEX event_bodies_by_parent ON event_bodies (stream_parent, seq) WHERE stream_parent IS NOT NULL;
-- both
