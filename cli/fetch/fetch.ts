import { Argument, Command } from 'commander'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { printable } from '../../domain/text/printable.ts'
import { parseTime } from '../import/parse-time.ts'
import { createHttpClient } from '../suite/http-client.ts'
import { fetchOver } from '../suite/http-fetch.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { apiAt } from './api.ts'
import { fetchAll, type FetchCounts } from './fetch-all.ts'
import { TOOLS } from './tools.ts'
import { terminalLine } from '../terminal/terminal-line.ts'

type Options = { readonly out: string; readonly url?: string; readonly since?: number; readonly json?: true }

export const fetchCommand = (): Command =>
  withUsageExit(new Command('fetch'))
    .addArgument(new Argument('<tool>', 'the service').choices([...TOOLS.keys()]))
    .requiredOption(
      '--out <folder>',
      'write into this folder: an empty one, or one of the same fetch, which is then continued',
    )
    .option('--url <url>', `the address of the service (default: ${defaults()})`)
    .option('--since <time>', 'only experiments from this time on', parseTime)
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Each experiment becomes a folder with the answers of the API, unchanged. Then import them: ers import FOLDER

The key is read from the variables of the tool:
  langfuse    LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY
  langsmith   LANGSMITH_API_KEY, and LANGSMITH_WORKSPACE_ID for a key of several workspaces
  braintrust  BRAINTRUST_API_KEY
  phoenix     PHOENIX_API_KEY, if the server needs one
  mlflow      MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, if the server needs them
  openai      OPENAI_API_KEY

Exit code 0: everything is fetched; 1: some experiments, or spans of some, failed; 2: the fetch could not start, or had to stop; 130: interrupted. The same command continues where it stopped.`,
    )
    .action((tool: string, options: Options) => exitWith(() => runFetch(tool, options)))

const defaults = (): string => [...TOOLS].map(([name, { defaultUrl }]) => `${defaultUrl} for ${name}`).join(', ')

const runFetch = async (name: string, { out, url, since, json }: Options): Promise<number> => {
  const tool = TOOLS.get(name)
  if (tool === undefined) throw new UserError(`${name} is no known service`)
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const line = terminalLine(process.stderr, () => performance.now())
  const print = (text: string) => {
    line.clear()
    process.stderr.write(`${printable(text)}\n`)
  }
  const credentials = tool.credentials(process.env)
  const stop = listenForStop()
  try {
    const api = apiAt(url ?? tool.defaultUrl, credentials, {
      signal: stop.signal,
      send: fetchOver(httpClient()),
      onWait: ({ message }, ms) => print(`${message}; trying again in ${Math.ceil(ms / 1000)} s`),
    })
    const counts = await fetchAll(tool, api, {
      name,
      out,
      sinceMs: since ?? null,
      signal: stop.signal,
      onFailed: (what, reason) => print(`${what}: failed ${reason}`),
      onProgress: (found) => line.draw(() => progressText(found, seconds())),
    }).finally(() => line.clear())
    if (json) console.log(JSON.stringify({ ...(counts ?? NOTHING), seconds: Number(seconds().toFixed(3)) }))
    else if (counts === null) console.log(`${out} is complete already; nothing was fetched`)
    else console.log(fetchSummary(tool.title, counts, seconds()))
    return stop.code() ?? ((counts?.failed ?? 0) > 0 ? 1 : 0)
  } finally {
    stop.dispose()
  }
}

/** What a fetch has fetched so far. */
export const progressText = ({ experiments, empty, pages, bytes }: FetchCounts, seconds: number): string =>
  `${experiments + empty} experiments, ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB, ${Math.floor(seconds)} s`

const NOTHING: FetchCounts = { experiments: 0, empty: 0, failed: 0, pages: 0, bytes: 0 }

const fetchSummary = (
  title: string,
  { experiments, empty, failed, pages, bytes }: FetchCounts,
  seconds: number,
): string =>
  `fetched ${experiments} ${experiments === 1 ? 'experiment' : 'experiments'} of ${title}${empty > 0 ? `, ${empty} without cases` : ''}, failed ${failed} (${pages} ${pages === 1 ? 'page' : 'pages'}, ${(bytes / 1e6).toFixed(1)} MB) in ${seconds.toFixed(1)} s`

/** Through the proxy of the environment. Throws `UserError` if its variable names none. */
const httpClient = () => {
  try {
    return createHttpClient(process.env)
  } catch (error) {
    throw new UserError((error as Error).message, { cause: error })
  }
}
