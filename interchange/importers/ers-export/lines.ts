import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { newLosses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import { splitLines } from '../../read/lines.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject } from '../../read/row.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import type { Source, SourceRun } from '../importer.ts'

/**
 * The run of a JSON Lines export. The export has all of a run document, so the run keeps its id, and is the same run in
 * another service.
 */
export const linesRun = async function* ({ file }: Source): AsyncGenerator<SourceRun> {
  const { run } = await firstLine(file.bytes())
  const { run_id } = run
  if (typeof run_id !== 'string') throw new SourceRefused('line 1: the run has no run_id')
  yield {
    identity: run_id,
    document: () => documentOf(file.bytes()),
    cases: noCases,
    head: () => ({}),
  }
}

/** A whole document is not asked for its cases. */
const noCases = async function* (): AsyncGenerator<CaseDraft> {}

type FirstLine = { readonly run: Record<string, Json>; readonly text: string }

const firstLine = async (chunks: AsyncIterable<Uint8Array>): Promise<FirstLine> => {
  for await (const { bytes } of splitLines(chunks, MAX_ELEMENT_BYTES)) return readFirstLine(bytes)
  throw new SourceRefused('holds no run')
}

/** The run of the first line, and its text: the digits of numbers stay as they are. */
const readFirstLine = (bytes: Uint8Array | null): FirstLine => {
  if (bytes === null) throw new SourceRefused(`line 1: larger than ${MAX_ELEMENT_BYTES} bytes`)
  const value = parseJson(bytes, newLosses(), 'line 1')
  const run = isObject(value) ? value['run'] : null
  const text = Buffer.from(bytes).toString('utf8').trim()
  const [start = ''] = /^\{\s*"run"\s*:\s*/.exec(text) ?? []
  if (!isObject(run) || start === '' || Object.keys(run).length === 0) throw new SourceRefused('line 1: has no run')
  if (Object.keys(value as object).length > 1) throw new SourceRefused('line 1: has more than a run')
  return { run, text: text.slice(start.length, -1).trimEnd() }
}

const COMMA = Buffer.from(',')

/** Puts the document together from its lines. */
const documentOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  let run: Record<string, Json> | null = null
  let size = 0
  let count = 0
  const parts: Uint8Array[] = []
  for await (const { line, bytes } of splitLines(chunks, MAX_ELEMENT_BYTES)) {
    size += bytes?.length ?? Infinity
    if (bytes === null || size > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`line ${line}: the run is larger than ${MAX_ELEMENT_BYTES} bytes`)
    if (run === null) {
      const first = readFirstLine(bytes)
      run = first.run
      parts.push(Buffer.from(`${first.text.slice(0, -1)},"cases":[`))
      continue
    }
    // Each line has to be an object by itself, or it could end the list of cases early.
    if (!isObject(parseJson(bytes, newLosses(), `line ${line}`))) throw new SourceRefused(`line ${line}: is no case`)
    if (count > 0) parts.push(COMMA)
    parts.push(bytes)
    count += 1
  }
  if (run === null) throw new SourceRefused('holds no run')
  const { summary } = run
  const total = isObject(summary) ? summary['total'] : null
  if (total !== count)
    throw new SourceRefused(
      `has ${counted(count, 'case')}, but its summary says ${JSON.stringify(total)}: it was cut off; export it again`,
    )
  return Buffer.concat([...parts, Buffer.from(']}')])
}
