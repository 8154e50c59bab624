-- Whom an invite is for, as its maker noted it: names of people stay out of the log, so that they can be deleted.
CREATE TABLE invite_labels (
  link_id :key PRIMARY KEY,
  user_id :key NOT NULL,
  label text NOT NULL,
  salt :key NOT NULL
);

-- Read table, from the events `InviteMade`, `ResetLinkMade` and those that end a link: the links that were neither used nor revoked.
-- `user_id` is the account whose password a link resets; null for an invite, which has a role, and grants as JSON.
CREATE TABLE account_links (
  link_id :key PRIMARY KEY,
  kind :key NOT NULL,
  secret_sha256 :key NOT NULL UNIQUE,
  user_id :key,
  role :key,
  granted text,
  expires_at bigint NOT NULL,
  made_by :key NOT NULL,
  made_at bigint NOT NULL
);
