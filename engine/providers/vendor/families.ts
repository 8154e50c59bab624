/** The APIs of vendors that the engine speaks: messages, chat completions, embeddings. */
export type VendorFamily = 'anthropic' | 'openai' | 'embeddings'

type Family = {
  readonly address: string
  readonly path: string
  readonly auth: 'api_key' | 'bearer'
  readonly keyVariable: string
  /** Headers of every request, which are a part of the canonical request. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

const MINUTE_MS = 60_000

/** What is usual for each API. */
export const FAMILIES: Readonly<Record<VendorFamily, Family>> = {
  anthropic: {
    address: 'https://api.anthropic.com',
    path: '/v1/messages',
    auth: 'api_key',
    keyVariable: 'ANTHROPIC_API_KEY',
    headers: { 'anthropic-version': '2023-06-01' },
    timeoutMs: 2 * MINUTE_MS,
  },
  openai: {
    address: 'https://api.openai.com/v1',
    path: '/chat/completions',
    auth: 'bearer',
    keyVariable: 'OPENAI_API_KEY',
    headers: {},
    timeoutMs: 2 * MINUTE_MS,
  },
  embeddings: {
    address: 'https://api.openai.com/v1',
    path: '/embeddings',
    auth: 'bearer',
    keyVariable: 'OPENAI_API_KEY',
    headers: {},
    timeoutMs: MINUTE_MS,
  },
}
