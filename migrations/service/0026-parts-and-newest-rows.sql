-- only: postgres
-- One part of a frame of a document, by its number: a frame of zstd among those that follow one another (RFC 8878, 3.1.1). Null if
-- there are not as many. An empty frame of zstd is no part. Only the headers and that part are read from the disk.
CREATE FUNCTION part_of_frame(bytes bytea, part integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  head bytea;
  flags integer;
  block integer;
  empty boolean;
  start integer := 0;
  stop integer;
  before integer := 0;
BEGIN
  LOOP
    head := substring(bytes FROM start + 1 FOR 5);
    IF octet_length(head) < 5 THEN
      RETURN NULL;
    END IF;
    flags := get_byte(head, 4);
    stop := start + 5 + CASE WHEN flags & 32 = 0 THEN 1 ELSE 0 END + CASE flags & 3 WHEN 3 THEN 4 ELSE flags & 3 END
      + CASE flags >> 6 WHEN 0 THEN (flags >> 5) & 1 WHEN 1 THEN 2 WHEN 2 THEN 4 ELSE 8 END;
    empty := NULL;
    LOOP
      head := substring(bytes FROM stop + 1 FOR 3);
      IF octet_length(head) < 3 THEN
        RETURN NULL;
      END IF;
      block := get_byte(head, 0) + 256 * get_byte(head, 1) + 65536 * get_byte(head, 2);
      empty := coalesce(empty, block = 1);
      stop := stop + 3 + CASE (block >> 1) & 3 WHEN 1 THEN 1 ELSE block >> 3 END;
      EXIT WHEN block & 1 = 1;
    END LOOP;
    stop := stop + (flags & 4);
    IF NOT empty THEN
      IF before = part THEN
        RETURN substring(bytes FROM start + 1 FOR stop - start);
      END IF;
      before := before + 1;
    END IF;
    start := stop;
  END LOOP;
END $$;

-- As 0004 made them, but few rows are looked at first, because most words are in few rows; rows are read one by one only where that
-- is less work than the index; and the words of a phrase are compared without a call for each row.
DO $make$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['search', 'run_search'] LOOP EXECUTE replace(replace($function$
    CREATE OR REPLACE FUNCTION newest_of_{table}(wanted tsquery, phrases tsquery[], seen text[], hidden text[], spared text[], below bigint, most integer) RETURNS SETOF bigint
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
      cases bigint;
      reach bigint;
      shift integer := 8;
      block bigint;
      near tsquery;
      hits bigint[];
      found bigint[] := '{}';
    BEGIN
      -- A large row is costly to look into, and not needed for an estimate.
      SELECT max(looked.rowid), count(*) FILTER (WHERE looked.is_match), avg(looked.size), max(looked.rowid & 1048575) INTO top, matched, size, cases
      FROM (
        SELECT s.rowid, pg_column_size(s.words) AS size, CASE WHEN pg_column_size(s.words) <= 32768 THEN s.words @@ wanted {rest} ELSE false END AS is_match
        FROM {table} s WHERE s.rowid < below ORDER BY s.rowid DESC LIMIT 32) looked;

      IF matched > 0 THEN
        shift := 6;
        -- Rows to read until enough of them match, and half as many again. Reading a row takes as long as nine entries of the index,
        -- which has up to 128 runs in its first blocks. For a phrase, a row of either has to be read.
        reach := 48 * CAST(most AS bigint) / matched;
        IF reach * (size + 4096) <= (CASE WHEN phrases IS NULL THEN 14 * 8192 * cases * matched / 32 ELSE 128 * 8192 * cases END) AND reach * size <= 50331648 THEN
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
          AND (phrases IS NULL OR CASE WHEN s.parts IS NULL THEN s.words @@ ALL (phrases) ELSE holds_phrases(s.words, s.parts, phrases) END)
  $rest$); END LOOP;
END $make$;
