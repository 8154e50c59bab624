import type { HistoryRun } from './use-history.ts'

/** A lane of changes: what it is about, and the field that says whether it changed since the run before. */
const CHANGES = [
  { field: 'prompt_changed', label: 'Prompt', always: true },
  { field: 'model_changed', label: 'Model', always: true },
  { field: 'provider_changed', label: 'Provider', always: false },
  { field: 'asserts_changed', label: 'Assertions', always: false },
] as const
export type ChangeLane = {
  readonly label: string
  /** Indexes of the runs that differ from the run before. */
  readonly at: readonly number[]
  /** What to say where nothing is drawn. */
  readonly words: string | null
}

/** The lanes to show for runs, oldest first. A lane that is not always shown has a change. */
export const changeLanes = (runs: readonly HistoryRun[]): ChangeLane[] =>
  CHANGES.flatMap(({ field, label, always }) => {
    const flags = runs.map((run) => run[field])
    const at = flags.flatMap((changed, i) => (changed === true && i > 0 ? [i] : []))
    if (at.length === 0 && !always) return []
    const isKnown = flags.some((changed) => changed !== null)
    return [
      {
        label,
        at,
        words:
          at.length > 0
            ? null
            : isKnown
              ? 'unchanged'
              : field === 'model_changed'
                ? 'not recorded'
                : 'digest not recorded',
      },
    ]
  })

export type Scale = { readonly isLog: boolean; readonly from: number; readonly to: number }

/** Latencies that differ more than this are drawn on a log scale. */
const LOG_RATIO = 20

/** A scale for positive values: logarithmic over whole powers of ten, or linear from 0; null without values. */
export const laneScale = (values: readonly number[]): Scale | null => {
  if (values.length === 0) return null
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low > 0 && high / low > LOG_RATIO)
    return { isLog: true, from: 10 ** Math.floor(Math.log10(low)), to: 10 ** Math.ceil(Math.log10(high)) }
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, high)))
  return { isLog: false, from: 0, to: Math.ceil(high / unit) * unit }
}

/** Where a value is on a scale, from 0 to 1. */
export const share = ({ isLog, from, to }: Scale, value: number): number =>
  isLog ? Math.log(value / from) / Math.log(to / from) : (value - from) / Math.max(1e-9, to - from)

/** The values of a scale that get a line. */
export const scaleTicks = ({ isLog, from, to }: Scale): number[] => {
  if (!isLog) return [from, (from + to) / 2, to]
  const ticks: number[] = []
  for (let tick = from; tick <= to * 1.001; tick *= 10) ticks.push(tick)
  const every = Math.ceil(ticks.length / 4)
  return ticks.filter((_, i) => i % every === 0)
}
