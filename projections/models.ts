import { EVENTS } from '../commands/events.ts'
import type { Recorded } from '../storage/command.ts'
import { Superseded } from '../storage/errors.ts'
import { TREE } from '../storage/log/nodes.ts'
import { modelState, type ModelState } from '../storage/missing-tables.ts'
import { any, sql, statement } from '../storage/sql.ts'
import type { Query, Statement } from '../storage/storage.ts'
import { z } from 'zod'
import { project, projections } from './index.ts'
import type { Projection } from './projection.ts'

// Which read models have tables that this build can use, and which must be built.

const Stored = z.object({ name: z.string(), version: z.number() })
export type StoredModel = z.infer<typeof Stored>

/** Lists the read models with the version that wrote their tables, and the tree of the log. */
export const listReadModels: Query<StoredModel[]> = any(sql.type(Stored)`SELECT name, version FROM projections`)

const inState = (stored: readonly StoredModel[], isWanted: (state: ModelState) => boolean): Projection[] => {
  const versions = new Map(stored.map(({ name, version }) => [name, version]))
  return projections.filter((model) => isWanted(modelState(model, versions.get(model.name) ?? null)))
}

/** The read models whose tables this build must build: an earlier version wrote them, or they are missing. */
export const outdatedModels = (stored: readonly StoredModel[]): Projection[] =>
  inState(stored, (state) => state !== 'current')

/** The read models without tables that this build can read. It writes no rows of them: a build does that. */
export const missingModels = (stored: readonly StoredModel[]): Projection[] =>
  inState(stored, (state) => state === 'missing')

/** Returns the read models, or the tree of the log, that a newer build wrote: this build must not write to them. */
export const newerProjections = (stored: readonly StoredModel[]): string[] => {
  const versions = new Map<string, number>([TREE, ...projections].map(({ name, version }) => [name, version]))
  return stored.filter(({ name, version }) => version > (versions.get(name) ?? -1)).map(({ name }) => name)
}

/**
 * The statements for one event, of the read models that have tables. Throws `Superseded` if the tables are of a newer
 * build, because this build would not update them.
 */
export const projectFor = (stored: readonly StoredModel[]): ((recorded: Recorded) => Iterable<Statement>) => {
  const [name] = newerProjections(stored)
  if (name !== undefined) {
    const [ours, theirs] = [[TREE, ...projections], stored].map((all) => all.find((model) => model.name === name))
    throw new Superseded(
      `the read model ${name} is of version ${theirs?.version} in the database, and this build writes ${ours ? `version ${ours.version}` : 'none'}`,
    )
  }
  const missing = missingModels(stored)
  const written = projections.filter((model) => !missing.includes(model))
  return (recorded) => project(recorded, written)
}

/**
 * Adds the read models that must be built together with the given ones: those that they read, and those that read them.
 * In the order in which they receive an event.
 */
export const withRelated = (models: readonly Projection[]): Projection[] => {
  const names = new Set(models.map(({ name }) => name))
  const isRelated = ({ name, reads = [] }: Projection): boolean =>
    names.has(name) ||
    reads.some((read) => names.has(read)) ||
    projections.some((other) => names.has(other.name) && other.reads?.includes(name))
  for (;;) {
    const related = projections.filter(isRelated)
    if (related.length === names.size) return related
    for (const { name } of related) names.add(name)
  }
}

/** Whether a replay into these read models reads the documents of runs. */
export const needDocuments = (models: readonly Projection[]): boolean => {
  const readers: readonly string[] = EVENTS.RunIngested.projections
  return models.some(({ name, readsNoDocument }) => readers.includes(name) && !readsNoDocument)
}

/** Every table of read models. */
export const modelTables = (models: readonly Projection[]): string[] => models.flatMap(({ tables }) => tables)

/**
 * Records for read models (default: all) that their tables contain the log up to a position, in the version of this
 * build. Removes the records of read models that this build does not have, but not that of the log's tree.
 */
export const markCurrent = (position: number, models = projections): Statement[] => [
  statement`DELETE FROM projections WHERE name NOT IN (${sql.join(
    [TREE, ...projections].map(({ name }) => name),
    sql.fragment`, `,
  )})`,
  ...models.map(
    ({ name, version }) => statement`
      INSERT INTO projections (name, version, position) VALUES (${name}, ${version}, ${position})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = excluded.position`,
  ),
]
