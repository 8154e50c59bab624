import type { RunningServer } from '../servers/server.ts'
import { digestOf, manifestOf, octets } from '../documents/parts.ts'

type Place = { readonly run_id: string; readonly case_key: string; readonly name?: string }

/** Adds a transcript to a case of a run of a running server. Returns its digest. */
export const uploadTranscript = async (
  { url, token }: Pick<RunningServer, 'url' | 'token'>,
  { run_id, case_key, name = 'sample 1' }: Place,
  bytes: Buffer,
): Promise<string> => {
  const manifest = manifestOf([{ bytes, role: 'transcript', case_key, name }])
  const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body: Uint8Array) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: new Uint8Array(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  for (const part of [bytes, manifest]) await send('PUT', `/parts/${digestOf(part)}`, octets, part)
  const named = Buffer.from(JSON.stringify({ manifest: digestOf(manifest) }))
  await send('POST', `/runs/${encodeURIComponent(run_id)}/evidence`, { 'content-type': 'application/json' }, named)
  return digestOf(bytes)
}
