import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileNameOf } from '../../../domain/evidence/content-type.ts'
import { removeEvidence, type RunEvidence } from '../../../interchange/document/evidence/collect-evidence.ts'
import type { EvidenceOptions } from '../../../interchange/document/evidence/case-evidence.ts'
import type { Loss } from '../../../interchange/document/losses.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { storeFiles } from '../../../runtime/evidence/store-files.ts'
import type { Services } from '../../services.ts'
import type { ImportQuery } from './import-query.ts'
import type { UploadedFile } from './uploaded-file.ts'

type Parts = Pick<Services, 'reader' | 'commit' | 'config' | 'partStore'>

/** Where the evidence of one import waits until it is stored. */
export type WaitingEvidence = AsyncDisposable & {
  readonly options: EvidenceOptions | undefined
  /** The file of the import, as it came. */
  readonly originalPath: string | null
  /** What the result says if evidence was wanted, and there is no room for it. */
  readonly loss: Loss | null
}

const NO_EVIDENCE = { options: undefined, originalPath: null, loss: null, [Symbol.asyncDispose]: async () => {} }

/** Prepares a folder for temporary files, and puts the file there. Without such a folder no evidence is kept, and the result says it. */
export const waitingEvidence = async (
  { name, bytes }: UploadedFile,
  evidence: ImportQuery['evidence'],
): Promise<WaitingEvidence> => {
  if (evidence === 'none') return NO_EVIDENCE
  let folder: string
  try {
    folder = await mkdtemp(join(tmpdir(), 'ers-posted-'))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const note = `the server has no folder for temporary files (${code}); the command ers import keeps evidence too`
    return { ...NO_EVIDENCE, loss: { kind: 'left_out', path: '(evidence)', count: 1, bytes: 0, example: '', note } }
  }
  const remove = () => rm(folder, { recursive: true, force: true })
  const hasOriginal = evidence === 'all'
  const originalPath = hasOriginal ? join(folder, 'source', fileNameOf(name.slice(0, 100), 'upload')) : null
  try {
    if (originalPath !== null) {
      await mkdir(join(folder, 'source'))
      await writeFile(originalPath, bytes)
    }
  } catch (error) {
    await remove()
    throw error
  }
  return {
    options: { folder, hasOriginal, hasOthers: hasOriginal },
    originalPath,
    loss: null,
    [Symbol.asyncDispose]: remove,
  }
}

/** Stores the parts of runs of an import, and adds them to runs that are there. */
export const evidenceKeeper = ({ reader, commit, config, partStore }: Parts, viewer: Viewer) => ({
  /** Stores parts before `work`, which records the run that names them. Their files are removed. Refuses as `storeFiles` does. */
  store: async <T>(evidence: RunEvidence, work: () => Promise<T>): Promise<T> => {
    try {
      await storeFiles({ reader, partStore, maxBytes: config.parts.maxBytes }, viewer, evidence.files)
      return await work()
    } finally {
      removeEvidence(evidence)
    }
  },
  attach: async (run_id: string, { manifest }: RunEvidence): Promise<void> =>
    void (await commit.attachEvidence(viewer, { run_id, manifest, maxPartBytes: config.parts.maxRunBytes })),
})
