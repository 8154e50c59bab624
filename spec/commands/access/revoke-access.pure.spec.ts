import { describe, it } from 'vitest'
import { accessRevoked } from '../../../commands/access/events.ts'
import { revokeAccess } from '../../../commands/access/revoke-access.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const grantee = { project: 'a/b', suite: null, user_id: 'u1' }
const revoke = revokeAccess(member, grantee)

describe('revoking access', () => {
  it('revokes a grant of any level', () => {
    for (const granted of ['view', 'upload', 'manage'])
      given({ ownLevel: 'manage', granted })
        .when(revoke)
        .then(accessRevoked({ ...grantee, cause: 'request' }))
  })

  it.each(['view', 'upload', null])(
    'requires the manage level, not %s, before it reports anything else',
    (ownLevel) => {
      for (const granted of ['view', null])
        given({ ownLevel, granted })
          .when(revoke)
          .refused('not_found', /^run set not found$/)
    },
  )

  it('rejects a missing grant', () =>
    given({ ownLevel: 'manage', granted: null })
      .when(revoke)
      .refused('not_found', /^grant not found$/))
})
