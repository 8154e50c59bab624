import type { PartRole } from '../../../domain/evidence/manifest.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../losses.ts'

/** What an import keeps of its sources apart from the documents. Plain data: it is sent to a thread. */
export type EvidenceOptions = {
  /** An empty folder for the bytes of parts, until they are sent. */
  readonly folder: string
  /** Whether the source file itself is kept, byte for byte. */
  readonly hasOriginal: boolean
  /** Whether other parts than transcripts are kept. */
  readonly hasOthers: boolean
}

/** One line of a transcript; see "The form of a transcript" in docs/evidence.md. Undefined members are left out. */
export type TranscriptLine = { readonly [member: string]: Json | undefined }

/**
 * Replaces what is large or no text in a value, at any depth: data URLs, and texts over 64 KiB. Their bytes become parts,
 * and `part:` with their digest stands in their place. `resolve` returns the text that a text refers to, if it is such a
 * reference.
 */
export type MoveToParts = (
  value: Json,
  role: Exclude<PartRole, 'original'>,
  resolve?: (text: string) => string | undefined,
) => Json

/** What a case has apart from its document. */
export type CaseEvidence = {
  /** The path of the case in its source. */
  readonly path: string
  /** The path of its kind, for losses. */
  readonly lossPath: string
  readonly name: string
  /** The lines of its transcript, the first of which describes the source. */
  readonly transcript: ((move: MoveToParts, losses: Losses) => AsyncIterable<TranscriptLine>) | null
  /** Other values that no case has a place for, by the names of their files. Called after the transcript was read. */
  readonly others: (move: MoveToParts) => Promise<ReadonlyArray<{ readonly name: string; readonly value: Json }>>
}
