import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refused } from '../../commands/refused.ts'
import { prepareUpload } from '../../commands/run/ingest-run.ts'
import type { SharedParts } from '../../domain/report/shared-case.ts'
import { UsageError } from '../../engine/json.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { namesOfTests, readSharedComparison, readSharedRun, type SharedFile } from '../../queries/share/shared-file.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenService } from '../../runtime/services.ts'
import type { FoundRun } from './find-run.ts'

/** The data of a page, and for each of its runs the texts of its blocks of cases. */
export type Collected = { readonly file: SharedFile; readonly blocks: ReadonlyArray<readonly string[]> }

/**
 * Reads what a page has of a run, and of the run that it is compared with. Both are put into a store of their own, which
 * is deleted at the end: the page then has the numbers that the service shows. Throws `UsageError` if a document is not
 * accepted.
 */
export const collect = async (head: FoundRun, base: FoundRun | null, parts: SharedParts): Promise<Collected> => {
  // Only this user may read the folder.
  const folder = await mkdtemp(join(tmpdir(), 'ers-share-html-'))
  try {
    const service = await openService({ dataDir: folder, threads: false })
    try {
      await add(service, head)
      if (base) await add(service, base)
      return await read(service, head.id, base?.id ?? null, parts)
    } finally {
      await service.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const add = async (service: OpenService, { id, bytes, gzip }: FoundRun): Promise<void> => {
  try {
    const upload = await prepareUpload(service.reader, { body: bytes, encoding: gzip ? 'gzip' : null })
    if (upload.kind === 'known') return
    const { pending, ...prepared } = upload
    await pending
    await service.commit.ingestPrepared(CLI, prepared)
  } catch (error) {
    if (error instanceof Refused) throw new UsageError(`${id} cannot be shared: ${error.message}`)
    throw error
  }
}

const read = async (
  { reader, documents }: OpenService,
  head: string,
  base: string | null,
  parts: SharedParts,
): Promise<Collected> => {
  const source = { reader, documents, viewer: CLI }
  const asked = { ...parts, hasConfig: base !== null }
  const runs = [await readSharedRun(source, head, asked)]
  if (base !== null) runs.push(await readSharedRun(source, base, asked))
  const names = parts.without.has('vars') ? namesOfTests(runs.flatMap(({ shared }) => shared.rows)) : null
  return {
    file: {
      runs: runs.map(({ shared }) => shared),
      comparisons:
        base === null
          ? []
          : [
              await readSharedComparison(source, { base, head }, names),
              await readSharedComparison(source, { base: head, head: base }, names),
            ],
      without: [...parts.without].sort(),
      max_output_bytes: parts.maxOutputBytes,
    },
    blocks: runs.map(({ blocks }) => blocks),
  }
}
