import { describe, it } from 'vitest'
import { baselinePinned } from '../../../commands/baseline/events.ts'
import { pinBaseline } from '../../../commands/baseline/pin-baseline.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const suite = { project: 'chat', suite: 'smoke' }
const run = { id: 'r1', ...suite }
const pin = pinBaseline(member, { ...suite, run_id: 'r1' })

describe('pinning a baseline', () => {
  it('pins a run of the suite', () =>
    given({ level: 'upload', run, baseline: null })
      .when(pin)
      .then(baselinePinned({ ...suite, run_id: 'r1' })))

  it('replaces an earlier pin', () =>
    given({ level: 'manage', run, baseline: { run_id: 'r0' } })
      .when(pin)
      .then(baselinePinned({ ...suite, run_id: 'r1' })))

  it('records nothing if that run is pinned already', () =>
    given({ level: 'upload', run, baseline: { run_id: 'r1' } })
      .when(pin)
      .then())

  it.each(['view', null])('requires the upload level, not %s', (level) =>
    given({ level, run, baseline: null }).when(pin).refused('forbidden', 'you need an upload grant on it'),
  )

  it('reveals nothing about the run to a viewer without the level', () =>
    given({ level: 'view', run: null, baseline: null }).when(pin).refused('forbidden'))

  it.each([
    ['an unknown run', null],
    ['a run of another suite', { ...run, suite: 'full' }],
    ['a run of another project', { ...run, project: 'mail' }],
    ['a run without a set', { ...run, project: null, suite: null }],
  ])('rejects %s', (_, other) =>
    given({ level: 'upload', run: other, baseline: null }).when(pin).refused('not_found', 'run not found'),
  )
})
