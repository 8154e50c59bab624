import { projections } from '../../projections/index.ts'
import { modelTables } from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import { ask, type Steps } from '../../storage/commit/steps.ts'
import { listRecordsOf } from '../../storage/log/records.ts'
import { findUnfinishedRebuild, isSameLog } from '../rebuild/progress.ts'

/** New tables of read models that are being built. They contain the log up to a position. */
export type BuiltTables = { readonly tables: readonly string[]; readonly position: number }

type Versions = ReadonlyArray<readonly [name: string, version: number]>
type Parts = {
  readonly planOf: (tables: readonly string[], versions: Versions) => Steps<string>
  readonly hasTables: (tables: readonly string[]) => Steps<boolean>
}

/** Whether a run was deleted after a position: then new tables may contain it, but a replay leaves it out. */
function* isRunDeletedAfter(position: number): Steps<boolean> {
  return (yield* ask(listRecordsOf('RunDeleted', position, 1))).length > 0
}

/** Finds the tables of an unfinished build that can be compared with a replay: a build of this version, from this log. */
export function* findBuiltTables({ planOf, hasTables }: Parts): Steps<BuiltTables | null> {
  const unfinished = yield* ask(findUnfinishedRebuild)
  if (!unfinished) return null
  const { position } = unfinished
  const names = JSON.parse(unfinished.models ?? '[]') as string[]
  const models: readonly Projection[] = projections.filter(({ name }) => names.includes(name))
  const all = modelTables(models)
  const isUsable =
    position > 0 &&
    unfinished.plan ===
      (yield* planOf(
        all,
        models.map(({ name, version }) => [name, version]),
      )) &&
    (yield* isSameLog(unfinished)) &&
    (yield* hasTables(all)) &&
    !(yield* isRunDeletedAfter(position))
  if (!isUsable) return null
  // Sessions that an erased sign-in ended are removed only at the end of the log.
  return { tables: all.filter((table) => table !== 'sessions'), position }
}
