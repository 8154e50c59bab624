import type { EventErased } from '../commands/erasure/events.ts'
import type { PlanRegistered } from '../commands/plan/events.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

type Followed = NonNullable<EventErased['data']['followed']>

const planRun = (seq: number, { attempt, plan_id }: Followed, run_no: number | null): Statement =>
  insertRows('plan_runs', ['seq', 'plan_id', 'attempt', 'run_no'], [[seq, plan_id, attempt, run_no]])

/**
 * Registered plans, and the runs that followed them. A deleted run stays: the number of attempts must not shrink. So a
 * replay passes uploads of deleted runs too, without their documents, and the erasure of an upload keeps the attempt.
 */
export const plans = projection(
  { name: 'plans', version: 1, tables: ['plans', 'plan_runs'], readsNoDocument: true },
  {
    RunIngested: ({ seq, data: { plan_id = null, attempt = null, run_no } }) =>
      plan_id === null || attempt === null ? [] : [planRun(seq, { attempt, plan_id }, run_no)],
    PlanRegistered: ({ seq, recorded_at, actor, data }) => [
      statement`
        INSERT INTO plans (plan_id, project, suite, plan_sha256, plan_bytes, config_digest, metric, comparator, threshold, case_count,
          registered_at, registered_by, registered_seq, revealed_at, withdrawn_at)
        VALUES (${data.plan_id}, ${data.project}, ${data.suite}, ${data.plan_sha256}, ${data.plan_bytes}, ${data.config_digest}, ${data.metric},
          ${data.comparator}, ${data.threshold}, ${data.case_count}, ${recorded_at}, ${actor.user_id ?? actor.credential_id}, ${seq}, NULL, NULL)`,
    ],
    PlanRevealed: ({ recorded_at, data: { plan_id, plan_bytes } }) => [
      statement`UPDATE plans SET revealed_at = ${recorded_at}, plan_bytes = ${plan_bytes} WHERE plan_id = ${plan_id}`,
    ],
    PlanWithdrawn: ({ recorded_at, data: { plan_id } }) => [
      statement`UPDATE plans SET withdrawn_at = ${recorded_at} WHERE plan_id = ${plan_id}`,
    ],
    EventErased: (recorded) => {
      const { seq, followed, kept } = recorded.data
      // Of a run that is gone only the number of the attempt stays.
      if (kept === null)
        return [
          statement`DELETE FROM plan_runs WHERE seq = ${seq}`,
          ...(followed ? [planRun(seq, followed, null)] : []),
        ]
      if (attachedRecord(recorded).type !== 'PlanRegistered') return []
      const { plan_id } = kept.data as PlanRegistered['data']
      return [statement`UPDATE plans SET registered_by = NULL WHERE plan_id = ${plan_id}`]
    },
  },
)
