-- Whether a run is the newest of its project, suite and branch, which retention asks for each old run.
CREATE INDEX runs_by_group ON runs (project, suite, git_branch, created_at);
