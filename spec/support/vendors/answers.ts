import { createHash } from 'node:crypto'

/** How the stand-in of the vendor APIs answers one request. */
export type VendorAnswer =
  /** A complete response. `body` is sent as it is if it is a string or bytes, and as JSON otherwise. */
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }
  /** Accepts the request and never answers. */
  | 'never'
  /** Cuts the connection before any byte of a response. */
  | 'cut'
  /** Announces a longer body, sends the start of it and cuts the connection. */
  | { readonly cutAfter: string; readonly status?: number }
  /** Sends the start of a body; the rest follows when `release` of the stand-in is called. */
  | { readonly start: string; readonly rest: string; readonly status?: number }
  /** Sends a body without end. */
  | { readonly endless: string; readonly status?: number }
  /** Sends bytes that are no HTTP. */
  | { readonly rawBytes: string }

type MessagesParts = {
  readonly model?: string
  readonly stop_reason?: string
  readonly content?: readonly unknown[]
  readonly usage?: Readonly<Record<string, unknown>>
}

/** A response of the messages API. A string is its one text block. */
export const messagesAnswer = (text: string, parts: MessagesParts = {}): VendorAnswer => ({
  body: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-small-1',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 3 },
    ...parts,
  },
})

/** A verdict of a judge of the messages family. */
export const messagesVerdict = (verdict: unknown, parts: MessagesParts = {}): VendorAnswer =>
  messagesAnswer('', {
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'submit_verdict', input: verdict }],
    stop_reason: 'tool_use',
    ...parts,
  })

type ChatParts = {
  readonly model?: string
  readonly finish_reason?: string
  readonly message?: Readonly<Record<string, unknown>>
  readonly usage?: Readonly<Record<string, unknown>>
}

/** A response of the chat completions API. */
export const chatAnswer = (
  content: string | null,
  { finish_reason = 'stop', message = {}, ...parts }: ChatParts = {},
): VendorAnswer => ({
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm-chat-1',
    choices: [{ index: 0, message: { role: 'assistant', content, ...message }, finish_reason }],
    usage: { prompt_tokens: 12, completion_tokens: 3 },
    ...parts,
  },
})

/** A verdict of a judge of the chat family. */
export const chatVerdict = (verdict: unknown, parts: ChatParts = {}): VendorAnswer =>
  chatAnswer(typeof verdict === 'string' ? verdict : JSON.stringify(verdict), parts)

/** A response of the embeddings API. */
export const embeddingAnswer = (embedding: readonly number[], promptTokens = 4): VendorAnswer => ({
  body: {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding }],
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  },
})

/** An error of either vendor. `retryAfter` is the value of that header: seconds or a date. */
export const errorAnswer = (status: number, message = 'no', retryAfter?: string): VendorAnswer => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: { error: { type: 'error', message } },
})

/** What the stand-in answers without a script: it echoes the last message, or embeds the input by its hash. */
export const usualAnswer = (path: string, body: string): VendorAnswer => {
  const request = parsed(body)
  if (path.endsWith('/embeddings')) return embeddingAnswer(hashVector(String(request['input'])))
  const messages = Array.isArray(request['messages']) ? (request['messages'] as readonly unknown[]) : []
  const last = messages.at(-1) as { readonly content?: unknown } | undefined
  const content = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? null)
  if (path.endsWith('/chat/completions')) return chatAnswer(`echo: ${content}`)
  if (path.endsWith('/messages')) return messagesAnswer(`echo: ${content}`)
  return { status: 404, body: { error: { message: `the stand-in has no ${path}` } } }
}

const parsed = (body: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}

const hashVector = (text: string): readonly number[] =>
  [...createHash('sha256').update(text).digest().subarray(0, 8)].map((byte) => byte / 255 - 0.5)
