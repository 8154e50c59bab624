import { createHash, hash, randomBytes } from 'node:crypto'
import { constantTimeEqual } from '@oslojs/crypto/subtle'
import { LRUCache } from 'lru-cache'
import { listStaticTokens, type KnownToken } from '../../queries/access/static-tokens.ts'
import { SCOPES } from '../../queries/access/viewer.ts'
import type { Reader } from '../../storage/storage.ts'
import type { StaticToken } from '../services.ts'
import type { Identity } from './identity.ts'
import type { Resolve } from './identify.ts'

/** The id of a static token in the log: its scope and its position in the list, never its secret. */
const staticTokenId = ({ scope, position }: Pick<StaticToken, 'scope' | 'position'>): string =>
  `static:${scope}:${position}`

/** Maximum number of cached digests that match no static token. */
const MAX_UNMATCHED = 1_000

/**
 * Matches static tokens. Every token is compared, each in constant time over digests, so the time reveals nothing. If a
 * secret is listed twice, the highest scope counts.
 */
export const staticTokens = (tokens: readonly StaticToken[]): Resolve => {
  // The highest scope first. The sort is stable.
  const byScope = tokens
    .toSorted((a, b) => SCOPES.indexOf(b.scope) - SCOPES.indexOf(a.scope))
    .map((token) => ({
      digest: Buffer.from(hash('sha256', Buffer.from(token.secret), 'hex')),
      identity: tokenIdentity(token),
    }))
  // Earlier results by digest: the tokens never change while the process runs. There are two caches, not one with
  // `memo`, so that unknown credentials do not evict known ones.
  const matched = new Map<string, Identity>()
  const unmatched = new LRUCache<string, true>({ max: MAX_UNMATCHED })
  return (_credential, digest) => {
    const earlier = matched.get(digest)
    if (earlier) return earlier
    if (unmatched.has(digest)) return null
    const presented = Buffer.from(digest)
    let best: Identity | null = null
    for (const token of byScope) if (constantTimeEqual(token.digest, presented)) best ??= token.identity
    if (best) matched.set(digest, best)
    else unmatched.set(digest, true)
    return best
  }
}

const tokenIdentity = (token: StaticToken): Identity => ({
  kind: 'static',
  scope: token.scope,
  credential_id: staticTokenId(token),
  user_id: null,
  sees_all: token.scope === 'admin',
  limit: null,
  by_cookie: false,
})

const SALT_BYTES = 16

/** Long enough to notice a change (all but 1 in 65,536), and too short to find a weak secret. */
const DIGEST_BYTES = 2

const tokenDigest = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update(salt).update(secret).digest().subarray(0, DIGEST_BYTES)

const isSecretOf = ({ salt, digest }: KnownToken, { secret }: StaticToken): boolean =>
  digest.equals(tokenDigest(salt, secret))

/**
 * Static tokens as a start records them: the labels of all, and what is to be stored of those whose secret is new. Call it at
 * each start, before the first request: an id is a place in the list of tokens, and may belong to another token since the last
 * start.
 */
export const startedTokens = async (reader: Pick<Reader, 'read'>, configured: readonly StaticToken[]) => {
  const known = new Map((await reader.read(listStaticTokens)).map((token) => [token.id, token]))
  const tokens = configured.flatMap((token) => {
    const id = staticTokenId(token)
    const before = known.get(id)
    if (before && isSecretOf(before, token)) return []
    const salt = randomBytes(SALT_BYTES)
    const digest = tokenDigest(salt, token.secret)
    const replaces = before?.salt.toString('hex') ?? null
    return [{ id, salt: salt.toString('hex'), digest: digest.toString('hex'), replaces }]
  })
  const principals = configured.map((token) => ({
    id: staticTokenId(token),
    kind: 'static' as const,
    label: token.scope,
  }))
  return { principals, tokens }
}

/**
 * The last record before the static token of an id had the secret that it has in this process; null if another secret was
 * noted for the id, by a replica with another list.
 */
export const startOfToken = (tokens: readonly StaticToken[], known: KnownToken | null): number | null => {
  const token = tokens.find((configured) => staticTokenId(configured) === known?.id)
  return known && token && isSecretOf(known, token) ? known.since_seq : null
}
