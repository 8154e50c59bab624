import { z } from 'zod'
import { BLOCK_EVENTS, type OutlineEntry } from '../../domain/transcript/outline.ts'
import { lineFinder } from '../../domain/transcript/find.ts'
import { findBlockAt, type OutlineKey } from '../../storage/objects/outlines.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { blockOf, entriesOfBlock, readBlock, readOutlineHead, type OutlineHead } from './outline-state.ts'
import { findTranscript, outlineOf, transcriptBytes, type PartSource, type TranscriptName } from './transcript.ts'

/** Bytes that one request reads: a few seconds on a slow machine. */
const MAX_FIND_BYTES = 256 * 1024 * 1024

/** Events of a transcript in which a text occurs. */
export const TranscriptMatches = z
  .object({
    events: z.array(z.int()).meta({ description: 'The numbers of the events' }),
    next: z.int().nullable().meta({ description: 'The `from` of the rest; null at the end of what is outlined' }),
    upto: z.int().meta({ description: 'The number of the last event that was looked through' }),
    complete: z.boolean(),
  })
  .meta({ id: 'TranscriptMatches' })
export type TranscriptMatches = z.infer<typeof TranscriptMatches>

type Asked = { readonly q: string; readonly from: number; readonly limit: number }

type Place = { readonly n: number; readonly entry: OutlineEntry }

/** Returns the event at a byte, or the next one after it; null after the last. For rising bytes, it reads each block once. */
const placesOf = (reader: Reader, key: OutlineKey, head: OutlineHead) => {
  let first = 0
  let entries: readonly OutlineEntry[] = []
  return async (offset: number): Promise<Place | null> => {
    const end = entries.at(-1)
    if (!end || offset > end.offset + end.bytes) {
      const isInTail = head.tail.entries.length > 0 && offset >= head.tail.start
      const found = isInTail ? null : await reader.read(findBlockAt(key, offset))
      entries = isInTail ? head.tail.entries : found ? entriesOfBlock(found.value) : []
      first = (isInTail ? Math.floor(head.totals.events / BLOCK_EVENTS) : (found?.n ?? 0)) * BLOCK_EVENTS + 1
    }
    const i = entries.findIndex((entry) => entry.offset + entry.bytes >= offset)
    const entry = entries[i]
    if (entry) return { n: first + i, entry }
    const [after] = await readBlock(reader, key, head, blockOf(first) + 1)
    return after && after.offset >= offset ? { n: first + BLOCK_EVENTS, entry: after } : null
  }
}

/** Finds a text in the events of a transcript, from one on; null if the viewer can see none of this name. */
export const findInTranscript = async (
  source: PartSource,
  viewer: Viewer,
  { run_id, sha256, q, from, limit }: TranscriptName & Asked,
): Promise<TranscriptMatches | null> => {
  const { reader } = source
  const part = await reader.read(findTranscript(viewer, { run_id, sha256 }))
  if (!part) return null
  const key = outlineOf(part)
  const head = await readOutlineHead(reader, key)
  const { events } = head.totals
  const complete = head.line.offset === part.bytes
  const start = Math.max(1, from)
  const begin = (await readBlock(reader, key, head, blockOf(start)))[(start - 1) % BLOCK_EVENTS]
  if (!begin || q === '') return { events: [], next: null, upto: events, complete }

  const placeAt = placesOf(reader, key, head)
  const outlined = complete ? part.bytes : head.line.offset
  const to = Math.min(outlined, begin.offset + MAX_FIND_BYTES)
  const finder = lineFinder(q, begin.offset)
  const found: number[] = []
  const result = (next: number | null): TranscriptMatches => ({
    events: found,
    next,
    upto: (next ?? events + 1) - 1,
    complete,
  })
  const take = async (offsets: readonly number[]): Promise<number | null> => {
    for (const offset of offsets) {
      const place = await placeAt(offset)
      // The head of a transcript is no event.
      if (!place || place.entry.offset > offset || place.n < start || place.entry.isSkipped) continue
      if (found.length === limit) return place.n
      found.push(place.n)
    }
    return null
  }
  for await (const chunk of transcriptBytes(source, part, begin.offset, to)) {
    const next = await take(finder.push(chunk))
    if (next !== null) return result(next)
  }
  if (to === outlined) {
    const next = await take(finder.end())
    return result(next)
  }
  const rest = await placeAt(finder.lineStart())
  // A line that is longer than what one request reads has no text to be found.
  return result(rest ? Math.max(start + 1, rest.n) : null)
}
