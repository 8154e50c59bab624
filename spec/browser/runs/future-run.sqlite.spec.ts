import { afterAll, expect, it } from 'vitest'
import { axe, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { startServer } from '../../support/servers/server.ts'

const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (const [run_id, year] of [
  ['later', 9000],
  ['past', 2020],
] as const)
  await uploadDocument(server, {
    run_id,
    origin: { note: run_id },
    started_at: `${year}-01-01T00:00:00Z`,
    finished_at: `${year}-01-01T00:00:01Z`,
    cases: [aCase()],
  })
afterAll(() => server.stop())

it('marks a run that is dated in the future, in the list, whose order it keeps, and on its page', async () => {
  const { page } = await visit(browser, server.url, '/runs', { session })
  const rows = page.getByRole('table').first().locator('tbody tr')
  await rows.first().getByRole('link', { name: 'later' }).waitFor()
  const mark = rows.first().getByText('future', { exact: false }).first()
  await mark.waitFor()
  expect(await mark.getAttribute('title')).toContain('later than the clock of the server')
  expect(await rows.nth(1).getByText('future').count()).toBe(0)
  expect(await axe(page)).toEqual([])
  await page.goto(`${server.url}/runs/later`)
  await page.locator('.prov').getByTitle('later than the clock of the server').waitFor()
  await page.goto(`${server.url}/runs/past`)
  await page.locator('.prov').getByText('Finished').waitFor()
  expect(await page.locator('.prov').getByTitle('later than the clock of the server').count()).toBe(0)
})
