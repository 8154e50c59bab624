import { join, resolve } from 'node:path'
import PQueue from 'p-queue'
import { Refused } from '../../commands/refused.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { prepareUpload, type Upload } from '../../commands/run/ingest-run.ts'
import { MAX_PART_BYTES } from '../../domain/evidence/manifest.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { listEvidence } from '../../queries/evidence/evidence.ts'
import { findConfig } from '../../queries/runs/config.ts'
import { findRun } from '../../queries/runs/run.ts'
import { openPartStore } from '../../runtime/evidence/part-store.ts'
import { storeFiles } from '../../runtime/evidence/store-files.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../runtime/services.ts'
import { Unavailable } from '../../storage/errors.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { TransientError, withRetries, type RetryOptions } from '../client/backoff.ts'
import { readObjectStore } from '../serve/object-store-config.ts'
import { checkPartsFolder } from '../serve/check-parts-folder.ts'
import { addressOfDatabase, type NamedDatabase } from '../store/store-options.ts'
import { importedFrom } from '../../queries/imports/imported-from.ts'
import { countInBucket } from '../../storage/objects/rows.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { MAX_DATABASE_PART_BYTES } from './options.ts'
import type { EvidenceTarget, ImportTarget, Outcome, Unsent } from './target.ts'

/**
 * Imports documents directly into a state directory, like an upload. Throws `StateDirectoryTaken` while a server uses
 * it.
 */
export const stateDirectoryTarget = (dataDir: string, retry: RetryOptions, plan?: string): Promise<ImportTarget> =>
  storeTarget({ dataDir }, resolve(dataDir), retry, plan)

/**
 * Imports documents directly into a database, which servers may use at the same time. Throws `Unavailable` if it cannot
 * be reached.
 */
export const databaseTarget = (database: NamedDatabase, retry: RetryOptions, plan?: string): Promise<ImportTarget> =>
  storeTarget({ database }, addressOfDatabase(database), retry, plan)

/** Only the format limits parts: the one who imports owns the store. */
const partLimits = (isDatabaseAlone: boolean) => ({
  maxBytes: isDatabaseAlone ? MAX_DATABASE_PART_BYTES : MAX_PART_BYTES,
  maxRunBytes: Number.MAX_SAFE_INTEGER,
  staged: { maxBytes: Number.MAX_SAFE_INTEGER, maxParts: Number.MAX_SAFE_INTEGER, hours: 24 },
})

/** The largest document, as it is sent, that this thread prepares. A prepared one is copied to the writer thread. */
const MAX_PREPARED_BYTES = 16 * 1024 * 1024

const isWholeBuffer = ({ buffer, byteLength }: Uint8Array): boolean => buffer.byteLength === byteLength

/**
 * Records one document. This thread reads, parses and compresses it while the writer thread records earlier ones. The writer
 * thread does all of it for a large document, which is moved there, or copied if it may have to be sent again.
 */
export const recordDocument = async (
  service: Pick<OpenService, 'reader' | 'commit'>,
  upload: Upload,
  isMoved: boolean,
): Promise<Outcome> => {
  const { body } = upload
  if (body.length > MAX_PREPARED_BYTES) {
    // `slice` of a Buffer is no copy.
    const sent = { ...upload, body: isMoved ? body : new Uint8Array(body) }
    const { created, ...stored } = await service.commit.ingestRun(CLI, sent)
    return { kind: created ? 'imported' : 'already_there', ...stored }
  }
  const prepared = await prepareUpload(service.reader, upload)
  // The same document was stored when this one arrived. That it may be deleted later does not matter.
  if (prepared.kind === 'known') return { kind: 'already_there', id: prepared.id }
  const { pending, ...fresh } = prepared
  await pending
  const { created, ...stored } = await service.commit.ingestPrepared(CLI, fresh)
  return { kind: created ? 'imported' : 'already_there', ...stored }
}

