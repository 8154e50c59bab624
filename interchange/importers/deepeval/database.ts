import type { Json } from '../../../domain/run/readers.ts'
import { sha256 } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { readTime } from '../../document/time/times.ts'
import { parseWhole } from '../../read/json/inner-json.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import { isObject, rowOf } from '../../read/row.ts'
import { readDatabase } from '../../read/sqlite.ts'
import type { Source, SourceRun } from '../importer.ts'
import { testCase } from './cases.ts'
import { CASE_LISTS, newContentHash } from './content-hash.ts'
import { deepEvalHead, deepEvalProvider } from './head.ts'
import { requireObject } from '../../read/members.ts'

type Stored = {
  readonly id: number
  readonly created_at: string | number | null
  readonly uploaded_as: string | null
  readonly bytes: number
}

/**
 * Reads the database that DeepEval 4.3 writes with `DEEPEVAL_LOCAL_STORE=sqlite`: each row of `test_runs` has the whole run
 * as JSON. Its identity is the id under which it was uploaded, else the hash of its content.
 */
export const storedRuns = ({ file, look }: Source): AsyncIterable<SourceRun> =>
  readDatabase(file, ['test_runs'], function* (database) {
    const uploaded = look.tables.get('test_runs')?.includes('confident_test_run_id') ? 'confident_test_run_id' : 'NULL'
    const rows = database
      .prepare<[], Stored>(
        `SELECT id, created_at, ${uploaded} AS uploaded_as, octet_length(payload_json) AS bytes FROM test_runs ORDER BY id`,
      )
      .all()
    const payload = database.prepare<[number], { payload: string | Buffer | null }>(
      'SELECT payload_json AS payload FROM test_runs WHERE id = ?',
    )
    for (const row of rows) {
      const text = row.bytes > MAX_ELEMENT_BYTES ? null : (payload.get(row.id)?.payload ?? '')
      yield storedRun(row, text)
    }
  })

/** The hash of a run whose text cannot be read is that of the text: it is refused when its cases are read. */
const deepEvalIdentity = (text: string | Buffer | null, stamp: string): string => {
  const run = text === null ? null : runIn(text)
  if (run === null) return stamp
  const hash = newContentHash()
  for (const [, items] of caseLists(run)) for (const item of items) hash.add(item)
  return hash.end(run)
}

const runIn = (text: string | Buffer): Record<string, Json> | null => {
  try {
    const value = parseWhole(text, newLosses(), 'test_runs.*.payload_json')
    return isObject(value) ? value : null
  } catch (error) {
    if (error instanceof SourceRefused) return null
    throw error
  }
}

/** The lists of cases by their key, in the order of the text, in which a JSON file is read too. */
const caseLists = (run: Record<string, Json>): ReadonlyArray<readonly [string, readonly Json[]]> =>
  Object.entries(run).flatMap(([key, list]) =>
    CASE_LISTS.some((name) => name === key) && Array.isArray(list) ? [[key, list as readonly Json[]] as const] : [],
  )

/** `text` is null for a run that is too large to be read as a whole. */
const storedRun = ({ id, created_at, uploaded_as }: Stored, text: string | Buffer | null): SourceRun => {
  const stamp = sha256(text ?? `too large ${id}`)
  const time = typeof created_at === 'string' ? readTime(created_at) : null
  const run = (): Record<string, Json> => {
    if (text === null) throw new SourceRefused(`the run ${id} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    return requireObject(parseWhole(text, newLosses(), 'test_runs.*.payload_json'), `the run ${id}`)
  }
  return {
    part: String(id),
    identity: typeof uploaded_as === 'string' && uploaded_as !== '' ? uploaded_as : deepEvalIdentity(text, stamp),
    stamp,
    timeMs: time === null ? null : Date.parse(time),
    cases: async function* (losses) {
      const whole = run()
      const provider = deepEvalProvider(whole)
      for (const [key, items] of caseLists(whole))
        for (const value of items)
          if (isObject(value)) yield testCase(rowOf(value, `${key}.*`), provider, losses)
          else losses.add('left_out', `${key}.*`, value, 'not an object')
    },
    head: () => deepEvalHead(rowOf(run(), ''), time),
  }
}
