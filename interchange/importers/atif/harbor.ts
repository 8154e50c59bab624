import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import type { CaseFile } from '../../document/evidence/case-evidence.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { sha256OfStream } from '../../document/identity.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { readTimeMs, readTime, timeMsOf } from '../../document/time/times.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Look } from '../../read/look.ts'
import { numberAt, requireObject, textAt } from '../../read/members.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import { rowOf, type JsonObject, type Row } from '../../read/row.ts'
import { fileOnDisk, type SourceFile } from '../../read/source-file.ts'
import { ifReadable } from '../../read/referenced-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { providerName } from '../provider-name.ts'
import { atifCase, rewardAssertions } from './case.ts'
import { readTrajectory, type Siblings } from './trajectory.ts'

// A job of Harbor is a folder: `result.json` and `config.json` of the job, and a folder for each trial with its `result.json`, the
// trajectory `agent/trajectory.json` and the files of its verifier.

const RESULT = 'result.json'
const CONFIG = 'config.json'
const AGENT = 'agent'
const TRAJECTORY = 'trajectory.json'

/** Whether a file is the result of a job or of a trial of Harbor; null if it is neither. */
export const harborKind = ({ kind, keys }: Look): 'job' | 'trial' | null => {
  if (kind !== 'json') return null
  if (keys.has('n_total_trials') && keys.has('stats')) return 'job'
  return keys.has('trial_name') && keys.has('task_name') && keys.has('config') ? 'trial' : null
}

/** Whether a file is the configuration of a job. */
export const isHarborConfig = ({ name, keys }: Look): boolean =>
  name === CONFIG && keys.has('job_name') && (keys.has('datasets') || keys.has('n_attempts'))

/** The result file of the job, else of the trial, to which a file on disk belongs; null if it is in none. */
export const harborJobOf = (file: SourceFile): string | null => {
  if (file.diskPath === null) return null
  const folder = dirname(file.diskPath)
  const isResult = basename(file.diskPath) === RESULT
  const trial = isResult ? folder : dirname(folder)
  if (!isResult && (basename(folder) !== AGENT || !mentions(join(trial, RESULT), '"trial_name"'))) return null
  const job = join(dirname(trial), RESULT)
  if (mentions(job, '"n_total_trials"')) return job
  return isResult ? null : join(trial, RESULT)
}

/** What the result files of jobs and trials are, which are asked about once for each trial: by path, size and time. */
const kinds = new Map<string, { readonly version: string; readonly text: ReadonlySet<string> }>()
const KEYS = ['"trial_name"', '"n_total_trials"'] as const
const MAX_KINDS = 10_000

/** Whether a file has a key. It is read once. */
const mentions = (path: string, key: (typeof KEYS)[number]): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return false
  const version = `${stats.size} ${stats.mtimeMs}`
  const known = kinds.get(path)
  if (known?.version === version) return known.text.has(key)
  const content = readFileSync(path, 'utf8')
  const text = new Set<string>(KEYS.filter((one) => content.includes(one)))
  if (kinds.size >= MAX_KINDS) kinds.clear()
  kinds.set(path, { version, text })
  return text.has(key)
}

const isPlainFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** A job, or a trial of none, as a run. */
export const harborRun = async (
  { file, look, companions: others }: Source,
  options: ImportOptions,
): Promise<SourceRun> => {
  const result = await objectOf(file, newLosses())
  const isJob = harborKind(look) === 'job'
  if (isJob && file.diskPath === null)
    throw new SourceRefused('the result of a job has no trials: import its folder with ers import')
  let times = timeRange()
  const trials = isJob ? others.filter(({ name }) => name === RESULT) : [file]
  const config = isJob ? others.find(({ name }) => name === CONFIG) : undefined
  return {
    identity: textAt(result, 'id') ?? (await sha256OfStream(file.bytes())),
    timeMs: timeMsOf(readTime(textAt(result, 'finished_at') ?? '', options.timeZone)),
    cases: async function* (losses) {
      times = timeRange(options, losses)
      const counts = new Map<string, number>()
      for (const trial of trials) {
        const row = rowOf({ ...(await objectOf(trial, losses)) }, isJob ? '(trials)' : '')
        const draft = await trialCase(row, trial, others, options, times, losses)
        const cell = JSON.stringify([draft.provider, draft.test])
        const repeat = counts.get(cell) ?? 0
        counts.set(cell, repeat + 1)
        yield { ...draft, repeat }
      }
    },
    head: async (losses) => {
      const settings = config === undefined ? null : await objectOf(config, losses)
      const { id: _, started_at: start, finished_at: end, ...rest } = isJob ? result : {}
      const timeOr = (value: unknown, other: string | null) =>
        (typeof value === 'string' ? readTime(value, options.timeZone) : null) ?? other
      return {
        suite: datasetName(settings) ?? textAt(settings, 'job_name') ?? textAt(result, 'source'),
        config: settings === null ? null : rowOf({ ...settings }, 'config'),
        description: textAt(settings, 'job_name'),
        startedAt: timeOr(start, times.first()),
        finishedAt: timeOr(end, times.last()),
        ...(isJob && { rest, counts: { path: 'n_total_trials', cases: numberAt(result, 'n_total_trials') } }),
      }
    },
  }
}

