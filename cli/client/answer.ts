import * as z from 'zod'
import { BodyRefused, bodyParts, readReason, type BodyLimits } from '../../engine/http/read-body.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { TransientError } from './backoff.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

// The one place that reads answers of a service. The address may be that of something else: a login page, a proxy, another
// program, or a hostile server.

/** The longest answer in bytes, decompressed, unless a command needs more: a page of a list is smaller. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** The longest run document in bytes. Configurations, and lists without pages, are not longer either. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
/** The longest comparison in bytes. It has a row for each case of two runs, so that it can be longer than they are. */
export const MAX_COMPARISON_BYTES = 256 * 1024 * 1024

/**
 * The answer is not one of an evaluation results service. The message continues a sentence that begins with the address
 * of the service; `ServiceClient` adds it.
 */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'

  constructor(fault?: string, options?: ErrorOptions) {
    super(
      `does not answer like an evaluation results service${fault === undefined ? '' : `: it ${fault}`}; check the address`,
      options,
    )
  }
}

/** Returns `WrongAnswer` as a `UserError` that names the address. */
export const asUserError = (url: string, error: WrongAnswer): UserError =>
  new UserError(`${url} ${error.message}`, { cause: error })

/** The longest white space before an answer. JSON for people may begin with some. */
const MAX_SPACE_BYTES = 64 * 1024
const JSON_TYPE = /^application\/(?:[\w.+-]{1,80}\+)?json$/i

/** Throws `WrongAnswer` for another content type. An answer without one is recognised by its content. */
export const checkType = (response: Response, type: RegExp, name: string): void => {
  const given = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  if (given !== '' && !type.test(given)) throw new WrongAnswer(`sends ${given.slice(0, 80)} instead of ${name}`)
}

/** The parts of a body. Throws `WrongAnswer` beyond the limits, and `TransientError` if the body is interrupted. */
export const answerParts = async function* (response: Response, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  try {
    yield* bodyParts(response, limits)
  } catch (error) {
    if (error instanceof BodyRefused) throw new WrongAnswer(error.message, { cause: error })
    throw interrupted(response, error)
  }
}

const interrupted = ({ status }: Response, cause: unknown): TransientError =>
  new TransientError(`the response was interrupted: ${causeText(cause)}`, { status, cause })

/**
 * The text of an answer that is a JSON object. Throws `WrongAnswer` as soon as its content type or its bytes show that it is
 * something else.
 */
export const objectText = async (response: Response, maxBytes = MAX_ANSWER_BYTES): Promise<string> =>
  (await objectBytes(response, maxBytes)).toString()

/** The bytes of an answer that is a JSON object. Throws as `objectText` does. */
export const objectBytes = async (response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> => {
  checkType(response, JSON_TYPE, 'JSON')
  const parts: Uint8Array[] = []
  let spaceBytes = 0
  let hasBegun = false
  for await (const part of answerParts(response, { maxBytes })) {
    parts.push(part)
    if (hasBegun) continue
    const first = part.find((byte) => !isSpace(byte))
    spaceBytes += first === undefined ? part.length : 0
    if (spaceBytes > MAX_SPACE_BYTES || (first !== undefined && first !== OPENING))
      throw new WrongAnswer('sends no JSON object')
    hasBegun = first !== undefined
  }
  if (!hasBegun) throw new WrongAnswer('sends no JSON object')
  return Buffer.concat(parts)
}

const OPENING = 0x7b
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** An answer in JSON, parsed by its schema. Throws `WrongAnswer`, and `TransientError` if the body is interrupted. */
export const readAnswer = async <T>(
  response: Response,
  schema: { readonly parse: (value: unknown) => T },
  maxBytes?: number,
): Promise<T> => {
  const text = await objectText(response, maxBytes)
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new WrongAnswer(undefined, { cause: error })
  }
}

const ErrorBody = z.object({ error: z.string() })
const MAX_REASON_CHARACTERS = 4_000

/** The reason of an error answer; null if it is not one of the service. Throws `TransientError`. */
const readErrorReason = async (response: Response): Promise<string | null> => {
  const text = await readReason(response).catch((error: unknown) => {
    throw interrupted(response, error)
  })
  try {
    return ErrorBody.parse(JSON.parse(text)).error.slice(0, MAX_REASON_CHARACTERS)
  } catch {
    // A proxy sends a body in another format.
    return null
  }
}

/** Returns the error text of a response. Reads its body. Throws `TransientError` if it is interrupted. */
export const errorText = async (response: Response): Promise<string> =>
  (await readErrorReason(response)) ?? (response.statusText || 'no reason given')

/**
 * Whether the service has no such thing (404). Throws `WrongAnswer` for a 404 of another server: a wrong address must not
 * look like an empty service.
 */
export const isAbsent = async (response: Response): Promise<boolean> => {
  if (response.status !== 404) return false
  if ((await readErrorReason(response)) === null) throw new WrongAnswer('answers 404 without a reason')
  return true
}
