import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  /** A reason without the place of temporary files, which no caller needs. */
  readonly withoutPlace: (reason: string) => string
}

/** What the transcripts and files of a run may take in the folder for temporary files: a small archive unpacks to much more. */
const MAX_WAITING_BYTES = 512 * 1024 * 1024

const NO_EVIDENCE = {
  options: undefined,
  originalPath: null,
  loss: null,
  withoutPlace: (reason: string) => reason,
  [Symbol.asyncDispose]: async () => {},
}

/** Prepares a folder for temporary files, and puts the file there. Without such a folder no evidence is kept, and the result says it. */
export const waitingEvidence = async (
  { bytes }: UploadedFile,
  evidence: ImportQuery['evidence'],
  maxPartBytes: number,
): Promise<WaitingEvidence> => {
  if (evidence === 'none') return NO_EVIDENCE
  const hasOriginal = evidence === 'all'
  let folder: string | null = null
  let originalPath: string | null = null
  try {
    folder = await mkdtemp(join(tmpdir(), 'ers-posted-'))
    if (hasOriginal) {
      // Not by the name of the upload, which may be too long for the file system.
      originalPath = join(folder, 'source', 'upload')
      await mkdir(join(folder, 'source'))
      await writeFile(originalPath, bytes)
    }
  } catch (error) {
    if (folder !== null) await rm(folder, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const note = `the server has no room for temporary files (${code}); the command ers import keeps evidence too`
    return { ...NO_EVIDENCE, loss: { kind: 'left_out', path: '(evidence)', count: 1, bytes: 0, example: '', note } }
  }
  const place = folder
  return {
    options: { folder, hasOriginal, hasOthers: hasOriginal, maxPartBytes, maxBytes: MAX_WAITING_BYTES },
    originalPath,
    loss: null,
    withoutPlace: (reason) => reason.replaceAll(place, '(temporary folder)'),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
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
