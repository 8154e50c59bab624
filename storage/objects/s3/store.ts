import { createHash, randomUUID } from 'node:crypto'
import { s3ErrorCode } from '../../../domain/aws/sign.ts'
import { ObjectsUnavailable } from '../../errors.ts'
import type { ObjectStore } from '../object-store.ts'
import { ObjectDamaged, release } from '../seal.ts'
import { ObjectsRefused, openS3Client } from './client.ts'
import { NoCredentials, openCredentials } from './credentials.ts'
import { NotRemoved } from './not-removed.ts'
import { storeHealth, type StoreHealth } from './health.ts'
import { sizeOf } from './send.ts'
import { shownStore, type S3Settings } from './settings.ts'

// Objects of a bucket: `<prefix>/objects/<id>`. `<prefix>/store` has the identity of the log, so that two services never share a prefix.

/** An object that a listing of the bucket has, and when it was stored, in epoch milliseconds. */
export type ListedObject = { readonly object_id: string; readonly bytes: number; readonly changed_at: number }

/** The prefix belongs to another log, or to none although objects of this one were stored. */
export class OtherLog extends ObjectsUnavailable {
  override readonly name = 'OtherLog'
}

/** Steps of a `put` and a `remove`: for specs that end the process there. */
export type S3Step = 'sent' | 'confirmed' | 'deleted'

export type S3Store = ObjectStore & {
  readonly place: 's3'
  readonly where: string
  readonly health: StoreHealth
  readonly read: (id: string, offset: number, length: number) => Promise<Buffer>
  /** All objects after an id, in order, in groups. */
  readonly list: (after: string) => AsyncGenerator<readonly ListedObject[]>
  /** The log to which the prefix belongs, or null. */
  readonly readIdentity: () => Promise<string | null>
  /** Tries the rights that are needed, and makes the prefix that of the log. Returns warnings. Throws `OtherLog` and `ObjectsUnavailable`. */
  readonly check: (identity: string) => Promise<readonly string[]>
  /** Asks whose the prefix is, also while other requests are not tried. If it is not that of the log, the next write finds out. */
  readonly probe: () => Promise<void>
  readonly close: () => void
}

type Options = {
  readonly settings: S3Settings
  /** The memory that the threads of the process share. */
  readonly health?: SharedArrayBuffer | undefined
  /** The identity of the log, of a store that is written to. */
  readonly identity?: (() => Promise<string>) | undefined
  /** Whether objects of the log were stored in a bucket: then a prefix without an identity is a wrong one. */
  readonly isUsed?: () => Promise<boolean>
  readonly observe?: (step: S3Step) => void
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Reads a file of AWS settings; null if there is none. */
  readonly readText?: ((path: string) => string | null) | undefined
  readonly now?: () => number
  readonly random?: () => number
}

/** Objects that one request removes. */
const REMOVED_AT_ONCE = 1000
const ID = /^[0-9a-f]{32}$/

