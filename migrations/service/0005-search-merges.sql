-- Twice as many segments of one level before they are merged: less is written again and again at ingest, and a word is
-- looked up in a few more places.
-- only: sqlite
INSERT INTO search (search, rank) VALUES ('automerge', 8);
