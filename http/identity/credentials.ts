import { LRUCache } from 'lru-cache'
import { SESSION_LIFETIME_MS } from '../../commands/session/events.ts'
import { keyTag, sessionTag, userTag } from '../../commands/tags.ts'
import { findKeyBySecret } from '../../queries/access/api-keys.ts'
import { findSessionByToken } from '../../queries/access/sessions.ts'
import { CEILING, LIMITED_CEILING, lowerOf, SYSTEM } from '../../queries/access/viewer.ts'
import type { Identity } from './identity.ts'
import type { Resolve } from './identify.ts'
import { boundedHashOf, KEY_PREFIX, shownPrefixOf, SESSION_PREFIX } from './secrets.ts'
import type { Services } from '../services.ts'

/** Maximum number of cached credentials; each takes some 500 bytes. */
const MAX_CACHED_CREDENTIALS = 10_000

/**
 * By how much the clocks of replicas may differ. If another replica's clock is ahead, a session that it has just
 * started seems to last longer than `SESSION_LIFETIME_MS`, by up to this much.
 */
const CLOCK_SKEW_MS = 60_000

/** How often the last use of a credential is written at most. */
const USE_MS = 60_000

type CachedCredential = {
  readonly generation: number
  readonly tags: readonly string[]
  readonly identity: Identity
  readonly expires_at: number
}
type Credential = Omit<CachedCredential, 'generation'>

type Parts = Pick<Services, 'reader' | 'cache' | 'commit' | 'now' | 'logger'>

/**
 * Resolves sessions and API keys. A resolved credential is cached until it or its account changes. A commit with such
 * a change invalidates the credential before the response to the commit is sent, so the next request reads the store
 * again. Tokens are cached by their digests alone. A token that resolves to nothing is read from the store each time.
 */
export const accountCredentials = ({
  reader,
  cache,
  commit,
  now,
  logger,
}: Parts): { readonly session: Resolve; readonly key: Resolve } => {
  // With `max` instead of `maxSize`, LRUCache would allocate the memory for all entries at once.
  const cached = new LRUCache<string, CachedCredential>({ maxSize: MAX_CACHED_CREDENTIALS, sizeCalculation: () => 1 })
  const usedAt = new LRUCache<string, number>({ maxSize: MAX_CACHED_CREDENTIALS, sizeCalculation: () => 1 })

  const identityUnlessExpired = ({ identity, expires_at }: Credential): Identity | null => {
    const at = now()
    if (expires_at <= at) return null
    // The session was started while a clock was far ahead. Its end may be years away, so it is rejected.
    if (identity.kind === 'session' && expires_at > at + SESSION_LIFETIME_MS + CLOCK_SKEW_MS) return null
    if (identity.credential_id !== null) noteUse(identity.credential_id, at)
    return identity
  }

  /** Runs in the background: no request waits for it. */
  const noteUse = (credential_id: string, at: number): void => {
    if (at - (usedAt.get(credential_id) ?? -Infinity) < USE_MS) return
    usedAt.set(credential_id, at)
    commit
      .noteUse(SYSTEM, { credential_id, at })
      .catch((error: unknown) => logger.warn({ err: error }, 'the use of a credential was not noted'))
  }

  /** Synchronous if the credential is cached, which the cache's own `fetch` is not. */
  const resolve = (
    token_hash: string,
    find: () => Promise<Credential | null>,
  ): Promise<Identity | null> | Identity | null => {
    const known = cached.get(token_hash)
    if (known && cache.isValid(known.generation, known.tags)) return identityUnlessExpired(known)
    // Taken before the read: the read may or may not see what changes from here on.
    const generation = cache.generation()
    return find().then((found) => {
      if (!found) {
        cached.delete(token_hash)
        return null
      }
      cached.set(token_hash, { ...found, generation })
      return identityUnlessExpired(found)
    })
  }

  return {
    // Session tokens and API keys are ASCII, so the digest of the received bytes equals the stored hash of the text.
    session: (credential, token_hash) =>
      credential.startsWith(SESSION_PREFIX) ? resolve(token_hash, () => findSession(reader, token_hash)) : null,
    key: (credential, secret_hash) => {
      if (!credential.startsWith(KEY_PREFIX)) return null
      return resolve(secret_hash, () => findKey(reader, shownPrefixOf(credential), secret_hash))
    },
  }
}

const findSession = async (reader: Services['reader'], token_hash: string): Promise<Credential | null> => {
  const session = await reader.read(findSessionByToken(token_hash))
  return (
    session && {
      identity: {
        kind: 'session',
        scope: CEILING[session.role],
        credential_id: session.id,
        user_id: session.user_id,
        sees_all: session.role === 'admin',
        limit: null,
        by_cookie: false,
      },
      tags: [userTag(session.user_id), sessionTag(session.id)],
      expires_at: session.expires_at,
    }
  )
}

const findKey = async (reader: Services['reader'], prefix: string, secret_hash: string): Promise<Credential | null> => {
  const key = await reader.read(findKeyBySecret({ prefix, secret_hash, bounded_hash: boundedHashOf(secret_hash) }))
  const isAdmin = key?.role === 'admin'
  const isLimited = typeof key?.project === 'string'
  return (
    key && {
      // A key gives no more than its owner has now, even if it was created before the owner was demoted.
      identity: {
        kind: 'apikey',
        scope: lowerOf(lowerOf(CEILING[key.role], key.scope), isLimited ? LIMITED_CEILING : 'admin'),
        credential_id: key.id,
        user_id: key.user_id,
        sees_all: isAdmin && !isLimited,
        limit: key.project === null ? null : { project: key.project, suite: key.suite, all: isAdmin },
        by_cookie: false,
      },
      tags: [userTag(key.user_id), keyTag(key.id)],
      expires_at: key.expires_at ?? Infinity,
    }
  )
}
