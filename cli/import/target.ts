/** The largest document that any service takes, uncompressed. */
export { MAX_BODY_BYTES as MAX_DOCUMENT_BYTES } from '../../commands/run/inflate.ts'

/** The bytes of a document, gzipped or plain. */
export type RunBytes = { readonly bytes: Uint8Array; readonly gzip: boolean }

/** What became of one document. */
export type Outcome =
  | { readonly kind: 'imported' | 'already_there' }
  /** `refused` is for good; `failed` may go better another time. */
  | { readonly kind: 'refused' | 'failed'; readonly status: string; readonly reason: string }

/** Where documents go. */
export type ImportTarget = {
  /** Tells targets apart in a journal. */
  readonly name: string
  /** Throws `UserError` when there is no use in sending any more. */
  readonly send: (document: RunBytes) => Promise<Outcome>
  readonly close: () => Promise<void>
}
