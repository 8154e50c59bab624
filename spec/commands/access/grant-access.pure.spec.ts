import { describe, expect, it } from 'vitest'
import { accessGranted } from '../../../commands/access/events.ts'
import { grantAccess } from '../../../commands/access/grant-access.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const grantee = { project: 'chat', suite: 'smoke', user_id: 'u1' }
const grant = grantAccess(member, { ...grantee, level: 'upload' })

describe('granting access', () => {
  it('grants a user a level', () =>
    given({ ownLevel: 'manage', user: true, granted: null })
      .when(grant)
      .then(accessGranted({ ...grantee, level: 'upload' })))

  it.each(['view', 'manage'])('replaces the level %s', (granted) =>
    given({ ownLevel: 'manage', user: true, granted })
      .when(grant)
      .then(accessGranted({ ...grantee, level: 'upload' })),
  )

  it('records nothing if the user has that level already', () =>
    given({ ownLevel: 'manage', user: true, granted: 'upload' }).when(grant).then())

  it.each(['view', 'upload', null])(
    'requires the manage level: with %s, it reports only that the run set was not found',
    (ownLevel) => {
      for (const user of [true, false])
        given({ ownLevel, user, granted: null })
          .when(grant)
          .refused('not_found', /^run set not found$/)
    },
  )

  it('rejects an unknown user', () =>
    given({ ownLevel: 'manage', user: false, granted: null })
      .when(grant)
      .refused('not_found', /^user not found$/))

  it('records only ids', () => {
    const [event] = given({ ownLevel: 'manage', user: true, granted: null }).when(grant).decides()
    expect(event).toEqual({
      stream: 'access/chat',
      type: 'AccessGranted',
      data: { level: 'upload', project: 'chat', suite: 'smoke', user_id: 'u1' },
    })
  })
})
