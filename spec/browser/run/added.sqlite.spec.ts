import { afterAll, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../../support/browser.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { upload } = adminRequests(() => server)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await upload(aDocument({ run_id: 'one', origin: { note: 'nightly' } }))

it('a title, a note and tags are added on the page of a run, and shown there, in the list and in the search', async () => {
  const { page } = await visit(browser, server.url, '/runs/one', { session })
  await page.getByRole('button', { name: 'Add title, note, tags' }).click()
  const title = page.getByRole('textbox', { name: /^Title/ })
  await title.waitFor()
  expect(await title.evaluate((box) => box === document.activeElement)).toBe(true)
  await title.fill('Second try')
  await page.getByRole('textbox', { name: 'Note' }).fill('<b>not</b> markup')
  await page.getByRole('textbox', { name: /^Tags/ }).fill('flaky\n\nnew prompt')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Second try', level: 1 }).waitFor()
  await page.getByText('<b>not</b> markup', { exact: true }).waitFor()
  expect(await page.getByText('Uploaded as nightly').count()).toBe(1)

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: /^Tags/ }).fill('new prompt')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('flaky', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Added by/ }).click()
  await page.getByRole('dialog').getByText('flaky', { exact: true }).waitFor()

  await page.goto(server.url)
  const latest = page.getByRole('region', { name: 'Latest runs' })
  await latest.getByRole('link', { name: 'Second try' }).waitFor()
  expect(await latest.getByText('nightly').count()).toBe(0)
  await page.goto(`${server.url}/runs?tag=new+prompt`)
  await page.getByRole('link', { name: 'Second try' }).waitFor()
  await page.getByTitle(/^Added by .* on /).waitFor()
  await page.goto(`${server.url}/search?q=markup`)
  await page.getByTitle(/^Added by .* on /).waitFor()
})
