import type { RunSet } from '../../../domain/sets.ts'
import { findHoldsOfRun } from '../../../queries/runs/holds.ts'
import type { CachedRequest } from '../../answers/cached-routes.ts'
import type { IdPath } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** The set of a run, and the holds that it is under. */
export type HeldRun = RunSet & { readonly holds: readonly string[] }

/** Returns what finds the set and the holds of a run, for a cached route. */
export const findHeldRun =
  (reader: Services['reader']) =>
  ({ viewer, params }: CachedRequest<IdPath>): Promise<HeldRun | null> =>
    reader.read(findHoldsOfRun(viewer, params.id))
