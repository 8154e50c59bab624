import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isSigned } from './signature.ts'

/**
 * What a request meets. `nothing`: no answer. `slow`: a byte of the answer every few milliseconds. `cut`: the request is carried out, and its answer is
 * lost.
 */
export type Fault =
  | { readonly status: number; readonly code: string }
  | 'nothing'
  | 'slow'
  | 'half'
  | 'cut'
  | 'not stored'

/** A request as faults and specs see it. `key` is that of an object, or empty. */
export type Seen = { readonly method: string; readonly key: string; readonly query: URLSearchParams }

type Stored = { readonly body: Buffer; readonly checksum: string | undefined; readonly at: Date }

export const BUCKET = 'evidence'
export const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret+of/aws' } as const

const errorXml = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
const base64Of = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('base64')

/** Sends an answer byte by byte, until its reader has enough of it. */
const drip = (response: ServerResponse, bytes: Buffer): void => {
  let sent = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, ++sent))
    if (sent < bytes.length) return
    clearInterval(timer)
    response.end()
  }, 5)
  response.on('close', () => clearInterval(timer))
}

/**
 * A stand-in of an S3-compatible server on a loopback address, for its faults. It checks signatures, hashes of bodies and conditions. `secrets`
 * are those that it takes, with the codes with which it refuses others.
 */
export const startS3Server = async ({ port = 0 }: { readonly port?: number } = {}) => {
  const objects = new Map<string, Stored>()
  const requests: string[] = []
  const headers: IncomingHttpHeaders[] = []
  /** `fault` says what a request meets; `page` how many objects a list has. */
  const state = {
    fault: (_: Seen): Fault | null => null,
    /** What a request waits for before it is carried out. */
    hold: (_: Seen): Promise<void> | undefined => undefined,
    page: 1000,
    ignoresConditions: false,
    /** Keys of objects that may not be removed. */
    kept: new Set<string>(),
    secrets: new Map<string, string>([[KEYS.AWS_ACCESS_KEY_ID, KEYS.AWS_SECRET_ACCESS_KEY]]),
    refusal: 'InvalidAccessKeyId',
    /** Requests at this moment, and the most at any. */
    open: 0,
    mostOpen: 0,
  }

  const list = (query: URLSearchParams): string => {
    const [prefix, after] = [
      query.get('prefix') ?? '',
      query.get('continuation-token') ?? query.get('start-after') ?? '',
    ]
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, state.page)
    const contents = page.map((key) => {
      const { body, at } = objects.get(key) ?? { body: Buffer.alloc(0), at: new Date(0) }
      return `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><Size>${body.length}</Size></Contents>`
    })
    const isMore = keys.length > page.length
    return `<ListBucketResult><IsTruncated>${isMore}</IsTruncated>${contents.join('')}${
      isMore ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    }</ListBucketResult>`
  }

  type Answer = { readonly status: number; readonly body: string | Buffer; readonly headers?: Record<string, string> }
  /** The answer to a request that meets no fault. */
  const answer = (request: IncomingMessage, { method, key, query }: Seen, body: Buffer, isStored: boolean): Answer => {
    const { headers } = request
    const stored = objects.get(key)
    const absent = { status: 404, body: errorXml('NoSuchKey') }
    if (method === 'POST' && query.has('delete')) {
      if (headers['content-md5'] !== base64Of('md5', body)) return { status: 400, body: errorXml('BadDigest') }
      const named = [...body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)].flatMap(([, name = '']) => name)
      const errors = named
        .filter((name) => state.kept.has(name) || !objects.delete(name))
        .map((name) => {
          const code = state.kept.has(name) ? 'AccessDenied' : 'NoSuchKey'
          return `<Error><Key>${name}</Key><Code>${code}</Code></Error>`
        })
      return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` }
    }
    if (method === 'GET' && key === '') return { status: 200, body: list(query) }
    if (method === 'PUT') {
      if (headers['if-none-match'] === '*' && stored && !state.ignoresConditions)
        return { status: 412, body: errorXml('PreconditionFailed') }
      const checksum = headers['x-amz-checksum-sha256']?.toString()
      if (checksum !== undefined && checksum !== base64Of('sha256', body))
        return { status: 400, body: errorXml('BadDigest') }
      if (isStored) objects.set(key, { body, checksum, at: new Date() })
      return { status: 200, body: '' }
    }
    if (method === 'DELETE') {
      if (state.kept.has(key)) return { status: 403, body: errorXml('AccessDenied') }
      objects.delete(key)
      return { status: 204, body: '' }
    }
    if (!stored) return absent
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    if (from === undefined)
      return {
        ...{ status: 200, body: stored.body },
        headers: stored.checksum === undefined ? {} : { 'x-amz-checksum-sha256': stored.checksum },
      }
    if (Number(from) >= stored.body.length) return { status: 416, body: errorXml('InvalidRange') }
    const part = stored.body.subarray(Number(from), Number(to) + 1)
    return {
      ...{ status: 206, body: part },
      headers: { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${stored.body.length}` },
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request)
    const url = new URL(request.url ?? '/', 'http://s3')
    const path = decodeURIComponent(url.pathname)
    const seen = { method: request.method ?? '', key: path.slice(`/${BUCKET}/`.length), query: url.searchParams }
    requests.push(`${seen.method} ${seen.key}`)
    headers.push(request.headers)
    const refuse = (status: number, code: string) => response.writeHead(status).end(errorXml(code))
    if (!path.startsWith(`/${BUCKET}/`)) return void refuse(404, 'NoSuchBucket')
    const id = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const secret = state.secrets.get(id)
    if (secret === undefined) return void refuse(403, state.refusal)
    if (!isSigned(request, body, secret)) return void refuse(403, 'SignatureDoesNotMatch')
    await state.hold(seen)
    const fault = state.fault(seen)
    if (fault === 'nothing') return
    if (fault !== null && typeof fault === 'object') return void refuse(fault.status, fault.code)
    const answered = answer(request, seen, body, fault !== 'not stored')
    if (fault === 'cut') return void request.socket.destroy()
    const bytes = Buffer.from(answered.body)
    response.writeHead(answered.status, { ...answered.headers, 'content-length': bytes.length })
    if (fault === 'slow') return void drip(response, bytes)
    if (fault !== 'half') return void response.end(bytes)
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy())
  }

  const server = createServer((request, response) => {
    state.mostOpen = Math.max(state.mostOpen, ++state.open)
    response.on('close', () => state.open--)
    // A client that ends in the middle of its request is what some specs are about.
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: given } = server.address() as AddressInfo
  return {
    port: given,
    url: `http://127.0.0.1:${given}`,
    /** The value of SERVICE_OBJECT_STORE_URL for a prefix in the bucket. */
    storeUrl: (prefix: string, more = ''): string =>
      `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${given}${more}`,
    objects,
    requests,
    /** Those of each request. */
    headers,
    state,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The running stand-in. */
export type S3Server = Awaited<ReturnType<typeof startS3Server>>
