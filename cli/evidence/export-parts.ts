import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import * as z from 'zod'
import { isDigest } from '../../domain/evidence/manifest.ts'
import { manifestFile, manifestNumber, partFile, PARTS } from '../../domain/evidence/run-folder.ts'
import { answerParts, MAX_DOCUMENT_BYTES, readAnswer } from '../client/answer.ts'
import { TransientError } from '../client/backoff.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { exportedBytes } from '../export/forms.ts'
import { writeWhole } from '../export/write-file.ts'
import { fetchReceipt, NoReceipt } from '../proof/save-receipt.ts'
import { DIGESTS, DOCUMENT, RECEIPTS } from './exported-run.ts'
import { digestOfFile, readManifestFile } from './stored-bytes.ts'

const Evidence = z.object({
  evidence: z.array(z.object({ n: z.int().min(0), manifest_sha256: z.string().refine(isDigest) })),
})

/** `refusal` makes the error for an answer that is no success. */
type Asked = { readonly refusal: (response: Response) => Promise<Error>; readonly signal: AbortSignal }

/** What was written: parts with their bytes, and why receipts are missing. */
export type ExportedParts = { readonly parts: number; readonly bytes: number; readonly note: string | null }

/**
 * Writes a run with its evidence into a folder. What is there already with the right bytes is not fetched again, so an interrupted export is
 * repeated. Throws `UserError`, and `TransientError` if the service cannot be reached.
 */
export const exportWithParts = async (
  client: ServiceClient,
  run_id: string,
  folder: string,
  asked: Asked,
): Promise<ExportedParts> => {
  const { signal, refusal } = asked
  const run = `/runs/${encodeURIComponent(run_id)}`

  const identity = { headers: { 'accept-encoding': 'identity' }, signal }

  /** Writes an answer to a file. Its bytes must have the digest. */
  const save = async (path: string, file: string, maxBytes: number, sha256: string): Promise<void> => {
    const target = join(folder, file)
    await mkdir(dirname(target), { recursive: true })
    if (await hasDigest(target, maxBytes, sha256)) return
    await client.request(path, identity, async (response) => {
      if (response.status !== 200) throw await refusal(response)
      const hash = createHash('sha256')
      const body = async function* () {
        for await (const part of answerParts(response, { maxBytes })) {
          hash.update(part)
          yield part
        }
        if (hash.digest('hex') !== sha256)
          throw new TransientError(`${path} does not have the bytes of its digest`, { status: response.status })
      }
      await writeWhole(body(), target, { gzip: false, length: null, signal })
    })
  }

  // Nothing is written before the answers are those of a service.
  const document = await client.request(`${run}/export`, identity, async (response) => {
    if (response.status !== 200) throw await refusal(response)
    return Buffer.concat(await Array.fromAsync(exportedBytes(response, undefined)))
  })
  const { evidence } = await client.request(`${run}/evidence`, { signal }, async (response) => {
    if (response.status !== 200) throw await refusal(response)
    return readAnswer(response, Evidence)
  })
  await mkdir(folder, { recursive: true })
  // Without it the folder is not whole. An earlier export may be written over.
  await rm(join(folder, DIGESTS), { force: true })
  await rm(join(folder, RECEIPTS), { recursive: true, force: true })
  await writeWhole([document], join(folder, DOCUMENT), { gzip: false, length: document.length, signal })
  const parts = new Map<string, number>()
  for (const { n, manifest_sha256 } of evidence) {
    await save(`${run}/evidence/${n}`, manifestFile(n), MAX_DOCUMENT_BYTES, manifest_sha256)
    for (const [sha256, bytes] of await readManifestFile(join(folder, manifestFile(n)))) parts.set(sha256, bytes)
  }
  for (const [sha256, bytes] of parts) await save(`${run}/parts/${sha256}`, partFile(sha256), bytes, sha256)
  const files = [...evidence.map(({ n }) => manifestFile(n)), ...[...parts.keys()].map(partFile)]
  await removeOthers(folder, new Set(files))
  const note = await saveReceipts(client, run_id, folder, [null, ...evidence.map(({ n }) => n)], signal)
  await writeDigests(folder, signal)
  return { parts: parts.size, bytes: [...parts.values()].reduce((sum, bytes) => sum + bytes, 0), note }
}

/** Removes manifests and parts of an earlier export that the run does not have any more. */
const removeOthers = async (folder: string, files: ReadonlySet<string>): Promise<void> => {
  for (const name of filesBelow(folder)) {
    const isEvidence = manifestNumber(name) !== null || name.startsWith(`${PARTS}/`)
    if (isEvidence && !files.has(name)) await rm(join(folder, name))
  }
}

const hasDigest = async (path: string, bytes: number, sha256: string): Promise<boolean> => {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size <= bytes && (await digestOfFile(path)) === sha256
}

/** Saves the receipts of the upload and of evidence. Returns why one is missing: not every server or caller has them. */
const saveReceipts = async (
  client: ServiceClient,
  run_id: string,
  folder: string,
  numbers: ReadonlyArray<number | null>,
  signal: AbortSignal,
): Promise<string | null> => {
  for (const evidence of numbers) {
    try {
      const text = Buffer.from(await fetchReceipt(client, run_id, { isCosigned: false, signal, evidence }))
      await mkdir(join(folder, RECEIPTS), { recursive: true })
      const name = evidence === null ? 'run.tlog-proof' : `evidence-${evidence}.tlog-proof`
      await writeWhole([text], join(folder, RECEIPTS, name), { gzip: false, length: text.length, signal })
    } catch (error) {
      if (error instanceof NoReceipt) return `without receipts: ${error.message}`
      throw error
    }
  }
  return null
}

/** The files of an exported run, the digests last. */
export const exportedFileNames = (folder: string): string[] => [...filesBelow(folder), DIGESTS]

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => name !== DIGESTS)
    .toSorted()

/** Writes the digests of all files in the form of `sha256sum`. */
const writeDigests = async (folder: string, signal: AbortSignal): Promise<void> => {
  const lines: string[] = []
  for (const name of filesBelow(folder)) lines.push(`${await digestOfFile(join(folder, name))}  ${name}\n`)
  await writeWhole([Buffer.from(lines.join(''))], join(folder, DIGESTS), { gzip: false, length: null, signal })
}
