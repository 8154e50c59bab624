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
  /** Whether a low value is good, or a high one, if the source says so. */
  readonly lowerIsBetter?: boolean
  /** More that the source says of the metric, such as its error. */
  readonly raw?: Readonly<Record<string, Json>>
}

/**
 * A total as a case, for the option `--aggregates`: it is skipped, since nothing was tested here, and its value is its
 * score. A value outside of its range, or of which nothing says whether it is good, stays in the assertion alone.
 */
export const totalAsCase = ({ provider, test, metric, value, range, lowerIsBetter, raw }: Total): CaseDraft => ({
  provider,
  test,
  status: 'skip',
  isTotal: true,
  asserts: [
    {
      name: metric,
      kind: 'exec',
      originalType: 'total',
      passed: null,
      status: 'skipped',
      score: value,
      ...(range !== undefined && { range }),
      ...(lowerIsBetter !== undefined && { lowerIsBetter }),
    },
  ],
  ...(raw && { raw }),
})
