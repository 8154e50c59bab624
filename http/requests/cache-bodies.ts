import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from '../../commands/run/inflate.ts'
import { DiskFull } from '../../storage/errors.ts'
import type { Services } from '../services.ts'
import { encodingOf, inflated, receive } from './body.ts'
import { byteBudget } from './byte-budget.ts'

/** Maximum bytes of all bodies that are being received or wait to be stored. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Maximum number of bytes that an encoding may add to a body that cannot be compressed. */
const ENCODING_BYTES = 64 * 1024

/**
 * Receives the body of a request and stores it in the shared cache. Returns whether it is the first of its key. Called again for
 * the same request, it returns the same promise. Refuses: too_large, unsupported_encoding, bad_request. Rejects with
 * `Unavailable` if the store takes no body.
 */
export type StoreCacheBody = (request: IncomingMessage, key: string) => Promise<boolean>

export const storeCacheBodies = ({
  sharedCache,
  config,
  isDiskFull,
}: Pick<Services, 'sharedCache' | 'config' | 'isDiskFull'>): StoreCacheBody => {
  const uploads = byteBudget(MAX_WAITING_BYTES)
  const maxBytes = Math.min(config.cache.max_entry_bytes, MAX_BODY_BYTES)
  const started = new WeakMap<IncomingMessage, Promise<boolean>>()

  const store: StoreCacheBody = async (request, key) => {
    const encoding = encodingOf(request)
    // The space that the store released is for deletions.
    if (isDiskFull?.()) throw new DiskFull()
    const reservation = uploads.enter()
    try {
      const received = await receive(
        request,
        encoding === null ? maxBytes : maxBytes + ENCODING_BYTES,
        reservation.grow,
        { statedMax: maxBytes },
      )
      const body = await inflated(received, encoding, maxBytes)
      reservation.grow(body.length)
      return await sharedCache.put(key, body)
    } finally {
      reservation.leave()
    }
  }
  return (request, key) => {
    const storing = started.get(request) ?? store(request, key)
    started.set(request, storing)
    return storing
  }
}
