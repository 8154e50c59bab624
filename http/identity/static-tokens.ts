import { hash } from 'node:crypto'
import { constantTimeEqual } from '@oslojs/crypto/subtle'
import { LRUCache } from 'lru-cache'
import { SCOPES } from '../../queries/access/viewer.ts'
import type { StaticToken } from '../services.ts'
import type { Identity } from './identity.ts'
import type { Resolve } from './identify.ts'

/** The id of a static token in the log: its scope and its position in the list, never its secret. */
export const staticTokenId = ({ scope, position }: Pick<StaticToken, 'scope' | 'position'>): string =>
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
      identity: identityOf(token),
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

const identityOf = (token: StaticToken): Identity => ({
  kind: 'static',
  scope: token.scope,
  credential_id: staticTokenId(token),
  user_id: null,
  sees_all: token.scope === 'admin',
  by_cookie: false,
})
