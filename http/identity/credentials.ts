import { LRUCache } from 'lru-cache'
import { SESSION_LIFETIME_MS } from '../../commands/session/events.ts'
import { keyTag, sessionTag, userTag } from '../../commands/tags.ts'
import { findKeyBySecret } from '../../queries/access/api-keys.ts'
import { findSessionByToken } from '../../queries/access/sessions.ts'
import { CEILING, lowerOf, SYSTEM } from '../../queries/access/viewer.ts'
import { UNRESOLVED } from './identity.ts'
import type { Identity, Resolve } from './identity.ts'
import { KEY_PREFIX, prefixOf, SESSION_PREFIX } from './secrets.ts'
import type { Services } from '../services.ts'

/** Credentials that are known without a look at the store; each costs some 500 bytes. */
const MAX_CACHED_CREDENTIALS = 10_000

/**
 * By how much the clocks of replicas may differ: a session that another one began a moment ago seems to end that much
 * too late.
 */
const CLOCK_SKEW_MS = 60_000

/** A key's last use is written once in this time. */
const USE_MS = 60_000

type Known = {
  readonly turn: number
  readonly tags: readonly string[]
  readonly identity: Identity
  readonly expires_at: number
}
type Found = Omit<Known, 'turn'>

type Parts = Pick<Services, 'reader' | 'cache' | 'commit' | 'now' | 'isReady' | 'logger'>

/**
 * Resolves sessions and API keys. What was found is kept until its account or itself changes, which every commit tells
 * before it is answered: the request after that looks again. Tokens are known by their digests alone, and one that
 * resolves to nothing is looked for each time.
 */
export const accountCredentials = ({
  reader,
  cache,
  commit,
  now,
  isReady,
  logger,
}: Parts): { readonly session: Resolve; readonly key: Resolve } => {
  // Bounded by `max`, the memory for all of them would be taken at once.
  const known = new LRUCache<string, Known>({ maxSize: MAX_CACHED_CREDENTIALS, sizeCalculation: () => 1 })
  const usedAt = new LRUCache<string, number>({ maxSize: MAX_CACHED_CREDENTIALS, sizeCalculation: () => 1 })

  const live = ({ identity, expires_at }: Found): Identity | null => {
    const at = now()
    if (expires_at <= at) return null
    // Begun while a clock was ahead: it would live for years.
    if (identity.kind === 'session' && expires_at > at + SESSION_LIFETIME_MS + CLOCK_SKEW_MS) return null
    if (identity.kind === 'apikey' && identity.credential_id !== null) noteUse(identity.credential_id, at)
    return identity
  }

  /** Nobody waits for it. */
  const noteUse = (key_id: string, at: number): void => {
    if (at - (usedAt.get(key_id) ?? -Infinity) < USE_MS) return
    usedAt.set(key_id, at)
    commit('noteUse', SYSTEM, { key_id, at }).catch((error: unknown) =>
      logger.warn({ err: error }, 'the use of an API key was not noted'),
    )
  }

  const resolve = (
    token_hash: string,
    find: () => Promise<Found | null>,
  ): Promise<Identity | null> | Identity | null => {
    if (!isReady()) return UNRESOLVED
    const kept = known.get(token_hash)
    if (kept && cache.isValid(kept.turn, kept.tags)) return live(kept)
    // Noted before the look: what moves from here on may or may not be in what is found.
    const turn = cache.generation()
    return find().then((found) => {
      if (!found) {
        known.delete(token_hash)
        return null
      }
      known.set(token_hash, { ...found, turn })
      return live(found)
    })
  }

  const findSession = async (token_hash: string): Promise<Found | null> => {
    const session = await reader.read(findSessionByToken(token_hash))
    return (
      session && {
        identity: {
          kind: 'session',
          scope: CEILING[session.role],
          credential_id: session.id,
          user_id: session.user_id,
          sees_all: session.role === 'admin',
          by_cookie: false,
        },
        tags: [userTag(session.user_id), sessionTag(session.id)],
        expires_at: session.expires_at,
      }
    )
  }

  const findKey = async (prefix: string, secret_hash: string): Promise<Found | null> => {
    const key = await reader.read(findKeyBySecret({ prefix, secret_hash }))
    return (
      key && {
        // A key made before its owner was demoted gives no more than the owner has now.
        identity: {
          kind: 'apikey',
          scope: lowerOf(CEILING[key.role], key.scope),
          credential_id: key.id,
          user_id: key.user_id,
          sees_all: key.role === 'admin',
          by_cookie: false,
        },
        tags: [userTag(key.user_id), keyTag(key.id)],
        expires_at: Infinity,
      }
    )
  }

  return {
    // The text of both is ASCII, so the digest of what came is the hash that is stored.
    session: (credential, token_hash) =>
      credential.startsWith(SESSION_PREFIX) ? resolve(token_hash, () => findSession(token_hash)) : null,
    key: (credential, secret_hash) => {
      if (!credential.startsWith(KEY_PREFIX)) return null
      return resolve(secret_hash, () => findKey(prefixOf(credential), secret_hash))
    },
  }
}
