-- The shared cache: what can be asked for again, so the whole store may be lost. Times are epoch milliseconds, money is whole micro-USD.
CREATE TABLE cache_entries (
  -- In the order of arrival.
  entry_no :position PRIMARY KEY,
  -- The 32 bytes that the key's 64 hex digits spell; they sort as the digits do.
  digest :bytes NOT NULL UNIQUE,
  size bigint NOT NULL,
  created_at bigint NOT NULL,
  last_access_at bigint NOT NULL,
  -- The version of the rules that the columns below were read from the body by. 0 is not yet; a body that cannot be read has the last of all versions.
  rules bigint NOT NULL,
  parseable boolean,
  entry_created_at bigint,
  kind :key,
  model :key,
  cost_micro bigint,
  input_tokens bigint,
  output_tokens bigint,
  request_summary text,
  output_preview text,
  empty_reason :key
);
CREATE INDEX cache_entries_by_store_time ON cache_entries (created_at, digest);
CREATE INDEX cache_entries_by_access ON cache_entries (last_access_at, digest);
CREATE INDEX cache_entries_by_size ON cache_entries (size, digest);
CREATE INDEX cache_entries_by_cost ON cache_entries (cost_micro, digest) WHERE cost_micro IS NOT NULL;
CREATE INDEX cache_entries_by_kind ON cache_entries (kind, created_at, digest) WHERE kind IS NOT NULL;
CREATE INDEX cache_entries_by_model ON cache_entries (model, created_at, digest) WHERE model IS NOT NULL;
CREATE INDEX cache_entries_by_reason ON cache_entries (empty_reason, created_at, digest) WHERE empty_reason IS NOT NULL;
CREATE INDEX cache_entries_unparseable ON cache_entries (created_at, digest) WHERE NOT parseable;
CREATE INDEX cache_entries_unindexed ON cache_entries (created_at, digest) WHERE rules = 0;
CREATE INDEX cache_entries_by_rules ON cache_entries (rules, entry_no);

-- Apart from the columns above, so that a walk over entries reads no body.
CREATE TABLE cache_bodies (
  entry_no :position PRIMARY KEY,
  bytes :bytes NOT NULL
);

-- Counted with every change, since counting a million entries takes a second. `name` is entries, bytes, unindexed, unparseable, hits or misses.
CREATE TABLE cache_totals (
  name :key PRIMARY KEY,
  value bigint NOT NULL
);
INSERT INTO cache_totals (name, value) VALUES ('entries', 0), ('bytes', 0), ('unindexed', 0), ('unparseable', 0), ('hits', 0), ('misses', 0);

-- How many entries have each value of `kind`, `model` and `empty_reason`.
CREATE TABLE cache_facets (
  facet :key NOT NULL,
  value :key NOT NULL,
  entries bigint NOT NULL,
  PRIMARY KEY (facet, value)
);
CREATE INDEX cache_facets_largest ON cache_facets (facet, entries DESC, value);

-- only: sqlite
-- Which entry has which word, and nothing else: entries are found by whole words and never ranked.
CREATE VIRTUAL TABLE cache_search USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
INSERT INTO cache_search (cache_search, rank) VALUES ('hashsize', 16777216);
INSERT INTO cache_search (cache_search, rank) VALUES ('automerge', 16);
-- only: postgres
CREATE TABLE cache_search (
  rowid bigint PRIMARY KEY,
  words text[] NOT NULL
);
CREATE INDEX cache_search_words ON cache_search USING gin (words);
