-- Read table, from the events `SuiteSettingChanged`: from which rise on, in percent, the cost or the latency of a suite needs
-- attention. Apart from `suite_settings`, because earlier builds that read the same database know no such settings.
CREATE TABLE suite_thresholds (
  project :key NOT NULL,
  suite :key NOT NULL,
  setting :key NOT NULL,
  change_id :key NOT NULL,
  rise_percent bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by :key,
  PRIMARY KEY (project, suite, setting)
);
CREATE INDEX suite_thresholds_by_change ON suite_thresholds (change_id);
