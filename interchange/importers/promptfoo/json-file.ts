import { createHash } from 'node:crypto'
import type { Json } from '../../../domain/run/readers.ts'
import { newLosses, NO_LOSSES, type Losses } from '../../document/losses.ts'
import { jsonElements, type JsonShape } from '../../read/json/json-elements.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { promptfooRun } from './evaluation.ts'
import type { EvaluationRow } from './tests.ts'
import { promptfooHead } from './head.ts'
import { resultOf, storedTraces } from './traces.ts'
import { textAt, requireObject } from '../../read/members.ts'

/** Where the rows are: nested in versions 2 and 3, at the top in versions 1 and 4. */
const SHAPE: JsonShape = {
  arrays: [['results', 'results'], ['results']],
  // The same rows again, for a table on a page, and the spans of traces.
  unread: [['results', 'table'], ['table'], ['results', 'traces'], ['traces']],
}
/** The same, with the traces as elements. */
const SHAPE_WITH_TRACES: JsonShape = {
  arrays: [...SHAPE.arrays, ['results', 'traces'], ['traces']],
  unread: [['results', 'table'], ['table']],
}
const ROWS: ReadonlySet<string> = new Set(['results', 'results.results'])
const PATH = 'results.results.*'

/** Reads a file of one evaluation. Its identity is the id of the evaluation, else the hash of the file. */
export const jsonFile = async function* ({ file, look }: Source, hasEvidence: boolean): AsyncGenerator<SourceRun> {
  let top: Json = null
  using store = hasEvidence ? openRowStore() : null
  const hasTraces = store !== null && (await readTraces(file, store))
  const shape = hasTraces ? SHAPE_WITH_TRACES : SHAPE
  const rows = async function* (losses: Losses, chunks = file.bytes()): AsyncGenerator<EvaluationRow> {
    for await (const { array, value } of jsonElements(chunks, shape, losses, (rest) => (top = rest))) {
      if (!ROWS.has(array)) continue
      if (isObject(value)) yield value
      else losses.add('left_out', PATH, value, 'not an object')
    }
  }
  const shown = textAt(look.head, 'evalId')
  const { identity, stamp } = shown ? { identity: shown, stamp: null } : await promptfooIdentity(file, rows, () => top)
  yield promptfooRun({
    identity,
    // Null: hashed only if the target has the run, or the run is converted.
    stamp,
    path: PATH,
    hasEvidence,
    traces: hasTraces ? storedTraces(store) : null,
    rows: (losses) => rows(losses),
    testRows: () => rows(newLosses()),
    config: () => (isObject(top) ? (top['config'] ?? null) : null),
    head: (losses, promptTexts) => promptfooHead(rowOf(requireObject(top), ''), losses, promptTexts),
  })
}

/** Puts the traces of a file into a store, by their results. Returns false if it has none, or if they cannot be read. */
const readTraces = async (file: SourceFile, store: RowStore): Promise<boolean> => {
  let count = 0
  try {
    for await (const { array, value } of jsonElements(file.bytes(), SHAPE_WITH_TRACES, NO_LOSSES))
      if (!ROWS.has(array)) store.add(isObject(value) ? resultOf(value) : '(none)', '', ++count, JSON.stringify(value))
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    return false
  }
  return count > 0
}

type ReadRows = (losses: Losses, chunks: AsyncIterable<Uint8Array>) => AsyncIterable<EvaluationRow>

/** Reads the whole file for its id, which is not at its beginning, and for its hash. */
const promptfooIdentity = async (file: SourceFile, rows: ReadRows, top: () => Json) => {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const chunk of file.bytes()) {
      hash.update(chunk)
      yield chunk
    }
  }
  for await (const _ of rows(newLosses(), hashed()));
  const stamp = hash.digest('hex')
  return { identity: textAt(top(), 'evalId') ?? stamp, stamp }
}
