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

/** All commands. Each is loaded on demand: the list needs no modules of the server, and `healthcheck` few. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'validate',
    term: 'validate [path]',
    description: 'check a suite file, without running tests or programs',
    load: async () => (await import('./suite/validate.ts')).validateCommand(),
  },
  {
    name: 'list',
    term: 'list [options] <subject> [path]',
    description: 'list the tests, providers or prompts of a suite',
    load: async () => (await import('./suite/list.ts')).listCommand(),
  },
  {
    name: 'schema',
    term: 'schema <subject>',
    description: 'print the JSON Schema of suite files or of run documents',
    load: async () => (await import('./suite/schema.ts')).schemaCommand(),
  },
  {
    name: 'serve',
    term: 'serve [options]',
    description: 'run the service until interrupted',
    createsState: true,
    load: async () => (await import('./serve/serve.ts')).serveCommand(),
  },
  {
    name: 'import',
    term: 'import [options] <path...>',
    description:
      'import results of other tools and run documents into a service, a state directory that no server uses, or a database',
    createsState: true,
    load: async () => (await import('./import/import.ts')).importCommand(),
  },
  {
    name: 'fetch',
    term: 'fetch [options] <tool>',
    description: 'download the experiments of another service as its API answers, for an import',
    load: async () => (await import('./fetch/fetch.ts')).fetchCommand(),
  },
  {
    name: 'export',
    term: 'export [options] [run-id...]',
    description: 'download run documents, byte for byte as they were uploaded',
    load: async () => (await import('./export/export.ts')).exportCommand(),
  },
  {
    name: 'receipt',
    term: 'receipt [options] <run-id...>',
    description: 'download receipts, which prove that run documents were recorded, and when',
    load: async () => (await import('./proof/receipt.ts')).receiptCommand(),
  },
  {
    name: 'delete',
    term: 'delete [options] <run-id>',
    description:
      'delete a run with its document: on a service, in a state directory that no server uses, or in a database',
    load: async () => (await import('./store/delete.ts')).deleteCommand(),
  },
  {
    name: 'delete-webhooks',
    term: 'delete-webhooks [options]',
    description:
      'delete all webhooks of a state directory that no server uses, or of a database, after their key was lost',
    load: async () => (await import('./store/delete-webhooks.ts')).deleteWebhooksCommand(),
  },
  {
    name: 'erase',
    term: 'erase [options]',
    description:
      'erase what is stored about a run, a deleted account, or some records: on a service, or in a store that no server uses',
    load: async () => (await import('./proof/erase.ts')).eraseCommand(),
  },
  {
    name: 'hold',
    term: 'hold',
    description: 'place, lift or list legal holds: what is under one can be neither deleted nor erased',
    load: async () => (await import('./proof/hold.ts')).holdCommand(),
  },
  {
    name: 'rebuild',
    term: 'rebuild [options]',
    description:
      'rebuild the read tables from the log; servers may use a database meanwhile, but not a state directory',
    createsState: true,
    load: async () => (await import('./store/rebuild.ts')).rebuildCommand(),
  },
  {
    name: 'verify',
    term: 'verify [options]',
    description: 'verify the whole log of a state directory or a database; servers may keep using it',
    load: async () => (await import('./store/verify.ts')).verifyCommand(),
  },
  {
    name: 'check-receipt',
    term: 'check-receipt [options] <receipt> [files...]',
    description: 'check a receipt, and the document that it is about, without network or store',
    load: async () => (await import('./proof/check-receipt.ts')).checkReceiptCommand(),
  },
  {
    name: 'monitor',
    term: 'monitor [options] <url>',
    description:
      'watch the log of a service from another machine: an alarm if it does not continue what it showed before',
    load: async () => (await import('./proof/monitor.ts')).monitorCommand(),
  },
  {
    name: 'migrate',
    term: 'migrate [options]',
    description:
      'copy a state directory into an empty PostgreSQL database, or back with --reverse; no server may use the directory, and the URL must name the role that owns the tables',
    createsState: true,
    load: async () => (await import('./store/migrate.ts')).migrateCommand(),
  },
  {
    name: 'migrate-schema',
    term: 'migrate-schema [options]',
    description: 'update the schema of a PostgreSQL database, as the role that owns its tables or will own them',
    load: async () => (await import('./store/migrate-schema.ts')).migrateSchemaCommand(),
  },
  {
    name: 'audit',
    term: 'audit [options]',
    description: 'print the audit trail of a state directory or a database, newest first; servers may keep using it',
    load: async () => (await import('./store/audit.ts')).auditCommand(),
  },
  {
    name: 'log',
    term: 'log',
    description: 'make and show the keys that sign checkpoints of the log, and export the log for auditors',
    load: async () => (await import('./proof/log.ts')).logCommand(),
  },
  {
    name: 'retention',
    term: 'retention [options]',
    description:
      'delete now what exceeds the configured limits, even if the clock is in doubt: on a running service, or in a store that no server uses',
    load: async () => (await import('./store/retention.ts')).retentionCommand(),
  },
  {
    name: 'init',
    term: 'init [options] [dir]',
    description: 'write a small suite that runs at once without any key, with a program in place of a model',
    load: async () => (await import('./init/init.ts')).initCommand(),
  },
  {
    name: 'convert',
    term: 'convert',
    description: 'print a suite made from the configuration of another tool',
    load: async () => (await import('./convert/convert.ts')).convertCommand(),
  },
  {
    name: 'run',
    term: 'run [options] [path]',
    description: 'run the evaluations of a suite, and store the graded run',
    load: async () => (await import('./run/run.ts')).runCommand(),
  },
  {
    name: 'view',
    term: 'view [options] [run]',
    description: 'print a run of a suite, or some of its cases in full',
    load: async () => (await import('./runs/view.ts')).viewCommand(),
  },
  {
    name: 'runs',
    term: 'runs [options]',
    description: 'list the runs that are stored here, or those of a service',
    load: async () => (await import('./runs/runs.ts')).runsCommand(),
  },
  {
    name: 'diff',
    term: 'diff [options] <base> <head>',
    description: 'compare two runs case by case: exit code 1 if a case that passed does not pass any more',
    load: async () => (await import('./runs/diff.ts')).diffCommand(),
  },
  {
    name: 'share',
    term: 'share [options] [run]',
    description: 'upload a stored run to a service, and print the address of its page',
    load: async () => (await import('./runs/share.ts')).shareCommand(),
  },
  {
    name: 'share-html',
    term: 'share-html [options] <run>',
    description: 'write a run, or a comparison of two, as one page that needs no server',
    load: async () => (await import('./share-html/share-html.ts')).shareHtmlCommand(),
  },
  {
    name: 'baseline',
    term: 'baseline',
    description: 'show, set or clear the run of a service that a suite is compared with',
    load: async () => (await import('./runs/baseline.ts')).baselineCommand(),
  },
  {
    name: 'plan',
    term: 'plan',
    description: 'register a plan before a run, reveal its text, withdraw it, or list plans',
    load: async () => (await import('./proof/plan.ts')).planCommand(),
  },
  {
    name: 'ci-summary',
    term: 'ci-summary [options] <run>',
    description: 'write the summary of a run and the outputs of a CI step',
    load: async () => (await import('./runs/ci-summary.ts')).ciSummaryCommand(),
  },
  {
    name: 'gate',
    term: 'gate [options] <run...>',
    description: 'judge runs of a service by rules, against their baselines: exit code 1 if a rule failed',
    load: async () => (await import('./gate/gate.ts')).gateCommand(),
  },
  {
    name: 'cache',
    term: 'cache',
    description: 'inspect a cache of provider responses: read, store and delete its entries',
    load: async () => (await import('./cache/cache.ts')).cacheCommand(),
  },
  {
    name: 'power',
    term: 'power [options]',
    description: 'plan a comparison: how many cases a difference needs, or what difference a number of cases shows',
    load: async () => (await import('./statistics/power.ts')).powerCommand(),
  },
  {
    name: 'healthcheck',
    term: 'healthcheck [options]',
    description: 'check that a running service is alive: print ok, or print the reason and exit with 1',
    load: async () => (await import('./serve/healthcheck.ts')).healthcheckCommand(),
  },
]
