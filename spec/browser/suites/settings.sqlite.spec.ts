import { afterAll, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { upload } = adminRequests(() => server)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
const failing = [aCase({ status: 'error', error: 'timeout' })]
const now = new Date().toISOString()
for (const suite of ['one', 'two'])
  await upload(aDocument({ run_id: suite, suite, started_at: now, finished_at: now, cases: failing }))

it('a suite gets an owner, is snoozed and archived in its row, and is found by its owner', async () => {
  const { page } = await visit(browser, server.url, '/', { session })
  await page.getByText('2 of 2 suites need attention').waitFor()
  const choose = async (suite: string, item: string, text?: string): Promise<void> => {
    await page.getByRole('button', { name: `Snooze, own or archive ${suite}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
    if (text === undefined) return
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').last().fill(text)
    await dialog.getByRole('button').last().click()
    await dialog.waitFor({ state: 'detached' })
  }
  await choose('one', 'Set an owner', 'Team Walrus')
  await page.getByText('Team Walrus').waitFor()
  await choose('one', 'Snooze until a new run', 'The API is down')
  await page.getByText(/^Snoozed until a new run, by \w+: The API is down$/).waitFor()
  await page.getByText('1 of 2 suites needs attention').waitFor()
  await page.getByRole('searchbox').fill('walrus')
  await page.getByRole('link', { name: 'two', exact: true }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('q')).toBe('walrus')
  await choose('one', 'End the snooze')
  await page.getByText(/^Snoozed until .*: The API/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear' }).click()
  await choose('two', 'Archive', 'Replaced by one')
  await page.getByRole('link', { name: 'two', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Archived 1' }).click()
  await page.getByText(/^Archived on .*: Replaced by one$/).waitFor()
  await choose('two', 'Bring back from the archive')
  await page.getByText('No suite is archived.').waitFor()
})
