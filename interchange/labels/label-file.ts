import { setImmediate } from 'node:timers/promises'
import { leftOutCounts, type ForeignLabel, type LeftOut } from '../../domain/review/imported.ts'
import type { Json } from '../../domain/run/readers.ts'
import { newLosses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { readTimeMs } from '../document/time/times.ts'
import { jsonElements } from '../read/json/json-elements.ts'
import { orRefusal, readLines } from '../read/json/object-lines.ts'
import { parseJson } from '../read/json/parse-json.ts'
import { isObject, type JsonObject } from '../read/row.ts'

/** What to read: the tool's name of the question, and the member that names the case of a label. */
export type LabelWish = { readonly question: string | null; readonly match: string }

/** The labels of a file, and what was left out. */
export type ForeignLabels = { readonly labels: readonly ForeignLabel[]; readonly left_out: readonly LeftOut[] }

/** Reads a file of labels of one tool. Throws `SourceRefused` for what is no such file; it names the place. */
export type LabelReader = (content: Uint8Array, wish: LabelWish) => Promise<ForeignLabels>

/** A record of a file with its place in words. */
export type PlacedRecord = { readonly place: string; readonly value: JsonObject }

const CHUNK_BYTES = 256 * 1024

/** The content in parts, between which other requests are served. */
export const chunksOf = async function* (content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += CHUNK_BYTES) {
    yield content.subarray(offset, offset + CHUNK_BYTES)
    await setImmediate()
  }
}

/**
 * Reads the objects of a file: a JSON list, JSON lines, or pages that have them in the list `page`. Throws `SourceRefused` for anything
 * else, also for a line that was cut off.
 */
export const placedRecords = async function* (content: Uint8Array, page: string): AsyncGenerator<PlacedRecord> {
  let count = 0
  const placed = (value: Json): PlacedRecord => {
    count += 1
    const place = `record ${count}`
    if (!isObject(value)) throw new SourceRefused(`${place} is no object`)
    return { place, value }
  }
  if (isLines(content)) {
    for await (const { line, value } of linesOf(content)) {
      const items = value[page]
      if (!Array.isArray(items)) yield { place: `line ${line}`, value }
      else for (const item of items as Json[]) yield placed(item)
    }
    return
  }
  const shape = { arrays: [[], [page]] }
  let top: Json = null
  for await (const { value } of jsonElements(chunksOf(content), shape, newLosses(), (rest) => (top = rest)))
    yield placed(value)
  if (count === 0 && isObject(top) && !Array.isArray(top[page]))
    throw new SourceRefused(`holds neither a list nor the member ${page}`)
}

/** JSON lines begin with an object that ends in its line. A file with one such line is read as lines, too. */
const isLines = (content: Uint8Array): boolean => {
  const end = content.indexOf(0x0a)
  const first = Buffer.from(end < 0 ? content : content.subarray(0, end))
    .toString()
    .trim()
  return first.startsWith('{') && first.endsWith('}')
}

const linesOf = async function* (
  content: Uint8Array,
): AsyncGenerator<{ readonly line: number; readonly value: JsonObject }> {
  const read = (bytes: Uint8Array, line: number) => orRefusal(line, () => parseJson(bytes, newLosses(), ''))
  const onCut = (_: number, count: number) => {
    throw new SourceRefused(`line ${count + 1} is cut off`)
  }
  for await (const { line, value } of readLines<Json>(chunksOf(content), read, onCut)) {
    if (!isObject(value)) throw new SourceRefused(`line ${line} is no object`)
    yield { line, value }
  }
}

/** The member of the first of these objects that has it, as a text; null if none has a text or a number of this name. */
export const keyIn = (name: string, ...places: readonly unknown[]): string | null => {
  for (const place of places) {
    const value = isObject(place) ? place[name] : undefined
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return null
}

/** A text or a number, as the text that names a person; null for anything else. */
export const nameOf = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null

/** Epoch milliseconds of the first of these times that can be read. */
export const timeIn = (...times: readonly unknown[]): number | null => {
  for (const time of times) {
    const ms = typeof time === 'string' ? readTimeMs(time) : NaN
    if (!Number.isNaN(ms)) return ms
  }
  return null
}

/** A text that is not blank; null for anything else. */
export const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

/** An answer that can be one of a deciding question; null for anything else. */
export const answerIn = (value: unknown): ForeignLabel['answer'] | null =>
  typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : null

/** The only element of a list, or the value itself. Throws `SourceRefused` for a list with more: the question that decides has one answer. */
export const singleOf = (value: Json | undefined, place: string): Json => {
  if (!Array.isArray(value)) return value ?? null
  if (value.length > 1)
    throw new SourceRefused(`${place}: has ${value.length} answers, but the question that decides has one`)
  return (value as readonly Json[])[0] ?? null
}

/** Collects the labels of a file and what is left out. */
export const labelCollector = () => {
  const labels: ForeignLabel[] = []
  const { add, all } = leftOutCounts()
  return {
    leaveOut: add,
    take: (label: ForeignLabel): void => {
      labels.push(label)
    },
    found: (): ForeignLabels => ({ labels, left_out: all() }),
  }
}
