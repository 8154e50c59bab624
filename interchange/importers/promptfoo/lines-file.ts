import { newLosses } from '../../document/losses.ts'
import type { Losses } from '../../document/losses.ts'
import { sha256OfStream } from '../../document/identity.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { parseWhole } from '../../read/inner-json.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json-elements.ts'
import { splitLines } from '../../read/lines.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { runOf } from './evaluation.ts'
import type { EvaluationRow } from './evaluation.ts'
import { headOf } from './head.ts'

const PATH = '*'

/** Reads JSON lines: one row a line, without anything of the evaluation, not even its id. */
export const linesFile = async function* ({ file }: Source): AsyncGenerator<SourceRun> {
  const stamp = await sha256OfStream(file.bytes())
  yield runOf({
    part: null,
    identity: stamp,
    stamp,
    timeMs: null,
    path: PATH,
    rows: (losses) => rowsOf(file, losses),
    testRows: () => rowsOf(file, newLosses()),
    config: () => null,
    head: (losses, promptTexts) => headOf(rowOf({}, ''), losses, promptTexts),
  })
}

/** A last line that is not whole is left out, and recorded. */
const rowsOf = async function* (file: SourceFile, losses: Losses): AsyncGenerator<EvaluationRow> {
  let count = 0
  let failed: { readonly error: SourceRefused; readonly bytes: number } | null = null
  for await (const { line, bytes } of splitLines(file.bytes(), MAX_ELEMENT_BYTES)) {
    if (failed !== null) throw failed.error
    if (bytes === null) throw new SourceRefused(`line ${line} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    try {
      const row = parseWhole(bytes, losses, PATH)
      if (!isObject(row)) throw new SourceRefused(`line ${line} is no object`)
      count += 1
      yield row
    } catch (error) {
      if (!(error instanceof SourceRefused)) throw error
      failed = { error: new SourceRefused(`line ${line}: ${error.message}`, { cause: error }), bytes: bytes.length }
    }
  }
  if (failed !== null) losses.addBytes('cut', '(last line)', failed.bytes, `cut off after ${count} rows`)
}
