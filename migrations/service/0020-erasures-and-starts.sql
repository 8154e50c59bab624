-- What an erasure looks for: the run of a pin, the account that a record is about, and the account of kept facts.
-- only: sqlite
ALTER TABLE event_bodies ADD COLUMN pinned_run text GENERATED ALWAYS AS (CASE WHEN stream LIKE 'baseline/%' AND json_valid(body) THEN json_extract(body, '$.data.run_id') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN account text GENERATED ALWAYS AS (CASE WHEN (stream = 'accounts' OR substr(stream, 1, instr(stream, '/')) IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/')) AND json_valid(body) THEN json_extract(body, '$.data.user_id') END) VIRTUAL;
ALTER TABLE event_bodies ADD COLUMN kept_account text GENERATED ALWAYS AS (CASE WHEN stream LIKE 'erasure/%' AND json_valid(body) THEN json_extract(body, '$.data.kept.data.user_id') END) VIRTUAL;
CREATE INDEX event_bodies_by_pinned_run ON event_bodies (pinned_run, seq) WHERE pinned_run IS NOT NULL;
CREATE INDEX event_bodies_by_account ON event_bodies (account, seq) WHERE account IS NOT NULL;
CREATE INDEX event_bodies_by_kept_account ON event_bodies (kept_account) WHERE kept_account IS NOT NULL;
-- only: postgres
-- Indexes on expressions, because a stored column would rewrite the whole table.
CREATE INDEX event_bodies_by_pinned_run ON event_bodies ((CAST(body AS json) #>> '{data,run_id}') COLLATE "C", seq) WHERE stream_kind = 'baseline/';
CREATE INDEX event_bodies_by_account ON event_bodies ((CAST(body AS json) #>> '{data,user_id}') COLLATE "C", seq) WHERE stream = 'accounts' OR stream_kind IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/');
CREATE INDEX event_bodies_by_kept_account ON event_bodies ((CAST(body AS json) #>> '{data,kept,data,user_id}') COLLATE "C") WHERE stream_kind = 'erasure/';
-- both

-- Commits of erasures whose bytes may still be in the files: written by each of them, deleted when the files are wiped. Whether
-- all erasures of earlier versions were followed by a wipe is not known, so they count as one.
CREATE TABLE pending_wipes (
  id :key PRIMARY KEY
);
INSERT INTO pending_wipes (id) SELECT 'earlier' WHERE EXISTS (SELECT 1 FROM events WHERE type = 'EventErased');

-- The start of a run as its document says: a run that started before its plan was registered is late. The read tables are
-- rebuilt after this.
ALTER TABLE runs ADD COLUMN started_at bigint;
