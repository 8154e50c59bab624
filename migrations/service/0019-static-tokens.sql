-- Since which record a static token has its secret. The id of a static token is its place in SERVICE_TOKENS: after the list
-- was changed, an id may belong to another token, which must not have the receipts of the earlier one. The digest is only as
-- long as a change needs to be noticed, so that it does not reveal a weak secret.
CREATE TABLE static_tokens (
  id :key PRIMARY KEY,
  salt :bytes NOT NULL,
  digest :bytes NOT NULL,
  since_seq bigint NOT NULL
);
