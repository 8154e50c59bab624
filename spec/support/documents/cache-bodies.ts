import { hash } from 'node:crypto'

/** Returns the cache key of a text; each text has its own. */
export const cacheKeyOf = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`

/** Returns the body of an entry as a client writes it, with any further fields. */
export const aBody = (fields: Readonly<Record<string, unknown>> = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      created_at: '2026-05-03T22:10:00Z',
      kind: 'provider',
      service_version: '1.4.0',
      output: 'Hello there.',
      attempts: 1,
      ...fields,
    }),
  )
