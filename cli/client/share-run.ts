import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { partFile, manifestNumber } from '../../domain/evidence/run-folder.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { digestOfFile, readManifestFile, wholeFile } from '../evidence/stored-bytes.ts'
import { EvidenceUnknown, sendParts } from '../evidence/send-parts.ts'
import { TransientError } from './backoff.ts'
import { REQUEST_TIMEOUT_MS, type EngineServer } from './engine-server.ts'
import { ShareFailed, uploadRun, type Uploaded } from './upload-run.ts'

/** How fast a service takes parts at least. */
const MIN_BYTES_PER_MS = 256

export type ShareOptions = {
  /** The id of the plan that the run follows. */
  readonly plan: string | undefined
  /** The folder of the run, which has its manifest and its parts. */
  readonly folder: string
  readonly warn: (message: string) => void
}

/**
 * Uploads a run: first its parts and its manifest, which the service demands before it takes the run. Throws `ShareFailed`. A run whose evidence is
 * not in the folder, and one for a service that is older than evidence, is uploaded without, with a warning.
 */
export const shareRun = async (
  server: EngineServer,
  run: RunDocument,
  { plan, folder, warn }: ShareOptions,
): Promise<Uploaded> => {
  const { evidence_manifest: manifest, ...bare } = run
  if (manifest === undefined) return uploadRun(server, run, plan)
  const file = await manifestIn(folder, manifest)
  if (file === null) {
    warn(`the run is uploaded without its evidence: no manifest with the SHA-256 ${manifest} is in ${folder}`)
    return uploadRun(server, bare, plan)
  }
  const isSent = await sendEvidence(server, manifest, file, folder, warn)
  return uploadRun(server, isSent ? run : bare, plan)
}

const manifestIn = async (folder: string, sha256: string): Promise<string | null> => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => manifestNumber(name) !== null) : []
  for (const name of names) if ((await digestOfFile(join(folder, name))) === sha256) return join(folder, name)
  return null
}

/** Sends the parts of a manifest, and it. Returns false, with a warning, if the service is older than evidence. */
const sendEvidence = async (
  { client, token, signal }: EngineServer,
  manifest: string,
  file: string,
  folder: string,
  warn: (message: string) => void,
): Promise<boolean> => {
  let timeout = signal
  try {
    const parts = await readManifestFile(file)
    const files = new Map(
      [...parts].map(([sha256, size]) => [sha256, { path: join(folder, partFile(sha256)), offset: 0, bytes: size }]),
    )
    for (const { path } of files.values())
      if (!existsSync(path)) throw new UserError(`${path} is missing, which its manifest names`)
    const bytes = [...parts.values()].reduce((sum, size) => sum + size, 0)
    timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS + Math.ceil(bytes / MIN_BYTES_PER_MS))
    const asked = { token, signal: AbortSignal.any([signal, timeout]) }
    await sendParts(client, files.set(manifest, wholeFile(file)), asked)
    return true
  } catch (error) {
    if (error instanceof EvidenceUnknown) {
      warn(`the run is uploaded without its evidence: ${client.url} is older than evidence, and keeps none`)
      return false
    }
    if (signal.aborted) throw error
    if (timeout.aborted) throw new ShareFailed(`${client.url} did not take the evidence of the run in time`)
    if (error instanceof TransientError || error instanceof UserError)
      throw new ShareFailed(`the evidence of the run cannot be uploaded: ${error.message}`, { cause: error })
    throw error
  }
}
