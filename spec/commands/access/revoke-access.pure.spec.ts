import { describe, it } from 'vitest'
import { accessRevoked } from '../../../commands/access/events.ts'
import { revokeAccess } from '../../../commands/access/revoke-access.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const grantee = { project: 'a/b', suite: null, user_id: 'u1' }
const revoke = revokeAccess(member, grantee)

describe('revoking access', () => {
  it('takes a grant of any level back', () => {
    for (const granted of ['view', 'upload', 'manage'])
      given({ mine: 'manage', granted })
        .when(revoke)
        .then(accessRevoked({ ...grantee, cause: 'request' }))
  })

  it.each(['view', 'upload', null])('needs the manage level, not %s, and tells nothing else without it', (mine) => {
    for (const granted of ['view', null])
      given({ mine, granted })
        .when(revoke)
        .refused('not_found', /^run set not found$/)
  })

  it('knows no grant that is not there', () =>
    given({ mine: 'manage', granted: null })
      .when(revoke)
      .refused('not_found', /^grant not found$/))
})
