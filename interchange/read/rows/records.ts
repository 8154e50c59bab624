import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { jsonElements } from '../json/json-elements.ts'
import type { Look } from '../look.ts'
import { parseJson } from '../json/parse-json.ts'
import { isObject } from '../row.ts'
import type { SourceFile } from '../source-file.ts'
import { orRefusal, readLines } from '../json/object-lines.ts'

export type JsonRecord = Record<string, Json>

/**
 * Reads the objects of a file of an API: JSON lines or a JSON list of them, or of pages that have them in the list `page`.
 * What else a page has, such as a cursor, is given to `onPage`, and recorded as left out. A last line that is torn is recorded as cut. Throws
 * `SourceRefused` for a line that is no JSON, and unless `mayBeEmpty` for a file without rows.
 */
export const records = async function* (
  file: SourceFile,
  kind: Look['kind'],
  page: string,
  losses: Losses,
  onPage: (rest: JsonRecord) => void = () => {},
  mayBeEmpty = false,
): AsyncGenerator<JsonRecord> {
  let count = 0
  const sawPage = (rest: JsonRecord): void => {
    for (const [key, member] of Object.entries(rest)) losses.add('left_out', key, member, 'of a page')
    onPage(rest)
  }
  for await (const value of kind === 'lines' ? lineValues(file, losses) : topValues(file, page, losses, sawPage)) {
    for (const item of pageItems(value, page, sawPage)) {
      if (isObject(item)) {
        count += 1
        yield item
      } else losses.add('left_out', '*', item, 'not an object')
    }
  }
  if (count === 0 && !mayBeEmpty) throw new SourceRefused('holds no rows')
}

type SawPage = (rest: JsonRecord) => void

const pageItems = (value: Json, page: string, sawPage: SawPage): readonly Json[] => {
  if (!isObject(value) || !Array.isArray(value[page])) return [value]
  const { [page]: items, ...rest } = value
  sawPage(rest)
  return items as Json[]
}

const topValues = async function* (
  file: SourceFile,
  page: string,
  losses: Losses,
  sawPage: SawPage,
): AsyncGenerator<Json> {
  let hasElements = false
  let top: Json = null
  const shape = { arrays: [[], [page]] }
  for await (const { value } of jsonElements(file.bytes(), shape, losses, (rest) => (top = rest))) {
    hasElements = true
    yield value
  }
  const isPage = isObject(top) && Array.isArray(top[page])
  if (isObject(top) && (hasElements || isPage)) {
    const { [page]: _, ...rest } = top as JsonRecord
    sawPage(rest)
  }
  // A file of one line is a JSON file with one object.
  if (!hasElements && !isPage) yield* lineValues(file, losses)
}

const lineValues = async function* (file: SourceFile, losses: Losses): AsyncGenerator<Json> {
  const read = (bytes: Uint8Array, line: number) => orRefusal(line, () => parseJson(bytes, losses, ''))
  const onCut = (_: number, count: number) =>
    losses.addBytes('cut', '(file)', 0, `cut off after ${counted(count, 'line')}`)
  for await (const { value } of readLines<Json>(file.bytes(), read, onCut)) yield value
}

/** Parses JSON that was stored for a while, with all digits. */
export const storedJson = (body: string | Uint8Array): JsonRecord =>
  parseJson(typeof body === 'string' ? Buffer.from(body, 'utf8') : body, newLosses(), '') as JsonRecord

/** The objects that the beginning of a file shows: of lines, of a list, or of a page. */
export const shownRecords = ({ kind, head, lines }: Look, page: string): readonly JsonRecord[] => {
  const shown: readonly Json[] = kind === 'lines' ? lines : Array.isArray(head) ? (head as Json[]) : [head]
  return shown
    .slice(0, 3)
    .flatMap((value) => (isObject(value) && Array.isArray(value[page]) ? (value[page] as Json[]).slice(0, 3) : [value]))
    .filter(isObject)
}
