import { findEventType } from '../commands/events.ts'
import type { Recorded } from '../storage/command.ts'
import type { Statement } from '../storage/storage.ts'
import { access } from './access.ts'
import { accounts } from './accounts.ts'
import { annotations } from './annotations.ts'
import { badgeKeys } from './badge-keys.ts'
import { baselines } from './baselines.ts'
import { cases } from './cases.ts'
import { comments } from './comments.ts'
import { evidence } from './evidence.ts'
import { holds } from './holds.ts'
import { links } from './links.ts'
import { judges } from './judges.ts'
import { logKeys } from './log-keys.ts'
import { matrix } from './matrix.ts'
import { outlines } from './outlines.ts'
import { plans } from './plans.ts'
import type { Projection } from './projection.ts'
import { providers } from './providers.ts'
import { reviews } from './reviews.ts'
import { rubrics } from './rubrics.ts'
import { runs } from './runs.ts'
import { search } from './search.ts'
import { sets } from './sets.ts'
import { suiteSettings } from './suite-settings.ts'
import { webhooks } from './webhooks.ts'

/** Every read model, in the order in which they receive an event. */
export const projections: readonly Projection[] = [
  runs,
  providers,
  cases,
  matrix,
  sets,
  outlines,
  judges,
  evidence,
  annotations,
  comments,
  baselines,
  badgeKeys,
  access,
  accounts,
  links,
  logKeys,
  holds,
  plans,
  rubrics,
  reviews,
  suiteSettings,
  webhooks,
  search,
]

/** Every table of the read models. */
export const readTables: readonly string[] = projections.flatMap(({ tables }) => tables)

/** Yields the statements of one event for read models (default: all). Throws for an unknown type: a newer build wrote it. */
export function* project(recorded: Recorded, models = projections): Generator<Statement> {
  if (!findEventType(recorded.type))
    throw new Error(`event ${recorded.seq} is of the unknown type ${recorded.type}: a newer build wrote it`)
  for (const { apply } of models) yield* apply(recorded)
}

/** Yields the statements of the upload of a run that is deleted later, for the read models that need no document. */
export function* projectDeletedRun(ingested: Recorded, models = projections): Generator<Statement> {
  for (const { apply, readsNoDocument } of models) if (readsNoDocument) yield* apply(ingested)
}
