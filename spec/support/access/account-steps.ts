import fc from 'fast-check'
import * as commands from '../../../commands/index.ts'
import { ROLES, type Role, type Viewer } from '../../../queries/access/viewer.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import { viewerOf } from './accounts.ts'
import { admin, member } from './viewers.ts'

/** A step in the history of one of a few accounts, or of one of their sessions or keys. */
export type AccountStep = {
  readonly kind: keyof typeof ACCOUNT
  readonly user_id: string
  readonly suffix: string
  readonly role: Role
  readonly signedInAt: number | null
}

const bySession = ({ user_id, suffix }: AccountStep): Viewer =>
  viewerOf({ kind: 'session', credential_id: `${user_id}${suffix}`, user_id }, null)

const ACCOUNT = {
  create: ({ user_id, role, suffix }: AccountStep) =>
    commands.createUser(admin, { user_id, username: suffix, password_hash: 'hash', role }),
  change: ({ user_id, role, suffix }: AccountStep) =>
    commands.changeUser(admin, {
      user_id,
      role,
      disabled: suffix === 'a' && role === 'viewer',
      password_hash: suffix === 'b' ? 'hash' : null,
    }),
  remove: ({ user_id }: AccountStep) => commands.deleteUser(admin, { user_id }),
  signIn: ({ user_id, suffix, signedInAt }: AccountStep) =>
    commands.signIn(member, {
      user_id,
      password_hash: 'hash',
      session_id: `${user_id}${suffix}`,
      token_hash: `${user_id}${suffix}`,
      ...(signedInAt === null ? {} : { at: signedInAt }),
    }),
  signInThrough: ({ user_id, suffix, role, signedInAt }: AccountStep) =>
    commands.signInWithIdentity(member, {
      user_id,
      identity_id: `identity ${user_id}`,
      provider: 'oidc:corp',
      subject: suffix,
      salt: 'salt',
      email: `${suffix}@corp.example`,
      role,
      rule: 'default_role',
      usernames: [suffix, `${suffix}-2`],
      // The expectation is wrong now and then, as if the account had changed meanwhile.
      expected: role === 'viewer' ? null : { identity_id: `identity ${user_id}`, user_id },
      replay: signedInAt === null ? null : { id_hash: `${suffix} ${signedInAt}`, expires_at: signedInAt + 1 },
      session_id: `${user_id}${suffix}`,
      token_hash: `${user_id}${suffix}`,
      at: signedInAt ?? 1,
    }),
  signOut: (step: AccountStep) => commands.signOut(bySession(step), {}),
  endOthers: (step: AccountStep) => commands.endSessions(bySession(step), { at: 0 }),
  endOne: (step: AccountStep) => commands.endSession(bySession(step), { session_id: `${step.user_id}a` }),
  changePassword: (step: AccountStep) =>
    commands.changePassword(bySession(step), { checked: 'hash', password_hash: 'hash', at: 0 }),
  mint: (step: AccountStep) =>
    commands.mintKey(bySession(step), {
      at: 0,
      key_id: `${step.user_id}${step.suffix}`,
      name: step.suffix,
      scope: null,
      prefix: step.suffix,
      secret_hash: `${step.user_id}${step.suffix}`,
    }),
  use: ({ user_id, suffix }: AccountStep) => commands.noteUse(member, { credential_id: `${user_id}${suffix}`, at: 1 }),
  revoke: (step: AccountStep) => commands.revokeKey(bySession(step), { key_id: `${step.user_id}${step.suffix}` }),
  refuse: ({ suffix }: AccountStep) =>
    commands.refuseSignIn(member, { attempt_id: suffix, count: 1, reason: 'unknown_user', user_id: null }),
  invite: (step: AccountStep) =>
    commands.makeInvite(bySession(step), {
      ...{
        link_id: `${step.user_id}${step.suffix}`,
        secret_sha256: `${step.user_id}${step.suffix}`,
        label: step.suffix,
      },
      ...{ role: step.role, grants: [{ project: 'chat', suite: step.suffix, level: 'view' }], expires_at: null, at: 0 },
    }),
  accept: ({ user_id, suffix }: AccountStep) =>
    commands.acceptInvite(member, {
      ...{ secret_sha256: `u1${suffix}`, user_id, username: `${user_id}${suffix}`, password_hash: 'hash' },
      ...{ session_id: `${user_id}${suffix}`, token_hash: `${user_id}${suffix}`, at: 1 },
    }),
  linkToReset: (step: AccountStep) =>
    commands.makeResetLink(bySession(step), {
      ...{
        user_id: 'u2',
        link_id: `${step.user_id}${step.suffix}`,
        secret_sha256: `${step.user_id}${step.suffix}`,
        at: 0,
      },
    }),
  reset: ({ user_id, suffix }: AccountStep) =>
    commands.resetPassword(member, { secret_sha256: `${user_id}${suffix}`, password_hash: 'hash', at: 1 }),
  revokeLink: ({ user_id, suffix }: AccountStep) => commands.revokeLink(admin, { link_id: `${user_id}${suffix}` }),
  grant: ({ user_id, suffix }: AccountStep) =>
    commands.grantAccess(admin, { project: 'chat', suite: suffix, user_id, level: 'view' }),
} as const

export const commandOf = (step: AccountStep): AnyCommand => ACCOUNT[step.kind](step)

/** Returns whether a table rejected an id that exists. Real ids are always new, but in these histories they repeat. */
export const isUniqueViolation = (error: unknown): boolean => /unique (constraint|integrity)/i.test(String(error))

export const accountStep: fc.Arbitrary<AccountStep> = fc.record({
  kind: fc.constantFrom(
    'create',
    'create',
    'signIn',
    'signIn',
    'signInThrough',
    'signInThrough',
    'mint',
    'revoke',
    'invite',
    'invite',
    'linkToReset',
    ...(Object.keys(ACCOUNT) as Array<keyof typeof ACCOUNT>),
  ),
  user_id: fc.constantFrom('u1', 'u2'),
  suffix: fc.constantFrom('a', 'b'),
  role: fc.constantFrom(...ROLES),
  // The system's clock at a sign-in, which may jump. Events of older versions have no such time: null.
  signedInAt: fc.constantFrom(null, null, 0, 3_000_000_000, 9_000_000_000, 30_000_000_000),
})
