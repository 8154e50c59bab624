import { describe, expect, it } from 'vitest'
import { accessGranted } from '../../../commands/access/events.ts'
import { grantAccess } from '../../../commands/access/grant-access.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const grantee = { project: 'chat', suite: 'smoke', user_id: 'u1' }
const grant = grantAccess(member, { ...grantee, level: 'upload' })

describe('granting access', () => {
  it('gives a user a level', () =>
    given({ mine: 'manage', user: true, granted: null })
      .when(grant)
      .then(accessGranted({ ...grantee, level: 'upload' })))

  it.each(['view', 'manage'])('replaces the level there was, %s', (granted) =>
    given({ mine: 'manage', user: true, granted })
      .when(grant)
      .then(accessGranted({ ...grantee, level: 'upload' })),
  )

  it('is silent when the user has that level', () =>
    given({ mine: 'manage', user: true, granted: 'upload' }).when(grant).then())

  it.each(['view', 'upload', null])('needs the manage level, not %s, and tells nothing else without it', (mine) => {
    for (const user of [true, false])
      given({ mine, user, granted: null })
        .when(grant)
        .refused('not_found', /^run set not found$/)
  })

  it('knows no such user', () =>
    given({ mine: 'manage', user: false, granted: null })
      .when(grant)
      .refused('not_found', /^user not found$/))

  it('records ids alone', () => {
    const [event] = given({ mine: 'manage', user: true, granted: null }).when(grant).decides()
    expect(event).toEqual({
      stream: 'access/chat',
      type: 'AccessGranted',
      data: { level: 'upload', project: 'chat', suite: 'smoke', user_id: 'u1' },
    })
  })
})
