import { isKnown } from './known.ts'
import type { Losses } from './losses.ts'

/** The number of cases that a tool says its run has, by outcome. Absent members and null are unknown. */
export type ToolCounts = {
  /** Where the source says so, such as `results.stats`. */
  readonly path: string
  readonly cases?: number | null | undefined
  readonly passed?: number | null | undefined
  readonly failed?: number | null | undefined
  readonly errored?: number | null | undefined
  /** Failed or errored, for tools that do not always count these apart. */
  readonly unsuccessful?: number | null | undefined
  readonly skipped?: number | null | undefined
}

/** Records that a tool counts other cases than its file holds. `what` is the outcome that is counted. */
export const contradiction = (losses: Losses, path: string, tool: number, file: number, what = ''): void => {
  const counted = what === '' ? '' : ` ${what}`
  losses.add('contradicted', path, tool, `the tool counts ${tool}${counted}, the file holds ${file}`)
}

/**
 * Compares what a tool counts with the cases of the document, by their status, and records each difference. With
 * `ignoresOutcomes`, only the number of cases is compared.
 */
export const compareCounts = (
  { path, cases, passed, failed, errored, unsuccessful, skipped }: ToolCounts,
  statuses: Readonly<Record<string, number>>,
  losses: Losses,
  ignoresOutcomes: boolean,
): void => {
  const sum = (...names: readonly string[]) => names.reduce((total, name) => total + (statuses[name] ?? 0), 0)
  const compared = [
    [cases, Object.values(statuses).reduce((total, count) => total + count, 0), ''],
    ...(ignoresOutcomes
      ? []
      : ([
          [passed, sum('pass', 'xfail'), 'passed'],
          [failed, sum('fail', 'xpass'), 'failed'],
          [errored, sum('error'), 'errors'],
          [unsuccessful, sum('fail', 'xpass', 'error'), 'failed'],
          [skipped, sum('skip'), 'skipped'],
        ] as const)),
  ] as const
  for (const [tool, file, what] of compared)
    if (isKnown(tool) && Number.isSafeInteger(tool) && tool >= 0 && tool !== file)
      contradiction(losses, path, tool, file, what)
}

const MAX_SHOWN = 3

/** The differences to the counts of the tool, as a text; null if there are none. */
export const contradictionsIn = (losses: Losses): string | null => {
  const notes = losses.all().flatMap(({ kind, note }) => (kind === 'contradicted' && note !== undefined ? [note] : []))
  if (notes.length === 0) return null
  const more = notes.length > MAX_SHOWN ? [`${notes.length - MAX_SHOWN} more such differences`] : []
  return [...notes.slice(0, MAX_SHOWN), ...more].join('; ')
}
