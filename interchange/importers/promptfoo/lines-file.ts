import { newLosses, type Losses } from '../../document/losses.ts'
import { sha256OfStream } from '../../document/identity.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { promptfooRun } from './evaluation.ts'
import type { EvaluationRow } from './tests.ts'
import { promptfooHead } from './head.ts'

const PATH = '*'

/** Reads JSON lines: one row a line, without anything of the evaluation, not even its id. */
export const linesFile = async function* ({ file }: Source, hasEvidence: boolean): AsyncGenerator<SourceRun> {
  const stamp = await sha256OfStream(file.bytes())
  yield promptfooRun({
    identity: stamp,
    stamp,
    path: PATH,
    hasEvidence,
    rows: (losses) => promptfooRows(file, losses),
    testRows: () => promptfooRows(file, newLosses()),
    config: () => null,
    head: (losses, promptTexts) => promptfooHead(rowOf({}, ''), losses, promptTexts),
  })
}

const promptfooRows = async function* (file: SourceFile, losses: Losses): AsyncGenerator<EvaluationRow> {
  for await (const { value } of objectLines(file.bytes(), losses, 'row')) yield value
}
