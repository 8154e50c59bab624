import { z } from 'zod'
import type { Cut } from '../../domain/agent-text/cut.ts'
import type { Viewer } from '../access/viewer.ts'
import { chosenTranscript, listCaseTranscripts, type CaseName } from '../transcripts/case-transcripts.ts'
import { findEvent } from '../transcripts/event.ts'
import { findInTranscript } from '../transcripts/find.ts'
import { readEvents } from '../transcripts/list-events.ts'
import { readOutline } from '../transcripts/list-outline.ts'
import { readTranscript } from '../transcripts/summary.ts'
import { unlessDeleted, type PartSource, type TranscriptName } from '../transcripts/transcript.ts'

// A transcript for an agent: what is in it, and then its events from one on, or the numbers of those with a text.

/** Rows of an outline, events in full, and matches of one answer. */
const MAX_ROWS = 100
const MAX_EVENTS = 20
const MAX_MATCHES = 20

/** Spans that are named: enough to know the agents and their steps. */
const MAX_SPANS = 50

/** What is asked of a transcript: its events from a number on, or those with a text; else its outline. */
export type AskedTranscript = {
  readonly sha256?: string | undefined
  readonly from_event?: number | undefined
  readonly find?: string | undefined
}

const Row = z.object({
  n: z.int(),
  type: z.string(),
  name: z.string().nullable(),
  label: z.string(),
  error: z.boolean(),
})
type Row = z.infer<typeof Row>

const nullable = z.number().nullable()

export const AgentTranscript = z.looseObject({
  sha256: z.string(),
  event_count: z.int(),
  complete: z.boolean(),
  errors: z.int(),
  input_tokens: nullable,
  output_tokens: nullable,
  cost_usd: nullable,
  outline: z.array(Row).optional(),
  events: z.array(z.unknown()).optional(),
  matches: z.array(Row).optional(),
  transcripts: z.array(z.object({ sha256: z.string(), name: z.string().nullable() })).optional(),
  next_event: z.int().nullable(),
})
export type AgentTranscript = z.infer<typeof AgentTranscript>

/** A list of a transcript, and where it goes on: beyond the last event, if it ends. */
type Rest = Pick<AgentTranscript, 'outline' | 'events' | 'matches'> & { readonly next_event: number }

/** The number of an event of a list. */
const numberOf = (row: unknown): number => (row as { readonly n: number }).n

/** Where a list goes on that ends with its last row. */
const afterLast = (rows: readonly unknown[], from: number): number =>
  rows.length > 0 ? numberOf(rows.at(-1)) + 1 : from

/** The events with a text, as rows of the outline. */
const matchesOf = async (
  source: PartSource,
  viewer: Viewer,
  name: TranscriptName,
  part: { readonly part_no: number; readonly bytes: number },
  { find: q = '', from_event: from = 1 }: AskedTranscript,
): Promise<Rest | null> => {
  const found = await findInTranscript(source, viewer, { ...name, q, from, limit: MAX_MATCHES })
  if (!found) return null
  const matches: Row[] = []
  for (const n of found.events) {
    const entry = await findEvent(source.reader, part, String(n))
    if (entry) matches.push({ n, type: entry.type, name: entry.name, label: entry.label, error: entry.isError })
  }
  return { matches, next_event: found.next ?? found.upto + 1 }
}

const restOf = async (
  source: PartSource,
  viewer: Viewer,
  name: TranscriptName,
  part: { readonly part_no: number; readonly bytes: number },
  asked: AskedTranscript,
): Promise<Rest | null> => {
  if (asked.find !== undefined) return matchesOf(source, viewer, name, part, asked)
  if (asked.from_event !== undefined) {
    const bytes = await readEvents(source, viewer, { ...name, from: asked.from_event, limit: MAX_EVENTS })
    if (bytes === null) return null
    const { events, next } = JSON.parse(bytes.toString('utf8')) as {
      readonly events: unknown[]
      readonly next: number | null
    }
    return { events, next_event: next ?? afterLast(events, asked.from_event) }
  }
  const list = await readOutline(source.reader, viewer, { ...name, from: 1, limit: MAX_ROWS })
  if (!list) return null
  const outline = list.events.map(({ n, type, name: called, label, error }) => ({
    n,
    type,
    name: called,
    label,
    error,
  }))
  return { outline, next_event: list.next ?? afterLast(outline, 1) }
}

