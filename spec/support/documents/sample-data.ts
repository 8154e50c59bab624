import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aDocument } from './documents.ts'

/** The committed runs: real results, gzipped. */
const SAMPLES = fileURLToPath(new URL('../../data/', import.meta.url))

type Server = { readonly url: string; readonly token: string }

/** Uploads one run document, gzipped or as text. Throws if the server rejects it. */
export const upload = async ({ url, token }: Server, body: Buffer<ArrayBuffer> | string): Promise<void> => {
  const encoding = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }
  const answer = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...encoding },
    body,
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
}

/** Uploads a run document with these fields. */
export const uploadDocument = (server: Server, fields: Parameters<typeof aDocument>[0]): Promise<void> =>
  upload(server, JSON.stringify(aDocument(fields)))

/** Uploads every committed run of some projects, or of all. */
export const uploadSamples = async (
  server: Server,
  projects: readonly string[] = readdirSync(SAMPLES),
): Promise<void> => {
  const files = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.json.gz') && projects.includes(file.split(/[/\\]/)[0] ?? ''),
  )
  for (const file of files) await upload(server, readFileSync(join(SAMPLES, file)))
}
