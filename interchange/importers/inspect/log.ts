import { rowOf, type Row } from '../../read/row.ts'
import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { IN_EVENTS_ALONE, type Attachments } from './attachments.ts'

/** A sample of a log, before it is read as a case. */
export type LogSample = {
  readonly value: Record<string, Json>
  readonly attachments: Attachments
  /** Where it is in the log. */
  readonly path: string
  /** Its events, for its transcript. Absent: those of `value`. */
  readonly events?: (losses: Losses) => Promise<LogEvents>
}

/** The events of a sample, with the long texts that they refer to, and what they refer to by numbers. */
export type LogEvents = {
  readonly events: AsyncIterable<LogEvent> | Iterable<LogEvent>
  /** Messages by their numbers, of which some may be missing. */
  readonly messages: Pool
  /** What was sent to models, as `call_refs` names it. */
  readonly calls: Pool
}
export type LogEvent = { readonly value: Json; readonly texts: Attachments }
export type Pool = { readonly items: ReadonlyMap<number, Json>; readonly texts: Attachments }

/** A log of Inspect in one of its two forms: JSON, or a zip archive. */
export type Log = {
  /** All but the samples, parsed again for each call. */
  readonly header: (losses: Losses) => Promise<Record<string, Json>>
  /** Reads one sample after the other. */
  readonly samples: (losses: Losses) => AsyncIterable<LogSample>
  /** A run that was cut off has no header of its own. */
  readonly isCutOff: boolean
}

/** What no case has a place for, and no transcript. */
export const OTHER_MEMBERS = ['store', 'timelines'] as const

/** What no case has a place for. */
export const UNREAD_MEMBERS: readonly string[] = ['events', 'events_data', 'transcript', ...OTHER_MEMBERS]

export const SAMPLE_PATH = 'samples.*'

/** Records losses of a sample under its path. Empty values are no loss. */
export const sampleLosses = (losses: Losses): Losses => ({
  ...losses,
  addBytes: (kind, path, bytes, note) => {
    if (bytes > MAX_EMPTY_BYTES) losses.addBytes(kind, `${SAMPLE_PATH}.${path}`, bytes, note)
  },
  add: (kind, path, value, note) => losses.add(kind, path === '' ? SAMPLE_PATH : `${SAMPLE_PATH}.${path}`, value, note),
})

/** Losses of reading cases, without events: reading them for the transcript records what is lost of them. */
export const lossesApartFromEvents = (losses: Losses): Losses => {
  const isKept = (path: string, note?: string): boolean => note === IN_EVENTS_ALONE || OF_EVENTS.test(path)
  return {
    ...losses,
    add: (kind, path, value, note) => {
      if (!isKept(path, note)) losses.add(kind, path, value, note)
    },
    addBytes: (kind, path, bytes, note) => {
      if (!isKept(path, note)) losses.addBytes(kind, path, bytes, note)
    },
  }
}

const OF_EVENTS = /^samples\.\*\.(?:events|events_data|transcript|calls)(?:\.|$)/

/** `null`, `[]` and `{}`, with a space. */
const MAX_EMPTY_BYTES = 4

export const headerRow = (header: Record<string, Json>): Row => rowOf(header, '')
