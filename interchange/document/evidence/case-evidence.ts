import type { PartRole } from '../../../domain/evidence/manifest.ts'
import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
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
  /** A folder in which files are found to which a source refers, apart from its own. */
  readonly files?: string | undefined
  /** Bytes that a part has at most in the store. Absent: those of the format. */
  readonly maxPartBytes?: number
  /** Bytes that all parts of a run but the original have at most. Absent: as many as there are. */
  readonly maxBytes?: number
}

/** A file with the bytes of a part. */
export type EvidenceFile = { readonly sha256: string; readonly bytes: number; readonly path: string }

/** One line of a transcript; see "The form of a transcript" in docs/evidence.md. Undefined members are left out. */
export type TranscriptLine = { readonly [member: string]: Json | undefined }

/**
 * Reads a file to which a source refers, and returns the digest of its part. Null, and recorded at `path`, if it is not next to
 * the source, or must not be read.
 */
export type ReadFile = (
  reference: string,
  role: Exclude<PartRole, 'original'>,
  mediaType: string | null,
  path: string,
) => string | null

/** A file of a case on disk, such as the log of a verifier. */
export type CaseFile = { readonly name: string; readonly path: string; readonly role: Exclude<PartRole, 'original'> }

/** What a case has apart from its document. */
export type CaseEvidence = {
  /** The path of the case in its source. */
  readonly path: string
  /** The path of its kind, for losses. */
  readonly lossPath: string
  readonly name: string
  /** The lines of its transcript, the first of which describes the source. */
  readonly transcript: ((move: MoveToParts, losses: Losses, readFile: ReadFile) => AsyncIterable<TranscriptLine>) | null
  /** The folders in which the files are to which it refers, if not the one of the source. */
  readonly folder?: readonly string[]
  readonly files?: readonly CaseFile[]
  /** Other values that no case has a place for, by the names of their files. Called after the transcript was read. */
  readonly others?: (move: MoveToParts) => Promise<ReadonlyArray<{ readonly name: string; readonly value: Json }>>
}
