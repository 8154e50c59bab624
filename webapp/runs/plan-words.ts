import type { RunDetail } from '../../queries/runs/run-detail.ts'
import { formatCount } from '../text/format.ts'

type Plan = NonNullable<RunDetail['plan']>

/** What is shown about the order of plan and run: only uploads have a place in the log, the dates of a run are its own. */
export const planOrder = ({ state }: Plan): string =>
  state === 'before' ? 'before the upload' : 'before the upload, but by its own dates the run began before the plan'

/** How often the plan was tried. */
export const planAttempt = ({ attempt, attempts }: Plan): string =>
  `attempt ${formatCount(attempt)} of ${formatCount(attempts)}`

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
