import { describe, expect, it } from 'vitest'
import { gateOf, signInAddress, type Session } from '../../../webapp/api/session.ts'

const session = (authenticated: boolean, auth_mode: Session['meta']['auth_mode'], setup_required = false): Session => ({
  me: {
    authenticated,
    user: null,
    source: authenticated ? 'session' : 'anonymous',
    scope: authenticated ? 'read' : null,
  },
  meta: {
    name: 'service',
    version: '1',
    auth_mode,
    setup_required,
    supported_schema_versions: [],
    result_schema_version: 3,
    cache: { max_entry_bytes: 0, max_bytes: 0, max_age_days: 0 },
    sso_providers: [],
    cache_tiers: [],
    mcp_enabled: false,
  },
})

describe('gateOf', () => {
  it('lets in a signed-in user', () => expect(gateOf(session(true, 'closed'))).toBeNull())
  it('lets in every visitor if reading is open', () => {
    expect(gateOf(session(false, 'open', true))).toBeNull()
    expect(gateOf(session(false, 'protect-writes'))).toBeNull()
  })
  it('requires a sign-in if reading is closed', () => expect(gateOf(session(false, 'closed'))).toBe('login'))
  it('requires the first account on a server without accounts', () =>
    expect(gateOf(session(false, 'closed', true))).toBe('setup'))
})

it('the return address after signing in is in the address of the sign-in page, except for the first page', () => {
  expect(signInAddress('/runs/x?a=1')).toEqual({ name: 'login', query: { return_to: '/runs/x?a=1' } })
  expect(signInAddress('/')).toEqual({ name: 'login', query: {} })
})
