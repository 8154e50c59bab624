import { z } from 'zod'
import { spanTotals } from '../../domain/transcript/outline.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { readOutlineState } from './outline-state.ts'
import { findTranscript, outlineOf, type TranscriptName } from './transcript.ts'

const count = z.int()
const known = z.number().nullable()
const texts = z.record(z.string(), z.string())

const TranscriptSpan = z
  .object({
    n: count.meta({ description: 'The number of its event, by which it is named' }),
    parent: count.meta({ description: 'The number of the span that it is in; 0 in none' }),
    depth: count,
    lane: count.meta({ description: 'The number of the span of the agent whose work it is; 0 for none' }),
    name: z.string().nullable(),
    kind: z.string().nullable(),
    at: known.meta({ description: 'Epoch milliseconds' }),
    ms: known,
    events: count.meta({ description: 'The events in it, at any depth' }),
    errors: count,
    limits: count,
  })
  .meta({ id: 'TranscriptSpan' })

const TranscriptBins = z
  .object({
    width: z.number().meta({ description: 'Milliseconds of a bin, which begins at its number times this' }),
    lanes: z.array(
      z.object({
        lane: count,
        bins: z
          .array(z.tuple([z.int(), count, count, count]))
          .meta({ description: 'The number of a bin, its events, its errors, and the number of its first event' }),
      }),
    ),
  })
  .meta({ id: 'TranscriptBins' })

/** What a transcript has, from its outline. */
export const TranscriptSummary = z
  .object({
    sha256: z.string(),
    bytes: count,
    outlined: count.meta({
      description: 'The bytes whose events are known. Below `bytes` while the outline is being made',
    }),
    complete: z.boolean(),
    source: texts.nullable().meta({ description: 'Where it comes from, as its first line says' }),
    agent: texts.nullable(),
    events: count,
    messages: count,
    types: z
      .record(z.string(), count)
      .meta({ description: 'The number of events of each type; `text` for lines that are none' }),
    errors: count,
    skipped: count.meta({ description: 'Lines that are too long to be read' }),
    missing_parents: count.meta({ description: 'Events whose span is not known' }),
    more_spans: count.meta({ description: 'Spans that `spans` does not have' }),
    input_tokens: known,
    output_tokens: known,
    cost_usd: known,
    first_at: known.meta({ description: 'The earliest time of an event, in epoch milliseconds' }),
    last_at: known,
    spans: z.array(TranscriptSpan),
    bins: TranscriptBins.nullable().meta({ description: 'Events over time; null if no event has one' }),
  })
  .meta({ id: 'TranscriptSummary' })
export type TranscriptSummary = z.infer<typeof TranscriptSummary>

/** What a transcript has, as far as its outline is made; null if the viewer can see none of this name. */
export const readTranscript = async (
  reader: Reader,
  viewer: Viewer,
  name: TranscriptName,
): Promise<TranscriptSummary | null> => {
  const part = await reader.read(findTranscript(viewer, name))
  if (!part) return null
  const { header, totals, line, spans, bins } = await readOutlineState(reader, outlineOf(part))
  return {
    sha256: name.sha256,
    bytes: part.bytes,
    outlined: line.offset,
    complete: line.offset === part.bytes,
    source: header?.source ?? null,
    agent: header?.agent ?? null,
    ...totals,
    types: { ...totals.types },
    spans: spanTotals(spans).map(({ id: _id, ...span }) => span),
    bins: bins && { ...bins, lanes: [...bins.lanes] },
  }
}
