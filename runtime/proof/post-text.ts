/** The answer to a request. `text` is at most 256 KiB: 32 cosignatures of post-quantum size fit. */
type Answer = { readonly status: number; readonly text: string }

export type PostText = (url: string, body: string, signal: AbortSignal) => Promise<Answer>

const MAX_ANSWER_BYTES = 262_144

const readText = async (body: ReadableStream<Uint8Array> | null): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Posts a text. Follows no redirects, and returns their status. */
export const postText: PostText = async (url, body, signal) => {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
  return { status: response.status, text: await readText(response.body) }
}

/** Why a request failed, for a log line. */
export const failureReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // `fetch` hides what happened in the cause.
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

/** How long a receiver, a witness, or one use of a file on another volume may take. */
const TIMEOUT_MS = 5000

/** Aborts after five seconds. */
export const afterFiveSeconds = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS)
