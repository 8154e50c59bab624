import { describe, it } from 'vitest'
import { restrictionLifted } from '../../../commands/access/events.ts'
import { liftRestriction } from '../../../commands/access/lift-restriction.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

describe('lifting a restriction', () => {
  it.each([null, 'smoke'])('lifts the restriction of a project or of one suite: %j', (suite) => {
    const scope = { project: 'chat', suite }
    given({ restricted: true }).when(liftRestriction(admin, scope)).then(restrictionLifted(scope))
  })

  it('rejects a scope without a restriction of its own', () =>
    given({ restricted: false })
      .when(liftRestriction(admin, { project: 'chat', suite: 'smoke' }))
      .refused('not_found', 'restriction not found'))
})
