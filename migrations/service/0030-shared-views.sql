-- Since when everyone who sees the sets of a saved view finds it; null for a view that its owner alone sees. Its owner shared it.
ALTER TABLE saved_views ADD COLUMN shared_at bigint;
CREATE INDEX saved_views_shared ON saved_views (shared_at) WHERE shared_at IS NOT NULL;
