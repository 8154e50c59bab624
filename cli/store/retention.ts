import { Command, Option } from 'commander'
import { z } from 'zod'
import { TransientError } from '../client/backoff.ts'
import { errorText, readAnswer } from '../client/answer.ts'
import { serverOf, serverOption, serviceClient, unauthorized } from '../client/service-client.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'

type Options = {
  readonly now?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly server?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
}

const Retention = z.object({ dry_run: z.boolean(), runs: z.number(), cache_entries: z.number() })
type Retention = z.infer<typeof Retention>

export const retentionCommand = (): Command =>
  withUsageExit(new Command('retention'))
    .option('--now', 'delete')
    .addOption(new Option('--dry-run', 'only count what would be deleted').conflicts('now'))
    .addOption(serverOption())
    .addOption(
      new Option('--data-dir <folder>', 'work on this state directory, which no server may use').conflicts([
        'server',
        'databaseUrl',
      ]),
    )
    .addOption(new Option('--database-url <url>', 'work on this PostgreSQL database').conflicts('server'))
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
    console.log(json ? JSON.stringify(counts) : lineOf(counts))
    return 0
  })
}

type Target = Pick<Options, 'server' | 'dataDir' | 'databaseUrl'>
type RetentionRequest = { readonly dryRun: boolean; readonly signal: AbortSignal }

// Only options name a store, never the environment: variables set for a server must not redirect a deletion. The
// store's modules are loaded on demand.
const applyRetention = async (
  { server, dataDir, databaseUrl }: Target,
  request: RetentionRequest,
): Promise<Retention> => {
  if (dataDir === undefined && databaseUrl === undefined)
    return askService(serverOf(server, process.env), process.env['SERVICE_TOKEN'], request)
  const { retainInStore } = await import('./retain-in-store.ts')
  return retainInStore(
    { ...(dataDir === undefined ? {} : { dataDir }), ...(databaseUrl === undefined ? {} : { databaseUrl }) },
    request,
  )
}

const askService = async (
  server: string,
  token: string | undefined,
  { dryRun, signal }: RetentionRequest,
): Promise<Retention> => {
  const { url, request } = serviceClient(server, token, { signal })
  const read = async (response: Response): Promise<Retention> => {
    const { status } = response
    if (status === 401 || status === 403) throw unauthorized(url, status, await errorText(response), token)
    if (status !== 200) throw new UserError(`${url} answers ${status}: ${await errorText(response)}`)
    return readAnswer(response, Retention)
  }
  try {
    return await request(`/retention?dry_run=${dryRun}`, { method: 'POST', signal }, read)
  } catch (error) {
    if (error instanceof TransientError) throw new UserError(error.message, { cause: error })
    throw error
  }
}

const lineOf = ({ dry_run, runs, cache_entries }: Retention): string =>
  `${dry_run ? 'would delete' : 'deleted'} ${runs} runs and ${cache_entries} cache entries`
