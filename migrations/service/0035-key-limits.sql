-- When a key ends, and the project or suite to which it is limited. Null is for ever, and everything, as for all earlier keys.
ALTER TABLE api_keys ADD COLUMN expires_at bigint;
ALTER TABLE api_keys ADD COLUMN project text;
ALTER TABLE api_keys ADD COLUMN suite text;
-- An account of a machine, which has only keys.
ALTER TABLE users ADD COLUMN service boolean NOT NULL DEFAULT false;
