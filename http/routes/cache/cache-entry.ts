import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { CACHE_KEY, isCacheKey } from '../../../domain/cache/key.ts'
import type { LocalDirectory } from '../../../queries/cache/local.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { mustExist, NO_CACHE_ENTRY } from '../../errors.ts'
import type { Services } from '../../services.ts'

export const KeyPath = z.object({
  key: z
    .string()
    .refine(isCacheKey, 'a cache key is sha256:<64 hex>, in lower case')
    .meta({ pattern: CACHE_KEY.source }),
})

/** Which cache: the service's own, or the configured local directory. */
export const tier = z
  .enum(['server', 'local'])
  .optional()
  .meta({ description: 'The cache of the service, or its local directory.' })

/** The local directory. Refuses: not_found, if none is configured. */
export const localTier = ({ localCache }: Pick<Services, 'localCache'>): LocalDirectory =>
  mustExist(localCache, 'local cache tier')

/** Sends what a read of the cache found. Refuses: not_found. */
export const sendRead = (reply: FastifyReply, answer: LongReadAnswer | null): FastifyReply =>
  sendFound(reply, answer, NO_CACHE_ENTRY)
