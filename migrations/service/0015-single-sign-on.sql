-- Who an account is at its identity provider. Written by commands next to their events, never by a replay: subjects and
-- e-mail addresses are personal, so they are in no event and are deleted with their account. `subject_sha256` is of the
-- subject's UTF-8, so that subjects are compared byte for byte; `provider` is `oidc:<name>` or `saml:<name>`. The event has a
-- digest of the row with `subject_salt`, so that the subject cannot be guessed from the event once the row is deleted.
CREATE TABLE identity_subjects (
  identity_id :key PRIMARY KEY,
  user_id :key NOT NULL,
  provider :key NOT NULL,
  subject_sha256 :key NOT NULL,
  subject_salt text NOT NULL,
  subject text NOT NULL,
  email text,
  last_login_at bigint NOT NULL,
  UNIQUE (provider, subject_sha256)
);
CREATE INDEX identity_subjects_by_user ON identity_subjects (user_id, identity_id);

-- Sign-ins between their start and the return of the browser. Replicas share them. They have no history. Only the SHA-256 of
-- an id is stored, because the id is what the browser presents.
CREATE TABLE sso_transactions (
  id_hash :key PRIMARY KEY,
  provider :key NOT NULL,
  return_to text NOT NULL,
  nonce text,
  code_verifier text,
  request_id text,
  expires_at bigint NOT NULL
);
CREATE INDEX sso_transactions_by_end ON sso_transactions (expires_at, id_hash);

-- SAML assertions that were accepted, as the SHA-256 of provider and id, until they are too old by themselves.
CREATE TABLE sso_replays (
  id_hash :key PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX sso_replays_by_end ON sso_replays (expires_at, id_hash);
