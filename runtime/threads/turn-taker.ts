import type { Viewer } from '../../queries/access/viewer.ts'
import { networkOf } from './network.ts'

/** Reads of one caller that may wait at once. A static token may stand for a whole team. */
export const MAX_WAITING = { one: 32, token: 128, service: Infinity } as const

/** Who takes turns with others, and how many of its reads may wait. */
export type Caller = { readonly name: string; readonly mostWaiting: number }

/**
 * Whom a read is counted for: an account with all its sessions and keys, a static token, or the network that an
 * anonymous caller comes from (all of an IPv6 /64 is one caller). The service's own reads are bounded by nothing.
 */
export const callerOf = ({ actor: { kind, user_id, credential_id, address } }: Viewer): Caller => {
  if (kind === 'system' || kind === 'cli') return { name: 'service', mostWaiting: MAX_WAITING.service }
  if (user_id !== null) return { name: `user ${user_id}`, mostWaiting: MAX_WAITING.one }
  if (kind === 'static') return { name: `token ${credential_id}`, mostWaiting: MAX_WAITING.token }
  return { name: `network ${address === null ? '' : networkOf(address)}`, mostWaiting: MAX_WAITING.one }
}
