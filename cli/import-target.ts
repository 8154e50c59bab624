/** The largest document that any service takes, uncompressed. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

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
  /** Throws `Unusable` when there is no use in sending any more. */
  readonly send: (document: RunBytes) => Promise<Outcome>
  readonly close: () => Promise<void>
}
