import { describe, expect, it } from 'vitest'
import { claimAt, groupsIn, hasTooManyGroups, trustedEmail } from '../../../../http/sso/oidc/claims.ts'

describe('a claim', () => {
  const claims = {
    groups: ['a'],
    'https://example.com/groups': ['b'],
    realm_access: { roles: ['c'] },
    'a.b': 'whole',
    a: { b: 'path', c: { d: 'deep' } },
    resource_access: { 'my.client': { roles: ['e'] } },
    text: 'x',
    nothing: null,
  }
  it.each([
    ['groups', ['a']],
    ['https://example.com/groups', ['b']],
    ['realm_access.roles', ['c']],
    ['a.b', 'whole'],
    ['a.c.d', 'deep'],
    ['resource_access.my.client.roles', ['e']],
    ['missing', undefined],
    ['realm_access.missing', undefined],
    ['text.length', undefined],
    ['nothing.at', undefined],
    ['groups.0.length', undefined],
    ['__proto__', undefined],
    ['__proto__.constructor', undefined],
    ['constructor.name', undefined],
    ['a.constructor.name', undefined],
    ['.', undefined],
    ['', undefined],
  ])('%s is found by its whole name, then by its path', (name, value) => expect(claimAt(claims, name)).toEqual(value))
})

describe('the groups', () => {
  it.each<[unknown, readonly string[]]>([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['a', ['a']],
    ['a,b c', ['a,b c']],
    [['a', 1, null, ['b'], { name: 'c' }], ['a']],
    [[], []],
    [undefined, []],
    [null, []],
    [7, []],
    [{ a: true }, []],
  ])('of %j', (claim, groups) => expect(groupsIn(claim)).toEqual(groups))

  it('are known to be too many for a token', () => {
    const overage = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example' } },
    }
    expect(hasTooManyGroups(overage, 'groups')).toBe(true)
    expect(hasTooManyGroups(overage, 'roles')).toBe(false)
    expect(hasTooManyGroups({ _claim_names: 'groups' }, 'groups')).toBe(false)
    expect(hasTooManyGroups({}, 'groups')).toBe(false)
  })
})

describe('the e-mail address', () => {
  it('is trusted if the provider verified it', () =>
    expect(trustedEmail({ email: 'Ada@Example.com', email_verified: true })).toBe('Ada@Example.com'))

  it.each([
    { email: 'ada@example.com' },
    { email: 'ada@example.com', email_verified: false },
    { email: 'ada@example.com', email_verified: 'true' },
    { email: 'ada@example.com', email_verified: 1 },
    { email: 'ada@example.com', email_verified: null },
    { email: '', email_verified: true },
    { email: ['ada@example.com'], email_verified: true },
    { email: null, email_verified: true },
    { email_verified: true },
    { email: 'ada\0@example.com', email_verified: true },
    { email: 'ada\ud800@example.com', email_verified: true },
    { email: 'ada@example.com\r\n', email_verified: true },
    { email: `${'a'.repeat(309)}@example.com`, email_verified: true },
  ])('is not trusted: %j', (claims) => expect(trustedEmail(claims)).toBeNull())
})
