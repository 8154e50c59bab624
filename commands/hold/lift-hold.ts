import { findHold } from '../../queries/runs/holds.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { holdLifted } from './events.ts'

/** Lifts a legal hold. Other holds on the same runs still stand. Refuses: not_found, conflict (lifted before). */
export const liftHold = (
  viewer: Viewer,
  { hold_id, reference }: { readonly hold_id: string; readonly reference: string },
) =>
  command(viewer, {
    facts: { hold: findHold(hold_id) },

    decide({ hold }) {
      if (!hold) throw new Refused('not_found', 'hold not found')
      if (hold.lifted_at !== null) throw new Refused('conflict', 'this hold was lifted before')
      return [holdLifted({ hold_id, reference })]
    },
  })
