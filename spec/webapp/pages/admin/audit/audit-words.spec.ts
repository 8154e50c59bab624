import { describe, expect, it } from 'vitest'
import { actorOf, recordDetail, recordRun, subjectOf } from '../../../../../webapp/pages/admin/audit/audit-words.ts'
import { eventWords } from '../../../../../domain/proof/event-names.ts'

const names = new Map([['01ADA', 'ada\u202e']])
const event = (type: string, data: Record<string, unknown> | null, stream = 'x/1') => ({ type, data, stream })
const actor = { scope: null, user_id: null, credential_id: null, address: null, label: null }

describe('the words of the audit trail', () => {
  it('name a type of event; one of a newer build keeps its name', () => {
    expect(eventWords('RunIngested')).toBe('Run uploaded')
    expect(eventWords('FromLater')).toBe('FromLater')
  })

  it('name what an event is about', () => {
    for (const [about, given] of [
      ['chat / smoke', event('RunIngested', { project: 'chat', suite: 'smoke' })],
      ['chat', event('SetRestricted', { project: 'chat', suite: null })],
      ['ada⟨U+202E⟩ on chat', event('AccessGranted', { project: 'chat', suite: null, user_id: '01ADA' })],
      ['ada⟨U+202E⟩', event('KeyMinted', { user_id: '01ADA' })],
      ['…ABCDEF', event('UserDeleted', { user_id: '01K2ZQ7C8V4T9EABCDEF' })],
      ['run a/b', event('RunIngested', { project: null, suite: null }, 'run/a%2Fb')],
      ['cache', event('CachePruned', { pruned: 1 })],
      ['an unknown name', event('SignInRefused', { user_id: null })],
      ['an identity provider', event('SignInRefused', { user_id: null, provider: 'oidc:acme' })],
      ['ada⟨U+202E⟩', event('SignInRefused', { user_id: '01ADA', provider: 'oidc:acme' })],
      ['ada⟨U+202E⟩', event('IdentityLinked', { identity_id: 'i', provider: 'oidc:acme', user_id: '01ADA' })],
      ['runs', event('ProjectionRebuilt', { name: 'runs' })],
      ['record 7', event('EventErased', { reference: 'CASE-1', seq: 7 })],
      ['run …ABCDEF', event('HoldPlaced', { project: null, run_id: '01K2ZQ7C8V4T9EABCDEF', suite: null })],
      ['a legal hold', event('HoldLifted', { hold_id: 'h' })],
      ['plan …ABCDEF', event('PlanWithdrawn', { plan_id: '01K2ZQ7C8V4T9EABCDEF' })],
      ['service', event('Started', { version: '1' })],
      ['erased', event('Started', null)],
    ] as const)
      expect(subjectOf(given, names), given.type).toBe(about)
  })

  it('add one fact', () => {
    for (const [fact, given] of [
      ['1 case', event('RunIngested', { case_count: 1 })],
      ['200 cases', event('RunIngested', { case_count: 200 })],
      ['CASE-1', event('HoldPlaced', { reference: 'CASE-1' })],
      ['3 entries, by retention', event('CachePruned', { pruned: 3, cause: 'retention' })],
      [
        'role viewer, disabled, password',
        event('UserChanged', { role: 'viewer', disabled: true, password_replaced: true }),
      ],
      ['wrong password', event('SignInRefused', { reason: 'wrong_password' })],
      ['oidc:acme', event('IdentityLinked', { identity_id: 'i', provider: 'oidc:acme', user_id: '01ADA' })],
      ['member', event('UserCreated', { role: 'member', user_id: '01ADA' })],
      [
        'member, set by oidc:acme (default role)',
        event('UserCreated', {
          role: 'member',
          cause: { identity_id: 'i', provider: 'oidc:acme', rule: 'default_role' },
        }),
      ],
      ['view, by groups of oidc:acme', event('AccessGranted', { level: 'view', provider: 'oidc:acme' })],
      ['upload', event('AccessGranted', { level: 'upload' })],
      ['by groups of oidc:acme', event('AccessRevoked', { cause: 'groups', provider: 'oidc:acme' })],
      ['user deleted', event('AccessRevoked', { cause: 'user_deleted' })],
      ['single sign-on', event('SignedIn', { identity_id: 'i' })],
      ['', event('SignedIn', { identity_id: null })],
      ['role viewer', event('UserChanged', { role: 'viewer', cause: null })],
      ...(
        [
          ['admin_group', 'set by oidc:acme (admin group)'],
          ['admin_email', 'set by oidc:acme (admin email)'],
          ['group_role', 'set by oidc:acme (group role)'],
          ['default_role', 'set by oidc:acme (default role)'],
          ['from_later', 'set by oidc:acme (from later)'],
          [undefined, 'set by oidc:acme'],
        ] as const
      ).map(
        ([rule, words]) =>
          [
            `role admin, ${words}`,
            event('UserChanged', { role: 'admin', cause: { identity_id: 'i', provider: 'oidc:acme', rule } }),
          ] as const,
      ),
      ...(
        [
          ['access_denied', 'denied or cancelled'],
          ['invalid_state', 'not started here, or too long ago'],
          ['expired', 'not valid at that time'],
          ['email_not_allowed', 'e-mail address not allowed'],
          ['replayed', 'response used before'],
          ['account_disabled', 'account disabled'],
          ['provider_error', 'no valid response of the provider'],
        ] as const
      ).map(
        ([reason, words]) =>
          [`${words}, saml:corp`, event('SignInRefused', { reason, provider: 'saml:corp' })] as const,
      ),
      ['upload', event('AccessGranted', { level: 'upload' })],
      ['run deleted', event('BaselineUnpinned', { cause: 'run_deleted' })],
      ['', event('RunDeleted', { cause: 'request' })],
      ['', event('Started', null)],
    ] as const)
      expect(recordDetail(given), given.type).toBe(fact)
  })

  it('name who acted', () => {
    expect(actorOf({ actor: null })).toBe('erased')
    expect(actorOf({ actor: { ...actor, kind: 'system' } })).toBe('system')
    expect(actorOf({ actor: { ...actor, kind: 'anonymous' } })).toBe('not signed in')
    expect(actorOf({ actor: { ...actor, kind: 'static', label: 'write' } })).toBe('write token')
    expect(actorOf({ actor: { ...actor, kind: 'session', user_id: 'u', label: 'ada' } })).toBe('ada')
    expect(actorOf({ actor: { ...actor, kind: 'apikey', user_id: 'u' } })).toBe('u')
  })

  it('find the run of an event, whatever its id', () => {
    expect(recordRun({ type: 'RunIngested', stream: 'run/a%2Fb', data: {} })).toBe('a/b')
    expect(recordRun({ type: 'RunIngested', stream: 'run/%', data: {} })).toBeNull()
    expect(recordRun({ type: 'BaselinePinned', stream: 'baseline/a/b', data: { run_id: 'r' } })).toBe('r')
    expect(recordRun({ type: 'BaselineUnpinned', stream: 'baseline/a/b', data: {} })).toBeNull()
  })
})
