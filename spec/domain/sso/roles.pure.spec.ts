import { describe, expect, it } from 'vitest'
import { isEmailAllowed, mappedRole } from '../../../domain/sso/roles.ts'

const RULES = { adminGroups: ['Ops', 'root'], adminEmails: ['mira@example.com'], groupRoles: [] }
const role = (email: string | null, groups: readonly string[]) => mappedRole({ email, groups }, RULES, 'viewer')

describe('the role of an identity', () => {
  it('is admin in an admin group, which is compared exactly', () => {
    expect(role(null, ['Ops'])).toEqual({ role: 'admin', rule: 'admin_group' })
    for (const group of ['ops', 'OPS', ' Ops', 'Ops ', 'Op', 'Opsx', ''])
      expect(role(null, [group])).toEqual({ role: 'viewer', rule: 'default_role' })
  })

  it('is admin with an admin e-mail address, in any case of A to Z', () => {
    expect(role('Mira@Example.COM', [])).toEqual({ role: 'admin', rule: 'admin_email' })
    for (const email of [null, 'mira@example.com.evil', 'xmira@example.com', 'mira@example.co'])
      expect(role(email, [])).toEqual({ role: 'viewer', rule: 'default_role' })
  })

  it('is not admin with an address whose letters only look the same', () => {
    const rules = { adminGroups: [], adminEmails: ['kevin@example.com'], groupRoles: [] }
    expect(mappedRole({ email: '\u212Aevin@example.com', groups: [] }, rules, 'viewer').role).toBe('viewer')
  })

  it('is the highest that one of the groups has, after the rules for admins', () => {
    const rules = {
      ...RULES,
      groupRoles: [
        { group: 'readers', role: 'viewer' },
        { group: 'team', role: 'member' },
        { group: 'leads', role: 'admin' },
      ],
    } as const
    const of = (...groups: string[]) => mappedRole({ email: null, groups }, rules, 'member')
    expect(of('readers')).toEqual({ role: 'viewer', rule: 'group_role' })
    expect(of('readers', 'team')).toEqual({ role: 'member', rule: 'group_role' })
    expect(of('leads', 'readers')).toEqual({ role: 'admin', rule: 'group_role' })
    expect(of('readers', 'Ops')).toEqual({ role: 'admin', rule: 'admin_group' })
    expect(of('Readers')).toEqual({ role: 'member', rule: 'default_role' })
  })

  it('names the group first if both rules give it', () =>
    expect(role('mira@example.com', ['x', 'root'])).toEqual({ role: 'admin', rule: 'admin_group' }))
})

describe('the domain of an e-mail address', () => {
  const isAllowed = (email: string | null) => isEmailAllowed(email, { allowedDomains: ['example.com', 'bank.example'] })

  it.each(['mira@example.com', 'MIRA@EXAMPLE.COM', '"a@b"@example.com'])('is allowed: %s', (email) =>
    expect(isAllowed(email)).toBe(true),
  )

  it.each([
    null,
    '',
    'example.com',
    'mira@evil.com',
    'mira@example.com.evil.com',
    'mira@sub.example.com',
    'mira@xexample.com',
    'mira@example.com@evil.com',
    'mira@example.com ',
    'mira@',
    'mira@ban\u212A.example',
  ])('is refused: %s', (email) => {
    expect(isAllowed(email)).toBe(false)
  })

  it('does not matter without a list', () => {
    expect([null, 'mira@evil.com'].map((email) => isEmailAllowed(email, { allowedDomains: null }))).toEqual([
      true,
      true,
    ])
  })
})
