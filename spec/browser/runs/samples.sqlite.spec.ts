import { afterAll, beforeAll, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, THEMES, visit } from '../../support/browser.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const browser = await openBrowser()
let empty: RunningServer
let session: string
beforeAll(async () => {
  empty = await startServer()
  session = await setUp(empty.url)
})
afterAll(() => empty.stop())

const send = (path: string, body: unknown): Promise<Response> =>
  fetch(`${empty.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${empty.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

it('samples are loaded with one button, lead to the comparison, and leave with one button', async () => {
  const { page, close } = await visit(browser, empty.url, '/', { session })
  await page.getByRole('button', { name: 'Load sample results' }).click()
  await page.getByText('These are sample results').waitFor()
  // All of them are there at once, the worst suite first.
  const rows = page.locator('tbody tr[data-index]')
  expect(await rows.first().innerText()).toMatch(/mini-agi[^]*8 worse, 0 better, 14 passes no longer run/)
  expect(await rows.count()).toBe(9)
  await page
    .getByRole('link', { name: /8 worse/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: /is worse than/ }).waitFor()

  await page.goBack()
  await page.getByRole('button', { name: 'Remove samples' }).click()
  await page.getByText('41 sample runs removed').waitFor()
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await close()
})

it('a member may bring results, but not load samples', async () => {
  const account = { username: 'ada', password: 'correct horse battery' }
  await send('/users', { ...account, role: 'member' })
  const signedIn = await send('/auth/login', account)
  const [, token] = /service_session=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '') ?? []
  const { page, close } = await visit(browser, empty.url, '/', { session: token! })
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  expect(await page.getByRole('button', { name: 'Load sample results' }).count()).toBe(0)
  await close()
})

it('steps say when they are done, at every width and in both themes', async () => {
  const loaded = await fetch(`${empty.url}/api/v1/samples`, {
    method: 'POST',
    headers: { authorization: `Bearer ${empty.token}` },
  })
  expect(loaded.status).toBe(200)
  const before = await visit(browser, empty.url, '/', { session })
  await before.page.getByRole('heading', { name: 'Run an evaluation' }).waitFor()
  await before.page.getByRole('heading', { name: 'Invite the team Done' }).waitFor()
  expect(await before.page.getByText('Done').count()).toBe(1)
  await before.close()

  await send('/runs', JSON.parse(smallDocument('own')))
  for (const theme of THEMES)
    for (const width of [320, 390, 1440]) {
      const { page, close } = await visit(browser, empty.url, '/', { session, theme, width })
      for (const step of ['Invite the team Done', 'Run an evaluation Done'])
        await page.getByRole('heading', { name: step }).waitFor()
      expect(await page.getByRole('heading', { name: 'Send every run from CI' }).innerText()).not.toContain('Done')
      expect([theme, width, await axe(page), await isTooWide(page)]).toEqual([theme, width, [], false])
      await close()
    }
})
