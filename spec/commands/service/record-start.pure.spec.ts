import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { serviceStarted } from '../../../commands/service/events.ts'
import { recordStart, type NewToken } from '../../../commands/service/record-start.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { given } from '../../support/decisions.ts'

const data = { config_sha256: '0'.repeat(64), schema: 2, version: '1.2.3' }

describe('recording a start', () => {
  it('records build, schema and a digest of the configuration', () =>
    given({ known: [] })
      .when(recordStart(SYSTEM, { instance: 'i/1', principals: [], tokens: [], ...data }))
      .then(serviceStarted('i/1', { ...data, static_tokens: [] })))

  const principals = [{ id: 'static:read:1', kind: 'static', label: 'read' }] as const
  const decided = (known: readonly object[], tokens: readonly NewToken[]) =>
    given({ known })
      .when(recordStart(SYSTEM, { instance: 'i1', principals, tokens, label_salt: 'ab', ...data }))
      .decides()[0]
  const sha256 = (text: string): string => hash('sha256', text, 'hex')

  it('stores the labels of static tokens in a table, with their digests in the event', () => {
    const event = decided([], [])
    expect(event?.stream).toBe('service/i1')
    const static_tokens = [{ credential_sha256: null, id: 'static:read:1', label_sha256: sha256('ab static read') }]
    expect(event?.data).toEqual({ ...data, static_tokens })
    expect(event?.statements).toMatchObject([{ values: ['static:read:1', 'static', 'read', 'ab'] }])
  })

  it('notes a new secret of a static token, unless another replica noted one since', () => {
    const token = { id: 'static:read:1', salt: '01', digest: '02', replaces: '03' }
    const noted = decided([{ id: 'static:read:1', salt: Buffer.from('03', 'hex') }], [token])
    expect(noted?.data).toMatchObject({ static_tokens: [{ credential_sha256: sha256('01 02') }] })
    expect(noted?.statements).toHaveLength(2)
    for (const known of [[], [{ id: 'static:read:1', salt: Buffer.from('04', 'hex') }]]) {
      const passed = decided(known, [token])
      expect(passed?.data).toMatchObject({ static_tokens: [{ credential_sha256: null }] })
      expect(passed?.statements).toHaveLength(1)
    }
  })
})
