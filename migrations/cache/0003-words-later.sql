-- only: sqlite
-- Up to which entry all words are in the index: those of later ones may be on their way to it.
INSERT INTO cache_totals (name, value) SELECT 'worded', coalesce(max(entry_no), 0) FROM cache_entries;
