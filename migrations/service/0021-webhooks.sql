-- Read table: webhooks, from the events of the streams `webhook/…`. `events` is a list of names in JSON. Without a project, a
-- webhook is for all runs; without a suite, for all of a project. `created_seq` is the record of its creation: it receives what
-- is recorded later.
CREATE TABLE webhooks (
  webhook_id :key PRIMARY KEY,
  user_id :key NOT NULL,
  project :key,
  suite :key,
  events text NOT NULL,
  created_at bigint NOT NULL,
  created_seq bigint NOT NULL,
  secret_changed_at bigint NOT NULL,
  disabled_at bigint,
  disabled_cause :key
);
CREATE INDEX webhooks_by_user ON webhooks (user_id, webhook_id);

-- The URL and the secrets of a webhook, encrypted under SERVICE_SECRET_KEY. The log has the digest of the text.
CREATE TABLE webhook_targets (
  webhook_id :key PRIMARY KEY,
  sealed text NOT NULL
);

-- What is sent, made from the log by position. It has no history and is no read table: a replay does not make it, so nothing is
-- sent again. `seq` is the record that it is about, null for a test. `facts` are numbers in JSON, never names. `next_at` is null
-- when it was delivered or parked.
CREATE TABLE webhook_deliveries (
  delivery_id :key PRIMARY KEY,
  webhook_id :key NOT NULL,
  seq bigint,
  event :key NOT NULL,
  facts text NOT NULL,
  created_at bigint NOT NULL,
  state :key NOT NULL,
  tries bigint NOT NULL,
  next_at bigint,
  last_at bigint,
  last_status bigint,
  last_error :key
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at, delivery_id) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, delivery_id);
CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (seq) WHERE seq IS NOT NULL;

-- The record up to which deliveries were made.
CREATE TABLE webhook_cursor (
  one bigint PRIMARY KEY CHECK (one = 1),
  position bigint NOT NULL
);

-- The replica that sends, until a time.
CREATE TABLE webhook_lease (
  one bigint PRIMARY KEY CHECK (one = 1),
  holder :key NOT NULL,
  until bigint NOT NULL
);

-- The records about webhooks belong to an account too: an erasure finds them.
DROP INDEX event_bodies_by_account;
-- only: sqlite
ALTER TABLE event_bodies DROP COLUMN account;
ALTER TABLE event_bodies ADD COLUMN account text GENERATED ALWAYS AS (CASE WHEN (stream = 'accounts' OR substr(stream, 1, instr(stream, '/')) IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/', 'webhook/')) AND json_valid(body) THEN json_extract(body, '$.data.user_id') END) VIRTUAL;
CREATE INDEX event_bodies_by_account ON event_bodies (account, seq) WHERE account IS NOT NULL;
-- only: postgres
CREATE INDEX event_bodies_by_account ON event_bodies ((CAST(body AS json) #>> '{data,user_id}') COLLATE "C", seq) WHERE stream = 'accounts' OR stream_kind IN ('key/', 'session/', 'sessions/', 'identity/', 'sign-in/', 'access/', 'webhook/');
