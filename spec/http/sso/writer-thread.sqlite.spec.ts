import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import { ssoTransactions } from '../../../http/sso/transactions.ts'
import { listUserViews } from '../../../queries/access/users.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { oidcConfig } from '../../support/sso/providers.ts'
import { member } from '../../support/access/viewers.ts'

let dataDir: string
let service: OpenService
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-sign-ins-'))
  service = await openService({ dataDir, threads: true, readers: 0 })
})
afterEach(async () => {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const ada = { subject: 'ada-1', email: 'ada@corp.example', groups: [] }

it('ten first sign-ins of one person at once make one account in the writer thread', async () => {
  const signIn = signInWithProvider(service, { defaultRole: 'member' })
  const results = await Promise.all(Array.from({ length: 10 }, () => signIn(member, oidcConfig(), ada, null)))
  expect(new Set(results.map(({ token }) => token)).size).toBe(10)
  expect(await service.reader.read(listUserViews)).toMatchObject([
    { id: results[0]?.user_id, username: 'ada', identities: [{ subject: 'ada-1' }] },
  ])
  expect(new Set(results.map(({ user_id }) => user_id)).size).toBe(1)
})

it('the writer thread accepts a sign-in once if ten browsers return with it at once', async () => {
  const transactions = ssoTransactions({ ...service, config: { cookieSecure: false } })
  let id = ''
  const { cookie } = await transactions.begin(member, oidcConfig(), null, async (transaction) => {
    id = transaction.id
    return { url: '', requestId: null }
  })
  const returned = { id, cookies: cookie.split(';')[0] }
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => transactions.take(member, oidcConfig(), returned)),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
