import { describe, expect, it } from 'vitest'
import { cacheEntryDeleted, cachePruned } from '../../../commands/service/events.ts'
import { recordEntryDeletion, recordPrune } from '../../../commands/service/record-eviction.ts'
import { invalidatedBy } from '../../../commands/invalidated.ts'
import { member } from '../../support/access/viewers.ts'

const numbers = { nextRunNo: () => 1 }
const PRUNED = {
  bytes: 10,
  cause: 'request',
  created_before: 1000,
  created_from: null,
  empty_reasons: ['blank'],
  kind: null,
  model: null,
  pruned: 2,
  target_bytes: null,
} as const

describe('an eviction from the cache', () => {
  it('is recorded in the stream of this instance', () => {
    expect(recordPrune(member, { instance: 'i', ...PRUNED }).decide({}, null, numbers)).toEqual([
      cachePruned('i', PRUNED),
    ])
    expect(recordEntryDeletion(member, { instance: 'i', key: 'k' }).decide({}, null, numbers)).toEqual([
      cacheEntryDeleted('i', { key: 'k' }),
    ])
    expect(cachePruned('a/b', PRUNED)).toMatchObject({ stream: 'service/a%2Fb', type: 'CachePruned', data: PRUNED })
  })

  it('reads no facts and is never refused', () => {
    const { actor, request_id, facts } = recordPrune({ ...member, needed: 'admin' }, { instance: 'i', ...PRUNED })
    expect([actor, request_id, facts(null)]).toEqual([member.actor, member.request_id, {}])
  })

  it('invalidates no response', () => {
    const recorded = { seq: 1, version: 1, recorded_at: 1, actor: member.actor, request_id: null }
    expect(
      invalidatedBy([
        { ...cachePruned('i', PRUNED), ...recorded },
        { ...cacheEntryDeleted('i', { key: 'k' }), ...recorded },
      ]),
    ).toEqual([])
  })
})
