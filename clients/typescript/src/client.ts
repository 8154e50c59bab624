import createClient from 'openapi-fetch'
import type { Client } from 'openapi-fetch'
import { checkedAnswer, refuseRedirect, startOf } from './answer.ts'
import { ErsError, errorOf } from './error.ts'
import { retrying, wait } from './retry.ts'
import type { paths } from './schema.ts'

export type Options = {
  /** The address of the service, such as `https://ers.example.com`. */
  readonly url: string
  /** An API key or a static token. */
  readonly token?: string | undefined
  /** How often a request is sent at most; 4 if not given. */
  readonly maxTries?: number
  /** The longest answer in bytes, decompressed; 1 GiB if not given. A larger one has to be read as a stream. */
  readonly maxAnswerBytes?: number
  /** How long the client waits for the body of an answer, in milliseconds, plus 1 ms for each 16 bytes; a minute if not given. */
  readonly patienceMs?: number
  readonly fetch?: typeof globalThis.fetch
  /** Waits before a request is sent again. */
  readonly waitMs?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The body of a successful GET. */
type Body<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Found } } } }
}
  ? Found
  : never

/** The addresses whose responses are pages. */
type PagedPath = {
  [Path in keyof paths]: Body<Path> extends { next_cursor: string | null } ? Path : never
}[keyof paths]

type ParametersOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Pick<Parameters, keyof Parameters & ('path' | 'query')>
  : never

export type Uploaded = { readonly id: string; readonly url: string; readonly created: boolean }

export type Imported = paths['/api/v1/import']['post']['responses'][200]['content']['application/json']

export type ErsClient = {
  /** Every operation of the API, by method and path. It throws ErsError where the server answers with an error. */
  readonly api: Client<paths>
  /** The pages of a list, one request each. */
  readonly pages: <Path extends PagedPath>(path: Path, parameters: ParametersOf<Path>) => AsyncGenerator<Body<Path>>
  /** All runs that match, the newest first unless another order is given. */
  readonly runs: (
    query?: NonNullable<paths['/api/v1/runs']['get']['parameters']['query']>,
  ) => AsyncGenerator<Body<'/api/v1/runs'>['runs'][number]>
  /** All cases of a run that match. */
  readonly cases: (
    id: string,
    query?: NonNullable<paths['/api/v1/runs/{id}/cases']['get']['parameters']['query']>,
  ) => AsyncGenerator<Body<'/api/v1/runs/{id}/cases'>['cases'][number]>
  /** Uploads a run document, compressed. `created` is false if the service has it already. */
  readonly uploadRun: (
    document: object | string | Uint8Array<ArrayBuffer>,
    options?: { readonly plan?: string; readonly signal?: AbortSignal },
  ) => Promise<Uploaded>
  /**
   * Imports a file of another tool, compressed. `name` may show its time; a `File` has its own. `map` says how to read a
   * table, in YAML. Throws ErsError with the status 422 if no run of it could be imported.
   */
  readonly importFile: (file: Blob | string | Uint8Array<ArrayBuffer>, options?: ImportOptions) => Promise<Imported>
}

type ImportOptions = NonNullable<paths['/api/v1/import']['post']['parameters']['query']> & {
  readonly signal?: AbortSignal
}

/** Returns a client of the service at a URL. Nothing is sent yet. */
export const connect = ({
  url,
  token,
  maxTries = 4,
  maxAnswerBytes = 1024 * 1024 * 1024,
  patienceMs = 60_000,
  fetch = globalThis.fetch,
  waitMs = wait,
}: Options): ErsClient => {
  const send = retrying({ fetch, maxTries, waitMs })
  const api = createClient<paths>({
    baseUrl: url.endsWith('/') ? url.slice(0, -1) : url,
    fetch: send,
    redirect: 'manual',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  api.use({
    onResponse: async ({ request, response, options: { parseAs } }) => {
      await refuseRedirect(response)
      if (!response.ok) throw errorOf(response, await startOf(response))
      const asked = { method: request.method, parseAs }
      return checkedAnswer(response, asked, { maxBytes: maxAnswerBytes, patienceMs })
    },
  })

  type Get = (path: string, init: object) => Promise<{ readonly data: unknown }>
  const get = api.GET as unknown as Get
  const pages: ErsClient['pages'] = async function* (path, parameters) {
    let cursor: string | null = null
    do {
      const given = parameters as { readonly path?: object; readonly query?: object }
      const query: object = { ...given.query, ...(cursor === null ? {} : { cursor }) }
      const { data } = await get(path, { params: { ...given, query } })
      const page = data as Body<typeof path> & { readonly next_cursor: string | null }
      yield page
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  return {
    api,
    pages,
    runs: async function* (query = {}) {
      for await (const { runs } of pages('/api/v1/runs', { query })) yield* runs
    },
    cases: async function* (id, query = {}) {
      for await (const { cases } of pages('/api/v1/runs/{id}/cases', { path: { id }, query })) yield* cases
    },
    uploadRun: async (document, { plan, signal } = {}) => {
      const { data, response } = await api.POST('/api/v1/runs', {
        params: { query: plan === undefined ? {} : { plan } },
        body: (await gzipped(document)) as never,
        bodySerializer: (bytes: unknown) => bytes as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        ...(signal ? { signal } : {}),
      })
      const { id, url: page } = (data ?? {}) as Partial<Uploaded>
      if (typeof id !== 'string' || typeof page !== 'string') throw notTheService(response)
      return { id, url: page, created: response.status === 201 }
    },
    importFile: async (file, { signal, map, ...query } = {}) => {
      const blob = file instanceof Blob ? file : new Blob([file])
      const isOwnMap = map !== undefined && !map.startsWith('preset:')
      const form = new FormData()
      form.set('file', blob, query.name ?? (blob instanceof File ? blob.name : 'upload'))
      if (isOwnMap) form.set('map', map)
      // The form as bytes, so that it can be compressed and sent again.
      const encoded = new Response(form)
      const { data, response } = await api.POST('/api/v1/import', {
        params: { query: { ...query, ...(map === undefined || isOwnMap ? {} : { map }) } },
        body: (await gzipped(new Uint8Array(await encoded.arrayBuffer()))) as never,
        bodySerializer: (bytes: unknown) => bytes as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': encoded.headers.get('content-type') ?? '', 'content-encoding': 'gzip' },
        ...(signal ? { signal } : {}),
      })
      if (data === undefined) throw notTheService(response)
      return data as Imported
    },
  }
}

const notTheService = ({ status, headers }: Response): ErsError =>
  new ErsError(status, 'the answer is not of the service; check the address', headers.get('x-request-id'))

const gzipped = async (document: object | string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
  const bytes = document instanceof Uint8Array || typeof document === 'string' ? document : JSON.stringify(document)
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
