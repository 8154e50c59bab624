import { describe, expect, it } from 'vitest'
import { matchesText, signsInWith } from '../../../../../webapp/pages/admin/users/use-users.ts'
import type { Account } from '../../../../../webapp/pages/admin/users/use-users.ts'

const ada: Account = {
  id: 'u',
  username: 'Ada Lovelace',
  role: 'member',
  disabled: false,
  created_at: '2026-05-04T09:00:00+00:00',
  email: null,
  has_password: true,
  identities: [],
  role_managed_by: null,
  live_keys: 0,
  live_sessions: 1,
  grants: 0,
  last_seen_at: null,
}

describe('an account', () => {
  it('is found by parts of its name and by fields, all of which must match', () => {
    for (const text of ['', 'ada', 'LOVE ada', 'role:member', 'state:en keys:no', 'role:'])
      expect(matchesText(text, ada), text).toBe(true)
    for (const text of ['bob', 'role:admin', 'state:disabled', 'keys:yes', 'ada role:viewer'])
      expect(matchesText(text, ada), text).toBe(false)
  })

  it('signs in with a password, a key or not at all', () => {
    expect(signsInWith(ada)).toBe('Password')
    expect(signsInWith({ ...ada, has_password: false, live_keys: 2 })).toBe('API key only')
    expect(signsInWith({ ...ada, has_password: false })).toBe('Nothing')
  })
})
