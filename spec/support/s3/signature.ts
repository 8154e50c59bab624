import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Computes the signature of a request as AWS Signature Version 4 defines it, and compares. */
export const isSigned = (request: IncomingMessage, body: Buffer, secret: string): boolean => {
  const { method, url = '', headers } = request
  const [path = '', search = ''] = url.split('?')
  const query = [...new URLSearchParams(search)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&')
  const parts = /^AWS4-HMAC-SHA256 Credential=[^/]+\/(.+), SignedHeaders=(.+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  const [, scope = '', signedNames = '', signature] = parts ?? []
  const signed = signedNames.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const canonical = [method, path, query, signed.join(''), signedNames, bodyHash].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const key = scope
    .split('/')
    .reduce<Buffer>(
      (signing, step) => createHmac('sha256', signing).update(step).digest(),
      Buffer.from(`AWS4${secret}`),
    )
  return signature === createHmac('sha256', key).update(text).digest('hex')
}
