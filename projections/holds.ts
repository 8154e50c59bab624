import type { HoldEvent } from '../commands/hold/events.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/** Legal holds, standing and lifted. */
export const holds = projection(
  { name: 'holds', version: 1, tables: ['holds'] },
  {
    HoldPlaced: ({ recorded_at, actor, data: { hold_id, project, suite, run_id, reference } }) => [
      statement`
        INSERT INTO holds (hold_id, project, suite, run_id, reference, placed_at, placed_by, lifted_at, lifted_by)
        VALUES (${hold_id}, ${project}, ${suite}, ${run_id}, ${reference}, ${recorded_at}, ${actor.user_id ?? actor.credential_id}, NULL, NULL)`,
    ],
    HoldLifted: ({ recorded_at, actor, data: { hold_id } }) => [
      statement`
        UPDATE holds SET lifted_at = ${recorded_at}, lifted_by = ${actor.user_id ?? actor.credential_id}
        WHERE hold_id = ${hold_id}`,
    ],
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null) return []
      const { hold_id } = kept.data as HoldEvent['data']
      switch (attachedRecord(recorded).type) {
        case 'HoldPlaced':
          return [statement`UPDATE holds SET placed_by = NULL WHERE hold_id = ${hold_id}`]
        case 'HoldLifted':
          return [statement`UPDATE holds SET lifted_by = NULL WHERE hold_id = ${hold_id}`]
        default:
          return []
      }
    },
  },
)
