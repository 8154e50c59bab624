import type { Viewer } from '../../queries/access/viewer.ts'
import { networkOf } from '../../domain/network.ts'

/** Maximum number of reads of one caller that may wait at the same time. A whole team may share one static token. */
export const MAX_WAITING = { caller: 32, token: 128, service: Infinity } as const

/** A caller in the queue of reads, and how many of its reads may wait. */
export type Caller = { readonly name: string; readonly maxWaiting: number }

/**
 * The caller that a viewer's reads count for: an account with all its sessions and keys, a static token, or the network
 * of an anonymous client (an IPv6 /64 is one caller). The service's own reads have no limit.
 */
export const callerOf = ({ actor: { kind, user_id, credential_id, address } }: Viewer): Caller => {
  if (kind === 'system' || kind === 'cli') return { name: 'service', maxWaiting: MAX_WAITING.service }
  if (user_id !== null) return { name: `user ${user_id}`, maxWaiting: MAX_WAITING.caller }
  if (kind === 'static') return { name: `token ${credential_id}`, maxWaiting: MAX_WAITING.token }
  return { name: `network ${address === null ? '' : networkOf(address)}`, maxWaiting: MAX_WAITING.caller }
}
