import { unlessBeingBuilt } from '../../../queries/reviews/judges.ts'
import { findHoldsOfRun, type HeldRun } from '../../../queries/runs/holds.ts'
import type { CachedRequest } from '../../answers/cached-routes.ts'
import type { IdPath } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** Returns what finds the set and the holds of a run, for a cached route. */
export const findHeldRun =
  (reader: Services['reader']) =>
  ({ viewer, params }: CachedRequest<IdPath>): Promise<HeldRun | null> =>
    reader.read(findHoldsOfRun(viewer, params.id, 'any'))

/** Returns what finds the set of a run, its holds and whether it has judges. */
export const findJudgedRun =
  (reader: Services['reader']) =>
  (request: CachedRequest<IdPath>): Promise<HeldRun | null> =>
    unlessBeingBuilt(reader.read(findHoldsOfRun(request.viewer, request.params.id, 'judged')), () =>
      findHeldRun(reader)(request),
    )