/**
 * What an agent gets of a transcript of a case; null if the case has none, or none with the digest that was asked for. Its outline must
 * have been begun.
 */
export const readAgentTranscript = async (
  source: PartSource,
  viewer: Viewer,
  { run_id, case_key }: CaseName,
  asked: AskedTranscript,
): Promise<AgentTranscript | null> => {
  const transcripts = await source.reader.read(listCaseTranscripts(viewer, { run_id, case_key }))
  const part = chosenTranscript(transcripts, asked.sha256)
  if (!part) return null
  const name = { run_id, sha256: part.sha256 }
  const summary = await readTranscript(source.reader, viewer, name)
  const rest = summary && (await unlessDeleted(source, viewer, name, () => restOf(source, viewer, name, part, asked)))
  if (!summary || !rest) return null
  const { events, bins: _bins, spans, ...facts } = summary
  return {
    ...facts,
    name: part.name,
    event_count: events,
    spans: spans.slice(0, MAX_SPANS).map(({ n, parent, name: called, kind, events: within, errors }) => ({
      n,
      parent,
      name: called,
      kind,
      events: within,
      errors,
    })),
    ...(transcripts.length > 1
      ? { transcripts: transcripts.map(({ sha256, name: of }) => ({ sha256, name: of })) }
      : {}),
    ...rest,
    // While the outline is being made, the list goes on with what comes next.
    next_event: summary.complete && rest.next_event > events ? null : rest.next_event,
  }
}

/** The member of a transcript that lists events. */
const LISTS = ['events', 'outline', 'matches'] as const

/** How often a list can be halved until nothing is left of it. */
export const halvings = (list: readonly unknown[]): number => 32 - Math.clz32(list.length)

/**
 * A transcript with half as many rows in its lists at each attempt; events go on after those that are left. An event that is alone
 * too large is its number. `attempts` is how many of them leave something out.
 */
export const shorterTranscript = (
  whole: AgentTranscript,
  attempt: number,
): { readonly transcript: AgentTranscript; readonly cuts: readonly Cut[]; readonly attempts: number } => {
  const names = whole.transcripts ?? []
  const keptNames = Math.max(1, names.length >> attempt)
  const member = LISTS.find((name) => whole[name] !== undefined)
  const list = (member && whole[member]) ?? []
  const kept = list.length >> attempt
  const isAlone = member === 'events' && kept === 0 && list.length > 0
  const n = isAlone ? numberOf(list[0]) : 0
  const rows = isAlone ? [{ n, cut: true }] : list.slice(0, Math.max(1, kept))
  const next = isAlone ? n + 1 : list.length > rows.length ? numberOf(list[rows.length]) : null
  return {
    transcript: {
      ...whole,
      ...(names.length > 0 && { transcripts: names.slice(0, keptNames) }),
      ...(member && { [member]: rows }),
      next_event: isAlone && list.length === 1 ? whole.next_event : (next ?? whole.next_event),
    },
    cuts: [
      ...(list.length > rows.length || isAlone
        ? [{ path: `/transcript/${member}`, kept: isAlone ? 0 : rows.length, total: list.length }]
        : []),
      ...(names.length > keptNames ? [{ path: '/transcript/transcripts', kept: keptNames, total: names.length }] : []),
    ],
    attempts: Math.max(halvings(list) - (member === 'events' ? 0 : 1), halvings(names) - 1),
  }
}
