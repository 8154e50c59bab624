import { openAsBlob, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { manifestNumber, partFile } from '../../domain/evidence/run-folder.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { readAnswer } from '../client/answer.ts'
import { readRefusal, type ServiceClient } from '../client/service-client.ts'
import { digestOfFile, readManifestFile } from './read-files.ts'
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
const checkDigests = async (folder: string): Promise<ReadonlySet<string>> => {
  const names = new Set<string>()
  for (const line of readFileSync(join(folder, DIGESTS), 'utf8').split('\n')) {
    if (line === '') continue
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
    if (sha256 === undefined || name === undefined || name.startsWith('/') || name.split('/').includes('..'))
      throw new UserError(`${join(folder, DIGESTS)} has a line that names no file of the folder: ${line.slice(0, 100)}`)
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new UserError(`${path} is missing`)
    if ((await digestOfFile(path)) !== sha256) throw new UserError(`${path} does not have the bytes that were exported`)
    names.add(name.replace(/^\.\//, ''))
  }
  return names
}

/**
 * Sends a run that was exported with its parts: the parts that the service lacks, the document, and the manifests that the run there does not
 * have. A repetition sends nothing again. Throws `UserError`, and `TransientError` if the service cannot be reached.
 */
export const importWithParts = async (client: ServiceClient, folder: string, asked: Asked): Promise<ImportedRun> => {
  const { token, signal } = asked
  const checked = await checkDigests(folder)
  /** The path of a file whose bytes were compared. */
  const fileOf = (name: string): string => {
    const path = join(folder, name)
    if (!checked.has(name)) throw new UserError(`${path} is not in ${DIGESTS}, so nothing says what it has to be`)
    return path
  }
  const manifests = readdirSync(folder)
    .flatMap((name) => {
      const n = manifestNumber(name)
      return n === null ? [] : [{ n, path: fileOf(name) }]
    })
    .toSorted((a, b) => a.n - b.n)
  const documentFile = fileOf(DOCUMENT)
  const files = new Map<string, string>()
  const digests: string[] = []
  for (const { path } of manifests) {
    const sha256 = await digestOfFile(path)
    digests.push(sha256)
    files.set(sha256, path)
    for (const [part] of await readManifestFile(path)) files.set(part, fileOf(partFile(part)))
  }

  const send = <T>(path: string, init: RequestInit, schema: { readonly parse: (value: unknown) => T }): Promise<T> =>
    client.request(path, { ...init, signal }, async (response) => {
      if (response.status !== 200 && response.status !== 201) throw await readRefusal(client.url, response, token)
      return readAnswer(response, schema)
    })
  const json = { 'content-type': 'application/json' }

  const parts = await sendParts(client, files, asked)

  const document = await openAsBlob(documentFile)
  let isNew = false
  const { id } = await client.request(
    '/runs',
    { method: 'POST', headers: json, body: document, signal },
    (response) => {
      isNew = response.status === 201
      return response.ok ? readAnswer(response, Uploaded) : readRefusal(client.url, response, token).then(thrown)
    },
  )
  const run = `/runs/${encodeURIComponent(id)}/evidence`
  const stored = new Set((await send(run, {}, Evidence)).evidence.map(({ manifest_sha256 }) => manifest_sha256))
  const absent = digests.filter((sha256) => !stored.has(sha256))
  for (const manifest of absent)
    await send(run, { method: 'POST', headers: json, body: JSON.stringify({ manifest }) }, z.object({ n: z.int() }))
  return { run_id: id, isNew, parts, attached: absent.length }
}

const thrown = (error: Error): never => {
  throw error
}
