import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ssoTransactions } from '../../../http/sso/transactions.ts'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { oidcConfig, samlConfig } from '../../support/sso/providers.ts'
import { member } from '../../support/access/viewers.ts'
import { openServiceOn } from '../../support/stores/database.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

const AT = 1_777_885_244_000
const now = () => AT

let opened: FreshService
let replicas: OpenService[]
beforeEach(async () => {
  opened = await openFreshService({ now })
  replicas = [opened.service, await openServiceOn(opened.databaseUrl ?? '', { now })]
})
afterEach(async () => {
  await replicas[1]?.close()
  await opened.close()
})

const ada = { subject: 'ada-1', email: 'ada@corp.example', groups: [] }
/** Signs in ten times at once, at both replicas in turns. */
const tenTimes = (assertion: { readonly id: string; readonly until: number } | null) =>
  Promise.allSettled(
    Array.from({ length: 5 }, () => replicas)
      .flat()
      .map((service) =>
        signInWithProvider({ ...service, now }, { defaultRole: 'member' })(
          member,
          assertion === null ? oidcConfig() : samlConfig(),
          ada,
          assertion,
        ),
      ),
  )

describe('replicas', () => {
  it('create one account for a person who signs in at all of them at once', async () => {
    expect((await tenTimes(null)).map(({ status }) => status)).toEqual(Array<string>(10).fill('fulfilled'))
    expect(await opened.sql.column('SELECT id FROM users')).toHaveLength(1)
    expect(await opened.sql.column('SELECT id FROM sessions')).toHaveLength(10)
  })

  it('accept an assertion once', async () => {
    const results = await tenTimes({ id: '_assertion', until: AT + 60_000 })
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'replayed' })
  })

  it('share the sign-ins that are under way', async () => {
    const [first, second] = replicas.map(({ commit }) =>
      ssoTransactions({ commit, now, config: { cookieSecure: false } }),
    )
    let id = ''
    const { cookie } = (await first?.begin(member, oidcConfig(), '/runs/1', async (transaction) => {
      id = transaction.id
      return { url: '', requestId: null }
    })) ?? { cookie: '' }
    const returned = { id, cookies: cookie.split(';')[0] }
    expect(await second?.take(member, oidcConfig(), returned)).toMatchObject({ return_to: '/runs/1' })
    await expect(first?.take(member, oidcConfig(), returned)).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
