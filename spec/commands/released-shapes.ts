import type { DomainEvent } from '../../commands/events.ts'

const suite = { project: 'chat', suite: 'smoke' } as const
const document = { document_sha256: '5'.repeat(64), run_no: 1, ...suite } as const
const upload = { case_count: 5, content_hash: '6'.repeat(64), document_bytes: 1, hash_version: 1, ...document } as const

const label = {
  answers: { right: 'pass', signs: ['a'], tone: 0.5, fault: null },
  blind: 'enforced',
  case_n: 0,
  decides: { answer: 'pass', passes: 1, score: null },
  document_sha256: '5'.repeat(64),
  imported: null,
  label_id: 'l',
  n: 1,
  own_run: false,
  person: 0,
  queue_id: 'e',
  recognised: false,
  revises: null,
  run_no: 1,
  seconds: 7.5,
  side: null,
  text_sha256: null,
} as const

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
    {
      ...{ ...upload, attempt: null, plan_id: null },
      evidence: { manifest_bytes: 217, manifest_sha256: '8'.repeat(64), part_bytes: 12, part_count: 1 },
    },
  ],
  RunDeleted: [{ cause: 'request', ...document }],
  RunCommented: [{ comment_id: 'c', run_no: 1, text_sha256: '7'.repeat(64), ...suite }],
  CommentDeleted: [{ comment_id: 'c', run_no: 1, ...suite }],
  RunAnnotated: [{ annotation_id: 'a', run_no: 1, texts_sha256: '7'.repeat(64), ...suite }],
  BaselinePinned: [{ run_id: 'r', ...suite }],
  BaselineUnpinned: [{ cause: 'request', ...suite }],
  SetRestricted: [suite],
  RestrictionLifted: [suite],
  AccessGranted: [
    { level: 'view', user_id: 'u', ...suite },
    { level: 'view', provider: 'oidc:corp', user_id: 'u', ...suite },
    { level: 'view', link_id: 'l', user_id: 'u', ...suite },
  ],
  AccessRevoked: [
    { cause: 'request', user_id: 'u', ...suite },
    { cause: 'groups', provider: 'oidc:corp', user_id: 'u', ...suite },
  ],
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
    { credential_sha256: null, has_password: false, label_sha256: null, role: 'member', service: true, user_id: 'u' },
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
    {
      credential_sha256: '5'.repeat(64),
      has_password: true,
      label_sha256: '7'.repeat(64),
      link_id: 'l',
      role: 'member',
      user_id: 'u',
    },
  ],
  InviteMade: [
    {
      ...{ expires_at: 1, grants: [{ level: 'view', ...suite }], label_sha256: null, link_id: 'l' },
      ...{ role: 'member', secret_sha256: '5'.repeat(64), user_id: 'u' },
    },
  ],
  ResetLinkMade: [{ expires_at: 1, link_id: 'm', secret_sha256: '6'.repeat(64), user_id: 'u' }],
  LinkUsed: [{ link_id: 'l' }],
  LinkRevoked: [{ link_id: 'm' }],
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
  RubricVersioned: [
    {
      change: null,
      project: 'chat',
      questions: [{ deciding: true, key: 'right', kind: 'verdict' }],
      rubric_id: 'b',
      suite: 'smoke',
      text_sha256: '5'.repeat(64),
      valid_days: 90,
      version: 1,
    },
    {
      change: 'meaning',
      project: 'chat',
      questions: [
        { deciding: true, key: 'tone', kind: 'score', max: 5, min: 1, pass_from: 3, step: 1 },
        { deciding: false, key: 'why', kind: 'category', options: [{ key: 'a' }, { key: 'b' }] },
      ],
      rubric_id: 'b',
      suite: 'smoke',
      text_sha256: '6'.repeat(64),
      valid_days: 30,
      version: 2,
    },
  ],
  RubricRetired: [{ rubric_id: 'b' }],
  ReviewQueueOpened: [
    {
      ...suite,
      items: [
        [0, 0, 1, '7'.repeat(16)],
        [0, 1, 0, null],
        [0, 0, null, null, 1, 0, null, null],
      ],
      metric: 'helpful',
      per_item: 1,
      queue_id: 'e',
      resolve: 'adjudicate',
      rubric_id: 'b',
      rubric_version: 1,
      runs: [
        { document_sha256: '5'.repeat(64), failed: 1, judge_id: '8'.repeat(32), other: 0, passed: 1, run_no: 1 },
        { document_sha256: '6'.repeat(64), failed: 0, judge_id: null, other: 1, passed: 0, run_no: 2 },
      ],
      seed: 's',
      selection: { count: 3, kind: 'random' },
      target: 'metric',
      targeted: false,
    },
  ],
  ReviewersChanged: [
    {
      added: [
        { person: 0, role: 'reviewer', user_id: 'u' },
        { person: 1, role: 'adjudicator', user_id: 'v' },
      ],
      queue_id: 'e',
      removed: [],
    },
  ],
  LabelGiven: [
    { ...label, imported: null, side: null },
    {
      ...{ ...label, blind: 'unknown', given_at: 1_000, imported: 'csv', label_id: 'i', queue_id: 'imported' },
      ...{ seconds: null, side: null },
    },
  ],
  ItemAdjudicated: [{ ...label, label_id: 'm', label_ids: ['l'], n: 2, person: 1 }],
  LabelWithdrawn: [{ label_id: 'l', n: 1, queue_id: 'e', reason: 'mistake' }],
  ItemDeclined: [{ n: 2, person: 0, queue_id: 'e', reason: 'conflict' }],
  ReviewQueueClosed: [{ cause: 'request', queue_id: 'e', ...suite }],
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
    {
      credential_sha256: '5'.repeat(64),
      expires_at: 7_776_000_000,
      key_id: 'k',
      label_sha256: null,
      limit: { project: 'chat', suite: null },
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
    {
      ...{ change_id: 'd', is_set: true, setting: 'cost', run_no: null, until: null, texts_sha256: null },
      ...{ ...suite, rise_percent: 50 },
    },
  ],
  JudgeDeclared: [{ is_judge: true, metric: 'tone', ...suite }],
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
  EvidenceAttached: [
    {
      ...{ manifest_bytes: 217, manifest_sha256: '8'.repeat(64), part_bytes: 12, part_count: 1 },
      ...{ project: 'chat', run_no: 999, suite: 'smoke' },
    },
  ],
  HoldLifted: [{ hold_id: 'h1', reference: 'case-1' }],
} as const satisfies { readonly [T in DomainEvent['type']]: ReadonlyArray<Extract<DomainEvent, { type: T }>['data']> }
