import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { axe, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { parseCsv } from '../../support/http/csv.ts'
import { adminRequests, rows } from '../../support/pages/run.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

/** The verdict of each test of a run, by its id. */
type Verdicts = Readonly<Record<string, CaseStatus>>
const BEFORE: Verdicts = {
  a: 'pass',
  b: 'pass',
  c: 'fail',
  d: 'fail',
  e: 'pass',
  f: 'error',
  g: 'pass',
  h: 'fail',
  k: 'skip',
}
/** One test got worse, two got better, one lost its verdict, one never had one, one was removed, and two were added. */
const NOW: Verdicts = {
  a: 'fail',
  b: 'skip',
  c: 'pass',
  d: 'fail',
  e: 'pass',
  f: 'pass',
  g: 'pass',
  i: 'pass',
  j: 'fail',
  k: 'skip',
}
const casesOf = (verdicts: Verdicts): ACase[] =>
  Object.entries(verdicts).map(([test_id, status], n) =>
    aCase({ cell: { test_id }, status, latency_ms: 100 * ((n * 5) % 9) + 100, cost_usd: 0.001 * (n + 1) }),
  )

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  const runs = [
    aDocument({ run_id: 'first', finished_at: '2026-05-01T09:00:00Z', cases: casesOf(BEFORE) }),
    aDocument({ run_id: 'second', finished_at: '2026-05-02T09:00:00Z', cases: casesOf(NOW) }),
    aDocument({ run_id: 'third', finished_at: '2026-05-03T09:00:00Z', cases: casesOf(NOW) }),
    ...(['unknown', 'known'] as const).map((latency, n) =>
      aDocument({
        run_id: `${latency}-latency`,
        suite: latency,
        cases: ['x', 'y'].flatMap((provider_id) =>
          ['1', '2'].map((test_id) => aCase({ cell: { provider_id, test_id }, latency_ms: n * 250 })),
        ),
      }),
    ),
  ]
  for (const run of runs) await upload(run)
})
afterAll(() => server.stop())
const { send, upload } = adminRequests(() => server)

const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, width: 1440, ...look })
const addresses = async (links: Locator): Promise<Array<string | null>> =>
  Promise.all((await links.all()).map((link) => link.getAttribute('href')))
const queryOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url, server.url).searchParams)

