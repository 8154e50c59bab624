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
-- only: postgres
CREATE TABLE run_search (
  rowid bigint PRIMARY KEY,
  project_token :key NOT NULL,
  set_token :key NOT NULL,
  words tsvector NOT NULL,
  parts tsvector[]
);
ALTER TABLE run_search ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE run_search ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE run_search ALTER COLUMN parts SET STATISTICS 0;
CREATE INDEX run_search_by_word ON run_search USING gin (words) WITH (fastupdate = on);

-- Whether each phrase stands in a row: at the places of its words, or of those of one stretch.
CREATE FUNCTION holds_phrases(words tsvector, parts tsvector[], phrases tsquery[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN parts IS NULL THEN words @@ ALL (phrases)
    ELSE NOT EXISTS (SELECT FROM unnest(phrases) AS phrase WHERE NOT EXISTS (SELECT FROM unnest(parts) AS part WHERE part @@ phrase)) END
$$;

-- The newest rows below one that match, `most` at most, in no order. The index gives all rows of a word at once, and those of a
-- common word are many. So a few of the newest rows are looked at first. Where enough of them match, the newest are read one by
-- one. Else the index is asked for the words among the newest runs, by the tokens of their blocks, and among more and more runs.
DO $make$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['search', 'run_search'] LOOP EXECUTE replace(replace($function$
    CREATE FUNCTION newest_of_{table}(wanted tsquery, phrases tsquery[], seen text[], hidden text[], spared text[], below bigint, most integer) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
    -- The planner knows nothing of how common a word is; reading all rows would be the one bad way.
    SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan
    -- With less, the bitmap of a common word forgets which rows of a page it holds.
    SET work_mem = '64MB'
    AS $$
    DECLARE
      top bigint;
      matched bigint;
      size bigint;
      reach bigint;
      shift integer := 8;
      block bigint;
      near tsquery;
      hits bigint[];
      found bigint[] := '{}';
    BEGIN
      -- A large row is costly to look into, and not needed for an estimate.
      SELECT max(looked.rowid), count(*) FILTER (WHERE looked.is_match), avg(looked.size) INTO top, matched, size
      FROM (
        SELECT s.rowid, pg_column_size(s.words) AS size, CASE WHEN pg_column_size(s.words) <= 32768 THEN s.words @@ wanted {rest} ELSE false END AS is_match
        FROM {table} s WHERE s.rowid < below ORDER BY s.rowid DESC LIMIT 256) looked;

      IF matched > 0 THEN
        shift := 6;
        -- Rows to read until enough of them match, and half as many again; 48 MB of them at most.
        reach := 384 * CAST(most AS bigint) / matched;
        IF reach * size <= 50331648 THEN
          found := ARRAY(
            SELECT s.rowid
            FROM (SELECT * FROM {table} s WHERE s.rowid < below ORDER BY s.rowid DESC LIMIT reach) s
            WHERE s.words @@ wanted {rest}
            LIMIT most);
          IF cardinality(found) = most THEN
            RETURN QUERY SELECT unnest(found);
            RETURN;
          END IF;
          SELECT min(s.rowid) INTO below FROM (SELECT s.rowid FROM {table} s WHERE s.rowid < below ORDER BY s.rowid DESC LIMIT reach) s;
          top := below - 1;
          most := most - cardinality(found);
        END IF;
      END IF;

      LOOP
        block := (top >> 20) >> shift;
        near := CASE WHEN block > 1 AND shift <= 20 THEN
          wanted && CAST('''' || chr(57344) || 'r' || shift || '.' || block || ''' | ''' || chr(57344) || 'r' || shift || '.' || (block - 1) || '''' AS tsquery)
          ELSE wanted END;
        -- An expression, so that no plan reads all rows below by their key.
        hits := ARRAY(
          WITH hits AS MATERIALIZED (SELECT s.rowid FROM {table} s WHERE s.words @@ near AND s.rowid + 0 < below {rest})
          SELECT hits.rowid FROM hits ORDER BY hits.rowid DESC LIMIT most);
        EXIT WHEN near = wanted OR cardinality(hits) = most;
        -- Four times as many runs, or as many as it may take by what was found in these.
        shift := shift + CASE WHEN cardinality(hits) * 4 > most THEN 2 WHEN cardinality(hits) * 16 > most THEN 4 ELSE 6 END;
      END LOOP;
      RETURN QUERY SELECT unnest(found || hits);
    END $$
  $function$, '{table}', kind), '{rest}', $rest$
          AND (seen IS NULL OR s.set_token IN (SELECT unnest(seen)))
          AND (hidden IS NULL OR s.set_token NOT IN (SELECT unnest(hidden)) AND (s.project_token NOT IN (SELECT unnest(hidden)) OR s.set_token IN (SELECT unnest(spared))))
          AND (phrases IS NULL OR holds_phrases(s.words, s.parts, phrases))
  $rest$); END LOOP;
END $make$;
-- both
