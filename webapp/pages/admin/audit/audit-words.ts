import type { AuditEvent } from '../../../../queries/audit.ts'
import { plural, shortId } from '../../../text/format.ts'
import { visibleLine } from '../../../text/visible-text.ts'

/** Names of accounts by id. */
export type Names = ReadonlyMap<string, string>

const nonEmptyText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/**
 * The run of an event: the one that was pinned, else that of its stream, whose parts are escaped as in an address.
 */
export const recordRun = ({ stream, type, data }: Pick<AuditEvent, 'data' | 'stream' | 'type'>): string | null => {
  if (type === 'BaselinePinned') return nonEmptyText(data?.['run_id'])
  if (!type.startsWith('Run') || !stream?.startsWith('run/')) return null
  try {
    return decodeURIComponent(stream.slice(4))
  } catch {
    return null
  }
}

/** What an event is about: a run set, an account, a session, or a part of the service. */
export const subjectOf = (event: Pick<AuditEvent, 'data' | 'stream' | 'type'>, names: Names): string => {
  const { data, type } = event
  if (data === null) return 'erased'
  const [project, suite, user] = [
    nonEmptyText(data['project']),
    nonEmptyText(data['suite']),
    nonEmptyText(data['user_id']),
  ]
  const account = user === null ? null : visibleLine(names.get(user) ?? shortId(user))
  if (project !== null) {
    const set = suite === null ? visibleLine(project) : `${visibleLine(project)} / ${visibleLine(suite)}`
    return type.startsWith('Access') && account !== null ? `${account} on ${set}` : set
  }
  if (account !== null) return account
  const run = recordRun(event)
  if (run !== null) return `run ${visibleLine(shortId(run))}`
  if (type.startsWith('Cache')) return 'cache'
  if (type === 'EventErased') return `record ${numberOrNull(data['seq']) ?? ''}`
  if (type.startsWith('Hold')) {
    const held = nonEmptyText(data['run_id'])
    return held === null ? 'a legal hold' : `run ${visibleLine(shortId(held))}`
  }
  const plan = type.startsWith('Plan') ? nonEmptyText(data['plan_id']) : null
  if (plan !== null) return `plan ${visibleLine(shortId(plan))}`
  if (type === 'SignInRefused')
    return nonEmptyText(data['provider']) === null ? 'an unknown name' : 'an identity provider'
  if (type === 'ProjectionRebuilt') return visibleLine(nonEmptyText(data['name']) ?? 'read tables')
  return 'service'
}

/** Why the service refused a sign-in; other reasons are readable as they are recorded. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'denied or cancelled'],
  ['invalid_state', 'not started here, or too long ago'],
  ['expired', 'not valid at that time'],
  ['email_not_allowed', 'e-mail address not allowed'],
  ['replayed', 'response used before'],
  ['provider_error', 'no valid response of the provider'],
])

/** The provider that gave an account its role at a sign-in, and its rule; null if a person gave it. */
const signInCause = (cause: unknown): string | null => {
  if (typeof cause !== 'object' || cause === null || !('provider' in cause)) return null
  const [provider, rule] = [nonEmptyText(cause.provider), 'rule' in cause ? nonEmptyText(cause.rule) : null]
  if (provider === null) return null
  return `set by ${provider}${rule === null ? '' : ` (${rule.replaceAll('_', ' ')})`}`
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const listed = (parts: ReadonlyArray<string | null | undefined>): string =>
  parts
    .filter((part) => typeof part === 'string')
    .map(visibleLine)
    .join(', ')

/** One more fact of an event, or an empty text. */
export const recordDetail = ({ data, type }: Pick<AuditEvent, 'data' | 'type'>): string => {
  if (data === null) return ''
  const [cause, level, provider, reason, role, scope] = ['cause', 'level', 'provider', 'reason', 'role', 'scope'].map(
    (name) => nonEmptyText(data[name]),
  )
  switch (type) {
    case 'RunIngested':
      return plural(numberOrNull(data['case_count']) ?? 0, 'case')
    case 'BaselinePinned':
      return `run ${visibleLine(shortId(nonEmptyText(data['run_id']) ?? ''))}`
    case 'CachePruned':
      return `${plural(numberOrNull(data['pruned']) ?? 0, 'entry', 'entries')}, ${cause === 'retention' ? 'by retention' : 'by request'}`
    case 'EventErased':
    case 'HoldPlaced':
    case 'HoldLifted':
      return visibleLine(nonEmptyText(data['reference']) ?? '')
    case 'IdentityLinked':
      return visibleLine(provider ?? '')
    case 'SignedIn':
      return nonEmptyText(data['identity_id']) === null ? '' : 'single sign-on'
    case 'AccessGranted':
    case 'AccessRevoked':
      return listed([
        level,
        provider === null ? (cause === 'request' ? null : cause?.replaceAll('_', ' ')) : `by groups of ${provider}`,
      ])
    case 'UserCreated':
      return listed([role, signInCause(data['cause'])])
    case 'UserChanged':
      return listed([
        role && `role ${role}`,
        data['disabled'] === true ? 'disabled' : data['disabled'] === false ? 'enabled' : null,
        data['password_replaced'] === true ? 'password' : null,
        signInCause(data['cause']),
      ])
    case 'SignInRefused':
      return listed([REASONS.get(reason ?? '') ?? reason?.replaceAll('_', ' '), provider])
    case 'Started':
      return `version ${visibleLine(nonEmptyText(data['version']) ?? '')}`
    default:
      return visibleLine(level ?? scope ?? role ?? (cause === 'request' ? '' : (cause ?? '').replaceAll('_', ' ')))
  }
}

/** Who acted: the present name, else an id, else the kind of caller. */
export const actorOf = ({ actor }: Pick<AuditEvent, 'actor'>): string => {
  if (actor === null) return 'erased'
  if (actor.kind === 'system' || actor.kind === 'cli' || actor.kind === 'anonymous')
    return { system: 'system', cli: 'command line', anonymous: 'not signed in' }[actor.kind]
  const name = actor.label ?? actor.user_id ?? actor.credential_id ?? actor.kind
  return actor.kind === 'static' ? `${visibleLine(name)} token` : visibleLine(name)
}
