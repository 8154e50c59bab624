import { describe, it } from 'vitest'
import { baselineUnpinned } from '../../../commands/baseline/events.ts'
import { unpinBaseline } from '../../../commands/baseline/unpin-baseline.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const suite = { project: 'chat', suite: 'smoke' }
const unpin = unpinBaseline(member, suite)

describe('unpinning a baseline', () => {
  it('unpins on request', () =>
    given({ level: 'upload', baseline: { run_id: 'r1' } })
      .when(unpin)
      .then(baselineUnpinned({ ...suite, cause: 'request' })))

  it('is refused if nothing is pinned', () =>
    given({ level: 'manage', baseline: null }).when(unpin).refused('not_found', 'baseline not found'))

  it.each(['view', null])('requires the upload level, not %s, pinned or not', (level) => {
    given({ level, baseline: { run_id: 'r1' } })
      .when(unpin)
      .refused('forbidden', 'you need an upload grant on it')
    given({ level, baseline: null }).when(unpin).refused('forbidden')
  })
})
