import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import PQueue from 'p-queue'
import { bucketAddress, encodeStep, s3ErrorCode, signS3 } from '../../../domain/aws/sign.ts'
import type { AwsCredentials } from '../../../domain/aws/settings.ts'
import { ObjectsUnavailable } from '../../errors.ts'
import { NoCredentials, type Credentials } from './credentials.ts'
import type { ObjectOp, StoreHealth } from './health.ts'
import { openSender, sizeOf, TimedOut, type Answer } from './send.ts'
import { shownStore, type S3Settings } from './settings.ts'

/** A request to a key of the bucket, or to the bucket with a query. */
type Asked = {
  readonly op: ObjectOp
  readonly method: string
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: readonly Uint8Array[]
  /** In hex, if it is known already. */
  readonly bodySha256?: string
  /** Whether it is sent although other requests are not tried. */
  readonly isProbe?: boolean
  /** Bytes of the answer that are expected: it may take longer for them. */
  readonly bytes?: number
  /** Statuses that are answers besides 2xx. */
  readonly answers?: readonly number[]
  /** Whether an answer is whole; one that is not is asked for again. */
  readonly isWhole?: (answer: Answer) => boolean
}

/** The store answers a request with an error. The code of S3 says why, and `mayPass` whether a later try may not meet it. */
export class ObjectsRefused extends ObjectsUnavailable {
  readonly status: number
  readonly code: string
  readonly mayPass: boolean
  constructor(message: string, { status, code, mayPass }: Pick<ObjectsRefused, 'status' | 'code' | 'mayPass'>) {
    super(message)
    this.status = status
    this.code = code
    this.mayPass = mayPass
  }
}

export type S3Client = {
  /** Sends a request, up to three times. Throws `ObjectsUnavailable`, of which `ObjectsRefused` is one. */
  readonly ask: (asked: Asked) => Promise<Answer & { readonly tries: number }>
  readonly close: () => void
}

type Options = {
  readonly settings: S3Settings
  readonly credentials: Credentials
  readonly health: StoreHealth
  readonly now: () => number
  readonly random: () => number
}

const TRIES = 3
const FIRST_PAUSE_MS = 100
const MIB = 1024 * 1024
/** Answers without content: lists of a thousand objects are some 400 KiB. */
const MAX_TEXT_BYTES = 8 * MIB

/** Codes after which credentials are read again, once. */
const CREDENTIAL_CODES = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
  'InvalidToken',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
])
/** Codes of a 4xx that a later try may not meet. 409 is a conflict with another request. */
const PASSING_CODES = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'Throttling'])
/** Whether a 404 says that the object is not there, not that a bucket, an account or a page of a proxy is not. The answer to HEAD has no code. */
const isAbsent = (method: string, code: string): boolean =>
  code === 'NoSuchKey' || code === 'NotFound' || (code === '' && method === 'HEAD')
/** Whether the store has no room for what is put: its codes of a full disk and of a quota. Reads go on. */
const isFull = (status: number, code: string): boolean => status === 507 || /QuotaExceeded|StorageFull/.test(code)
const isPassing = (status: number, code: string): boolean =>
  status >= 500 || status === 429 || status === 409 || status === 408 || PASSING_CODES.has(code) || isFull(status, code)

