import type { RunEvidence } from '../../interchange/document/evidence/collect-evidence.ts'
import type { Target } from '../../interchange/convert/convert-source.ts'

/** Maximum size of an uncompressed document. */
export { MAX_BODY_BYTES as MAX_DOCUMENT_BYTES } from '../../commands/run/inflate.ts'

/** The bytes of a document, gzipped or plain. */
export type RunBytes = { readonly bytes: Uint8Array; readonly gzip: boolean }

/** The result of sending one document. */
export type Outcome =
  | {
      readonly kind: 'imported' | 'already_there'
      /** The id of the stored run, where the target reports it. */
      readonly id?: string
      /** Cases of a new run that are not shown, because they have the key of another one. */
      readonly hidden_cases?: number
    }
  /** `refused` is permanent; `failed` may succeed another time. */
  | { readonly kind: 'refused' | 'failed'; readonly status: string; readonly reason: string }

/** Why something is not stored. */
export type Unsent = Extract<Outcome, { readonly status: string }>

/** The destination of evidence. Each answers null, or why something is not stored. */
export type EvidenceTarget = {
  /** Sends the parts of a run that the target does not have; all of them if `isAll`. */
  readonly send: (evidence: RunEvidence, isAll: boolean) => Promise<Unsent | null>
  /** Adds evidence whose parts were sent to a stored run. */
  readonly attach: (run_id: string, evidence: RunEvidence) => Promise<Unsent | null>
}

/** The destination of an import. Its questions throw `UserError` if they cannot be answered. */
export type ImportTarget = Target & {
  /** Identifies the target in a journal. */
  readonly name: string
  /** Throws `UserError` if no further document can succeed. */
  readonly send: (document: RunBytes) => Promise<Outcome>
  /** Where the evidence of runs goes. Absent: it is not kept. */
  readonly evidence?: EvidenceTarget
  /** Deletes a run, so that another one can take its id. Null if it is deleted, else why not. */
  readonly remove: (run_id: string) => Promise<Unsent | null>
  readonly close: () => Promise<void>
}
