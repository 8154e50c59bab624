import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { type ToolCounts } from '../../document/tool-counts.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import { numberAt } from '../../read/members.ts'

/** What the database has of an evaluation, and its JSON output has not. */
export type DatabaseFacts = {
  readonly startedAtMs: number | null
  readonly tags: ReadonlyArray<readonly [name: string, value: string]>
  readonly isRedTeam: boolean
}

/** Reads what an export says of the whole evaluation. `top` is the export without its rows. */
export const promptfooHead = (
  top: Row,
  losses: Losses,
  promptTexts: ReadonlyMap<string, string>,
  facts?: DatabaseFacts,
): RunHead => {
  const results = top.row('results') ?? top
  const config = top.row('config')
  const metadata = top.row('metadata')
  const version = results.id('version') ?? top.id('version')
  const description = config?.text('description') ?? top.text('description')
  const { tags, branch } = runTags(config?.row('tags') ?? null, facts?.tags ?? [])
  const isRedTeam = (facts?.isRedTeam ?? false) || isObject(config?.peek('redteam'))
  const times = promptfooTimes(top, results, facts?.startedAtMs ?? null, (value, path) =>
    sourceTime(value, { timeZone: 'UTC' }, losses, path),
  )
  const columns = results.peek('prompts') ?? top.peek('prompts')
  const counts = promptfooCounts(results, columns)
  const author = top.text('author')
  const origin = {
    actor: author ?? metadata?.text('author') ?? null,
    version: metadata?.text('promptfooVersion') ?? null,
    note: description,
  }
  top.text('evalId')
  const prompts = promptsOf(results.take('prompts') ?? top.take('prompts'), losses, promptTexts)
  const configuration = top.object('config')
  return {
    formatVersion: version,
    suite: description,
    description,
    ...times,
    config: configuration === null ? null : rowOf({ ...configuration }, 'config'),
    git: { branch },
    origin,
    tags: isRedTeam ? [...tags, 'redteam'] : tags,
    rest: { ...top.rest(), ...(prompts.length > 0 && { prompts }) },
    counts,
  }
}

const promptfooTimes = (
  top: Row,
  results: Row,
  startedAtMs: number | null,
  timeAt: (value: unknown, path: string) => string | null,
) => {
  const written = results.id('timestamp') ?? top.id('createdAt')
  const startedAt =
    startedAtMs === null ? timeAt(written, 'results.timestamp') : timeAt(startedAtMs, 'evals.created_at')
  const durationMs = results.row('stats')?.number('durationMs') ?? null
  const end = startedAt === null || durationMs === null ? null : timeOfMs(Date.parse(startedAt) + durationMs)
  return { startedAt, finishedAt: end ?? startedAt }
}

/** What promptfoo counts: in its statistics, else in the totals of the columns. Old versions count errors as failures. */
const promptfooCounts = (results: Row, columns: unknown): ToolCounts | null => {
  const stats = results.peek('stats')
  if (numberAt(stats, 'successes') !== null) return countsFrom('results.stats', [stats], STATS)
  const metrics = (Array.isArray(columns) ? (columns as Json[]) : []).map((column) =>
    isObject(column) ? column['metrics'] : null,
  )
  const areCounted = metrics.length > 0 && metrics.every((metric) => numberAt(metric, 'testPassCount') !== null)
  return areCounted ? countsFrom('results.prompts.*.metrics', metrics, METRICS) : null
}

const STATS = ['successes', 'failures', 'errors'] as const
const METRICS = ['testPassCount', 'testFailCount', 'testErrorCount'] as const

const countsFrom = (path: string, counted: readonly unknown[], keys: typeof STATS | typeof METRICS): ToolCounts => {
  const [passed = 0, failed = 0, errored = 0] = keys.map((key) =>
    counted.reduce<number>((sum, counts) => sum + (numberAt(counts, key) ?? 0), 0),
  )
  return { path, cases: passed + failed + errored, passed, unsuccessful: failed + errored }
}

/** The tags of the configuration as `key:value`; `branch` and `git.branch` name the branch. */
const runTags = (row: Row | null, stored: DatabaseFacts['tags']) => {
  const own = (row?.keys() ?? []).flatMap((key) => {
    const value = row?.id(key) ?? null
    return value === null ? [] : [[key, value] as const]
  })
  const all = new Map([...stored, ...own])
  const branch = all.get('git.branch') ?? all.get('branch') ?? null
  all.delete('branch')
  all.delete('git.branch')
  return { tags: [...all].map(([key, value]) => `${key}:${value}`), branch }
}

/** The prompts with their ids, without the totals of their columns, and the prompts that only rows have. */
const promptsOf = (columns: Json, losses: Losses, texts: ReadonlyMap<string, string>): Json[] => {
  const known = new Set<string>()
  const written = new Set<string>()
  const prompts: Json[] = []
  for (const column of Array.isArray(columns) ? columns : []) {
    if (!isObject(column)) continue
    const { metrics, ...prompt } = column
    if (metrics !== undefined) losses.add('left_out', 'results.prompts.*.metrics', metrics, 'totals of a column')
    for (const text of [prompt['label'], prompt['raw']]) if (typeof text === 'string') known.add(text)
    // The same prompt has a column for each provider.
    const text = JSON.stringify(prompt)
    if (!written.has(text)) prompts.push(prompt)
    written.add(text)
  }
  for (const [id, text] of texts) if (!known.has(text)) prompts.push({ id, raw: text })
  return prompts
}
