import type { Command } from 'commander'

/** A command of the program, as the list of commands shows it. `load` builds it with its options. */
type ListedCommand = {
  readonly name: string
  /** Its name and its arguments. A spec compares them with those of the loaded command. */
  readonly term: string
  readonly description: string
  readonly load: () => Promise<Command>
  /** It creates files of a state directory, which are for their owner alone. */
  readonly createsState?: true
}

/** Each is loaded on demand: the list needs no modules of the server, and `healthcheck` few. */
const LISTED: ReadonlyArray<Omit<ListedCommand, 'name'>> = [
  {
    term: 'validate [path]',
    description: 'check a suite file, without running tests or programs',
    load: async () => (await import('./suite/validate.ts')).validateCommand(),
  },
  {
    term: 'list [options] <subject> [path]',
    description: 'list the tests, providers or prompts of a suite',
    load: async () => (await import('./suite/list.ts')).listCommand(),
  },
  {
    term: 'schema <subject>',
    description: 'print the JSON Schema of suite files or of run documents',
    load: async () => (await import('./suite/schema.ts')).schemaCommand(),
  },
  {
    term: 'serve [options]',
    description: 'run the service until interrupted',
    createsState: true,
    load: async () => (await import('./serve/entry.ts')).loadServe(),
  },
  {
    term: 'import [options] <path...>',
    description:
      'import results of other tools and run documents into a service, a state directory that no server uses, or a database',
    createsState: true,
    load: async () => (await import('./import/import.ts')).importCommand(),
  },
  {
    term: 'fetch [options] <tool>',
    description: 'download the experiments of another service, to import them',
    load: async () => (await import('./fetch/fetch.ts')).fetchCommand(),
  },
  {
    term: 'export [options] [run-id...]',
    description: 'download run documents, byte for byte as they were uploaded',
    load: async () => (await import('./export/export.ts')).exportCommand(),
  },
  {
    term: 'receipt [options] <run-id...>',
    description: 'download receipts, which prove that run documents were recorded, and when',
    load: async () => (await import('./proof/receipt.ts')).receiptCommand(),
  },
  {
    term: 'delete [options] <run-id>',
    description:
      'delete a run with its document: on a service, in a state directory that no server uses, or in a database',
    load: async () => (await import('./store/delete.ts')).deleteCommand(),
  },
  {
    term: 'delete-webhooks [options]',
    description:
      'delete all webhooks of a state directory that no server uses, or of a database, after their key was lost',
    load: async () => (await import('./store/delete-webhooks.ts')).deleteWebhooksCommand(),
  },
  {
    term: 'erase [options]',
    description:
      'erase what is stored about a run, a deleted account, or some records: on a service, or in a store that no server uses',
    load: async () => (await import('./proof/erase.ts')).eraseCommand(),
  },
  {
    term: 'hold',
    description: 'place, lift or list legal holds: what is under one can be neither deleted nor erased',
    load: async () => (await import('./proof/hold.ts')).holdCommand(),
  },
  {
    term: 'rebuild [options]',
    description:
      'rebuild the read tables from the log; servers may use a database meanwhile, but not a state directory',
    createsState: true,
    load: async () => (await import('./store/rebuild.ts')).rebuildCommand(),
  },
  {
    term: 'verify [options]',
    description: 'verify the whole log of a state directory or a database; servers may keep using it',
    load: async () => (await import('./store/verify.ts')).verifyCommand(),
  },
  {
    term: 'check-receipt [options] <receipt> [files...]',
    description: 'check a receipt, and the document that it is about, without network or store',
    load: async () => (await import('./proof/check-receipt.ts')).checkReceiptCommand(),
  },
  {
    term: 'monitor [options] <url>',
    description:
      'watch the log of a service from another machine, and raise an alarm if it does not continue what it showed before',
    load: async () => (await import('./proof/monitor.ts')).monitorCommand(),
  },
  {
    term: 'backup [options] <folder>',
    description: 'back a state directory up while a server may use it; for a database, print what to run',
    createsState: true,
    load: async () => (await import('./store/backup.ts')).backupCommand(),
  },
  {
    term: 'restore [options] <folder>',
    description: 'restore a backup into an empty state directory, and verify it',
    createsState: true,
    load: async () => (await import('./store/restore.ts')).restoreCommand(),
  },
  {
    term: 'compact [options]',
    description: 'give the space of deleted rows back to the disk while a server may use the state directory',
    createsState: true,
    load: async () => (await import('./store/compact.ts')).compactCommand(),
  },
  {
    term: 'move-documents [options]',
    description: 'move run documents of a store into objects of its bucket, or back into the database',
    createsState: true,
    load: async () => (await import('./store/move-documents.ts')).moveDocumentsCommand(),
  },
  {
    term: 'parts',
    description: 'look after the files of large parts of evidence of a state directory; a server may use it meanwhile',
    load: async () => (await import('./parts/parts.ts')).partsCommand(),
  },
  {
    term: 'migrate [options]',
    description:
      'copy a state directory into an empty PostgreSQL database, or back with --reverse; no server may use the directory, and the URL must name the role that owns the tables',
    createsState: true,
    load: async () => (await import('./store/migrate.ts')).migrateCommand(),
  },
  {
    term: 'migrate-schema [options]',
    description: 'update the schema of a PostgreSQL database, as the role that owns its tables or will own them',
    load: async () => (await import('./store/migrate-schema.ts')).migrateSchemaCommand(),
  },
  {
    term: 'distribute [options]',
    description: 'distribute the large tables of a PostgreSQL database over the workers of a Citus cluster',
    load: async () => (await import('./store/distribute.ts')).distributeCommand(),
  },
  {
    term: 'audit [options]',
    description: 'print the audit trail of a state directory or a database, newest first; servers may keep using it',
    load: async () => (await import('./store/audit.ts')).auditCommand(),
  },
  {
    term: 'log',
    description: 'make and show the keys that sign checkpoints of the log, and export the log for auditors',
    load: async () => (await import('./proof/log.ts')).logCommand(),
  },
  {
    term: 'retention [options]',
    description:
      'delete now what exceeds the configured limits, even if the clock is in doubt: on a running service, or in a store that no server uses',
    load: async () => (await import('./store/retention.ts')).retentionCommand(),
  },
  {
    term: 'init [options] [dir]',
    description: 'write a small suite that runs at once without any key, with a program in place of a model',
    load: async () => (await import('./init/init.ts')).initCommand(),
  },
  {
    term: 'convert',
    description: 'print a suite made from the configuration of another tool',
    load: async () => (await import('./convert/convert.ts')).convertCommand(),
  },
  {
    term: 'run [options] [path]',
    description: 'run the evaluations of a suite, and store the graded run',
    load: async () => (await import('./run/run.ts')).runCommand(),
  },
  {
    term: 'view [options] [run]',
    description: 'print a run of a suite, or some of its cases in full',
    load: async () => (await import('./runs/view.ts')).viewCommand(),
  },
  {
    term: 'runs [options]',
    description: 'list the runs that are stored here, or those of a service',
    load: async () => (await import('./runs/runs.ts')).runsCommand(),
  },
  {
    term: 'diff [options] <base> <head>',
    description: 'compare two runs case by case: exit code 1 if a case that passed does not pass any more',
    load: async () => (await import('./runs/diff.ts')).diffCommand(),
  },
  {
    term: 'share [options] [run]',
    description: 'upload a stored run to a service, and print the address of its page',
    load: async () => (await import('./runs/share.ts')).shareCommand(),
  },
  {
    term: 'share-html [options] <run>',
    description: 'write a run, or a comparison of two, as one page that needs no server',
    load: async () => (await import('./share-html/share-html.ts')).shareHtmlCommand(),
  },
  {
    term: 'annotate [options] <run>',
    description: 'give a run of a service a title, a note or tags, in addition to its document',
    load: async () => (await import('./runs/annotate.ts')).annotateCommand(),
  },
  {
    term: 'comment [options] <run> <text>',
    description: 'comment on a run of a service, or on one of its cases',
    load: async () => (await import('./runs/annotate.ts')).commentCommand(),
  },
  {
    term: 'review',
    description: 'open, list or close review queues: samples of cases that people label',
    load: async () => (await import('./review/review.ts')).reviewCommand(),
  },
  {
    term: 'labels',
    description:
      'download what people said about the cases of a closed review queue, or record what they said in another tool',
    load: async () => (await import('./review/labels.ts')).labelsCommand(),
  },
  {
    term: 'baseline',
    description: 'show, set or clear the run of a service that a suite is compared with',
    load: async () => (await import('./runs/baseline.ts')).baselineCommand(),
  },
  {
    term: 'plan',
    description: 'register a plan before a run, reveal its text, withdraw it, or list plans',
    load: async () => (await import('./proof/plan.ts')).planCommand(),
  },
  {
    term: 'ci-summary [options] <run>',
    description: 'write the summary of a run and the outputs of a CI step',
    load: async () => (await import('./runs/ci-summary.ts')).ciSummaryCommand(),
  },
  {
    term: 'gate [options] <run...>',
    description: 'judge runs of a service by rules, against their baselines: exit code 1 if a rule failed',
    load: async () => (await import('./gate/gate.ts')).gateCommand(),
  },
  {
    term: 'calibration [options] <run>',
    description: 'what labels of people say about the judge of a run, and the pass rate that people would give the run',
    load: async () => (await import('./calibration/calibration.ts')).calibrationCommand(),
  },
  {
    term: 'cache',
    description: 'inspect a cache of provider responses: read, store and delete its entries',
    load: async () => (await import('./cache/cache.ts')).cacheCommand(),
  },
  {
    term: 'power [options]',
    description: 'plan a comparison: how many cases a difference needs, or what difference a number of cases shows',
    load: async () => (await import('./statistics/power.ts')).powerCommand(),
  },
  {
    term: 'doctor [options]',
    description: 'check configuration, store, database, proxy and backups of a service, and say what to do',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand(),
  },
  {
    term: 'healthcheck [options]',
    description: 'check that a running service is alive: print ok, or print the reason and exit with 1',
    load: async () => (await import('./serve/healthcheck.ts')).healthcheckCommand(),
  },
]

/** All commands, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = LISTED.map((listed) => ({
  name: listed.term.replace(/ .*/, ''),
  ...listed,
}))
