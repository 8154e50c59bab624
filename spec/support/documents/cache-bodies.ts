import { hash } from 'node:crypto'

/** The key of a text: any text has one of its own. */
export const cacheKeyOf = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`

/** An entry's body as a client writes it; any further field goes along. */
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
