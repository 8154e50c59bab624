import type { Json } from '../../../domain/run/readers.ts'
import { sha256 } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { readTime } from '../../document/time/times.ts'
import { isObject } from '../../read/row.ts'
import type { RowReader, RowSource } from './database-rows.ts'
import type { DatabaseFacts } from './head.ts'
import { type Database, type SqlRow, type SqlValue, columnJson } from '../../read/sqlite.ts'

/** An evaluation of the database, without its rows. */
export type StoredEvaluation = {
  readonly id: string
  /** Of the number of rows, their newest change, and what can be edited of the evaluation. */
  readonly stamp: string
  readonly createdAtMs: number | null
  /** The evaluation in the shape of the JSON output. */
  readonly top: Record<string, Json>
  readonly tags: DatabaseFacts['tags']
  readonly isRedTeam: boolean
  readonly source: RowSource
  /** What the database has of it and the run has not. */
  readonly leftOut: ReadonlyArray<{ readonly table: string; readonly note: string }>
}

/** Members of the JSON output by their columns in `evals`. */
const TEXTS = [
  ['description', 'description'],
  ['author', 'author'],
] as const
const JSONS = [
  ['config', 'config'],
  ['prompts', 'prompts'],
  ['vars', 'vars'],
  ['runtime_options', 'runtimeOptions'],
] as const

/** Tables with parts of an evaluation that no run has. */
const LEFT_OUT = [
  ['traces', 'evaluation_id', 'traces with their spans'],
  ['blob_references', 'eval_id', 'images, sounds and files of outputs'],
  ['evals_to_datasets', 'eval_id', 'datasets, whose tests are those of the cases'],
] as const

type Tables = ReadonlyMap<string, readonly string[]>

/** Reads evaluations by their ids. */
export const evaluationReader = (database: Database, tables: Tables, rows: RowReader) => {
  const columns = new Set(tables.get('evals'))
  const known = [...TEXTS, ...JSONS].map(([column]) => column).filter((column) => columns.has(column))
  const isRedTeam = columns.has('is_redteam') ? 'is_redteam' : '0'
  const selected = database.prepare<[string], SqlRow>(`
    SELECT ${['created_at', ...known].join(', ')}, ${isRedTeam} AS is_redteam,
      iif(json_valid(results), json_remove(results, '$.results', '$.table'), results) AS results
    FROM evals WHERE id = ?`)
  const hasTags = tables.has('tags') && tables.has('evals_to_tags')
  const audits = tables.has('model_audits') ? rowCount(database, 'SELECT count(*) AS count FROM model_audits') : 0

  return {
    ids: (): readonly string[] =>
      database
        .prepare<[], { id: string }>(`SELECT id FROM evals WHERE typeof(id) = 'text' AND id <> '' ORDER BY id`)
        .all()
        .map(({ id }) => id),

    /** Null if it is not there any more. */
    read: (id: string): StoredEvaluation | null => {
      const row = selected.get(id)
      if (row === undefined) return null
      const source = rows.sourceOf(id)
      const leftOut: Array<{ table: string; note: string }> = LEFT_OUT.flatMap(([table, column, note]) => {
        if (!tables.get(table)?.includes(column)) return []
        const count = rowCount(database, `SELECT count(*) AS count FROM ${table} WHERE ${column} = ?`, id)
        return count > 0 ? [{ table, note: `${count} ${note}` }] : []
      })
      if (audits > 0)
        leftOut.push({ table: 'model_audits', note: `${audits} audits of models, which are no evaluations` })
      const tags = hasTags ? storedTags(database, id) : []
      const { created_at = null } = row
      return {
        id,
        stamp: sha256(
          JSON.stringify([source.count, source.newest, ...known.map((column) => row[column]), row['results'], tags]),
        ),
        createdAtMs: timeIn(created_at),
        top: evaluationTop(id, row),
        tags,
        isRedTeam: row['is_redteam'] === 1,
        source,
        leftOut,
      }
    },
  }
}

const rowCount = (database: Database, sql: string, ...parameters: string[]): number =>
  database.prepare<string[], { count: number }>(sql).get(...parameters)?.count ?? 0

const storedTags = (database: Database, id: string) =>
  database
    .prepare<[string], { name: SqlValue; value: SqlValue }>(
      `SELECT t.name, t.value FROM evals_to_tags e JOIN tags t ON t.id = e.tag_id WHERE e.eval_id = ? ORDER BY t.name, t.value`,
    )
    .all(id)
    .map(({ name, value }) => [String(name), String(value)] as const)

/** The evaluation as the JSON output has it: the totals of `evals.results` are the members `stats`, or old results. */
const evaluationTop = (id: string, row: SqlRow): Record<string, Json> => {
  const top: Record<string, Json> = { evalId: id }
  for (const [column, member] of TEXTS) if (typeof row[column] === 'string') top[member] = row[column]
  for (const [column, member] of JSONS) {
    const value = columnJson(row[column], newLosses(), `evals.*.${column}`)
    if (value !== null) top[member] = value
  }
  const results = columnJson(row['results'], newLosses(), 'evals.*.results')
  if (isObject(results)) top['results'] = 'version' in results ? results : { stats: results }
  else if (results !== null) top['results'] = results
  return top
}

/** `created_at` is epoch ms; the default of the column is a text in UTC. */
const timeIn = (value: SqlValue): number | null => {
  if (typeof value === 'number') return value
  const time = typeof value === 'string' ? readTime(value) : null
  return time === null ? null : Date.parse(time)
}
