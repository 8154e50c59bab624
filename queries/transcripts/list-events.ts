import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { readEvent } from '../../domain/transcript/event.ts'
import { BLOCK_EVENTS } from '../../domain/transcript/outline.ts'
import { findBlockOfMessage, type OutlineKey } from '../../storage/objects/outlines.ts'
import { release } from '../../storage/objects/seal.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { entriesOfBlock, readOutlineHead } from './outline-state.ts'
import { listEntries, type Listed, type ListRange } from './list-outline.ts'
import {
  findTranscript,
  outlineOf,
  transcriptBytes,
  type PartSource,
  type StoredTranscript,
  type TranscriptName,
} from './transcript.ts'

/** Bytes of events of one answer, and of one event in it: a longer one is cut. */
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_EVENT_BYTES = 64 * 1024

/** Bytes of lines that one answer is made of. */
const MAX_READ_BYTES = 32 * 1024 * 1024

/** Characters of a text in an event that is cut, and items of a list. */
const MAX_TEXT = 8 * 1024
const MAX_ITEMS = 200
const MAX_DEPTH = 20

const ListedEvent = z
  .object({
    n: z.int(),
    event: z.unknown().optional().meta({ description: 'The event, as its line has it' }),
    text: z.string().optional().meta({ description: 'A line that is no event' }),
    cut: z
      .literal(true)
      .optional()
      .meta({ description: 'Texts are shortened; the whole event has an address of its own' }),
  })
  .meta({ id: 'TranscriptEvent' })

/** Events of a transcript. */
export const TranscriptEvents = z
  .object({
    events: z.array(ListedEvent),
    next: z.int().nullable().meta({ description: 'The `from` of the rest; null at the end of what is outlined' }),
  })
  .meta({ id: 'TranscriptEvents' })
export type TranscriptEvents = z.infer<typeof TranscriptEvents>

