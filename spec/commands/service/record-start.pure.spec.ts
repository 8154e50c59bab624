import { describe, expect, it } from 'vitest'
import { started } from '../../../commands/service/events.ts'
import { recordStart } from '../../../commands/service/record-start.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { given } from '../../support/decisions.ts'

const data = { config_sha256: '0'.repeat(64), schema: 2, version: '1.2.3' }

describe('recording a start', () => {
  it('records build, schema and a digest of the configuration', () =>
    given({})
      .when(recordStart(SYSTEM, { instance: 'i/1', principals: [], ...data }))
      .then(started('i/1', data)))

  it('stores the labels of static tokens in a table, not in the event', () => {
    const principals = [{ id: 'static:read:1', kind: 'static', label: 'read' }] as const
    const [event] = given({})
      .when(recordStart(SYSTEM, { instance: 'i1', principals, ...data }))
      .decides()
    expect(event?.stream).toBe('service/i1')
    expect(event?.data).toEqual(data)
    expect(event?.statements).toMatchObject([{ values: ['static:read:1', 'static', 'read'] }])
  })
})