/** Opens an object store. No request is sent before it is used. */
export const openS3Store = ({
  settings,
  health: shared,
  identity,
  isUsed = async () => false,
  observe = () => {},
  env = process.env,
  readText,
  now = Date.now,
  random = Math.random,
}: Options): S3Store => {
  const health = storeHealth(shared)
  const credentials = openCredentials({ env, fetch, now, readText })
  const { ask, close } = openS3Client({ settings, credentials, health, now, random })
  const { prefix, sse, kmsKeyId, conditional, checksum } = settings
  const below = (name: string): string => (prefix === '' ? name : `${prefix}/${name}`)
  const keyOf = (id: string): string => below(`objects/${id}`)
  const where = shownStore(settings)

  const headersOf = (sha256: string): Record<string, string> => ({
    'content-type': 'application/octet-stream',
    ...(checksum && { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') }),
    ...(conditional && { 'if-none-match': '*' }),
    ...(sse && { 'x-amz-server-side-encryption': sse }),
    ...(kmsKeyId && { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
  })

  /** Creates an object. Returns whether it was there already. */
  const create = async (key: string, body: readonly Uint8Array[], bodySha256: string, isProbe = false) => {
    const { status, tries, isSent } = await ask({
      ...{ op: 'put', method: 'PUT', key, body, bodySha256, answers: [412], isProbe },
      headers: headersOf(bodySha256),
    } as const)
    return { isThere: status === 412, tries, isSent }
  }

  /** Whether the store has an object with this length, and this checksum if it keeps one. */
  const isStored = async (key: string, bytes: number, sha256: string): Promise<boolean> => {
    const { status, headers } = await ask({
      ...{ op: 'head', method: 'HEAD', key, answers: [404] },
      headers: checksum ? { 'x-amz-checksum-mode': 'ENABLED' } : {},
    } as const)
    const kept = headers['x-amz-checksum-sha256']
    return (
      status === 200 &&
      headers['content-length'] === String(bytes) &&
      (kept === undefined || kept === Buffer.from(sha256, 'hex').toString('base64'))
    )
  }

  const readIdentity = async (isProbe = false): Promise<string | null> => {
    const { status, body } = await ask({ op: 'get', method: 'GET', key: below('store'), answers: [404], isProbe })
    return status === 404 ? null : body.toString().trim()
  }

  const claim = async (own: string): Promise<void> => {
    let found = await readIdentity()
    if (found === null) {
      if (await isUsed())
        throw new OtherLog(
          `${where} has no object "store", but large parts of this log are in a bucket: name their bucket and prefix in SERVICE_OBJECT_STORE_URL`,
        )
      const bytes = Buffer.from(`${own}\n`)
      await create(below('store'), [bytes], createHash('sha256').update(bytes).digest('hex'))
      // Of two services that begin at the same moment, one wins.
      found = await readIdentity()
    }
    if (found !== own)
      throw new OtherLog(
        `${where} has the parts of another log: its object "store" says so. Give each service a prefix of its own in SERVICE_OBJECT_STORE_URL`,
      )
  }
  let claimed: Promise<void> | null = null
  /** Nothing is written or removed before the prefix is that of the log. */
  const claimOnce = (): Promise<void> =>
    (claimed ??= (identity ?? (() => Promise.reject(new Error('the store is open for reading'))))()
      .then(claim)
      .catch((error: unknown) => {
        claimed = null
        throw error
      }))

  const put: ObjectStore['put'] = async (id, chunks) => {
    const body: Uint8Array[] = []
    const hash = createHash('sha256')
    for await (const chunk of chunks) {
      hash.update(chunk)
      body.push(taken(chunk))
    }
    await claimOnce()
    const [bytes, sha256, key] = [sizeOf(body), hash.digest('hex'), keyOf(id)]
    const { isThere, tries, isSent } = await create(key, body, sha256)
    // An earlier try may have left a connection that still sends.
    if (isSent && tries === 1) for (const chunk of body) release(chunk)
    observe('sent')
    // Only an earlier try of this call may have stored it. And a store may say that it did what it did not.
    if (isThere && tries === 1) throw new Error(`the object ${id} was there before it was stored`)
    if (!(await isStored(key, bytes, sha256)))
      throw new ObjectsUnavailable(`${where} says that it stored an object, but has not these bytes`)
    observe('confirmed')
  }

  const read: S3Store['read'] = async (id, offset, length) => {
    const range = `bytes=${offset}-${offset + length - 1}`
    const { status, body } = await ask({
      ...{ op: 'get', method: 'GET', key: keyOf(id), bytes: length, answers: [404, 416] },
      headers: { range },
      isWhole: ({ status, headers, body }) => {
        if (status !== 206) return status !== 200
        const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
        const end = Math.min(offset + length, Number(total))
        return Number(from) === offset && Number(to) === end - 1 && body.length === end - offset
      },
    })
    if (status === 404) throw new ObjectDamaged(`object ${id} is missing`)
    if (status === 416 || body.length < length) throw new ObjectDamaged(`object ${id} lacks bytes from ${offset} on`)
    return body
  }

  const removeMany = async (ids: readonly string[]): Promise<void> => {
    const keys = ids.map((id) => `<Object><Key>${keyOf(id).replaceAll("'", '&apos;')}</Key></Object>`)
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${keys.join('')}</Delete>`)
    const { body: answer } = await ask({
      ...{ op: 'delete', method: 'POST', query: { delete: '' }, body: [body] },
      headers: { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') },
      isWhole: ({ body }) => body.includes('<DeleteResult'),
    })
    const errors = [...answer.toString().matchAll(/<Error>([\s\S]*?)<\/Error>/g)].flatMap(([, error = '']) => {
      const code = s3ErrorCode(error) ?? 'no code'
      return code === 'NoSuchKey' ? [] : [{ code, id: /\/([0-9a-f]{32})<\/Key>/.exec(error)?.[1] }]
    })
    const [first] = errors
    if (first === undefined) return
    const named = errors.flatMap(({ id }) => id ?? [])
    const kept = named.length === errors.length ? named : ids
    throw new NotRemoved(`${where} does not remove ${kept.length} objects: ${first.code}`, kept)
  }

  const removeKey = (key: string) => ask({ op: 'delete', method: 'DELETE', key, answers: [404] })

  const removeOne = async (id: string): Promise<void> => {
    await removeKey(keyOf(id)).catch((error: unknown): never => {
      if (error instanceof ObjectsRefused && error.code === 'AccessDenied') throw new NotRemoved(error.message, [id])
      throw error
    })
  }

  const check: S3Store['check'] = async (own) => {
    const warnings: string[] = []
    const key = below(`probe/${randomUUID()}`)
    const bytes = Buffer.from('0123456789abcdef')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await create(key, [bytes], sha256)
    try {
      if (conditional && !(await create(key, [bytes], sha256)).isThere)
        warnings.push(
          `${where} ignores If-None-Match: nothing is written twice anyway, and conditional=off in SERVICE_OBJECT_STORE_URL ends this warning`,
        )
      const { status, body } = await ask({
        op: 'get',
        method: 'GET',
        key,
        headers: { range: 'bytes=4-7' },
        answers: [404],
      })
      if (status !== 206 || body.toString() !== '4567')
        throw new ObjectsUnavailable(`${where} does not return a range of what was stored, but ${status}`)
    } finally {
      await removeKey(key)
    }
    claimed ??= claim(own)
    try {
      await claimed
    } catch (error) {
      claimed = null
      throw error
    }
    return warnings
  }

  return {
    place: 's3',
    where,
    health,
    put,
    read,
    remove: async (ids) => {
      // Read again, because of two services that began at the same moment without conditions both saw the prefix as theirs. Without an identity the
      // caller has checked it.
      claimed = null
      if (identity !== undefined && ids.length > 0) await claimOnce()
      const refused: NotRemoved[] = []
      for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
        const some = ids.slice(at, at + REMOVED_AT_ONCE)
        const [only] = some
        await (only !== undefined && some.length === 1 ? removeOne(only) : removeMany(some)).catch((error: unknown) => {
          if (!(error instanceof NotRemoved)) throw error
          refused.push(error)
        })
        observe('deleted')
      }
      const [first] = refused
      if (first !== undefined)
        throw new NotRemoved(
          first.message,
          refused.flatMap(({ ids }) => [...ids]),
        )
    },
    list: async function* (after) {
      const folder = keyOf('')
      for (let token = ''; ;) {
        const query = {
          'list-type': '2',
          prefix: folder,
          ...(after !== '' && token === '' && { 'start-after': keyOf(after) }),
        }
        const { body } = await ask({
          ...{ op: 'list', method: 'GET' },
          query: { ...query, ...(token !== '' && { 'continuation-token': token }) },
          isWhole: ({ body }) => body.includes('</ListBucketResult>'),
        })
        const text = body.toString()
        yield listedIn(text)
        if (!text.includes('<IsTruncated>true</IsTruncated>')) return
        token = unescaped(/<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1] ?? '')
        if (token === '') throw new ObjectsUnavailable(`${where} gives a list without its next part`)
      }
    },
    readIdentity: () => readIdentity(),
    check,
    probe: async () => {
      const found = await readIdentity(true)
      if (identity !== undefined && found !== (await identity())) claimed = null
    },
    close,
  }
}

/** The bytes of a chunk, which is released when the next one is asked for: its memory, or a copy if others share that. */
const taken = (chunk: Buffer): Uint8Array => {
  const { buffer, byteOffset, length } = chunk
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === length
  return isOwn ? new Uint8Array(buffer.transfer(), byteOffset, length) : new Uint8Array(chunk)
}

const listedIn = (text: string): ListedObject[] =>
  [...text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].flatMap(([, content = '']) => {
    const member = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(content)?.[1] ?? ''
    const object_id = member('Key').split('/').at(-1) ?? ''
    const changed_at = Date.parse(member('LastModified'))
    return ID.test(object_id) ? [{ object_id, bytes: Number(member('Size')), changed_at }] : []
  })

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|#x?[0-9a-fA-F]+);/g, (_, name: string) =>
    name.startsWith('#')
      ? String.fromCodePoint(name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
      : (ENTITIES[name] ?? ''),
  )

/** Whether an error shows that the settings are wrong, so that a start should not go on. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ObjectsRefused
    ? !error.mayPass
    : error instanceof Error && error.cause instanceof NoCredentials && !error.cause.mayPass
