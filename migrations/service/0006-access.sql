-- What proves who somebody is. Written by commands beside their event, never by a replay: an event holds no secret.
CREATE TABLE password_hashes (
  user_id :key PRIMARY KEY,
  hash text NOT NULL
);
CREATE TABLE session_tokens (
  session_id :key PRIMARY KEY,
  -- SHA-256 of the token's text, in hex, as of every secret below.
  token_hash :key NOT NULL UNIQUE
);
CREATE TABLE key_secrets (
  key_id :key PRIMARY KEY,
  prefix :key NOT NULL,
  secret_hash :key NOT NULL UNIQUE
);

-- When a credential was last used, to the minute. No history is kept of it.
CREATE TABLE credential_uses (
  credential_id :key PRIMARY KEY,
  last_used_at bigint NOT NULL
);

-- Read tables. Names stand in `principals`. What rows are looked for by is a constraint and no index of its own: a
-- rebuild makes tables without their indexes, and looks for rows of these while it fills them.
CREATE TABLE users (
  id :key PRIMARY KEY,
  role text NOT NULL,
  disabled boolean NOT NULL,
  has_password boolean NOT NULL,
  created_at bigint NOT NULL
);
CREATE TABLE sessions (
  id :key PRIMARY KEY,
  user_id :key NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  UNIQUE (user_id, id),
  UNIQUE (expires_at, id)
);
CREATE TABLE api_keys (
  id :key PRIMARY KEY,
  user_id :key NOT NULL,
  scope text NOT NULL,
  created_at bigint NOT NULL,
  revoked boolean NOT NULL,
  UNIQUE (user_id, created_at, id)
);

-- Names of accounts and static tokens, newest first: what an actor is looked for by. Keys are named by their owners as they like.
CREATE INDEX principals_named ON principals (label, id) WHERE kind <> 'key';
