import { describe, it } from 'vitest'
import { projectionRebuilt } from '../../../commands/service/events.ts'
import { recordRebuild } from '../../../commands/service/record-rebuild.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { given } from '../../support/decisions.ts'

describe('recording a rebuild', () => {
  it('records the position of each replayed read model', () => {
    const rebuilt = [
      { name: 'runs', version: 1, position: 12 },
      { name: 'sets', version: 2, position: 12 },
    ]
    given({})
      .when(recordRebuild(CLI, { instance: 'i1', rebuilt }))
      .then(...rebuilt.map((data) => projectionRebuilt('i1', data)))
  })

  it('records nothing if nothing was rebuilt', () =>
    given({})
      .when(recordRebuild(CLI, { instance: 'i1', rebuilt: [] }))
      .then())
})