const storeTarget = async (
  location: Pick<OpenOptions, 'dataDir' | 'database'>,
  name: string,
  retry: RetryOptions,
  plan_id: string | null = null,
): Promise<ImportTarget> => {
  let fatalError: Error | null = null
  // A database may be out of reach for a moment: then the document is sent again.
  const mayMove = location.database === undefined
  const { objectStore, errors } = readObjectStore(process.env)
  if (errors.length > 0) throw new UserError(errors.join('\n'))
  const service = await openService({
    ...location,
    ...(objectStore && {
      bucket: { settings: objectStore, movesDocuments: objectStore.movesDocuments ?? false },
    }),
    threads: true,
    readers: 0,
    onFatal: (error) => void (fatalError ??= error),
  })
  const attempt = async ({ bytes, gzip }: { bytes: Uint8Array; gzip: boolean }): Promise<Outcome> => {
    const isMoved = mayMove && bytes.length > MAX_PREPARED_BYTES && isWholeBuffer(bytes)
    try {
      if (fatalError) throw fatalError
      return await recordDocument(service, { body: bytes, encoding: gzip ? 'gzip' : null, plan_id }, isMoved)
    } catch (error) {
      // Without the writer thread a retry cannot succeed.
      if (fatalError) throw fatalError
      if (error instanceof Refused) return { kind: 'refused', status: error.reason, reason: error.message }
      if (error instanceof Unavailable && isMoved) return unavailable(error)
      if (error instanceof Unavailable) throw new TransientError(error.message, { cause: error })
      throw error
    }
  }
  const partsFolder = location.dataDir === undefined ? null : join(location.dataDir, PARTS_FOLDER)
  const bucket =
    objectStore &&
    (await import('../../storage/objects/s3/store.ts')).openS3Store({
      settings: objectStore,
      identity: async () => service.reader.read(findLogIdentity),
      isUsed: async () => (await service.reader.read(countInBucket)) > 0,
    })
  const limits = partLimits(partsFolder === null && bucket === null)
  const partStore = openPartStore({ ...service, partsFolder, bucket }, limits)
  if (partsFolder !== null)
    await checkPartsFolder(service.reader, partsFolder).catch(async (error: unknown): Promise<never> => {
      await service.close()
      throw error
    })
  const problemOf = evidenceWork(retry, () => fatalError)
  // Each of them has a batch of parts in memory, and the writer takes one after the other anyway.
  const storing = new PQueue({ concurrency: 1 })
  const evidence: EvidenceTarget = {
    send: ({ files }, isAll) =>
      problemOf(() =>
        storing.add(() =>
          storeFiles({ reader: service.reader, partStore, maxBytes: limits.maxBytes }, CLI, files, { isAll }),
        ),
      ),
    attach: (run_id, { manifest }) =>
      problemOf(() => service.commit.attachEvidence(CLI, { run_id, manifest, maxPartBytes: limits.maxRunBytes })),
  }
  return {
    name,
    evidence,
    hasEvidence: async (run_id) => {
      const run = await service.reader.read(findRun(CLI, run_id))
      return !run || (await service.reader.read(listEvidence(run.run_no))).length > 0
    },
    send: async (document) => {
      try {
        return await withRetries(() => attempt(document), retry)
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        return unavailable(error)
      }
    },
    known: async (run_id) => {
      const text = await findConfig(service.reader, CLI, run_id)
      return text === null ? null : { import: importedFrom(text) }
    },
    content: async (run_id) => {
      const run = await service.reader.read(findRun(CLI, run_id))
      if (!run) return null
      const parts: Uint8Array[] = []
      for await (const part of service.documents.whole(run)) parts.push(part)
      return Buffer.concat(parts)
    },
    remove: async (run_id) => {
      try {
        await service.commit.deleteRun(CLI, { run_id })
        return null
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        // It was deleted meanwhile.
        if (error.reason === 'not_found') return null
        return { kind: 'refused', status: error.reason, reason: error.message }
      }
    },
    close: async () => {
      // The fatal error is already reported. Closing still releases the lock and ends the other threads.
      await service.close().catch((error: unknown) => {
        if (!fatalError) throw error
      })
    },
  }
}

/**
 * Does work with evidence, again while the store is out of reach for a moment, as for documents. Returns why it is not done; null if it is. Throws
 * the error without which no further work can succeed, which `fatal` returns.
 */
export const evidenceWork =
  (retry: RetryOptions, fatal: () => Error | null) =>
  async (work: () => Promise<unknown>): Promise<Unsent | null> => {
    const attempt = async (): Promise<Unsent | null> => {
      try {
        const before = fatal()
        if (before !== null) throw before
        await work()
        return null
      } catch (error) {
        const found = fatal()
        if (found !== null) throw found
        const reason = `the evidence: ${messageOf(error)}`
        if (error instanceof Refused) return { kind: 'refused', status: error.reason, reason }
        if (error instanceof Unavailable) throw new TransientError(reason, { cause: error })
        throw error
      }
    }
    try {
      return await withRetries(attempt, retry)
    } catch (error) {
      if (!(error instanceof TransientError)) throw error
      return { kind: 'failed', status: 'unavailable', reason: error.message }
    }
  }

const unavailable = ({ message }: Error): Outcome => ({ kind: 'failed', status: 'unavailable', reason: message })
