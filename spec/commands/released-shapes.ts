import type { DomainEvent } from '../../commands/events.ts'

const suite = { project: 'chat', suite: 'smoke' } as const
const document = { document_sha256: '5'.repeat(64), run_no: 1, ...suite } as const
const upload = { case_count: 5, content_hash: '6'.repeat(64), document_bytes: 1, hash_version: 1, ...document } as const

/**
 * The data of each event type in every released shape, oldest first: a log may contain all of them. Never remove a
 * shape; a new optional field adds one. Only types whose shape changed have several. A type without one does not compile.
 */
export const RELEASED = {
  RunIngested: [
    upload,
    { ...upload, attempt: null, plan_id: null },
    { ...upload, attempt: 1, plan_id: 'p' },
    { ...upload, attempt: null, hidden_cases: 1, plan_id: null },
  ],
  RunDeleted: [{ cause: 'request', ...document }],
  RunAnnotated: [{ annotation_id: 'a', run_no: 1, texts_sha256: '7'.repeat(64), ...suite }],
  BaselinePinned: [{ run_id: 'r', ...suite }],
  BaselineUnpinned: [{ cause: 'request', ...suite }],
  SetRestricted: [suite],
  RestrictionLifted: [suite],
  AccessGranted: [{ level: 'view', user_id: 'u', ...suite }],
  AccessRevoked: [{ cause: 'request', user_id: 'u', ...suite }],
  ProjectionRebuilt: [{ name: 'runs', position: 1, version: 1 }],
  CachePruned: [
    {
      ...{ bytes: 1, cause: 'request', pruned: 1, target_bytes: null },
      ...{ created_before: 1, created_from: null, empty_reasons: null, kind: null, model: null },
    },
  ],
  CacheEntryDeleted: [{ key: 'k' }],
  UserCreated: [
    { has_password: true, role: 'member', user_id: 'u' },
    { credential_sha256: '5'.repeat(64), has_password: true, role: 'member', user_id: 'u' },
    { credential_sha256: null, has_password: false, role: 'member', user_id: 'u' },
    {
      cause: { identity_id: 'i', provider: 'oidc:corp', rule: 'default_role' },
      credential_sha256: null,
      has_password: false,
      role: 'member',
      user_id: 'u',
    },
    {
      credential_sha256: '5'.repeat(64),
      has_password: true,
      label_sha256: '7'.repeat(64),
      role: 'member',
      user_id: 'u',
    },
  ],
  UserChanged: [
    { disabled: null, password_replaced: true, role: null, user_id: 'u' },
    { credential_sha256: '5'.repeat(64), disabled: null, password_replaced: true, role: null, user_id: 'u' },
    { credential_sha256: null, disabled: true, password_replaced: false, role: 'viewer', user_id: 'u' },
    {
      cause: { identity_id: 'i', provider: 'saml:corp', rule: 'admin_group' },
      credential_sha256: null,
      disabled: null,
      password_replaced: false,
      role: 'admin',
      user_id: 'u',
    },
  ],
  PlanRegistered: [
    {
      case_count: 40,
      comparator: '>=',
      config_digest: 'sha256:c',
      metric: 'pass_rate',
      plan_bytes: 5,
      plan_id: 'p',
      plan_sha256: '5'.repeat(64),
      project: 'chat',
      suite: 'smoke',
      threshold: 0.9,
    },
    {
      case_count: null,
      comparator: null,
      config_digest: null,
      metric: null,
      plan_bytes: null,
      plan_id: 'q',
      plan_sha256: '6'.repeat(64),
      project: 'chat',
      suite: 'smoke',
      threshold: null,
    },
  ],
  BadgeKeyMinted: [{ key_sha256: '5'.repeat(64), project: 'chat', suite: 'smoke' }],
  BadgeKeysRevoked: [{ project: 'chat', suite: 'smoke' }],
  PlanRevealed: [{ plan_bytes: 5, plan_id: 'q' }],
  PlanWithdrawn: [{ plan_id: 'q' }],
  UserDeleted: [{ user_id: 'u' }],
  IdentityLinked: [{ credential_sha256: '5'.repeat(64), identity_id: 'i', provider: 'oidc:corp', user_id: 'u' }],
  KeyMinted: [
    { key_id: 'k', scope: 'read', user_id: 'u' },
    { credential_sha256: '5'.repeat(64), key_id: 'k', scope: 'read', user_id: 'u' },
    {
      credential_sha256: '5'.repeat(64),
      key_id: 'k',
      label_sha256: null,
      prefix_sha256: '7'.repeat(64),
      scope: 'read',
      user_id: 'u',
    },
  ],
  KeyRevoked: [{ key_id: 'k', user_id: 'u' }],
  SignedIn: [
    { lifetime_ms: 2_592_000_000, session_id: 's', user_id: 'u' },
    { credential_sha256: '5'.repeat(64), lifetime_ms: 2_592_000_000, session_id: 's', user_id: 'u' },
    {
      credential_sha256: '5'.repeat(64),
      expires_at: 1_779_000_000_000,
      lifetime_ms: 2_592_000_000,
      session_id: 's',
      user_id: 'u',
    },
    {
      credential_sha256: '5'.repeat(64),
      expires_at: 1_779_000_000_000,
      identity_id: 'i',
      lifetime_ms: 2_592_000_000,
      session_id: 's',
      user_id: 'u',
    },
  ],
  SignedOut: [{ session_id: 's', user_id: 'u' }],
  SessionsEnded: [
    { except: 's', user_id: 'u' },
    { except: null, user_id: 'u' },
  ],
  SignInRefused: [
    { count: 1, reason: 'wrong_password', user_id: 'u' },
    { count: 7, reason: 'many', user_id: null },
    { count: 1, provider: 'saml:corp', reason: 'account_disabled', user_id: 'u' },
  ],
  Started: [
    { config_sha256: '5'.repeat(64), schema: 22, version: '1' },
    {
      config_sha256: '5'.repeat(64),
      schema: 23,
      static_tokens: [
        { credential_sha256: '6'.repeat(64), id: 'static:read:1', label_sha256: '7'.repeat(64) },
        { credential_sha256: null, id: 'static:read:2', label_sha256: '7'.repeat(64) },
      ],
      version: '1',
    },
  ],
  LogKeyAdopted: [
    { continues: null, key_id: '207a464c', origin: 'results.example/log', vkey: 'v' },
    {
      continues: { origin: 'results.example/log', root: '5'.repeat(64), size: 3 },
      key_id: '207a464d',
      origin: 'results.example/log/2',
      vkey: 'v',
    },
  ],
  LogKeyRetired: [{ key_id: '207a464c', origin: 'results.example/log' }],
  EventErased: [
    { cause: 'user', erasure_id: 'e', followed: null, kept: null, reference: 'case-1', seq: 1 },
    {
      cause: 'run',
      erasure_id: 'f',
      followed: { attempt: 1, plan_id: 'p' },
      kept: null,
      reference: 'case-1',
      seq: 2,
    },
  ],
  HoldPlaced: [
    { hold_id: 'h1', project: null, reference: 'case-1', run_id: 'r', suite: null },
    { hold_id: 'h2', project: 'p', reference: 'case-1', run_id: null, suite: null },
    { hold_id: 'h3', project: 'p', reference: 'case-1', run_id: null, suite: 's' },
    {
      hold_id: 'h4',
      note_sha256: '7'.repeat(64),
      project: 'p',
      reference: 'case-1',
      run_id: null,
      suite: 's',
    },
  ],
  SuiteSettingChanged: [
    {
      ...{ change_id: 'c', is_set: true, setting: 'snooze', run_no: 1, until: 1_779_000_000_000, texts_sha256: null },
      ...suite,
    },
  ],
  WebhookCreated: [
    {
      credential_sha256: '5'.repeat(64),
      events: ['run.ingested', 'run.regressed'],
      project: 'chat',
      suite: null,
      user_id: 'u',
      webhook_id: 'w',
    },
  ],
  WebhookSecretReplaced: [{ credential_sha256: '6'.repeat(64), user_id: 'u', webhook_id: 'w' }],
  WebhookDisabled: [{ cause: 'gone', user_id: 'u', webhook_id: 'w' }],
  WebhookDeleted: [
    { cause: 'request', user_id: 'u', webhook_id: 'w' },
    { cause: 'user_deleted', user_id: 'u', webhook_id: 'w2' },
  ],
  HoldLifted: [{ hold_id: 'h1', reference: 'case-1' }],
} as const satisfies { readonly [T in DomainEvent['type']]: ReadonlyArray<Extract<DomainEvent, { type: T }>['data']> }
