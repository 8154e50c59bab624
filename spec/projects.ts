/** Specifications that concern PostgreSQL alone, or compare it with SQLite. */
export const OF_POSTGRES = [
  'spec/cli/*database*.spec.ts',
  'spec/cli/migrate*.spec.ts',
  'spec/cli/replicas*.spec.ts',
  'spec/cli/standby.spec.ts',
  'spec/http/differential.spec.ts',
  'spec/storage/postgres*.spec.ts',
  'spec/storage/reach.spec.ts',
  'spec/support/postgres*.spec.ts',
] as const

/** Specifications that reach no storage: they run once, beside those on SQLite. */
export const OF_NONE = [
  'spec/architecture.spec.ts',
  'spec/projects.spec.ts',
  'spec/waits.spec.ts',
  'spec/engine/**',
  'spec/webapp/**',
  // Pages ask the API, which answers the same on both storages.
  'spec/browser/**',
  'spec/http/web.spec.ts',
  // Headers and queries are parsed before any storage is asked.
  'spec/http/hostile-headers.spec.ts',
  // Decisions, given facts.
  'spec/commands/*/**',
  'spec/commands/tags.spec.ts',
  'spec/cli/backoff.spec.ts',
  'spec/cli/bootstrap.spec.ts',
  'spec/cli/cache-text.spec.ts',
  'spec/cli/calls.spec.ts',
  'spec/cli/check-data.spec.ts',
  'spec/cli/clock-watch.spec.ts',
  'spec/cli/config.spec.ts',
  'spec/cli/config-warnings.spec.ts',
  'spec/cli/export-file.spec.ts',
  'spec/cli/follow-log.spec.ts',
  'spec/cli/import-journal.spec.ts',
  'spec/cli/import-runs.spec.ts',
  'spec/cli/log-head.spec.ts',
  'spec/cli/logger.spec.ts',
  'spec/cli/named-store.spec.ts',
  'spec/cli/progress.spec.ts',
  'spec/cli/reader-pool.spec.ts',
  'spec/cli/retention.spec.ts',
  'spec/cli/run-files.spec.ts',
  'spec/cli/service-client.spec.ts',
  'spec/cli/split-lines.spec.ts',
  'spec/cli/turns.spec.ts',
  'spec/http/admission.spec.ts',
  'spec/http/canonical-url.spec.ts',
  'spec/http/client-address.spec.ts',
  'spec/http/cookies.spec.ts',
  'spec/http/cross-origin.spec.ts',
  'spec/http/minting.spec.ts',
  'spec/http/passwords.spec.ts',
  'spec/http/request-times.spec.ts',
  'spec/http/response-cache.spec.ts',
  'spec/http/secrets.spec.ts',
  'spec/http/sign-in-throttle.spec.ts',
  'spec/queries/wire.spec.ts',
  'spec/storage/merkle.spec.ts',
  'spec/storage/sql-words.spec.ts',
  'spec/storage/steps.spec.ts',
  'spec/storage/opened-when-read.spec.ts',
  'spec/storage/standby-reader.spec.ts',
  'spec/http/fresh.spec.ts',
] as const

/** Specifications of SQLite's own parts, with what they are about. */
export const OF_SQLITE = [
  // Its connections, its pragmas, its errors, and how its writer groups and recovers.
  'spec/storage/sqlite.spec.ts',
  'spec/storage/group-commit.spec.ts',
  // What stands in its files, and what is whole in them after a kill; replicas are killed, and databases crashed, by
  // specs of their own.
  'spec/http/canary.spec.ts',
  'spec/cli/durability.spec.ts',
  // Its files: damage found in them, the lock on them, the head of the log kept beside them.
  'spec/cli/damage.spec.ts',
  'spec/cli/check-head-file.spec.ts',
  'spec/storage/head-file.spec.ts',
  'spec/storage/instance-lock.spec.ts',
  // The cache's file, and that it may be deleted.
  'spec/storage/cache-sqlite.spec.ts',
  'spec/cli/cache-is-disposable.spec.ts',
  // Its migrations, and the text of its tables made anew.
  'spec/storage/migrate.spec.ts',
  'spec/storage/fresh-tables.spec.ts',
] as const

/**
 * Specifications that open a SQLite store by hand: on PostgreSQL they would show nothing new. One that opens the
 * storage of its run leaves this list.
 */
export const BY_HAND = [
  // Commands that are given a state directory.
  'spec/cli/audit.spec.ts',
  'spec/cli/compare-tables.spec.ts',
  'spec/cli/rebuild-tables.spec.ts',
  'spec/cli/rebuild.spec.ts',
  'spec/cli/verify.spec.ts',
  // What the writer's thread leaves in its file.
  'spec/cli/preparer.spec.ts',
  // Replays with faults between its steps.
  'spec/projections/replay.spec.ts',
] as const
