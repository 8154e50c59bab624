-- Variables and assertions of a case, by which lists show and group cases: a JSON object of texts. Null for none, and until the read
-- model of earlier cases is built again.
ALTER TABLE cases ADD COLUMN fields text;
