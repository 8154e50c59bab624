-- The set of the run of a comment, so that a search reads only comments that the viewer may see. Empty for a run in no set.
ALTER TABLE run_comments ADD COLUMN set_key :key;
UPDATE run_comments SET set_key = coalesce((SELECT runs.set_key FROM runs WHERE runs.run_no = run_comments.run_no), '');
CREATE INDEX run_comments_by_set ON run_comments (set_key, comment_id);
