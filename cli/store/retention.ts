import { counted } from '../../domain/plain/counted.ts'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { serverOf } from '../client/service-client.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { onServer, withAdminTarget, type AdminTarget } from './admin-target.ts'

type Options = AdminTarget & { readonly now?: boolean; readonly dryRun?: boolean; readonly json?: boolean }

const Retention = z.object({ dry_run: z.boolean(), runs: z.number(), cache_entries: z.number() })
type Retention = z.infer<typeof Retention>

export const retentionCommand = (): Command =>
  withAdminTarget(
    withUsageExit(new Command('retention'))
      .option('--now', 'delete')
      .addOption(new Option('--dry-run', 'only count what would be deleted').conflicts('now')),
  )
    .option('--json', 'print the counts as JSON')
    .addHelpText(
      'after',
      '\nA service applies its own limits; SERVICE_TOKEN is the bearer token, of scope admin. For a store, the variables set here apply ' +
        '(SERVICE_RUN_MAX_AGE_DAYS, SERVICE_CACHE_…). Exit code 0: done; 2: the command could not start, or had to stop; 130: interrupted.',
    )
    .action((options: Options) => exitWith(() => retention(options)))

const retention = async ({ now = false, dryRun = false, json = false, ...target }: Options): Promise<number> => {
  if (!now && !dryRun) throw new UserError('give --now to delete, or --dry-run to count')
  return untilStopped(async (stop) => {
    const counts = await applyRetention(target, { dryRun, signal: stop.signal })
    console.log(json ? JSON.stringify(counts) : countsText(counts))
    return 0
  })
}

type RetentionRequest = { readonly dryRun: boolean; readonly signal: AbortSignal }

// Only options name a store, never the environment: variables set for a server must not redirect a deletion. The
// store's modules are loaded on demand.
const applyRetention = async (
  { server, dataDir, databaseUrl }: AdminTarget,
  request: RetentionRequest,
): Promise<Retention> => {
  if (dataDir !== undefined || databaseUrl !== undefined)
    return (await import('./retain-in-store.ts')).retainInStore({ dataDir, databaseUrl }, request)
  return onServer(serverOf(server, process.env), request.signal, {
    method: 'POST',
    path: `/retention?dry_run=${request.dryRun}`,
    parse: (body) => Retention.parse(body),
  })
}

const countsText = ({ dry_run, runs, cache_entries }: Retention): string =>
  `${dry_run ? 'would delete' : 'deleted'} ${counted(runs, 'run')} and ${cache_entries} cache ${cache_entries === 1 ? 'entry' : 'entries'}`
