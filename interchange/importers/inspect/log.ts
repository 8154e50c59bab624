import { rowOf, type Row } from '../../read/row.ts'
import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Attachments } from './attachments.ts'

/** A sample of a log, before it is read as a case. */
export type LogSample = { readonly value: Record<string, Json>; readonly attachments: Attachments }

/** A log of Inspect in one of its two forms: JSON, or a zip archive. */
export type Log = {
  /** All but the samples, parsed again for each call. */
  readonly header: (losses: Losses) => Promise<Record<string, Json>>
  /** Reads one sample after the other. */
  readonly samples: (losses: Losses) => AsyncIterable<LogSample>
  /** A run that was cut off has no header of its own. */
  readonly isCutOff: boolean
}

/** What a sample has that no case has a place for. */
export const UNREAD_MEMBERS: readonly string[] = ['events', 'store', 'timelines', 'events_data', 'transcript']

export const SAMPLE_PATH = 'samples.*'

/** Records losses of a sample under its path. Empty values are no loss. */
export const sampleLosses = (losses: Losses): Losses => ({
  ...losses,
  addBytes: (kind, path, bytes, note) => {
    if (bytes > MAX_EMPTY_BYTES) losses.addBytes(kind, `${SAMPLE_PATH}.${path}`, bytes, note)
  },
  add: (kind, path, value, note) => losses.add(kind, path === '' ? SAMPLE_PATH : `${SAMPLE_PATH}.${path}`, value, note),
})

/** `null`, `[]` and `{}`, with a space. */
const MAX_EMPTY_BYTES = 4

export const headerRow = (header: Record<string, Json>): Row => rowOf(header, '')
