-- Each run as the list contains it, so that a list reads one value per run instead of converting thirty. The read tables are
-- rebuilt after this, before any list is read, so no list contains the default.
ALTER TABLE runs ADD COLUMN list_item text NOT NULL DEFAULT '{}';