const sha256Of = (chunks: readonly Uint8Array[]): string => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/** Sends requests to a bucket, signed, a bounded number at the same time. */
export const openS3Client = ({ settings, credentials, health, now, random }: Options): S3Client => {
  const { bucket, endpoint, pathStyle, timeoutMs, concurrency } = settings
  const region = settings.region ?? credentials.region
  const address = bucketAddress({ bucket, endpoint, pathStyle, region })
  const where = shownStore(settings)
  const sender = openSender()
  const queue = new PQueue({ concurrency })

  const urlOf = ({ key = '', query = {} }: Asked): string => {
    const search = Object.entries(query).map(([name, value]) => `${encodeStep(name)}=${encodeStep(value)}`)
    const path = key.split('/').map(encodeStep).join('/')
    return `${address}/${path}${search.length === 0 ? '' : `?${search.join('&')}`}`
  }

  const sign = async (asked: Asked, bodySha256: string, as: AwsCredentials) => {
    const { method, headers = {} } = asked
    try {
      return await signS3({ method, url: urlOf(asked), headers, bodySha256 }, { region, credentials: as, now })
    } catch {
      // The error of a header quotes it, and one has the session token.
      throw new ObjectsUnavailable(`a request to ${where} cannot be signed`)
    }
  }

  const send = ({ method, body = [], bytes = 0 }: Asked, signed: Awaited<ReturnType<typeof sign>>): Promise<Answer> =>
    sender.send({
      ...{ ...signed, method, body },
      timeoutMs: timeoutMs + Math.ceil(((bytes + sizeOf(body)) / MIB) * 1000),
      maxBytes: bytes + MAX_TEXT_BYTES,
    })

  /** One try: an answer, or why there is none. `isLast`: another one would end the same. */
  const tryOnce = async (
    asked: Asked,
    bodySha256: string,
    as: AwsCredentials,
  ): Promise<{ readonly answer: Answer } | { readonly error: ObjectsUnavailable; readonly isLast: boolean }> => {
    const signed = await sign(asked, bodySha256, as)
    const startedAt = performance.now()
    const count = (result: Parameters<StoreHealth['count']>[1]): void =>
      health.count(asked.op, result, performance.now() - startedAt)
    let answer: Answer
    try {
      answer = await send(asked, signed)
    } catch (cause) {
      count(cause instanceof TimedOut ? 'timeout' : 'failed')
      const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : ''
      return { error: new ObjectsUnavailable(`${where} cannot be reached: ${reason}`, { cause }), isLast: false }
    }
    const { status, body } = answer
    const code = status < 300 ? '' : (s3ErrorCode(body.toString()) ?? '')
    const isAnswer = (asked.answers ?? []).includes(status) && (status !== 404 || isAbsent(asked.method, code))
    if ((status >= 200 && status < 300) || isAnswer) {
      if (asked.isWhole === undefined || asked.isWhole(answer)) {
        count(status === 404 ? 'missing' : 'ok')
        return { answer }
      }
      count('failed')
      return {
        error: new ObjectsUnavailable(`${where} gives an answer to ${asked.method} that is not whole`),
        isLast: false,
      }
    }
    const message = `${where} answers ${asked.method} with ${status} ${code || 'and no code'}`
    const mayPass = isPassing(status, code)
    count(mayPass ? 'failed' : 'refused')
    return { error: new ObjectsRefused(message, { status, code, mayPass }), isLast: !mayPass || isFull(status, code) }
  }

  const ask = async (asked: Asked): Promise<Answer & { readonly tries: number }> => {
    const bodySha256 = asked.bodySha256 ?? sha256Of(asked.body ?? [])
    let isRenewed = false
    let timeouts = 0
    for (let tries = 1; ; tries++) {
      if (health.isOpen() && asked.isProbe !== true)
        throw new ObjectsUnavailable(`${where} failed too often: it is tried again every few seconds`)
      const as = await credentials.current().catch((cause: unknown) => {
        if (!(cause instanceof NoCredentials)) throw cause
        throw new ObjectsUnavailable(cause.message, { cause })
      })
      const tried = await tryOnce(asked, bodySha256, as)
      if ('answer' in tried) {
        health.note('ok')
        return { ...tried.answer, tries }
      }
      const { error, isLast } = tried
      if (error.cause instanceof TimedOut) timeouts++
      if (error instanceof ObjectsRefused && CREDENTIAL_CODES.has(error.code) && !isRenewed) {
        isRenewed = true
        if (await credentials.renew(as).catch(() => false)) continue
      }
      // A read in a thread has its own time: three timeouts would be more.
      if (isLast || asked.isProbe === true || tries >= TRIES || timeouts >= 2) {
        // A denial takes no time, and may be of this object alone. A store that is full is read all the same.
        const isDenied =
          error instanceof ObjectsRefused && (error.code === 'AccessDenied' || isFull(error.status, error.code))
        health.note(isDenied ? 'denied' : 'failed')
        throw error
      }
      await pause(FIRST_PAUSE_MS * 2 ** tries * random())
    }
  }

  return {
    ask: (asked) => queue.add(() => ask(asked)),
    close: sender.close,
  }
}
