import type { CaseStatus } from '../run/document.ts'
import { decisionOf } from '../statistics/comparison.ts'

// What the cases of a run measured, one value a case for each measure, in the order of the run's outline:
//
//   1 byte            a bit for each measure that a case recorded, in the order of `STORED_MEASURES`
//   1 byte a case     1 if an answer of the case was read from a cache, else 0
//   8 bytes a case    for each of these measures: a little-endian double, NaN where the case recorded none

/** The measures of a case. Money is micro-USD. */
export const STORED_MEASURES = ['score', 'cost_micro', 'latency_ms', 'input_tokens', 'output_tokens'] as const
export type StoredMeasure = (typeof STORED_MEASURES)[number]

/** A case, as its facts have it. */
export type MeasuredCase = { readonly status: CaseStatus; readonly cached: boolean | null } & Readonly<
  Record<'score' | 'cost_micro' | 'latency_ms' | 'prompt_tokens' | 'completion_tokens', number | null>
>

const positive = (value: number | null): number | null => (value === null || value <= 0 ? null : value)

/** The values of a case: null where nothing is known. A skipped case has none, and a latency or a count of 0 is unknown. */
const valuesOf = (item: MeasuredCase): ReadonlyArray<number | null> =>
  item.status === 'skip'
    ? [null, null, null, null, null]
    : [
        decisionOf(item.status) === 'neutral' ? null : item.score,
        item.cost_micro,
        positive(item.latency_ms),
        positive(item.prompt_tokens),
        positive(item.completion_tokens),
      ]

/** Packs what the cases of a run measured. */
export const packMeasures = (cases: readonly MeasuredCase[]): Buffer => {
  const values = cases.map(valuesOf)
  const recorded = STORED_MEASURES.flatMap((_, m) => (values.some((each) => each[m] !== null) ? [m] : []))
  const n = cases.length
  const bytes = Buffer.allocUnsafe(1 + n * (1 + 8 * recorded.length))
  bytes[0] = recorded.reduce((mask, m) => mask | (1 << m), 0)
  for (let i = 0; i < n; i++) bytes[1 + i] = cases[i]?.cached ? 1 : 0
  let at = 1 + n
  for (const m of recorded)
    for (let i = 0; i < n; i++) {
      bytes.writeDoubleLE(values[i]?.[m] ?? NaN, at)
      at += 8
    }
  return bytes
}

/** A packed run. `i` is the place of a case in the outline of the run. */
export type Measures = {
  readonly size: number
  /** NaN where the case recorded none. */
  readonly value: (measure: StoredMeasure, i: number) => number
  readonly isCached: (i: number) => boolean
}

/** Reads what the cases of a run measured. */
export const readMeasures = (bytes: Buffer): Measures => {
  const mask = bytes[0] ?? 0
  const recorded = STORED_MEASURES.filter((_, m) => (mask & (1 << m)) !== 0)
  const size = (bytes.length - 1) / (1 + 8 * recorded.length)
  const start = new Map(recorded.map((measure, place) => [measure, 1 + size + place * size * 8]))
  return {
    size,
    value: (measure, i) => {
      const at = start.get(measure)
      return at === undefined ? NaN : bytes.readDoubleLE(at + i * 8)
    },
    isCached: (i) => bytes[1 + i] === 1,
  }
}
