import PQueue from 'p-queue'
import { DocumentDamaged } from '../documents/errors.ts'
import type { Query } from '../storage.ts'
import type { ReadObject } from './object-store.ts'
import { documentBytesOf, listDocumentPieces, listMovedRuns, movedBytes } from './run-objects.ts'
import { ObjectDamaged } from './seal.ts'

/** A moved document is needed in an open transaction, which does not wait for a bucket. Fetch it, and begin the transaction again. */
export class DocumentAway extends Error {
  override readonly name = 'DocumentAway'
  readonly run_no: number
  constructor(run_no: number) {
    super(`the document of run ${run_no} is in a bucket`)
    this.run_no = run_no
  }
}

/** Moved documents that were fetched. */
export type MovedDocuments = {
  readonly get: (run_no: number) => Buffer | undefined
  /**
   * Fetches the document that was needed, and those of the next runs, and forgets those before. Throws `DocumentDamaged`, and `Unavailable` if the
   * bucket is away.
   */
  readonly fetch: (away: DocumentAway) => Promise<void>
}

/** How much is fetched at once. */
const MAX_RUNS = 500
const MAX_BYTES = 64 * 1024 * 1024
const CONCURRENT = 8

type Source = { readonly read: <T>(query: Query<T>) => T | Promise<T>; readonly readObject: ReadObject }

/** Fetches moved documents for a walk through the runs in order. */
export const fetchMoved = ({ read, readObject }: Source): MovedDocuments => {
  const documents = new Map<number, Buffer>()
  const fetchOne = async (run_no: number, needed: number): Promise<number> => {
    const pieces = await read(listDocumentPieces(run_no))
    // It was deleted or moved back meanwhile.
    if (pieces.length === 0) return 0
    try {
      const raw: Buffer[] = []
      for await (const bytes of movedBytes(pieces, 0, documentBytesOf(pieces), readObject)) raw.push(bytes)
      const document = Buffer.concat(raw)
      documents.set(run_no, document)
      return document.length
    } catch (error) {
      if (!(error instanceof ObjectDamaged)) throw error
      const isGone = (await read(listDocumentPieces(run_no)))[0]?.object_id !== pieces[0]?.object_id
      if (run_no !== needed || isGone) return 0
      throw new DocumentDamaged(`the document of run ${run_no} cannot be read: ${error.message}`, { cause: error })
    }
  }
  return {
    get: (run_no) => documents.get(run_no),
    fetch: async ({ run_no: needed }) => {
      documents.clear()
      let bytes = await fetchOne(needed, needed)
      const queue = new PQueue({ concurrency: CONCURRENT })
      const others = (await read(listMovedRuns(needed + 1, MAX_RUNS))).map((run_no) => async (): Promise<void> => {
        if (bytes < MAX_BYTES) bytes += await fetchOne(run_no, needed)
      })
      await queue.addAll(others)
    },
  }
}

/** Does work that may need moved documents, as often as it takes. Without a way to fetch them, `DocumentAway` is thrown. */
export const withMoved = async <T>(moved: MovedDocuments | undefined, work: () => T | Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DocumentAway) || !moved) throw error
      await moved.fetch(error)
    }
  }
}
