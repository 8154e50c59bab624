-- The salts of texts whose digests are in the log: without its salt, a deleted text cannot be guessed from its digest. Null for
-- what an earlier version stored without a digest.
ALTER TABLE principals ADD COLUMN salt :key;
ALTER TABLE hold_notes ADD COLUMN salt :key;

-- A signature line (c2sp.org/tlog-cosignature) of a key of the log over the note and `signed_at`, which is then a whole number
-- of seconds. Null for checkpoints that an earlier version signed.
ALTER TABLE checkpoints ADD COLUMN time_line text;
