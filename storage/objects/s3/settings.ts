import { isLoopback } from './loopback.ts'

/** Where an object store is and how it is used. Plain data without a secret, because threads receive it. */
export type S3Settings = {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** Null: AWS. */
  readonly endpoint: string | null
  /** Null: that of the AWS settings. */
  readonly region: string | null
  readonly pathStyle: boolean
  readonly sse: 'AES256' | 'aws:kms' | null
  readonly kmsKeyId: string | null
  /** Whether objects are created with `If-None-Match: *`, and sent with a checksum header. */
  readonly conditional: boolean
  readonly checksum: boolean
  /** The longest time of one request, to which a second is added for each MiB that it carries. */
  readonly timeoutMs: number
  /** Requests of this process at the same time. */
  readonly concurrency: number
}

/** The URL of an object store cannot be used. Its message does not quote the URL, which may have a secret in the wrong place. */
export class InvalidStoreUrl extends Error {
  override readonly name = 'InvalidStoreUrl'
}

const SWITCHES = { on: true, off: false } as const
const BOOLEANS = { true: true, false: false } as const
const SSE = { AES256: 'AES256', 'aws:kms': 'aws:kms' } as const
const HTTP = { deny: false, allow: true } as const

/** The parameters of the URL with the values that they may have; null: any text. */
const PARAMETERS = {
  endpoint: null,
  region: null,
  path_style: BOOLEANS,
  sse: SSE,
  kms_key_id: null,
  conditional: SWITCHES,
  checksum: SWITCHES,
  http: HTTP,
} as const

const isParameter = (name: string): name is keyof typeof PARAMETERS => Object.hasOwn(PARAMETERS, name)

/** The value of a parameter that has a few, or the default if it is not given. */
const chosen = <T, D>(
  given: URLSearchParams,
  name: string,
  values: Readonly<Record<string, T>>,
  byDefault: D,
): T | D => {
  const text = given.get(name)
  if (text === null) return byDefault
  if (!Object.hasOwn(values, text))
    throw new InvalidStoreUrl(`parameter ${name} must be ${Object.keys(values).join(' or ')}`)
  return values[text] as T
}

const readEndpoint = (text: string, mayBePlain: boolean): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidStoreUrl('parameter endpoint must be an http or https URL without a user, a query and a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !mayBePlain)
    throw new InvalidStoreUrl(
      'parameter endpoint is an http URL of another host: use https, or add http=allow if no one else can read or change what is sent',
    )
  return text
}

/** Reads `s3://bucket/prefix?endpoint=…`. Throws `InvalidStoreUrl`. */
export const readStoreUrl = (text: string): Omit<S3Settings, 'timeoutMs' | 'concurrency'> => {
  const [, bucket, path = '', query = ''] =
    /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{2,62})(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? []
  if (bucket === undefined)
    throw new InvalidStoreUrl('must be s3://BUCKET/PREFIX, with parameters behind a question mark')
  const given = new URLSearchParams(query)
  for (const name of given.keys()) {
    if (!isParameter(name))
      throw new InvalidStoreUrl(
        `has the unknown parameter ${JSON.stringify(name)}: it may have ${Object.keys(PARAMETERS).join(', ')}`,
      )
    if (given.getAll(name).length > 1) throw new InvalidStoreUrl(`has the parameter ${name} more than once`)
    if (given.get(name) === '') throw new InvalidStoreUrl(`parameter ${name} must not be empty`)
  }
  const prefix = path.replace(/^\/+|(?<!\/)\/+$/g, '')
  if (!/^[\w.!*'()/-]{0,512}$/.test(prefix) || /(?:^|\/)(?:\.{0,2})(?:\/|$)/.test(prefix === '' ? 'x' : prefix))
    throw new InvalidStoreUrl(
      "must have a prefix of at most 512 letters, digits and characters of -_.!*'(), in steps with a slash between them",
    )
  const endpointText = given.get('endpoint')
  const mayBePlain = chosen(given, 'http', HTTP, false)
  const endpoint = endpointText === null ? null : readEndpoint(endpointText, mayBePlain)
  const sse = chosen(given, 'sse', SSE, null)
  const kmsKeyId = given.get('kms_key_id')
  if (kmsKeyId !== null && sse !== 'aws:kms') throw new InvalidStoreUrl('parameter kms_key_id needs sse=aws:kms')
  for (const value of [given.get('region'), kmsKeyId])
    if (value !== null && !/^[\w:/.-]{1,2048}$/.test(value))
      throw new InvalidStoreUrl('parameters region and kms_key_id must be names as AWS gives them')
  return {
    ...{ bucket, prefix, endpoint, sse, kmsKeyId },
    region: given.get('region'),
    pathStyle: chosen(given, 'path_style', BOOLEANS, endpoint !== null),
    conditional: chosen(given, 'conditional', SWITCHES, true),
    checksum: chosen(given, 'checksum', SWITCHES, true),
  }
}

/** What pages and logs show of a store: its bucket, prefix and endpoint. */
export const shownStore = ({ bucket, prefix, endpoint }: S3Settings): string =>
  `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}${endpoint === null ? '' : ` at ${new URL(endpoint).host}`}`
