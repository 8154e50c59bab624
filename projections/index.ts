import type { DomainEvent } from '../commands/index.ts'
import type { Recorded } from '../storage/command.ts'
import type { Statement } from '../storage/storage.ts'
import { access } from './access.ts'
import { accounts } from './accounts.ts'
import { baselines } from './baselines.ts'
import { cases } from './cases.ts'
import { matrix } from './matrix.ts'
import type { Projection } from './projection.ts'
import { runs } from './runs.ts'
import { search } from './search.ts'
import { sets } from './sets.ts'

/** Every read model, in the order in which an event passes them. */
export const projections: readonly Projection[] = [runs, cases, matrix, sets, baselines, access, accounts, search]

/** Every table of the read models. */
export const readTables: readonly string[] = projections.flatMap(({ tables }) => tables)

/** Types that no read model shows: they are there for the audit trail. */
const UNPROJECTED = [
  'Started',
  'ProjectionRebuilt',
  'CachePruned',
  'CacheEntryDeleted',
] as const satisfies ReadonlyArray<DomainEvent['type']>

const KNOWN: ReadonlySet<string> = new Set([...projections.flatMap(({ types }) => types), ...UNPROJECTED])

/** The statements one event brings to all read models. An unknown type stops: a newer build wrote it. */
export function* project(recorded: Recorded): Generator<Statement> {
  if (!KNOWN.has(recorded.type))
    throw new Error(`event ${recorded.seq} is of the unknown type ${recorded.type}: a newer build wrote it`)
  for (const { apply } of projections) yield* apply(recorded)
}