/** The files of a job, or of a trial: of each trial its result, and the trajectories of its agent. */
export const harborFiles = (file: SourceFile, look: Look): readonly SourceFile[] => {
  if (file.diskPath === null) return []
  const folder = dirname(file.diskPath)
  if (harborKind(look) === 'trial') return trajectoriesIn(folder)
  const config = join(folder, CONFIG)
  const trials = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .filter((trial) => mentions(join(trial, RESULT), '"trial_name"'))
    .sort()
  return [
    ...(isPlainFile(config) ? [sourceFile(config)] : []),
    ...trials.flatMap((trial) => [sourceFile(join(trial, RESULT)), ...trajectoriesIn(trial)]),
  ]
}

const trajectoriesIn = (trial: string): SourceFile[] => {
  const folder = join(trial, AGENT)
  if (!isFolder(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^trajectory.*\.json$/.test(name))
    .sort()
    .map((name) => join(folder, name))
    .filter(isPlainFile)
    .map(sourceFile)
}

const sourceFile = (path: string): SourceFile => fileOnDisk(path, lstatSync(path))

const objectOf = async (file: SourceFile, losses: Losses): Promise<JsonObject> =>
  requireObject(parseJson(await wholeJson(file), losses, ''))

const datasetName = (config: JsonObject | null): string | null => {
  const datasets = config?.['datasets']
  return textAt(Array.isArray(datasets) ? datasets[0] : null, 'name')
}

const trialCase = async (
  row: Row,
  file: SourceFile,
  others: readonly SourceFile[],
  options: ImportOptions,
  times: ReturnType<typeof timeRange>,
  losses: Losses,
): Promise<CaseDraft> => {
  const name = row.text('trial_name')
  const folder = file.diskPath === null ? null : dirname(file.diskPath)
  const found = folder === null ? null : await trajectoryIn(join(folder, AGENT), others, losses)
  const reading = { path: `${name ?? 'trial'}/agent/${TRAJECTORY}`, name: name ?? 'trajectory' }
  const draft =
    found &&
    atifCase(
      found.trajectory,
      { ...reading, hasEvidence: options.evidence !== undefined, folder: found.folder },
      timeRange(options),
      losses,
    )
  const agent = row.row('agent_info')
  const model = agent?.row('model_info')?.peekText('name') ?? draft?.model ?? null
  const used = row.row('agent_result')
  const [tokens, cached, output] = ['n_input_tokens', 'n_cache_tokens', 'n_output_tokens'].map((key) =>
    used?.number(key),
  )
  const [start, end] = [row.peekText('started_at'), row.peekText('finished_at')]
  times.add(start, end)
  const exception = row.row('exception_info')
  const type = exception?.text('exception_type') ?? null
  const asserts = rewardAssertions(row.row('verifier_result')?.row('rewards') ?? null, losses)
  const failed = exception && {
    message: exception.text('exception_message') ?? type ?? 'the trial failed',
    trace: exception.text('exception_traceback'),
  }
  const execution = row.row('agent_execution')
  const ms =
    readTimeMs(execution?.peekText('finished_at') ?? end) - readTimeMs(execution?.peekText('started_at') ?? start)
  const about = draft?.rest?.rest() ?? null
  // A trial that was rewarded has its outcome, even if its agent ran out of time.
  const isFailure = failed !== null && asserts.length === 0
  return {
    ...draft,
    provider: providerName(agent?.peekText('name') ?? null, model) ?? draft?.provider ?? null,
    test: row.text('task_name') ?? draft?.test ?? { inputs: name },
    name,
    tags: type === null ? [] : [`exception:${type}`],
    model,
    failure: isFailure ? { ...failed, class: type } : null,
    raw: {
      ...draft?.raw,
      ...(about !== null && { trajectory: about }),
      ...(failed !== null && !isFailure && { exception: failed }),
    },
    asserts,
    usage: promptUsage(tokens, output, cached) ?? draft?.usage ?? null,
    costUsd: used?.number('cost_usd') ?? draft?.costUsd ?? null,
    latencyMs: ms >= 0 ? ms : (draft?.latencyMs ?? null),
    rest: row,
    evidence:
      options.evidence === undefined
        ? null
        : {
            ...(draft?.evidence ?? { path: reading.path, lossPath: '(trials)', name: reading.name, transcript: null }),
            files: folder === null ? [] : verifierFiles(join(folder, 'verifier'), losses),
          },
  }
}

/** The trajectory in the folder of an agent; null without one, or if it cannot be read, which is recorded. */
const trajectoryIn = async (folder: string, others: readonly SourceFile[], losses: Losses) => {
  const siblings: Siblings = (name) => others.find(({ diskPath }) => diskPath === join(folder, name)) ?? null
  const file = siblings(TRAJECTORY)
  if (file === null) return null
  try {
    return { trajectory: await readTrajectory(file, siblings, losses), folder }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    losses.addBytes('left_out', `(${TRAJECTORY})`, 0, `it cannot be read: ${error.message}`)
    return null
  }
}

const MAX_FILES = 100

const verifierFiles = (folder: string, losses: Losses): CaseFile[] => {
  const found = ifReadable(() => (isFolder(folder) ? readdirSync(folder) : []), null)
  if (found === null) losses.addBytes('left_out', '(verifier)', 0, 'a folder that cannot be read')
  return (found ?? [])
    .sort()
    .map((name) => ({ name: `verifier/${name}`, path: join(folder, name), role: 'grading' as const }))
    .filter(({ path }) => ifReadable(() => isPlainFile(path), true))
    .slice(0, MAX_FILES)
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
