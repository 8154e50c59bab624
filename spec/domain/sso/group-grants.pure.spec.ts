import { describe, expect, it } from 'vitest'
import { grantsOfGroups, parseGroupGrant, parseGroupRole } from '../../../domain/sso/group-grants.ts'

const LEVELS = ['view', 'upload', 'manage'] as const
const ROLES = ['admin', 'member', 'viewer'] as const

describe('an entry of a provider', () => {
  it.each([
    ['team:shop:view', { group: 'team', project: 'shop', suite: null, level: 'view' }],
    ['team:shop/refunds:Manage', { group: 'team', project: 'shop', suite: 'refunds', level: 'manage' }],
    ['/a/b:shop:upload', { group: '/a/b', project: 'shop', suite: null, level: 'upload' }],
    ['urn%3Ax%2C y:a%2Fb/c%25:view', { group: 'urn:x, y', project: 'a/b', suite: 'c%', level: 'view' }],
  ])('gives a grant: %s', (entry, grant) => expect(parseGroupGrant(entry, LEVELS)).toEqual(grant))

  it.each([
    '',
    'team',
    'team:shop',
    ':shop:view',
    'team::view',
    'team:/x:view',
    'team:shop/:view',
    'team:shop:admin',
    'team:a/b/c:view',
    'a:b:c:view',
    'team:%:view',
  ])('gives no grant: %j', (entry) => expect(parseGroupGrant(entry, LEVELS)).toBeNull())

  it('gives a role', () => {
    expect(parseGroupRole('team:Member', ROLES)).toEqual({ group: 'team', role: 'member' })
    expect(parseGroupRole('a%3Ab:admin', ROLES)).toEqual({ group: 'a:b', role: 'admin' })
    for (const entry of ['team', 'team:', ':member', 'team:owner', 'a:b:member', '%:member'])
      expect(parseGroupRole(entry, ROLES), entry).toBeNull()
  })
})

it('a member of several groups has the highest level on each set, and nothing of other groups', () => {
  const rules = [
    { group: 'a', project: 'p', suite: null, level: 'view' },
    { group: 'b', project: 'p', suite: null, level: 'manage' },
    { group: 'b', project: 'p', suite: 's', level: 'view' },
    { group: 'A', project: 'q', suite: null, level: 'manage' },
  ] as const
  expect(grantsOfGroups(['a', 'b'], rules, LEVELS)).toEqual([
    { project: 'p', suite: null, level: 'manage' },
    { project: 'p', suite: 's', level: 'view' },
  ])
  expect(grantsOfGroups(['a'], rules, LEVELS)).toEqual([{ project: 'p', suite: null, level: 'view' }])
  expect(grantsOfGroups([], rules, LEVELS)).toEqual([])
})
