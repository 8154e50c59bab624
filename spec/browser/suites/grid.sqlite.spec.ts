import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { axe, callApi, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { startServer } from '../../support/servers/server.ts'

const SUITE = '/projects/chat/suites/levels'
/** The statuses of the first tests, oldest run first: P is pass, F is fail. The others change the level together. */
const TESTS: Readonly<Record<string, string>> = {
  steady: 'PPPPPPPP',
  flipping: 'FPFPFPFF',
  fresh: 'PPPPPPPF',
  broken: 'FFFFFFFF',
  ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`level-${n}`, 'PPPPFFFF'])),
}
const RUNS = 8
const statusOf = (letter: string | undefined): CaseStatus => (letter === 'F' ? 'fail' : 'pass')

const call = async (path: string, body: object): Promise<{ readonly token?: string }> =>
  (await (await callApi(server.url, server.token, 'POST', path, body)).json()) as { token?: string }
afterAll(() => server.stop())

const isShown = (page: Page) => page.getByRole('grid').getByRole('gridcell').first().waitFor()
/** The text of the header of the first row of cases. */
const firstRow = (page: Page) => page.getByRole('grid').getByRole('rowheader').first().innerText()
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (let run = 0; run < RUNS; run++)
  await uploadDocument(server, {
    run_id: `level-${run}`,
    suite: 'levels',
    finished_at: `2026-05-0${run + 1}T09:00:00Z`,
    origin: { note: `nightly ${run + 1}` },
    cases: Object.entries(TESTS).map(([test_id, letters]) =>
      aCase({ cell: { test_id }, status: statusOf(letters[run]) }),
    ),
  })

it('the trend of a suite whose level changes marks the change, names its rates, and leads to its first run', async () => {
  const { page } = await visit(browser, server.url, SUITE, { session, width: 1440 })
  await isShown(page)
  // 22 or 21 of 24 cases pass before the change, 1 or 2 of 24 after it.
  const changes = page.getByRole('list', { name: 'Changes of the level, newest first' })
  await changes.getByRole('listitem').first().waitFor()
  const words = await changes.getByRole('listitem').allInnerTexts()
  expect(words.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/down from \d+\.\d% to \d+\.\d%$/),
  ])
  const [, before, after] = /from (\S+) to (\S+)/.exec(words[0]?.replaceAll(/\s+/g, ' ') ?? '') ?? []
  expect([Number.parseFloat(before ?? '') > 85, Number.parseFloat(after ?? '') < 15]).toEqual([true, true])
  expect(await page.locator('svg line.change').count()).toBe(1)
  expect(await page.locator('svg text', { hasText: `${before} → ${after}` }).count()).toBe(1)
  await page.getByText(/; 1 change of the level/).waitFor({ state: 'attached' })
  expect(await axe(page)).toEqual([])

  await page.getByRole('button', { name: 'Table of Pass rate' }).click()
  expect(await page.getByRole('row').filter({ hasText: 'first of a new level' }).innerText()).toContain('nightly 5')
  await page.getByRole('button', { name: 'Table of Pass rate' }).click()
  await changes.getByRole('link').click()
  await page.waitForURL('**/runs/level-4')
})

it('the grid of a suite has the first row of each order, and asks for 100 runs', async () => {
  const { page } = await visit(browser, server.url, SUITE, { session, width: 1440, streams: false })
  // The first load has sent its request: the list has only those of the second.
  await isShown(page)
  const requests: URLSearchParams[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/grid')) requests.push(searchParams)
  })
  await page.reload()
  await isShown(page)
  expect(await firstRow(page)).toContain('flipping')
  for (const [order, test] of [
    ['failing', 'broken'],
    ['changed', 'fresh'],
    ['name', 'broken'],
    ['flaky', 'flipping'],
  ] as const) {
    await page.getByLabel('Order of the cases').selectOption(order)
    await expect.poll(() => firstRow(page)).toContain(test)
  }
  expect(requests.map((parameters) => [parameters.get('order'), parameters.get('runs')])).toEqual(
    ['flaky', 'failing', 'changed', 'name'].map((order) => [order, '100']),
  )
})

it('the access to a suite is not offered to a viewer, also by its address', async () => {
  await call('/users', { username: 'vera', password: 'correct horse battery', role: 'viewer' })
  const { token = '' } = await call('/auth/login', { username: 'vera', password: 'correct horse battery' })
  const { page, complaints, close } = await visit(browser, server.url, SUITE, { session, width: 1440 })
  const items = async (on: Page): Promise<string[]> => {
    await on.getByRole('button', { name: 'More actions' }).click()
    await on.getByRole('menuitem', { name: 'Open newest run' }).waitFor()
    return on.getByRole('menuitem').allInnerTexts()
  }
  await isShown(page)
  expect(await items(page)).toContain('Access')
  await page.goto(`${SUITE}?panel=access`)
  await page.getByRole('dialog', { name: 'Access to this suite' }).waitFor()
  await close()

  const viewed = await visit(browser, server.url, SUITE, { session: token, width: 1440 })
  for (const path of [SUITE, `${SUITE}?panel=access`]) {
    const asked: string[] = []
    viewed.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await viewed.page.goto(path)
    await isShown(viewed.page)
    expect(await items(viewed.page)).not.toContain('Access')
    expect(await viewed.page.getByRole('dialog').count()).toBe(0)
    expect(asked.filter((name) => name.includes('/grants') || name.includes('/access'))).toEqual([])
  }
  expect([...complaints, ...viewed.complaints]).toEqual([])
  await viewed.close()
})
