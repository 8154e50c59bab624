-- How many fully cached runs a list leaves out is counted from this index alone, whatever the filters are but for tags.
CREATE INDEX runs_cached_counted ON runs (project, suite, created_at, git_branch, failing, erroring, ci_provider, actor, uploaded_by) WHERE fully_cached;

-- only: sqlite
-- Runs have a full-text index of their own, so that `search` holds cases alone; both are as 0002 tells.
CREATE VIRTUAL TABLE run_search USING fts5 (
  scope, name, tags, error, reasons, output, prompt,
  content = '', contentless_delete = 1, detail = full, tokenize = 'ascii'
);
INSERT INTO run_search (run_search, rank) VALUES ('hashsize', 16777216);

-- The words of each index in order, read from the index itself: these hold nothing.
CREATE VIRTUAL TABLE search_words USING fts5vocab ('search', 'instance');
CREATE VIRTUAL TABLE run_search_words USING fts5vocab ('run_search', 'instance');