describe('the previous like run', () => {
  it('is named with what changed since, and leads to it and to the comparison', async () => {
    const { page } = await open('/runs/second')
    const since = page.locator('.since')
    await since.waitFor()
    expect((await since.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^Since the previous like run, .+ 1 got worse 2 got better 1 lost: passed before, skipped now 2 added 1 removed Compare$/,
    )
    const compared = '/compare/first/second'
    const filters = ['worse', 'better', 'lost', 'head_only', 'base_only']
    const evidence = filters.map((filter) => `${compared}?filter=${filter}`)
    expect(await addresses(since.getByRole('link'))).toEqual(['/runs/first', ...evidence, compared])
    for (const [n, count] of [1, 2, 1, 2, 1].entries()) {
      await page.goto(`${server.url}${evidence[n]}`)
      await expect.poll(() => page.locator('tr[data-index]').count()).toBe(count)
    }
    await page.goto(`${server.url}/runs/second`)
    await since.waitFor()
    const compare = page.getByRole('link', { name: 'Compare with previous run', exact: true })
    expect(await compare.getAttribute('href')).toBe('/compare/first/second')
    expect(await axe(page)).toEqual([])
    await compare.press('Enter')
    await page.waitForURL('**/compare/first/second')
    await page.goBack()
    await since.getByRole('link', { name: /^previous like run/ }).press('Enter')
    await page.waitForURL('**/runs/first')
    // The first run of a suite has none.
    await page.getByRole('button', { name: 'More actions' }).waitFor()
    await rows(page).first().waitFor()
    expect(await since.count()).toBe(0)
    await page.getByRole('link', { name: 'Compare with another run' }).click()
    await page.waitForURL('**/runs?project=chat&suite=smoke&cached=all&select=first')
    await page.getByRole('region', { name: 'Selection' }).waitFor()
  })

  it('without changes is shown with its zeros', async () => {
    const { page } = await open('/runs/third')
    const since = page.locator('.since')
    await since.waitFor()
    expect((await since.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^Since the previous like run, .+ 0 got worse 0 got better Compare$/,
    )
    expect(await since.getByRole('link').first().getAttribute('href')).toBe('/runs/second')
  })

  it('has one comparison if it is also the baseline, and a second one in the menu if it is not', async () => {
    const pin = (run_id: string) => send('PUT', '/projects/chat/suites/smoke/baseline', { run_id })
    const comparisons = (page: Page) => addresses(page.locator('.acts').getByRole('link', { name: /^Compare/ }))
    await pin('second')
    const { page } = await open('/runs/third')
    await page.getByRole('link', { name: 'Compare with baseline' }).waitFor()
    expect(await comparisons(page)).toEqual(['/compare/second/third'])
    await pin('first')
    await page.reload()
    await page.getByRole('link', { name: 'Compare with baseline' }).waitFor()
    expect(await comparisons(page)).toEqual(['/compare/first/third'])
    await page.getByRole('button', { name: 'More actions' }).click()
    const second = page.getByRole('menuitem', { name: 'Compare with previous run' })
    expect(await second.getAttribute('href')).toBe('/compare/second/third')
  })
})

describe('the list of cases', () => {
  it('is exported as CSV with its filters and its order', async () => {
    const { page } = await open('/no/such/page')
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto('/runs/second?status=pass&latency=200..&sort=latency&order=desc')
    await rows(page).first().waitFor()
    const link = page.getByRole('link', { name: 'CSV' })
    const address = (await link.getAttribute('href')) ?? ''
    expect(new URL(address, server.url).pathname).toBe('/api/v1/runs/second/cases.csv')
    const {
      limit: _,
      offset: __,
      around: ___,
      ...listed
    } = queryOf(requested.find((url) => url.includes('/runs/second/case-rows')) ?? server.url)
    expect(queryOf(address)).toEqual({ ...listed, bom: 'true' })
    expect(listed).toEqual({ status: 'pass', latency_from: '200', sort: 'latency', order: 'desc' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toBe('second-cases.csv')
    const [header = [], ...exported] = parseCsv((await (await page.request.get(address)).text()).replace(/^\uFEFF/, ''))
    const tests = await rows(page).locator('a').allInnerTexts()
    expect(tests).toEqual(['i', 'f', 'g', 'e', 'c'])
    expect(exported.map((fields) => fields[header.indexOf('test')])).toEqual(tests)
    // Another filter is in the address of the file at once.
    await page.getByRole('button', { name: /^Remove filter .*status/i }).click()
    await expect
      .poll(async () => queryOf((await link.getAttribute('href')) ?? ''))
      .toEqual({
        latency_from: '200',
        sort: 'latency',
        order: 'desc',
        bom: 'true',
      })
  })

  it('hides a column until it is shown again', async () => {
    const { page } = await open('/runs/second', { width: 1920 })
    const cost = page.getByRole('columnheader', { name: 'Cost' })
    await cost.waitFor()
    await page.getByRole('button', { name: 'Columns and groups' }).click()
    await page.getByRole('checkbox', { name: 'Cost' }).uncheck()
    await page.keyboard.press('Escape')
    await cost.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('columnheader', { name: 'Latency' }).waitFor()
    await rows(page).first().waitFor()
    expect(await cost.count()).toBe(0)
    expect(await rows(page).first().locator('td').count()).toBe(await page.locator('thead th').count())
    await page.getByRole('button', { name: 'Columns and groups' }).click()
    expect(await page.getByRole('checkbox', { name: 'Cost' }).isChecked()).toBe(false)
    await page.getByRole('checkbox', { name: 'Cost' }).check()
    await cost.waitFor()
  })
})

describe('the matrix', () => {
  const choices = (page: Page) => page.getByRole('group', { name: 'Value in the cells' }).getByRole('button')

  it('offers no latency if none was recorded, not even by its address', async () => {
    const { page } = await open('/runs/unknown-latency/matrix')
    await page.getByRole('gridcell').first().waitFor()
    expect(await choices(page).allInnerTexts()).toEqual(['Score', 'Pass rate', 'Distinct outputs'])
    await page.goto('/runs/unknown-latency/matrix?value=latency')
    await page.getByRole('gridcell').first().waitFor()
    await page.getByText('Mean score').waitFor()
    expect(await choices(page).and(page.locator('[aria-pressed=true]')).allInnerTexts()).toEqual(['Score'])
    expect(await page.getByRole('gridcell').allInnerTexts()).toContain('1.0')
  })

  it('offers latency if it was recorded', async () => {
    const { page } = await open('/runs/known-latency/matrix?value=latency')
    await page.getByText('Mean latency').waitFor()
    expect(await choices(page).allInnerTexts()).toEqual(['Score', 'Pass rate', 'Latency', 'Distinct outputs'])
    expect(await choices(page).and(page.locator('[aria-pressed=true]')).allInnerTexts()).toEqual(['Latency'])
  })
})
