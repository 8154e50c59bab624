import type { PlannedText } from '../plan-texts.ts'
import { streamOf } from '../../../storage/log/event.ts'

/**
 * A record as the rules see it: its body, or what an erasure keeps of it. `stream` is null if that is only the attempt of
 * an upload.
 */
export type Followed = {
  readonly seq: number
  readonly type: string
  readonly stream: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** An erasure of one record that keeps its stream and data. */
export type FollowedErasure = {
  readonly by: number
  readonly stream: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The types of records that the rules follow. */
export const RULED_TYPES = ['HoldPlaced', 'HoldLifted', 'PlanRegistered', 'PlanRevealed', 'PlanWithdrawn'] as const

type Hold = {
  readonly id: string
  readonly seq: number
  readonly project: unknown
  readonly suite: unknown
  readonly stream: string | null
}
type Plan = {
  readonly project: unknown
  readonly suite: unknown
  readonly seq: number
  readonly sha256: string
  /** The length of its text; null until the text is known. */
  bytes: number | null
  withdrawn: number | null
  attempts: number
}

/** Follows the records in order, and notices what the rules of the service forbid. */
export type Rules = {
  /** Describes how the record breaks a rule, or returns null. */
  readonly follow: (record: Followed) => string | null
  /** Describes the erasure of a record that was under a legal hold, or returns null. */
  readonly followErasure: (erasure: FollowedErasure) => string | null
  /** The streams of runs that a standing hold names, with the first such hold. */
  readonly heldStreams: () => ReadonlyMap<string, Pick<Hold, 'id' | 'seq'>>
  /** The texts that are known, by their plans. */
  readonly plannedTexts: () => ReadonlyMap<string, PlannedText>
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

const planBytes = ({ plan_bytes }: Followed['data']): number | null =>
  typeof plan_bytes === 'number' ? plan_bytes : null

/** Starts without records. */
export const rulesOfLog = (): Rules => {
  const holds = new Map<string, Hold>()
  const plans = new Map<string, Plan>()

  const covering = (stream: string, data: Followed['data']): Hold | undefined =>
    [...holds.values()].find((hold) =>
      hold.stream === null
        ? hold.project === data['project'] && (hold.suite === null || hold.suite === data['suite'])
        : hold.stream === stream,
    )

  const followRun = ({ seq, stream, data }: Followed): string | null => {
    const id = textOrEmpty(data['plan_id'])
    if (id === '') return null
    const plan = plans.get(id)
    const run = `record ${seq} (${stream ?? 'an erased upload'}) follows the plan ${id}`
    if (!plan) return `${run}, which was not registered before it`
    const isElsewhere = plan.project !== data['project'] || plan.suite !== data['suite']
    if (stream !== null && isElsewhere) return `${run}, which is of another suite`
    if (plan.withdrawn !== null) return `${run}, which record ${plan.withdrawn} had withdrawn`
    plan.attempts++
    return data['attempt'] === plan.attempts
      ? null
      : `${run} as attempt ${String(data['attempt'])}, but it is attempt ${plan.attempts}`
  }

  return {
    follow: (record) => {
      const { seq, type, stream, data } = record
      if (type === 'HoldPlaced')
        holds.set(textOrEmpty(data['hold_id']), {
          id: textOrEmpty(data['hold_id']),
          seq,
          project: data['project'],
          suite: data['suite'],
          stream: data['run_id'] === null ? null : streamOf('run', textOrEmpty(data['run_id'])),
        })
      if (type === 'HoldLifted') holds.delete(textOrEmpty(data['hold_id']))
      if (type === 'PlanRegistered')
        plans.set(textOrEmpty(data['plan_id']), {
          project: data['project'],
          suite: data['suite'],
          seq,
          sha256: textOrEmpty(data['plan_sha256']),
          bytes: planBytes(data),
          withdrawn: null,
          attempts: 0,
        })
      const revealed = type === 'PlanRevealed' ? plans.get(textOrEmpty(data['plan_id'])) : undefined
      if (revealed) revealed.bytes = planBytes(data)
      const withdrawn = type === 'PlanWithdrawn' ? plans.get(textOrEmpty(data['plan_id'])) : undefined
      if (withdrawn) withdrawn.withdrawn = seq
      if (type === 'RunIngested') return followRun(record)
      const hold = type === 'RunDeleted' && stream !== null ? covering(stream, data) : undefined
      return hold ? `record ${seq} deletes ${stream ?? ''}, which was under legal hold ${hold.id}` : null
    },
    followErasure: ({ by, stream, data }) => {
      const hold = stream.startsWith('run/') ? covering(stream, data) : undefined
      return hold ? `record ${by} erases a record of ${stream}, which was under legal hold ${hold.id}` : null
    },
    heldStreams: () =>
      // Of several holds on one run the first stays.
      new Map([...holds.values()].toReversed().flatMap((hold) => (hold.stream === null ? [] : [[hold.stream, hold]]))),
    plannedTexts: () =>
      new Map(
        [...plans].flatMap(([id, { seq, sha256, bytes }]) => (bytes === null ? [] : [[id, { seq, sha256, bytes }]])),
      ),
  }
}
