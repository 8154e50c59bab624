-- How often entries were removed: whoever keeps bodies in memory beside others who remove them looks whether it moved.
INSERT INTO cache_totals (name, value) VALUES ('removals', 0);

-- only: postgres
-- Bodies are large texts that a server would compress with every entry, which takes longer than all else; what is kept is bounded by their own size.
ALTER TABLE cache_bodies ALTER COLUMN bytes SET STORAGE EXTERNAL;
