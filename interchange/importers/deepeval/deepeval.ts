import type { Json } from '../../../domain/run/readers.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { jsonElements, type JsonShape, jsonRows } from '../../read/json/json-elements.ts'
import type { Look } from '../../read/look.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { Claim, Importer, Source, SourceRun } from '../importer.ts'
import { testCase } from './cases.ts'
import { CASE_LISTS, newContentHash } from './content-hash.ts'
import { deepEvalHead, deepEvalProvider } from './head.ts'
import { requireObject } from '../../read/members.ts'

/** The member of the file of the latest run, which has the run in it. */
const WRAPPER = 'testRunData'
const SHAPE: JsonShape = { arrays: CASE_LISTS.flatMap((key) => [[key], [WRAPPER, key]]) }

const detect = ({ kind, head, tables }: Look): Claim | null => {
  if (kind === 'sqlite') {
    const isStore = tables.has('metric_data') && (tables.get('test_runs') ?? []).includes('payload_json')
    return isStore ? { reason: 'tables test_runs, metric_data' } : null
  }
  if (kind !== 'json' || !isObject(head)) return null
  const run = isObject(head[WRAPPER]) ? head[WRAPPER] : head
  if (isRun(run)) return { reason: 'testCases' }
  const isLink = Object.keys(head).length === 1 && typeof head['testRunLink'] === 'string'
  return isLink ? { reason: 'testRunLink', refused: 'a link to a run, which holds no test cases' } : null
}

/** The totals follow the cases, and may be after the part that was read. */
const isRun = (run: Readonly<Record<string, Json>>): boolean => {
  const cases = CASE_LISTS.flatMap((key) => (Array.isArray(run[key]) ? (run[key] as Json[]) : []))
  if (!CASE_LISTS.some((key) => Array.isArray(run[key]))) return false
  const [first] = cases
  return (
    'metricsScores' in run ||
    (isObject(first) && 'name' in first && ('input' in first || 'turns' in first || 'success' in first))
  )
}

const jsonFile = async function* ({ file }: Source): AsyncGenerator<SourceRun> {
  const hash = newContentHash()
  let rest: Json = null
  for await (const { value } of jsonElements(file.bytes(), SHAPE, newLosses(), (skeleton) => (rest = skeleton)))
    hash.add(value)
  const top = requireObject(rest)
  const { [WRAPPER]: wrapped, ...around } = top
  const run = isObject(wrapped) ? wrapped : top
  const provider = deepEvalProvider(run)
  yield {
    identity: hash.end(run),
    cases: async function* (losses: Losses) {
      for await (const row of jsonRows(file.bytes(), SHAPE, losses)) yield testCase(row, provider, losses)
    },
    head: () => {
      const head = deepEvalHead(rowOf(structuredClone(run), ''), null)
      return run === top ? head : { ...head, rest: { ...head.rest, ...around } }
    },
  }
}

/** Reads test runs of DeepEval: its JSON, and its database. */
export const deepeval: Importer = {
  format: 'deepeval',
  converter: 2,
  reads: 'a test run of DeepEval as JSON, or its database deepeval.db',
  detect,
  open: async function* (source) {
    if (source.look.kind === 'sqlite') yield* (await import('./database.ts')).storedRuns(source)
    else yield* jsonFile(source)
  },
}
