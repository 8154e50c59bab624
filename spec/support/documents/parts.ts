import { createHash } from 'node:crypto'
import { json, type SpecResponse } from '../access/access-requests.ts'
import type { Send } from '../servers/app.ts'

/** The digest by which bytes are named. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Bytes that do not repeat, so that they cannot be compressed. */
export const noise = (length: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(length)
  let state = seed >>> 0 || 1
  for (let i = 0; i < length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[i] = state & 0xff
  }
  return bytes
}

/** The status of an answer and its body. */
export const answerOf = ({
  statusCode,
  body,
}: Pick<SpecResponse, 'statusCode' | 'body'>): readonly [number, { readonly error?: string }] => [
  statusCode,
  body === '' ? {} : (JSON.parse(body) as { readonly error?: string }),
]

export const octets = { 'content-type': 'application/octet-stream' } as const

/** Sends a whole part. */
export const putPart = (send: Send, bytes: Buffer, sha256 = digestOf(bytes)) =>
  send('PUT', `/parts/${sha256}`, { headers: octets, body: bytes })

const BOUNDARY = 'a-boundary-of-specs'

/** A form whose files are named by their digests. */
export const formOf = (files: ReadonlyArray<{ readonly name: string; readonly bytes: Buffer }>): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ name, bytes }) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

export const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } as const

/** Sends a form. */
export const postForm = (send: Send, body: Buffer) => send('POST', '/parts', { headers: FORM_TYPE, body })

/** Sends many whole parts at once. */
export const postParts = (send: Send, parts: readonly Buffer[]) =>
  postForm(send, formOf(parts.map((bytes) => ({ name: digestOf(bytes), bytes }))))

/** Bytes of a piece. */
export const PIECE = 8 * 1024 * 1024

/** Sends the n-th piece of a part. */
export const putPiece = (send: Send, bytes: Buffer, n: number, sha256 = digestOf(bytes)) => {
  const from = n * PIECE
  const piece = bytes.subarray(from, from + PIECE)
  const range = `bytes ${from}-${from + piece.length - 1}/${bytes.length}`
  return send('PUT', `/parts/${sha256}`, { headers: { ...octets, 'content-range': range }, body: piece })
}

type Entry = { readonly bytes: Buffer; readonly role: string } & Readonly<Record<string, unknown>>

/** A manifest of some parts. */
export const manifestOf = (entries: readonly Entry[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      evidence: 1,
      parts: entries.map(({ bytes, ...entry }) => ({ sha256: digestOf(bytes), bytes: bytes.length, ...entry })),
    }),
  )

/** Sends the parts of a manifest and the manifest. Returns the digest of it. */
export const sendEvidence = async (send: Send, entries: readonly Entry[]): Promise<string> => {
  const manifest = manifestOf(entries)
  for (const bytes of [...entries.map((entry) => entry.bytes), manifest]) {
    const { statusCode, body } = await putPart(send, bytes)
    if (statusCode !== 200) throw new Error(`a part was answered with ${statusCode}: ${body}`)
  }
  return digestOf(manifest)
}

/** Adds evidence to a run. */
export const attach = (send: Send, run_id: string, manifest: string) =>
  send('POST', `/runs/${encodeURIComponent(run_id)}/evidence`, { headers: json, body: JSON.stringify({ manifest }) })
