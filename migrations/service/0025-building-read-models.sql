-- The read models that are built (their names as a JSON array), and the replica that builds them, until a time. Null for what an
-- earlier version began.
ALTER TABLE rebuilds ADD COLUMN models text;
ALTER TABLE rebuilds ADD COLUMN holder text;
ALTER TABLE rebuilds ADD COLUMN until bigint;
