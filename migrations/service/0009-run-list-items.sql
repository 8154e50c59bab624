-- Each run as the list contains it, so that a list reads one value per run instead of converting thirty. The read tables are
-- rebuilt after this, which replaces the default.
ALTER TABLE runs ADD COLUMN list_item text NOT NULL DEFAULT '{}';
