import { describe, it } from 'vitest'
import { changeView } from '../../../commands/view/change-view.ts'
import { createView } from '../../../commands/view/create-view.ts'
import { deleteView } from '../../../commands/view/delete-view.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { admin } from '../../support/access/viewers.ts'
import { given } from '../../support/decisions.ts'

const ada = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, 'read')
const currentAccess = { scope: 'read', sees_all: false }
const fields = { view_id: 'v', at: 1, name: 'Failing', path: '/runs', query: '', pinned: false }

describe('saved views', () => {
  it('are saved without an event, up to the limit', () => {
    given({ currentAccess, count: 199 }).when(createView(ada, fields)).then()
    given({ currentAccess, count: 200 }).when(createView(ada, fields)).refused('conflict', 'at most 200')
  })

  it('are changed and deleted by their owner alone', () => {
    for (const command of [changeView(ada, { ...fields, position: null }), deleteView(ada, fields)]) {
      given({ currentAccess, isOwn: true }).when(command).then()
      given({ currentAccess, isOwn: false }).when(command).refused('not_found', 'saved view not found')
    }
  })

  it('need an account that still exists', () => {
    for (const command of [createView, changeView, deleteView]) {
      const by = (viewer: typeof ada) => command(viewer, { ...fields, position: null })
      given({ currentAccess, count: 0, isOwn: false })
        .when(by(admin))
        .refused('forbidden', 'a user account is required')
      given({ count: 0, isOwn: true, currentAccess: { scope: null, sees_all: false } })
        .when(by(ada))
        .refused('unauthenticated')
    }
  })
})
