import { counted } from '../../domain/plain/counted.ts'
import { closeSync, openSync, writeSync } from 'node:fs'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { printable } from '../../domain/text/printable.ts'
import { mergeLosses, type SummedLoss } from '../../interchange/document/losses.ts'
import { mergeScores, type ScoreReport } from '../../interchange/document/case/scores.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { RunReport } from './import-runs.ts'

/** Collects what an import reports: lines of a file, and the losses of all runs. */
export type ImportReport = {
  readonly add: (report: RunReport) => void
  /** The losses of all runs, the largest first, at most ten lines. */
  readonly lossLines: () => readonly string[]
  /** The scores without a result in their source. */
  readonly scores: () => readonly ScoreReport[]
  /** One line for each score: only the scores that ask something, or all. */
  readonly scoreLines: (isAll: boolean) => readonly string[]
  readonly findings: () => readonly string[]
  /** The runs of other tools that were imported or are there, by format. */
  readonly byFormat: () => ReadonlyMap<string, number>
  readonly close: () => void
}

const MAX_LOSS_LINES = 10
/** `path` is the file for one JSON line a run, or null. Throws `UserError` if it cannot be written. */
export const importReport = (path: string | null): ImportReport => {
  const file = path === null ? null : openReport(path)
  const losses = mergeLosses()
  const scores = mergeScores()
  const byFormat = new Map<string, number>()
  const statuses = new Map<string, number>()
  let cases = 0
  let [first, last] = ['', '']
  let largest = 0

  return {
    add: (report) => {
      if (file !== null) writeSync(file, `${JSON.stringify(reportLine(report))}\n`)
      const { result, outcome, format } = report
      if (result !== null && (outcome === 'imported' || outcome === 'already_there'))
        byFormat.set(format, (byFormat.get(format) ?? 0) + 1)
      const run = result && 'run' in result && outcome === 'imported' ? result.run : null
      if (run === null) return
      losses.add(run.losses)
      scores.add(run.scores)
      cases += run.cases
      for (const [status, count] of Object.entries(run.statuses))
        statuses.set(status, (statuses.get(status) ?? 0) + count)
      if (first === '' || run.finished_at < first) first = run.finished_at
      if (run.finished_at > last) last = run.finished_at
      largest = Math.max(largest, run.size)
    },
    lossLines: () => {
      const all = losses.all()
      const lines = all.slice(0, MAX_LOSS_LINES).map(lossLine)
      return all.length > MAX_LOSS_LINES
        ? [...lines, `  … and ${all.length - MAX_LOSS_LINES} more: --report lists all`]
        : lines
    },
    scores: scores.all,
    scoreLines: (isAll) => scores.all().flatMap((score) => (isAll || score.asks !== null ? [scoreLine(score)] : [])),
    findings: () => [
      `cases ${cases}: ${STATUS_ORDER.flatMap((status) => (statuses.has(status) ? [`${status} ${statuses.get(status)}`] : [])).join(', ') || 'none'}`,
      ...(first === '' ? [] : [`from ${first} to ${last}`, `largest document ${formatBytes(largest)}`]),
    ],
    byFormat: () => byFormat,
    close: () => {
      if (file !== null) closeSync(file)
    },
  }
}

const STATUS_ORDER: readonly string[] = CASE_STATUSES

const openReport = (path: string): number => {
  try {
    return openSync(path, 'w')
  } catch (error) {
    throw new UserError(`--report: ${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

const reportLine = ({ path, part, format, outcome, run_id, reason, result }: RunReport) => {
  const run = result && 'run' in result ? result.run : null
  return {
    path,
    part,
    format,
    identity: result?.identity ?? null,
    run_id,
    outcome,
    cases: run?.cases ?? null,
    statuses: run?.statuses ?? null,
    bytes: run?.size ?? null,
    clock: run?.clock ?? null,
    losses: run?.losses ?? [],
    scores: run?.scores ?? [],
    reason,
  }
}

const WORDS = {
  left_out: 'left out',
  cut: 'cut',
  changed: 'changed',
  assumed: 'assumed',
  contradicted: 'contradicted',
  original_only: 'kept as evidence',
} as const

const lossLine = ({ kind, path, count, bytes, runs, note }: SummedLoss): string => {
  const size = bytes > 0 && kind !== 'assumed' && kind !== 'contradicted' ? `, ${formatBytes(bytes)}` : ''
  return `  ${WORDS[kind]}: ${path}${note === undefined ? '' : ` (${note})`}: ${count} in ${counted(runs, 'run')}${size}`
}

const scoreLine = (score: ScoreReport): string => {
  const { min, max, values, range, lower_is_better: isLower, passes_from } = score
  const name = printable(score.name)
  const option = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const seen = `  score ${name}: ${min === max ? min : `${min} to ${max}`} in ${values} ${values === 1 ? 'value' : 'values'}`
  if (score.asks === 'range')
    return `${seen}, not from ${(range ?? [0, 1]).join(' to ')}: decides nothing. What is its range? --score ${option(`${name}=MIN..MAX`)}`
  if (score.asks === 'direction')
    return `${seen}: decides nothing. Is a low value good? --lower-is-better ${option(name)}, else --higher-is-better ${option(name)}`
  if (!score.decides) return `${seen}: does not decide`
  const scale = range === null ? '' : ` of ${range.join(' to ')}`
  return `${seen}${scale}: decides, passes ${isLower ? `up to ${passes_from}` : `from ${passes_from} on`}`
}

const formatBytes = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