/** A value with shortened texts, until `left` characters were taken. */
const shortened = (value: unknown, left: { characters: number }, depth = 0): unknown => {
  if (typeof value === 'string') {
    const most = Math.max(0, Math.min(MAX_TEXT, left.characters))
    left.characters -= Math.min(value.length, most)
    return value.length <= most ? value : `${value.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
  }
  left.characters -= 8
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH || left.characters <= 0) return '…'
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => shortened(item, left, depth + 1))
    return value.length > items.length ? [...items, '…'] : items
  }
  const members = Object.entries(value).slice(0, MAX_ITEMS)
  return Object.fromEntries(
    members.map(([name, member]) => {
      left.characters -= name.length
      return [name.slice(0, MAX_TEXT), shortened(member, left, depth + 1)]
    }),
  )
}

/** The JSON of an event in a list, whose line is read as text. */
const eventJson = ({ n, entry: { type } }: Listed, line: string): string => {
  const text = line.replace(/^\ufeff/, '').trim()
  if (text.length <= MAX_EVENT_BYTES)
    return type === 'text' ? JSON.stringify({ n, text: line }) : `{"n":${n},"event":${text}}`
  const left = { characters: MAX_EVENT_BYTES }
  const event = readEvent(text)
  return JSON.stringify(
    event ? { n, event: shortened(event, left), cut: true } : { n, text: shortened(line, left), cut: true },
  )
}

const EMPTY = Buffer.alloc(0)
const COMMA = Buffer.from(',')
const [OPENING, CLOSING] = Buffer.from('{}')

/** Whether the bytes of a line are a short object of JSON as they are: when the line was outlined, it was an event. */
const isPlainEvent = ({ entry: { type } }: Listed, line: Buffer): boolean =>
  type !== 'text' && line.length <= MAX_EVENT_BYTES && line[0] === OPENING && line.at(-1) === CLOSING && isUtf8(line)

/** What stands for an event in the answer. Nearly all lines are copied: no text is made of them. */
const eventBytes = (item: Listed, line: Buffer): Buffer[] =>
  isPlainEvent(item, line)
    ? [Buffer.from(`{"n":${item.n},"event":`), line, Buffer.from('}')]
    : [Buffer.from(eventJson(item, line.toString('utf8')))]

/** The bytes of events that follow one another, in one read of the part, and their lines, which are slices of them. */
const readLines = async (
  source: PartSource,
  part: StoredTranscript,
  run: readonly Listed[],
): Promise<{ readonly bytes: Buffer; readonly lines: readonly Buffer[] }> => {
  const first = run[0]?.entry.offset ?? 0
  const last = run.at(-1)?.entry
  const end = (last?.offset ?? 0) + (last?.bytes ?? 0)
  const bytes = Buffer.allocUnsafe(end - first)
  let filled = 0
  for await (const chunk of transcriptBytes(source, part, first, end)) filled += chunk.copy(bytes, filled)
  const lines = run.map(({ entry: { offset, bytes: length } }) =>
    bytes.subarray(offset - first, offset - first + length),
  )
  return { bytes, lines }
}

/** Bytes between two events that are read with them, rather than in a read of their own. */
const MAX_GAP = 256 * 1024

/** Events whose lines are read together. */
const runsOf = (listed: readonly Listed[]): Listed[][] => {
  const runs: Listed[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const item of listed) {
    const { offset, bytes, isSkipped } = item.entry
    const isApart = isSkipped || offset - end > MAX_GAP
    if (isApart) runs.push([item])
    else runs.at(-1)?.push(item)
    end = isSkipped ? Number.NEGATIVE_INFINITY : offset + bytes
  }
  return runs
}

/** The number of the event of a message; one beyond the last if there is none. */
const eventOfMessage = async (reader: Reader, key: OutlineKey, message: number): Promise<number> => {
  const head = await readOutlineHead(reader, key)
  const whole = Math.floor(head.totals.events / BLOCK_EVENTS)
  const isInTail = message >= head.tail.firstMessage
  const block = isInTail ? null : await reader.read(findBlockOfMessage(key, message))
  const entries = isInTail ? head.tail.entries : block ? entriesOfBlock(block.value) : []
  const i = entries.findIndex((entry) => entry.message === message)
  return i < 0 ? head.totals.events + 1 : (isInTail ? whole : (block?.n ?? 0)) * BLOCK_EVENTS + i + 1
}

/** Events of a transcript as the bytes of JSON; null if the viewer can see none of this name. */
export const readEvents = async (
  source: PartSource,
  viewer: Viewer,
  { run_id, sha256, message, ...asked }: TranscriptName & ListRange & { readonly message?: number | undefined },
): Promise<Buffer | null> => {
  const { reader } = source
  const part = await reader.read(findTranscript(viewer, { run_id, sha256 }))
  if (!part) return null
  const key = outlineOf(part)
  const from = message === undefined ? asked.from : await eventOfMessage(reader, key, message)
  const { listed, next } = await listEntries(reader, key, { ...asked, from })
  const items: Buffer[][] = []
  const copied: Buffer[] = []
  let size = 0
  let read = 0
  let left: number | null = next
  // Read in the order of the file, and no further than the answer goes.
  const fitting: Listed[] = []
  for (const item of listed) {
    const bytes = item.entry.isSkipped ? 0 : item.entry.bytes
    const shown = Math.min(bytes, MAX_EVENT_BYTES)
    if (fitting.length > 0 && (size + shown > MAX_ANSWER_BYTES || read + bytes > MAX_READ_BYTES)) {
      left = item.n
      break
    }
    size += shown
    read += bytes
    fitting.push(item)
  }
  for (const run of runsOf(fitting)) {
    if (run[0]?.entry.isSkipped) {
      const { n, entry } = run[0]
      items.push([Buffer.from(JSON.stringify({ n, text: entry.label, cut: true }))])
      continue
    }
    const { bytes, lines } = await readLines(source, part, run)
    copied.push(bytes)
    for (const [i, item] of run.entries()) items.push(eventBytes(item, lines[i] ?? EMPTY))
  }
  const listedItems = items.flatMap((item, i) => (i === 0 ? item : [COMMA, ...item]))
  const answer = Buffer.concat([Buffer.from('{"events":['), ...listedItems, Buffer.from(`],"next":${left}}`)])
  copied.forEach(release)
  return answer
}
