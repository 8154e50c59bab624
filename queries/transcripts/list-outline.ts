import { z } from 'zod'
import { BLOCK_EVENTS, spansWithin, type OutlineEntry } from '../../domain/transcript/outline.ts'
import { LISTED_TYPES, type ListedType } from '../../domain/transcript/event.ts'
import type { OutlineKey } from '../../storage/objects/outlines.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { blockOf, readBlock, readOutlineHead, readOutlineState, type OutlineHead } from './outline-state.ts'
import { findTranscript, outlineOf, type TranscriptName } from './transcript.ts'

/** What lists of a transcript can be filtered by. `error` stands for every event with an error. */
export type TranscriptFilters = {
  readonly types?: readonly ListedType[] | undefined
  /** The number of a span, for what is in it at any depth. */
  readonly span?: number | undefined
}

/** Blocks that one request looks through. */
const MAX_BLOCKS = 200

export type Listed = { readonly n: number; readonly entry: OutlineEntry }
type List = { readonly listed: readonly Listed[]; readonly next: number | null }

/** Events of an outline from a number on that pass filters, and where the list goes on. */
export const listEntries = async (
  reader: Reader,
  key: OutlineKey,
  { from, limit, types, span }: TranscriptFilters & { readonly from: number; readonly limit: number },
): Promise<List & { readonly head: OutlineHead }> => {
  const state = span === undefined ? null : await readOutlineState(reader, key)
  const head = state ?? (await readOutlineHead(reader, key))
  const within = state && span !== undefined ? spansWithin(state.spans, span) : null
  const wanted = types && new Set(types)
  const passes = (n: number, { type, isError, span: inside }: OutlineEntry): boolean =>
    (!wanted || wanted.has(type) || (isError && wanted.has('error'))) && (!within || within.has(inside) || n === span)
  const listed: Listed[] = []
  const { events } = head.totals
  let n = Math.max(1, from)
  for (let looked = 0; n <= events && looked < MAX_BLOCKS; looked++) {
    const block = blockOf(n)
    const first = block * BLOCK_EVENTS + 1
    const entries = await readBlock(reader, key, head, block)
    for (const [i, entry] of entries.entries()) {
      if (first + i < n || !passes(first + i, entry)) continue
      if (listed.length === limit) return { head, listed, next: first + i }
      listed.push({ n: first + i, entry })
    }
    n = first + BLOCK_EVENTS
  }
  return { head, listed, next: n <= events ? n : null }
}

const known = z.number().nullable()

const OutlineItem = z
  .object({
    n: z.int(),
    type: z.enum(LISTED_TYPES),
    bytes: z.int(),
    span: z.int().meta({ description: 'The number of the span that it is in; 0 in none' }),
    at: known,
    ms: known,
    input_tokens: known,
    output_tokens: known,
    cost_usd: known,
    error: z.boolean(),
    media: z.boolean(),
    name: z.string().nullable(),
    label: z.string().meta({ description: 'The beginning of its text' }),
    message: z.int().nullable().meta({ description: 'The number of a message, from 0' }),
    signature: z.string().meta({ description: 'The same for events of the same type, name and arguments' }),
  })
  .meta({ id: 'TranscriptOutlineItem' })

/** A part of the outline of a transcript. */
export const TranscriptOutline = z
  .object({
    events: z.array(OutlineItem),
    next: z.int().nullable().meta({ description: 'The `from` of the rest; null at the end of what is outlined' }),
    complete: z.boolean(),
  })
  .meta({ id: 'TranscriptOutline' })
export type TranscriptOutline = z.infer<typeof TranscriptOutline>

const itemOf = ({ n, entry }: Listed): z.infer<typeof OutlineItem> => {
  const { offset: _offset, isError, hasMedia, isSkipped: _isSkipped, ...facts } = entry
  return { n, ...facts, error: isError, media: hasMedia }
}

/** Where a list begins: at an event, or at that of a message. */
export type ListRange = TranscriptFilters & { readonly from: number; readonly limit: number }

/** Part of the outline of a transcript; null if the viewer can see none of this name. */
export const readOutline = async (
  reader: Reader,
  viewer: Viewer,
  { run_id, sha256, ...asked }: TranscriptName & ListRange,
): Promise<TranscriptOutline | null> => {
  const part = await reader.read(findTranscript(viewer, { run_id, sha256 }))
  if (!part) return null
  const { head, listed, next } = await listEntries(reader, outlineOf(part), asked)
  return { events: listed.map(itemOf), next, complete: head.line.offset === part.bytes }
}
