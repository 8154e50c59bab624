import type { RoleRule } from '../../domain/sso/roles.ts'
import { listGrantsWithProvider, type UserGrant } from '../../queries/access/access.ts'
import { findIdentity, findIsReplayed, listTakenNames, type Identity } from '../../queries/access/identities.ts'
import { countOtherAdmins, findUser, type User } from '../../queries/access/users.ts'
import type { Role, Viewer } from '../../queries/access/viewer.ts'
import { constant } from '../../storage/sql.ts'
import type { SetScope } from '../../domain/sets.ts'
import type { Level } from '../../queries/access/levels.ts'
import { accessGranted, accessRevoked } from '../access/events.ts'
import { userChanged, userCreated } from '../account/events.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import type { NewSession } from '../session/events.ts'
import { identityLinked, signedInThrough, type Replay } from './events.ts'

/**
 * The asserted identity. `expected` is the account that it had when it was last read, null if it had none: then
 * `identity_id` and `user_id` are new ids, and the account gets the first of `usernames` that is free.
 */
export type AssertedSignIn = NewSession & {
  readonly at: number
  readonly provider: string
  readonly subject: string
  /** Random hex, for a new identity. */
  readonly salt: string
  /** The same for the name of a new account; drawn if it is not given. */
  readonly label_salt?: string
  readonly email: string | null
  readonly role: Role
  readonly rule: RoleRule
  /** What the person's groups give, each project or suite once. */
  readonly grants?: ReadonlyArray<SetScope & { readonly level: Level }>
  readonly usernames: readonly string[]
  readonly expected: Identity | null
  readonly identity_id: string
  readonly user_id: string
  readonly replay: Replay | null
}

/** `conflict`: the identity has another account than expected, or no name is free. Try again with `linked` and other names. */
export type AssertedOutcome = 'signed_in' | 'account_disabled' | 'replayed' | 'conflict'

type Facts = {
  readonly linked: Identity | null
  readonly user: User | null
  readonly takenNames: readonly string[]
  readonly isReplayed: boolean
  readonly granted: readonly UserGrant[]
}

const isSame = (a: SetScope, b: SetScope): boolean => a.project === b.project && a.suite === b.suite

/**
 * The changes after which an account has the grants that its groups give. A grant by a person, or of another provider, stays as it
 * is, also on a project or suite on which the groups give another level.
 */
const grantChanges = (
  wanted: NonNullable<AssertedSignIn['grants']>,
  granted: readonly UserGrant[],
  { provider, user_id }: { readonly provider: string; readonly user_id: string },
) => [
  ...granted
    .filter((grant) => grant.managed_by === provider && !wanted.some((each) => isSame(each, grant)))
    .map(({ project, suite }) => accessRevoked({ cause: 'groups', project, provider, suite, user_id })),
  ...wanted
    .filter((each) => {
      const known = granted.find((grant) => isSame(each, grant))
      return !known || (known.managed_by === provider && known.level !== each.level)
    })
    .map(({ project, suite, level }) => accessGranted({ level, project, provider, suite, user_id })),
]

/**
 * Signs a person in through an identity provider. The first sign-in creates the account, without a password, and links
 * it. Each one gives the account the role and the grants of the provider's rules, but never demotes the last enabled admin. Returns
 * the outcome, and the account that the identity had before. Only `signed_in` records anything.
 */
export const signInWithIdentity = (
  viewer: Viewer,
  {
    provider,
    subject,
    salt,
    email,
    role,
    rule,
    grants = [],
    usernames,
    expected,
    replay,
    label_salt = newSalt(),
    ...asserted
  }: AssertedSignIn,
) => {
  const { identity_id, user_id } = expected ?? asserted
  const { session_id, token_hash, at } = asserted
  const nameOf = ({ takenNames }: Facts) => usernames.find((name) => !takenNames.includes(name))
  const outcomeOf = (facts: Facts): AssertedOutcome => {
    const { linked, user, isReplayed } = facts
    if (isReplayed) return 'replayed'
    if (linked?.user_id !== expected?.user_id || linked?.identity_id !== expected?.identity_id) return 'conflict'
    if (linked === null) return nameOf(facts) === undefined ? 'conflict' : 'signed_in'
    return user === null || user.disabled ? 'account_disabled' : 'signed_in'
  }

  return {
    ...command(viewer, {
      facts: {
        linked: findIdentity(provider, subject),
        user: findUser(user_id),
        otherAdmins: countOtherAdmins(user_id),
        takenNames: expected === null ? listTakenNames(usernames) : constant<string[]>([]),
        isReplayed: findIsReplayed(replay?.id_hash ?? null),
        granted: expected === null ? constant<UserGrant[]>([]) : listGrantsWithProvider(user_id),
      },

      decide(facts) {
        if (outcomeOf(facts) !== 'signed_in') return []
        const { user, otherAdmins, granted } = facts
        const changes = grantChanges(grants, granted, { provider, user_id })
        const cause = { identity_id, provider, rule }
        const signIn = signedInThrough(
          { identity_id, user_id },
          { session: { session_id, token_hash, at }, email, replay },
        )
        if (expected === null)
          return [
            userCreated(
              { cause, has_password: false, role, user_id },
              { username: nameOf(facts) ?? '', password_hash: null, label_salt },
            ),
            identityLinked({ identity_id, provider, user_id }, { subject, salt, email, at }),
            ...changes,
            signIn,
          ]
        const isLastAdmin = user?.role === 'admin' && otherAdmins === 0
        const isChanged = user?.role !== role && !isLastAdmin
        return [
          ...(isChanged ? [userChanged({ cause, disabled: null, password_replaced: false, role, user_id }, null)] : []),
          ...changes,
          signIn,
        ]
      },
      result: (_recorded, facts) => ({ outcome: outcomeOf(facts), linked: facts.linked }),
    }),
    actor: { ...viewer.actor, kind: 'session' as const, user_id, credential_id: session_id },
  }
}
