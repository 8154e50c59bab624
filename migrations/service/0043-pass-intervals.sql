-- The interval of the pass rate over tests: `{"lower":0.32,"upper":0.52}`. Null where no test has several trials, and for what an
-- earlier version stored.
ALTER TABLE runs ADD COLUMN pass_interval :json;
