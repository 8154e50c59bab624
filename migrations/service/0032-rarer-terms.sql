-- only: postgres
-- The newest rows that match, as 0026 finds them. But the index reads all rows of the beginning of a word before it gives the first.
-- So a term that is in many rows is left to the rows of the other terms, if these are few. `terms` has each term of `wanted`, and
-- `scope` the rest of it; `terms` is null if there is only one. The functions of 0026 stay for replicas of a version before.
DO $make$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['search', 'run_search'] LOOP EXECUTE replace(replace($function$
    CREATE FUNCTION newest_of_{table}(wanted tsquery, terms tsquery[], scope tsquery, phrases tsquery[], seen text[], hidden text[], spared text[], below bigint, most integer) RETURNS SETOF bigint
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
      span tsquery;
      near tsquery;
      rarer tsquery;
      reads bigint;
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

      IF terms IS NOT NULL THEN
        -- With every term, there is nothing to leave to the rows.
        SELECT CASE WHEN count(*) < cardinality(terms) THEN CAST(string_agg('(' || CAST(asked.term AS text) || ')', ' & ') AS tsquery) END INTO rarer
        FROM unnest(terms) AS asked (term)
        WHERE (
          SELECT count(*)
          FROM (SELECT s.words FROM {table} s WHERE s.rowid < below ORDER BY s.rowid DESC LIMIT 32) s
          WHERE pg_column_size(s.words) <= 32768 AND s.words @@ asked.term) < 2;
        rarer := coalesce(rarer && scope, rarer);
        -- If these terms have more rows than that, the index looks for all terms. So a few rows are read in vain, of 48 MB at most.
        reads := least(1000 + 4 * CAST(most AS bigint), 50331648 / greatest(size, 1));
      END IF;

      LOOP
        block := (top >> 20) >> shift;
        span := CASE WHEN block > 1 AND shift <= 20 THEN
          CAST('''' || chr(57344) || 'r' || shift || '.' || block || ''' | ''' || chr(57344) || 'r' || shift || '.' || (block - 1) || '''' AS tsquery) END;
        hits := NULL;
        IF rarer IS NOT NULL THEN
          near := coalesce(rarer && span, rarer);
          WITH looked AS MATERIALIZED (
            SELECT s.rowid, (s.words @@ wanted {rest}) AS is_match FROM {table} s WHERE s.words @@ near AND s.rowid + 0 < below LIMIT reads + 1)
          SELECT CASE WHEN (SELECT count(*) FROM looked) <= reads THEN
            ARRAY(SELECT looked.rowid FROM looked WHERE looked.is_match ORDER BY looked.rowid DESC LIMIT most) END
          INTO hits;
          IF hits IS NULL THEN
            rarer := NULL;
          END IF;
        END IF;
        IF hits IS NULL THEN
          near := coalesce(wanted && span, wanted);
          -- An expression, so that no plan reads all rows below by their key.
          hits := ARRAY(
            WITH hits AS MATERIALIZED (SELECT s.rowid FROM {table} s WHERE s.words @@ near AND s.rowid + 0 < below {rest})
            SELECT hits.rowid FROM hits ORDER BY hits.rowid DESC LIMIT most);
        END IF;
        EXIT WHEN span IS NULL OR cardinality(hits) = most;
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
