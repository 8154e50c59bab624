import { describe, expect, it } from 'vitest'
import { matchesText, signsInWith, type Account } from '../../../../../webapp/pages/admin/users/use-users.ts'

const ada: Account = {
  id: 'u',
  username: 'Ada Lovelace',
  role: 'member',
  disabled: false,
  created_at: '2026-05-04T09:00:00+00:00',
  email: null,
  has_password: true,
  service: false,
  identities: [],
  role_managed_by: null,
  live_keys: 0,
  live_sessions: 1,
  grants: 0,
  last_seen_at: null,
}

const identity = (provider: 'oidc:acme' | 'saml:corp', email: string | null): Account['identities'][number] => ({
  provider,
  kind: provider === 'oidc:acme' ? 'oidc' : 'saml',
  subject: 'subject-1',
  email,
  last_login_at: null,
})
const labelOf = (provider: string): string | null => ({ 'oidc:acme': 'Acme', 'saml:corp': 'Corp' })[provider] ?? null

describe('an account', () => {
  it('is found by parts of its name and by fields, all of which must match', () => {
    for (const text of ['', 'ada', 'LOVE ada', 'role:member', 'state:en keys:no', 'role:'])
      expect(matchesText(text, ada), text).toBe(true)
    const linked = {
      ...ada,
      identities: [identity('oidc:acme', 'A.Lovelace@example.com'), identity('saml:corp', null)],
    }
    expect(matchesText('lovelace@EXAMPLE role:member', linked)).toBe(true)
    expect(matchesText('bob@example', linked)).toBe(false)
    for (const text of ['bob', 'role:admin', 'state:disabled', 'keys:yes', 'ada role:viewer'])
      expect(matchesText(text, ada), text).toBe(false)
  })

  it('signs in with a password, a key or not at all', () => {
    expect(signsInWith(ada, labelOf)).toBe('Password')
    expect(signsInWith({ ...ada, has_password: false, live_keys: 2 }, labelOf)).toBe('API key only')
    expect(signsInWith({ ...ada, has_password: false }, labelOf)).toBe('Nothing')
  })

  it('signs in with its providers, each named once, and with a password if it has one', () => {
    const linked = { ...ada, identities: [identity('oidc:acme', null), identity('oidc:acme', null)] }
    expect(signsInWith(linked, labelOf)).toBe('Acme and password')
    expect(signsInWith({ ...linked, has_password: false, live_keys: 2 }, labelOf)).toBe('Acme')
    const both = [identity('oidc:acme', null), identity('saml:corp', null)]
    expect(signsInWith({ ...ada, has_password: false, identities: both }, labelOf)).toBe('Acme and Corp')
  })

  it('does not sign in with a provider that is not configured any more', () => {
    const old = { ...ada, has_password: false, identities: [identity('oidc:acme', null)] }
    expect(signsInWith(old, () => null)).toBe('Nothing')
    expect(signsInWith({ ...old, has_password: true }, () => null)).toBe('Password')
  })
})
