import type { RunDetail } from '../../queries/runs/run-detail.ts'
import { formatCount } from '../text/format.ts'

type Plan = NonNullable<RunDetail['plan']>

/** Whether the plan of a run stood before the run, and how often the plan was tried. */
export const planWords = ({ state, attempt, attempts }: Plan): string =>
  `Registered ${state === 'before' ? 'before the run' : 'after the run had started'}, attempt ${formatCount(attempt)} of ${formatCount(attempts)}`

/** What became of the plan; empty where the plan says nothing about it. */
export const planOutcomes = ({
  met,
  complete,
}: Plan): ReadonlyArray<{ readonly words: string; readonly isBad: boolean }> => [
  ...(met === null ? [] : [{ words: met ? 'threshold met' : 'threshold not met', isBad: !met }]),
  ...(complete === null
    ? []
    : [{ words: complete ? 'all planned cases' : 'not the planned number of cases', isBad: !complete }]),
]
