import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft } from './case-draft.ts'

/** A metric of a source that has no cases. */
export type Total = {
  readonly provider: string | null
  readonly test: string
  readonly metric: string
  readonly value: number
  /** The lowest and the highest value, if the source says so. */
  readonly range?: readonly [number, number]
  /** More that the source says of the metric, such as its error. */
  readonly raw?: Readonly<Record<string, Json>>
}

/**
 * A total as a case, for the option `--aggregates`: it is skipped, since nothing was tested here, and its value is its
 * score. A value outside of 0..1 without a range stays in the assertion alone.
 */
export const totalAsCase = ({ provider, test, metric, value, range, raw }: Total): CaseDraft => {
  const scaled = range !== undefined && range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : value
  const isScore = scaled >= 0 && scaled <= 1
  return {
    provider,
    test,
    status: 'skip',
    ...(isScore && { score: scaled }),
    asserts: [
      {
        name: metric,
        kind: 'exec',
        originalType: 'total',
        passed: null,
        status: 'skipped',
        score: value,
        ...(range !== undefined && { range }),
        ...(isScore && scaled !== value && { details: { value } }),
      },
    ],
    ...(raw && { raw }),
  }
}
