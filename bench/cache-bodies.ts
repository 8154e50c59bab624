import { createHash } from 'node:crypto'
import { realDocuments } from '../spec/support/documents/documents.ts'

/** The cache key of entry `n`. */
export const benchKey = (n: number): string => `sha256:${createHash('sha256').update(`bench ${n}`).digest('hex')}`

/** The outputs of real runs, joined into one text. */
const realOutputs = (): string => {
  const texts: string[] = []
  for (const { bytes } of realDocuments()) {
    for (const { output } of (JSON.parse(bytes.toString('utf8')) as { cases: Array<{ output?: unknown }> }).cases)
      if (typeof output === 'string') texts.push(output)
  }
  return texts.join('\n')
}

const MODELS = ['fast-model', 'large-model', 'older-model', 'small-model', 'judge-model']
const KINDS = ['provider', 'provider', 'provider', 'judge', 'embedding', 'exec_assert']
const REASONS = ['refusal', 'truncated', 'blank']

let outputs: string | undefined

/**
 * The body of entry `n`, as a client writes it, of about `bytes` bytes. Its output is a slice of real outputs. Every
 * 50th entry has an empty reason, every 1000th a rare word.
 */
export const benchBody = (n: number, bytes: number): Buffer => {
  outputs ??= realOutputs()
  const length = Math.max(1, Math.floor(bytes * 0.85))
  const start = (n * 7919) % Math.max(1, outputs.length - length)
  let output = outputs.slice(start, start + length)
  while (output.length < length) output += outputs.slice(0, length - output.length)
  const kind = KINDS[n % KINDS.length] ?? 'provider'
  const reason = n % 50 === 0 ? { empty_reason: REASONS[(n / 50) % REASONS.length] } : {}
  return Buffer.from(
    JSON.stringify({
      created_at: '2026-05-03T22:10:00Z',
      kind,
      service_version: '1.4.0',
      request: {
        transport: 'http',
        method: 'POST',
        path: '/v1/messages',
        body: {
          model: MODELS[n % MODELS.length],
          messages: [{ role: 'user', content: `Question ${n}${n % 1000 === 0 ? ' zyzzyva' : ''}` }],
        },
      },
      output,
      model: MODELS[n % MODELS.length],
      usage: { input_tokens: 700 + (n % 50), output_tokens: length >> 2 },
      ...(kind === 'provider' || kind === 'judge' ? { cost_usd: ((n % 1000) + 1) / 1e5 } : {}),
      attempts: 1,
      provider_latency_ms: 800 + (n % 400),
      ...reason,
    }),
  )
}
