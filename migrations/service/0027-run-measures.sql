-- What the cases of a run measured, packed in the order of its outline (`domain/series/measures.ts`). Null for what an earlier
-- version stored.
ALTER TABLE run_outlines ADD COLUMN measures :bytes;

-- only: postgres
-- They are read whole, and compress little.
ALTER TABLE run_outlines ALTER COLUMN measures SET STORAGE EXTERNAL;
-- both
