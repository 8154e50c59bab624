import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Services } from '../../../http/services.ts'
import { SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { entriesOfReasons, pruneCache } from '../../../runtime/cache/prune.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'
import { Unavailable } from '../../../storage/errors.ts'

it('a prune that fails halfway records what it has removed so far, and rejects', async () => {
  const recorded: unknown[] = []
  const evict: Services['sharedCache']['evict'] = async () => ({ pruned: 200, bytes: 1000, failed: 'no room' })
  // Safe: `pruneCache` calls only `evict` and `commit`.
  const parts = {
    sharedCache: { evict } as Services['sharedCache'],
    commit: callsByName<Services['commit']>(async (name, [, args]: readonly [Viewer, unknown]) => {
      recorded.push([name, args])
    }),
    instance: 'i',
    logger: pino({ level: 'silent' }),
  }
  await expect(pruneCache(parts, SYSTEM, entriesOfReasons(['blank']), 'retention')).rejects.toBeInstanceOf(Unavailable)
  expect(recorded).toMatchObject([
    ['recordPrune', { instance: 'i', cause: 'retention', empty_reasons: ['blank'], pruned: 200, bytes: 1000 }],
  ])
})
