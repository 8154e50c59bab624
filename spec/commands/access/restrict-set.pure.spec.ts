import { describe, it } from 'vitest'
import { setRestricted } from '../../../commands/access/events.ts'
import { restrictSet } from '../../../commands/access/restrict-set.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

describe('restricting a run set', () => {
  it.each([null, 'smoke', ''])('restricts a project or one of its suites: %j', (suite) => {
    const scope = { project: 'chat', suite }
    given({ restricted: false }).when(restrictSet(admin, scope)).then(setRestricted(scope))
  })

  it('records nothing if the set is restricted already', () =>
    given({ restricted: true })
      .when(restrictSet(admin, { project: 'chat', suite: null }))
      .then())
})
