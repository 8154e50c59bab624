import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, JUDGES } from '../tags.ts'

/** Stream `judge/<project>/<suite>`: whether the programs and embeddings of a metric count as its judge. */
export type JudgeDeclared = NewEvent<
  'JudgeDeclared',
  { readonly is_judge: boolean; readonly metric: string; readonly project: string; readonly suite: string }
>

export const JUDGE_EVENTS = {
  JudgeDeclared: {
    tags: ({ data }) => [invalidatedSet(JUDGES, data)],
    change: 'baseline',
    erasure: 'facts',
    digests: false,
    projections: ['judges'],
  },
} as const satisfies EventTypes<JudgeDeclared>

export const judgeDeclared = (data: JudgeDeclared['data']): JudgeDeclared =>
  event(streamOf('judge', data.project, data.suite), 'JudgeDeclared', data)
