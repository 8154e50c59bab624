-- The owner of a suite and the reasons of its settings, as JSON: prose stays out of the log, so that it can be deleted.
CREATE TABLE suite_setting_texts (
  change_id :key PRIMARY KEY,
  texts text NOT NULL,
  salt :key NOT NULL
);

-- Read table, from the events `SuiteSettingChanged`: what is set of each suite. A snooze ends at a time, with a run whose number
-- is above `run_no`, or with the first of both.
CREATE TABLE suite_settings (
  project :key NOT NULL,
  suite :key NOT NULL,
  setting :key NOT NULL,
  change_id :key NOT NULL,
  until bigint,
  run_no bigint,
  texts text,
  changed_at bigint NOT NULL,
  changed_by :key,
  PRIMARY KEY (project, suite, setting)
);
CREATE INDEX suite_settings_by_change ON suite_settings (change_id);
