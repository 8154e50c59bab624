import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refused } from '../../commands/refused.ts'
import { prepareUpload } from '../../commands/run/ingest-run.ts'
import { UsageError } from '../../engine/json.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { BadParameter } from '../../queries/bad-parameter.ts'
import { sharedElements, type SharedRequest } from '../../queries/share/shared-file.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenService } from '../../runtime/services.ts'
import type { ExtrasOfRun, FoundRun } from './find-run.ts'

/** What a page has of its runs. */
export type SharedChoices = Pick<SharedRequest, 'base_column' | 'head_column' | 'without' | 'with' | 'max_output_bytes'>

/** The document of a run to share. */
type SharedDocument = Pick<FoundRun, 'id' | 'bytes' | 'gzip'>

type SharedRuns = {
  readonly head: SharedDocument
  readonly base: SharedDocument | null
  /** What else the page has of a run. */
  readonly extrasOf: (run_id: string) => ExtrasOfRun
}

/**
 * Reads what a page has of a run, and of the run that it is compared with, as elements of the page. Both are put into a
 * store of their own, which is deleted at the end: the page then has the numbers that the service shows. Throws
 * `UsageError` if a document is not accepted, or has no case in a column.
 */
export const collect = async (
  { head, base, extrasOf }: SharedRuns,
  choices: SharedChoices,
): Promise<readonly string[]> => {
  // Only this user may read the folder.
  const folder = await mkdtemp(join(tmpdir(), 'ers-share-html-'))
  try {
    const service = await openService({ dataDir: folder, threads: false })
    try {
      await add(service, head)
      if (base) await add(service, base)
      const source = {
        reader: service.reader,
        documents: service.documents,
        viewer: CLI,
        commentsOn: (id: string) => extrasOf(id).comments,
        calibrationOf: (id: string) => extrasOf(id).calibration,
      }
      const request = { run_id: head.id, base: base?.id ?? null, case_key: null, now: 0, ...choices }
      return await Array.fromAsync(sharedElements(source, request))
    } catch (error) {
      if (error instanceof BadParameter) throw new UsageError(error.message)
      throw error
    } finally {
      await service.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const add = async (service: OpenService, { id, bytes, gzip }: SharedDocument): Promise<void> => {
  try {
    const upload = await prepareUpload(service.reader, { body: bytes, encoding: gzip ? 'gzip' : null })
    if (upload.kind === 'known') return
    const { pending, ...prepared } = upload
    await pending
    // The file shows the document alone.
    const { evidence_manifest: _, ...document } = prepared.document
    await service.commit.ingestPrepared(CLI, { ...prepared, document })
  } catch (error) {
    if (error instanceof Refused) throw new UsageError(`${id} cannot be shared: ${error.message}`)
    throw error
  }
}
