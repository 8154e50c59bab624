import { join } from 'node:path'
import * as z from 'zod'
import { manifestNumber, partFile } from '../../domain/evidence/run-folder.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { readAnswer } from '../client/answer.ts'
import { readRefusal, type ServiceClient } from '../client/service-client.ts'
import { readDigests, type ExportedFiles } from './exported-files.ts'
import { digestOfBytes, manifestParts, MAX_LIST_BYTES, readStored, type StoredBytes } from './stored-bytes.ts'
import { sendParts, type Asked } from './send-parts.ts'
import { DIGESTS, DOCUMENT } from './exported-run.ts'

const Uploaded = z.object({ id: z.string() })
const Evidence = z.object({ evidence: z.array(z.object({ manifest_sha256: z.string() })) })

/** What an import did with a run: whether it was there, the parts that were sent, and the manifests that were added. */
export type ImportedRun = {
  readonly run_id: string
  readonly isNew: boolean
  readonly parts: number
  readonly attached: number
}

/**
 * Compares every file of an exported run with its digest, and returns their names. Throws `UserError` for the first that differs.
 */
const checkDigests = async (run: ExportedFiles): Promise<ReadonlySet<string>> => {
  const listed = run.files.get(DIGESTS)
  const digests = readDigests(run, listed === undefined ? '' : (await readStored(listed, MAX_LIST_BYTES)).toString())
  for (const [name, sha256] of digests)
    if ((await digestOfBytes(storedIn(run, name))) !== sha256)
      throw new UserError(`${join(run.where, name)} does not have the bytes that were exported`)
  return new Set(digests.keys())
}

const storedIn = ({ where, files }: ExportedFiles, name: string): StoredBytes => {
  const stored = files.get(name)
  if (stored === undefined) throw new UserError(`${join(where, name)} is missing`)
  return stored
}

/**
 * Sends a run that was exported with its parts: the parts that the service lacks, the document, and the manifests that the run there does not
 * have. A repetition sends nothing again. Throws `UserError`, and `TransientError` if the service cannot be reached.
 */
export const importWithParts = async (
  client: ServiceClient,
  run: ExportedFiles,
  asked: Asked,
): Promise<ImportedRun> => {
  const { token, signal } = asked
  const checked = await checkDigests(run)
  /** The bytes of a file that were compared. */
  const bytesOf = (name: string): StoredBytes => {
    if (!checked.has(name))
      throw new UserError(`${join(run.where, name)} is not in ${DIGESTS}, so nothing says what it has to be`)
    return storedIn(run, name)
  }
  const manifests = [...run.files.keys()]
    .flatMap((name) => {
      const n = manifestNumber(name)
      return n === null ? [] : [{ n, name, stored: bytesOf(name) }]
    })
    .toSorted((a, b) => a.n - b.n)
  const documentBytes = bytesOf(DOCUMENT)
  const files = new Map<string, StoredBytes>()
  const digests: string[] = []
  for (const { name, stored } of manifests) {
    const sha256 = await digestOfBytes(stored)
    digests.push(sha256)
    files.set(sha256, stored)
    for (const [part] of await manifestParts(stored, join(run.where, name))) files.set(part, bytesOf(partFile(part)))
  }

  const send = <T>(path: string, init: RequestInit, schema: { readonly parse: (value: unknown) => T }): Promise<T> =>
    client.request(path, { ...init, signal }, async (response) => {
      if (response.status !== 200 && response.status !== 201) throw await readRefusal(client.url, response, token)
      return readAnswer(response, schema)
    })
  const json = { 'content-type': 'application/json' }

  const parts = await sendParts(client, files, asked)

  const document = await readStored(documentBytes)
  let isNew = false
  const { id } = await client.request(
    '/runs',
    { method: 'POST', headers: json, body: document, signal },
    (response) => {
      isNew = response.status === 201
      return response.ok ? readAnswer(response, Uploaded) : readRefusal(client.url, response, token).then(thrown)
    },
  )
  const evidencePath = `/runs/${encodeURIComponent(id)}/evidence`
  const stored = new Set(
    (await send(evidencePath, {}, Evidence)).evidence.map(({ manifest_sha256 }) => manifest_sha256),
  )
  const absent = digests.filter((sha256) => !stored.has(sha256))
  for (const manifest of absent)
    await send(
      evidencePath,
      { method: 'POST', headers: json, body: JSON.stringify({ manifest }) },
      z.object({ n: z.int() }),
    )
  return { run_id: id, isNew, parts, attached: absent.length }
}

const thrown = (error: Error): never => {
  throw error
}
