import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { setTimeout } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { acceptedNotes } from './monitor/accepted-notes.ts'
import { logClient } from './monitor/log-client.ts'
import { runMonitor } from './monitor/monitor.ts'
import { readTrust, trustOptions, type TrustSelection } from './trust.ts'
import { timeSpan, wholeNumber } from '../terminal/option-values.ts'
import { messageOf } from '../../domain/plain/message-of.ts'

type Given = TrustSelection & {
  readonly dir: string
  readonly interval: number
  readonly once?: boolean
  readonly maxAge: number
  readonly git?: boolean
  readonly tokenFile?: string
}

const DAY_MS = 86_400_000

export const monitorCommand = (): Command => {
  const command = withUsageExit(new Command('monitor')).argument(
    '<url>',
    'the address of the service, as https://results.example, or of its log, as https://results.example/api/v1/log, or where a copy that "ers log export" wrote is served over http',
  )
  for (const option of trustOptions()) command.addOption(option)
  return command
    .requiredOption('--dir <folder>', 'the folder of the accepted checkpoints; "ers verify --against" takes it')
    .option('--interval <seconds>', 'time between two polls', wholeNumber(1, 999_999), 60)
    .option('--once', 'poll once')
    .addOption(
      new Option('--max-age <age>', 'the oldest cosignatures that are accepted, as 90m, 24h or 7d')
        .argParser(timeSpan)
        .default(DAY_MS, '24h'),
    )
    .option('--git', 'commit and push each accepted checkpoint: the folder is in a worktree of git')
    .option(
      '--token-file <file>',
      'a file with the API token of the log (default SERVICE_TOKEN, if the log is of the service in SERVICE_SERVER_URL)',
    )
    .addHelpText(
      'after',
      `
Run it on another machine, and let other people run it than those who run the log: only then are its notes evidence. Each checkpoint must be signed, meet the policy, and continue the one before; the monitor computes that from the tiles of the log.

Exit code 0: stopped, or polled once without an alarm; 2: nothing could be done; 11: the log showed another history; 14: a signature is wrong or by no trusted key; 15: the policy is not met, or what is shown is older than --max-age; 20: not a checkpoint. An alarm is one line of JSON, and what it is about is stored in the folder evidence.`,
    )
    .action((url: string, given: Given) => exitWith(() => monitor(url, given)))
}

/**
 * SERVICE_TOKEN, if the log is of the service in SERVICE_SERVER_URL, to which it belongs; null otherwise: the log of other
 * people must not receive it.
 */
const ownToken = (url: string): string | null => {
  const { SERVICE_TOKEN: token, SERVICE_SERVER_URL: server } = process.env
  if (!token || !server || !URL.canParse(server)) return null
  return new URL(server).origin === new URL(url).origin ? token : null
}

const monitor = async (
  url: string,
  { dir, interval, once = false, maxAge, git = false, tokenFile, ...given }: Given,
) => {
  checkAddress(url)
  const stop = listenForStop()
  try {
    const trust = await readTrust(given)
    const token = tokenFile === undefined ? ownToken(url) : readToken(tokenFile)
    const notes = acceptedNotes(dir)
    if (git) await run(dir, 'rev-parse', '--is-inside-work-tree')
    return await runMonitor({
      log: logClient(url, token),
      trust,
      notes,
      maxAgeMs: maxAge,
      intervalMs: interval * 1000,
      once,
      now: Date.now,
      wait: async (ms) => {
        await setTimeout(ms, undefined, { signal: stop.signal }).catch((error: unknown) => {
          if (!stop.signal.aborted) throw error
        })
      },
      publish: (size) => (git ? publish(dir, size, warn) : Promise.resolve()),
      print: (line) => writeStdout(`${printable(line)}\n`),
      warn,
      isStopped: () => stop.signal.aborted,
    })
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    warn(error.message)
    return error.code
  } finally {
    stop.dispose()
  }
}

/** The address may have a password, so that it is not quoted. */
const checkAddress = (address: string): void => {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UserError(
      'the address of the log must begin with http:// or https://; a folder that "ers log export" wrote has to be served over http',
    )
  if (url.username || url.password)
    throw new UserError('the address must not contain a user or password; use --token-file')
}

/** A warning may quote what a log or git answered. */
const warn = (line: string): void => void process.stderr.write(`${printableLines(line)}\n`)

const readToken = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new UserError(`--token-file: ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

const run = async (dir: string, ...args: readonly string[]): Promise<void> => {
  try {
    await promisify(execFile)('git', ['-C', dir, ...args], { timeout: 60_000 })
  } catch (cause) {
    throw new UserError(`git ${args[0] ?? ''} in ${dir}: ${messageOf(cause).trim()}`, { cause })
  }
}

/** Commits and pushes the accepted checkpoints. A failure is a warning: the next checkpoint is pushed with this one. */
export const publish = async (dir: string, size: number, warnOf: (line: string) => void): Promise<void> => {
  let done = 'kept, not committed'
  try {
    await run(dir, 'add', '--', 'checkpoints')
    await run(dir, 'commit', '--quiet', '-m', `Checkpoint of ${size} records`, '--', 'checkpoints')
    done = 'kept and committed, not pushed'
    await run(dir, 'push', '--quiet')
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    warnOf(`${done}: ${error.message}`)
  }
}
