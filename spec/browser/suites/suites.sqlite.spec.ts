import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, callApi, failRequests, isTooWide, openBrowser, setUp, visit, type Visit } from '../../support/browser.ts'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { aCase } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { startServer } from '../../support/servers/server.ts'

const HOSTILE = {
  project: '<img src=x onerror="document.title = 1"> \u202eno',
  long: 'x'.repeat(390),
  slash: 'a/b?c#d%2f',
}
const CASES = 12
/** The statuses of a run: the first case flips from run to run, and from the fifth run on most cases fail. */
const statusOf = (run: number, test: number): CaseStatus =>
  test === 0 ? (run % 2 === 0 ? 'pass' : 'fail') : test === 1 ? 'error' : run > 4 && test > 3 ? 'fail' : 'pass'

const api = (method: string, path: string, body?: object) => callApi(server.url, server.token, method, path, body)
const put = async (fields: Parameters<typeof uploadDocument>[1]) => uploadDocument(server, fields)
const runOf = (run: number, tests = CASES) => ({
  run_id: `smoke-${run}`,
  finished_at: `2026-05-0${run}T09:00:00Z`,
  origin: { note: `nightly ${run}` },
  cases: Array.from({ length: tests }, (_, test) =>
    aCase({
      cell: { test_id: `test-${test}` },
      status: statusOf(run, test),
      output: `Hello from ${test < 6 ? run : 'all'}. The rest is the same.`,
      latency_ms: 100 * run,
    }),
  ),
})
afterAll(() => server.stop())

const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, ...look })
/** Chooses an item of the menu of a suite. */
const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
/** The items of the menu of a suite. */
const itemsOf = async (page: Page): Promise<string[]> => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem').first().waitFor()
  const items = await page.getByRole('menuitem').allInnerTexts()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  return items
}
const pathOf = (page: Page) => decodeURIComponent(new URL(page.url()).pathname)
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor({ state: 'attached' })
const until = (page: Page, condition: string) => expect.poll(() => page.evaluate(condition)).toBe(true)
const PAGES = {
  overview: { path: '/', ready: (page: Page) => page.getByRole('table', { name: 'Suites, worst first' }).waitFor() },
  suites: { path: '/projects', ready: (page: Page) => page.getByRole('table', { name: 'Suites' }).waitFor() },
  project: { path: '/projects/chat', ready: (page: Page) => page.getByRole('table', { name: 'Suites' }).waitFor() },
  suite: {
    path: '/projects/chat/suites/smoke',
    ready: (page: Page) => page.getByRole('grid').getByRole('gridcell').first().waitFor(),
  },
  history: {
    path: `/projects/chat/suites/smoke/cases/${aCase({ cell: { test_id: 'test-0' } }).case_key}`,
    ready: (page: Page) => page.getByText(/of the words are the same/).waitFor(),
  },
} as const
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (let run = 1; run <= 9; run++) await put(runOf(run, run === 3 ? 1 : CASES))
for (const [n, model] of ['small', 'large', 'middle'].entries())
  await put({
    run_id: `model-${model}`,
    suite: 'by model',
    finished_at: `2026-05-0${n + 1}T09:00:00Z`,
    cases: Array.from({ length: 4 }, (_, test) =>
      aCase({
        name: `Tests number ${test} of the tests`,
        cell: { provider_id: model, test_id: `test-${test}` },
        status: test <= ['small', 'middle', 'large'].indexOf(model) ? 'pass' : 'fail',
      }),
    ),
  })
await put({
  run_id: 'matrix-run',
  suite: 'one matrix',
  cases: ['small', 'large'].flatMap((model) =>
    [0, 1].map((test) =>
      aCase({
        cell: { provider_id: model, test_id: `test-${test}` },
        status: model === 'large' || test === 0 ? 'pass' : 'fail',
      }),
    ),
  ),
})
// The other runs are so old that their suites need no attention any more.
await put({
  run_id: 'new-run',
  suite: 'failing',
  finished_at: new Date(Date.now() - 3_600_000).toISOString(),
  cases: [aCase({ status: 'error' })],
})
await put({ run_id: 'lonely', suite: 'first <b>run</b>', finished_at: '2026-05-02T09:00:00Z' })
for (const [i, suite] of [HOSTILE.long, HOSTILE.slash, 'שלום'].entries())
  await put({ run_id: `hostile-${i}`, project: HOSTILE.project, suite, finished_at: '2026-05-01T09:00:00Z' })
await put({ run_id: 'secret', suite: 'hush', finished_at: '2026-05-03T09:00:00Z' })
await api('PUT', '/sets/chat/suites/hush/restriction')
await api('POST', '/users', { username: 'vera', password: 'correct horse battery', role: 'viewer' })
const answer = await api('POST', '/auth/login', { username: 'vera', password: 'correct horse battery' })
const viewer = ((await answer.json()) as { token: string }).token

describe('the overview', () => {
  it('has the worst suite first with a reason, filters by project in the address, and goes back', async () => {
    const { page } = await open('/')
    await PAGES.overview.ready(page)
    const first = page.locator('tr[data-index="0"]')
    expect(await first.innerText()).toContain('failing')
    expect(await first.innerText()).toMatch(/ended in error/)
    await page.getByLabel('Show only a project').selectOption({ index: 1 })
    await page.waitForURL(/\?project=/)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL(`${server.url}/`)
    await page.goBack()
    await page.waitForURL(/\?project=/)
    await page.reload()
    await page.getByRole('button', { name: /^Remove project/ }).waitFor()
  })

  it('is walked by keyboard: rows, a suite, and the pages of the navigation', async () => {
    const { page } = await open('/')
    await PAGES.overview.ready(page)
    await page.keyboard.press('j')
    await until(page, `document.activeElement.closest('tr')?.dataset.index === '0'`)
    await page.keyboard.press('Enter')
    await heading(page, 'failing')
    for (const [key, title] of [
      ['s', 'Suites'],
      ['o', 'Overview'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await heading(page, title)
      await until(page, `document.activeElement.tagName === 'H1'`)
    }
  })

  it('has a table behind each chart', async () => {
    const { page } = await open('/')
    await page.getByRole('button', { name: 'Table of Runs' }).click()
    expect(await page.getByRole('region', { name: 'Runs as a table' }).getByRole('row').count()).toBe(15)
  })

  it('says what failed, and shows projects that do not exist as empty', async () => {
    const { page } = await open('/?project=none')
    await page.getByText('No suite in these projects').waitFor()
    await failRequests(page, '**/api/v1/overview*', 500, 'internal error')
    await page.goto('/')
    await page.getByText('The overview could not be loaded').waitFor()
    await page.getByText('request-7').waitFor()
  })
})

describe('the list of suites', () => {
  it('has the address /suites too, and begins in the order of the overview: by need', async () => {
    const { page } = await open('/suites?q=')
    await page.waitForURL((url) => url.pathname === '/projects')
    await page.getByRole('table', { name: 'Suites' }).waitFor()
    const answer = await fetch(`${server.url}/api/v1/overview?limit=500`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    const overview = (await answer.json()) as { suites: Array<{ suite: string }> }
    const names = await page.locator('tbody tr td.name .l1').allInnerTexts()
    expect(names.slice(0, 5)).toEqual(overview.suites.slice(0, 5).map(({ suite }) => suite))
  })

  it('is sorted by a column in the address, and found by a part of a name', async () => {
    const { page } = await open('/projects')
    await PAGES.suites.ready(page)
    await page.getByRole('button', { name: 'Runs', exact: true }).click()
    await page.waitForURL('**/projects?sort=-runs')
    expect(await page.getByRole('columnheader', { name: 'Runs', exact: true }).getAttribute('aria-sort')).toBe(
      'descending',
    )
    const counts = await page
      .locator('tr[data-index]')
      .getByRole('link', { name: /^\d+ runs?$/ })
      .allInnerTexts()
    const numbers = counts.map((text) => Number.parseInt(text, 10))
    expect(numbers.length).toBeGreaterThan(5)
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    await page.getByLabel('Find a suite or project').fill('first')
    await page.waitForURL(/q=first/)
    expect(await page.locator('tr[data-index]').count()).toBe(1)
    await page.getByLabel('Find a suite or project').fill('nothing has this')
    await page.getByText('No suite matches').waitFor()
    await page.getByLabel('Find a suite or project').fill('')
    await page.getByRole('combobox', { name: 'Project' }).selectOption('chat')
    await page.waitForURL(/project=chat/)
    expect(await page.getByRole('list', { name: 'Projects' }).getByRole('listitem').count()).toBe(1)
    for (const row of await page.locator('tr[data-index]').all()) expect(await row.innerText()).toContain('chat')
    await page.goBack()
    await page.getByRole('list', { name: 'Projects' }).getByRole('listitem').nth(1).waitFor()
  })

  it('shows counts of projects, and of each suite its runs, rate, last run, restriction and baseline', async () => {
    await put({ run_id: 'listed-0', project: 'listed', suite: 'steady', finished_at: '2026-05-01T09:00:00Z' })
    const cases = Array.from({ length: 4 }, (_, test) =>
      aCase({ cell: { test_id: `test-${test}` }, status: test === 0 ? 'fail' : 'pass' }),
    )
    await put({ run_id: 'listed-1', project: 'listed', suite: 'steady', finished_at: '2026-05-02T09:00:00Z', cases })
    await put({ run_id: 'listed-2', project: 'listed', suite: 'closed', finished_at: '2026-05-03T09:00:00Z' })
    await api('PUT', '/sets/listed/suites/closed/restriction')
    const { page } = await open('/projects', { width: 1440 })
    await PAGES.suites.ready(page)
    const card = page.getByRole('list', { name: 'Projects' }).getByRole('listitem').filter({ hasText: 'listed' })
    expect(await card.innerText()).toMatch(/listed\s+2 suites, 3 runs\s+last run/)
    expect(await card.locator('time').getAttribute('datetime')).toBe('2026-05-03T09:00:00.000Z')
    const row = (suite: string) =>
      page.locator('tr[data-index]').filter({ has: page.getByRole('link', { name: suite, exact: true }) })
    expect(await row('closed').getByText('restricted', { exact: true }).count()).toBe(1)
    expect(await row('steady').getByText('restricted', { exact: true }).count()).toBe(0)
    const figures = async () => {
      expect(await row('steady').getByRole('link', { name: '2 runs' }).getAttribute('href')).toBe(
        '/runs?project=listed&suite=steady',
      )
      expect(await row('steady').locator('td.rate').innerText()).toContain('75.0%')
      expect(await row('steady').locator('time').getAttribute('datetime')).toBe('2026-05-02T09:00:00.000Z')
    }
    await figures()
    expect(await row('steady').locator('td.base').innerText()).toContain('no baseline')
    const pinned = await api('PUT', '/projects/listed/suites/steady/baseline', { run_id: 'listed-1' })
    expect(pinned.ok, await pinned.text()).toBe(true)
    await page.goto('/projects/listed')
    await PAGES.project.ready(page)
    await page.getByText('2 suites, 3 runs').waitFor()
    await figures()
    expect(await row('closed').getByText('restricted', { exact: true }).count()).toBe(1)
    const baseline = row('steady').locator('td.base').getByRole('link', { name: '75.0%' })
    expect(await baseline.getAttribute('href')).toBe('/runs/listed-1')
  })

  it('shows hostile names as text, and opens each of them', async () => {
    const { page } = await open('/projects')
    await PAGES.suites.ready(page)
    const shown = HOSTILE.project.replace('\u202e', '⟨U+202E⟩')
    await page.getByRole('list', { name: 'Projects' }).getByRole('link', { name: shown }).click()
    await heading(page, shown)
    await page.getByRole('link', { name: HOSTILE.slash }).click()
    await heading(page, HOSTILE.slash)
    await expect.poll(() => pathOf(page)).toContain(HOSTILE.slash.replace('%2f', '/').slice(0, 3))
    await page.reload()
    await heading(page, HOSTILE.slash)
    await page.goBack()
    await page.getByRole('link', { name: HOSTILE.long }).click()
    await heading(page, HOSTILE.long)
    expect(await isTooWide(page)).toBe(false)
  })
})

describe('a suite', () => {
  const SUITE = PAGES.suite.path

  it('shows its trend with exact values by keyboard, and opens a run of it', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    const point = page.getByRole('link', {
      name: /^nightly 9, 2026-05-09 09:00:00 UTC: \d+ of 12 passed, .*95% interval/,
    })
    await point.focus()
    await page.keyboard.press('ArrowLeft')
    await until(page, `document.activeElement.getAttribute('aria-label').startsWith('nightly 8')`)
    await page.keyboard.press('Home')
    await until(page, `document.activeElement.getAttribute('aria-label').startsWith('nightly 1')`)
    await page
      .getByText(/partial run/)
      .first()
      .waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/smoke-1')
  })

  it('shows another measure that the user chooses, which the address keeps', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    const tile = (name: RegExp) => page.getByRole('group', { name: 'Measure' }).getByRole('button', { name })
    expect(await tile(/^Pass rate/).getAttribute('aria-pressed')).toBe('true')
    expect(await tile(/^Cost a case.*not recorded/).isDisabled()).toBe(true)
    await tile(/^Latency, median 900 ms \+13%/).press('Enter')
    await page.waitForURL(/\?measure=latency$/)
    const newest = page.getByRole('link', { name: /^nightly 9, .*: 12 cases, 900 ms; 95% interval 900 ms to 900 ms/ })
    expect(await newest.getAttribute('href')).toBe('/runs/smoke-9')
    const cell = page.getByRole('gridcell', { name: /^Pass, 900 ms: test-1?\d*, .*nightly 9, / }).first()
    expect(await cell.locator('i').getAttribute('class')).toMatch(/\bq6\b/)
    await page
      .getByRole('gridcell', { name: /^Fail, 900 ms: / })
      .first()
      .locator('.failed')
      .waitFor()
    await page.getByRole('button', { name: 'Table of Latency, median' }).click()
    await page.getByRole('row', { name: /^nightly 1 .*12 cases 100 ms 100 ms to 100 ms/ }).waitFor()
    await page.reload()
    await newest.waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^nightly 9, .*of 12 passed/ }).waitFor()
    expect(await tile(/^Pass rate/).getAttribute('aria-pressed')).toBe('true')
  })

  it('shows the address of its badge, which is an image', async () => {
    const { page, context } = await open(SUITE, { width: 1440 })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await PAGES.suite.ready(page)
    const address = `${server.url}/api/v1${SUITE}/badge.svg`
    await choose(page, 'Badge')
    expect(await page.getByRole('link', { name: 'badge.svg' }).getAttribute('href')).toBe(address)
    await page.getByRole('button', { name: 'Copy badge address' }).press('Enter')
    await until(page, `navigator.clipboard.readText().then((text) => text === ${JSON.stringify(address)})`)
    await page.getByRole('link', { name: 'badge.svg' }).press('Enter')
    await page.waitForURL(address)
    expect(await page.locator('svg[role=img]').getAttribute('aria-label')).toMatch(/^smoke: \d+\.\d%$/)
  })

  it('makes an address of the badge with a key, and the Markdown around it, until it is revoked', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    await choose(page, 'Badge')
    const dialog = page.getByRole('dialog', { name: 'Badge' })
    await dialog.getByRole('combobox').selectOption('status')
    await dialog.getByRole('button', { name: 'Make an address' }).press('Enter')
    const address = await dialog.locator('code').first().innerText()
    expect(address).toContain(`${SUITE}/badge.svg?key=badge_`)
    expect(await dialog.locator('code').last().innerText()).toBe(`[![smoke](${address})](${server.url}${SUITE})`)
    expect((await fetch(address)).status).toBe(200)
    await dialog.getByRole('button', { name: 'Revoke all' }).press('Enter')
    await dialog.getByText('All addresses of this badge are revoked.').waitFor()
    expect((await fetch(address)).status).toBe(404)
  })

  it('pins, moves and unpins the baseline, and undoes it', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    await choose(page, 'Pin newest as baseline')
    await page.getByText('Pinned as baseline').waitFor()
    expect(await itemsOf(page)).toContain('Unpin baseline')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => itemsOf(page)).toContain('Pin newest as baseline')
    await page.getByRole('button', { name: 'Table of Pass rate' }).click()
    await page.getByRole('button', { name: 'Pin nightly 2' }).click()
    await page.getByRole('button', { name: 'Unpin nightly 2' }).waitFor()
    expect(await itemsOf(page)).toContain('Move baseline to newest')
    expect(await page.getByRole('link', { name: 'Compare with baseline' }).getAttribute('href')).toBe(
      '/compare/smoke-2/smoke-9',
    )
    await page.getByRole('button', { name: 'Table of Pass rate' }).click()
    await page
      .locator('svg')
      .getByText(/^baseline/)
      .waitFor()
    // The page shows a change before the server has it, and a request ends with its page.
    const unpinned = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await choose(page, 'Unpin baseline')
    await expect.poll(() => itemsOf(page)).toContain('Pin newest as baseline')
    await unpinned
  })

  it('shows a failed change of the baseline as it was', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    await failRequests(page, '**/baseline', 500, 'internal error')
    await choose(page, 'Pin newest as baseline')
    await page.getByText('Could not pin: internal error. Request request-7.').waitFor()
    expect(await itemsOf(page)).toContain('Pin newest as baseline')
  })

  it('has a grid that opens at its newest end and is walked with arrow keys', async () => {
    const { page } = await open(SUITE, { width: 1024 })
    await PAGES.suite.ready(page)
    const grid = page.getByRole('grid')
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(CASES + 1))
    await grid.locator('[tabindex="0"]').focus()
    const words = () => page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText')
    expect(await words()).toMatch(/^(?:Pass|Fail|Error): .*test-0.*, nightly 9, 2026-05-09$/)
    await page.keyboard.press('ArrowLeft')
    expect(await words()).toContain('nightly 8')
    await page.keyboard.press('Control+End')
    expect(await words()).toContain('nightly 9')
    expect(
      await page.evaluate(
        `(({ top, bottom, left, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth)(document.activeElement.getBoundingClientRect())`,
      ),
    ).toBe(true)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/runs\/smoke-1\/cases\/[0-9a-f]{16}$/)
    await page.goBack()
    await PAGES.suite.ready(page)
  })

  it('sorts and searches its cases in the address', async () => {
    const { page } = await open(`${SUITE}?order=name`)
    await PAGES.suite.ready(page)
    await page.getByLabel('Order of the cases').selectOption('failing')
    await page.waitForURL('**?order=failing')
    await page.getByRole('searchbox', { name: 'Find a case' }).fill('test-11')
    await page.waitForURL('**?order=failing&q=test-11')
    await page.getByText('1 case, 9 runs, oldest left').waitFor()
    await page.getByRole('searchbox', { name: 'Find a case' }).fill('none')
    await page.getByText('No case matches').waitFor()
    await page.getByRole('button', { name: 'Show all cases' }).click()
    await page.getByText('12 cases, 9 runs, oldest left').waitFor()
  })

  it('has the same flaky cases as the overview, and those that changed apart from them', async () => {
    const { page } = await open(SUITE, { width: 1440 })
    await PAGES.suite.ready(page)
    expect(await page.getByRole('list', { name: 'Flaky', exact: true }).innerText()).toContain('test-0')
    expect(await page.getByRole('list', { name: 'Changed, not flaky' }).innerText()).not.toContain('test-0')
    await page.getByText('newest 8 like runs').waitFor()
    expect(await page.getByRole('link', { name: 'Compare with previous run' }).getAttribute('href')).toBe(
      '/compare/smoke-8/smoke-9',
    )
    await choose(page, 'Open newest run')
    await page.waitForURL('**/runs/smoke-9')
  })

  it('of different models has a row a test and the best run left, and opens outputs side by side', async () => {
    const { page } = await open('/projects/chat/suites/by%20model', { width: 1440 })
    await PAGES.suite.ready(page)
    await page.getByText('4 tests, 3 runs, best left').waitFor()
    const rates = page.getByRole('region', { name: 'Pass rate by run' })
    expect(await rates.locator('li .name').allInnerTexts()).toEqual(['large', 'middle', 'small'])
    expect(await rates.getByRole('link', { name: 'Compare all 3 runs' }).getAttribute('href')).toBe(
      '/compare?runs=model-large,model-middle,model-small',
    )
    await rates.getByRole('checkbox', { name: 'Select small' }).check()
    await rates.getByRole('checkbox', { name: 'Select large' }).check()
    await expect.poll(() => new URL(page.url()).searchParams.getAll('select')).toHaveLength(2)
    expect(await rates.getByRole('link', { name: 'Compare 2 runs' }).getAttribute('href')).toBe(
      '/compare/model-large/model-small',
    )
    expect(await axe(page)).toEqual([])
    await rates.getByRole('checkbox', { name: 'Select small' }).uncheck()
    await rates.getByRole('checkbox', { name: 'Select large' }).uncheck()
    const grid = page.getByRole('grid', { name: 'Tests by run, best run left' })
    expect(await grid.getByRole('row').nth(1).innerText()).toContain('Tests number 1 of the tests')
    expect(await axe(page)).toEqual([])
    await grid.locator('[tabindex="0"]').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/compare/outputs/test-1?runs=model-middle,model-large,model-small')
    await page.goBack()
    await PAGES.suite.ready(page)
    await page.getByLabel('One row per test').uncheck()
    await page.getByText('12 cases, 3 runs, oldest left').waitFor()
    await page.getByRole('grid').getByRole('link').first().click()
    await page.getByText('nothing to compare over time').waitFor()
    await page.getByRole('link', { name: 'This test in every run of the suite' }).click()
    await page.getByText('1 test, 3 runs, best left').waitFor()
  })

  it('of one run with several providers has their leaderboard next to its cases, which it filters', async () => {
    const { page } = await open('/projects/chat/suites/one%20matrix', { width: 1440 })
    const board = page.getByRole('region', { name: 'By provider' })
    await board.getByRole('table').waitFor()
    expect(await board.getByRole('row').nth(1).innerText()).toMatch(/large\s+100\.0%/)
    const cases = page.getByRole('region', { name: 'Cases' }).locator('tr[data-index]')
    await expect.poll(() => cases.count()).toBe(4)
    // Failures first.
    expect(await cases.first().innerText()).toMatch(/Fail/)
    await board.getByRole('link', { name: 'large' }).first().click()
    await expect.poll(() => cases.count()).toBe(2)
    await page.goBack()
    await expect.poll(() => cases.count()).toBe(4)
    await board.getByRole('checkbox', { name: 'Pick large' }).check()
    await board.getByRole('checkbox', { name: 'Pick small' }).check()
    await board.getByRole('link', { name: /^Compare columns/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await choose(page, 'Open newest run')
    await page.waitForURL('**/runs/matrix-run')
  })

  it('of one run with trials says how steady its tests are, and lists those that change', async () => {
    const verdicts = { always: 'pppp', once: 'pfff', twice: 'ppff', never: 'ffff' }
    await put({
      run_id: 'trials',
      suite: 'trials',
      cases: Object.entries(verdicts).flatMap(([test_id, marks]) =>
        [...marks].map((mark, repeat) => aCase({ cell: { test_id, repeat }, status: mark === 'p' ? 'pass' : 'fail' })),
      ),
    })
    const { page } = await open('/projects/chat/suites/trials', { width: 1440 })
    const tiles = page.getByRole('region', { name: 'Trials' })
    await tiles.waitFor()
    // Of four tests one always passes, so all of four trials pass in a quarter.
    expect((await tiles.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/pass\^1 43\.8% .*pass\^4 25\.0% .*pass@4 75\.0%/)
    const listed = page.getByRole('list', { name: 'Tests that change' }).getByRole('listitem')
    expect((await listed.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^once .*1 of 4$/),
      expect.stringMatching(/^twice .*2 of 4$/),
    ])
    await page.getByRole('button', { name: /^never, 0 of 4/ }).press('Enter')
    await page.waitForURL('**/suites/trials?passes=0')
    await page.getByRole('list', { name: 'Tests that pass never, 0 of 4' }).getByText('never').waitFor()
    await page.getByRole('region', { name: 'Cases' }).locator('.mark', { hasText: 'trial 1' }).first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: 'never' }).first().click()
    await page.waitForURL('**/runs/trials/tests/never')
  })

  it('of several runs with a trend has the leaderboard of the newest one', async () => {
    for (const n of [1, 2])
      await put({
        run_id: `nightly-matrix-${n}`,
        suite: 'nightly matrix',
        finished_at: `2026-05-0${n}T09:00:00Z`,
        cases: ['small', 'large'].flatMap((provider_id) =>
          [0, 1, 2].map((test) =>
            aCase({
              cell: { provider_id, test_id: `test-${test}` },
              status: provider_id === 'large' && test < n ? 'pass' : 'fail',
            }),
          ),
        ),
      })
    const { page } = await open('/projects/chat/suites/nightly%20matrix', { width: 1440 })
    await PAGES.suite.ready(page)
    await page.getByRole('group', { name: 'Pass rate by run' }).waitFor()
    const board = page.getByRole('region', { name: 'By provider' })
    await board.getByRole('table').waitFor()
    expect(await board.getByRole('row').nth(1).innerText()).toMatch(/large\s+66\.7%/)
    expect(await board.getByRole('link', { name: 'large' }).first().getAttribute('href')).toBe(
      '/runs/nightly-matrix-2?provider=large',
    )
  })

  it('has the result and the cases of its only run, and no empty chart', async () => {
    const { page } = await open(`/projects/chat/suites/${encodeURIComponent('first <b>run</b>')}`)
    await heading(page, 'first <b>run</b>')
    await page.getByRole('region', { name: 'Cases' }).locator('tr[data-index]').first().waitFor()
    await page.getByRole('region', { name: 'Result' }).getByText('passed').waitFor()
    await page.getByText('a trend begins with the second').waitFor()
    // One provider has no leaderboard, and one run neither a trend nor a grid.
    for (const name of ['By provider', 'Pass rate']) expect(await page.getByRole('region', { name }).count()).toBe(0)
    expect(await page.getByRole('grid').count()).toBe(0)
    await page.getByRole('button', { name: 'Add a run' }).click()
    await page.getByRole('dialog', { name: 'Import runs' }).waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('shows who has access to those who manage it: restrict, grant, change, remove, lift', async () => {
    const { page } = await open(`/projects/chat/suites/hush?panel=access`)
    const panel = page.getByRole('dialog', { name: 'Access to this suite' })
    await panel.getByText('Restricted', { exact: true }).waitFor()
    await panel.getByLabel('Account to add', { exact: true }).selectOption({ label: 'vera' })
    await panel.getByRole('button', { name: 'Add' }).click()
    await panel.getByRole('list', { name: 'View', exact: true }).getByText('vera').waitFor()
    await panel.getByLabel('Level of vera').selectOption('manage')
    await panel.getByRole('list', { name: 'Manage' }).getByText('vera').waitFor()
    await panel.getByRole('button', { name: 'Remove vera' }).click()
    await panel.getByText('No account has been granted access').waitFor()
    await panel.getByRole('button', { name: 'Lift…' }).click()
    await panel.getByRole('button', { name: 'Lift the restriction' }).click()
    await panel.getByRole('button', { name: 'Restrict', exact: true }).click()
    await panel.getByText('Restricted', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/projects/chat/suites/hush')
  })

  it('lets a manager who may not list accounts find one by name, by keyboard alone', async () => {
    const created = await api('POST', '/users', { username: 'mona', password: 'correct horse battery', role: 'member' })
    const { id } = (await created.json()) as { id: string }
    await api('PUT', `/sets/chat/suites/smoke/grants/${id}`, { level: 'manage' })
    const signedIn = await api('POST', '/auth/login', { username: 'mona', password: 'correct horse battery' })
    const manager = ((await signedIn.json()) as { token: string }).token
    const { page } = await open('/projects/chat/suites/smoke?panel=access', { session: manager })
    const panel = page.getByRole('dialog', { name: 'Access to this suite' })
    const name = panel.getByLabel('Name of the account to add')
    await name.focus()
    await page.keyboard.type('VE')
    await panel.locator('datalist option[value="vera"]').waitFor({ state: 'attached' })
    await name.fill('vera')
    await page.keyboard.press('Enter')
    await panel.getByRole('list', { name: 'View', exact: true }).getByText('vera').waitFor()
    expect(await name.inputValue()).toBe('')
    expect(await axe(page)).toEqual([])
    await panel.getByRole('button', { name: 'Remove vera' }).click()
    await panel.getByRole('list', { name: 'View', exact: true }).waitFor({ state: 'detached' })
  })

  it('that is hidden is absent, as one that does not exist', async () => {
    const texts = await Promise.all(
      ['/projects/chat/suites/hush', '/projects/chat/suites/none'].map(async (path) => {
        const { page, close } = await open(path, { session: viewer })
        await heading(page, 'No such suite')
        const text = await page.locator('main').innerText()
        await close()
        return text
      }),
    )
    expect(texts[0]).toBe(texts[1])
    const { page, close } = await open('/', { session: viewer })
    await PAGES.overview.ready(page)
    expect(await page.locator('main').innerText()).not.toContain('hush')
    await page.goto('/projects/chat')
    await PAGES.project.ready(page)
    expect(await page.locator('main').innerText()).not.toContain('hush')
    expect(await page.getByRole('button', { name: 'Access' }).count()).toBe(0)
    await page.goto('/projects/none')
    await heading(page, 'No such project')
    await close()
  })
})

describe('the history of a case', () => {
  const HISTORY = PAGES.history.path

  it('moves the pair by keyboard and keeps it in the address', async () => {
    const { page } = await open(HISTORY, { width: 1440 })
    await PAGES.history.ready(page)
    await page.getByRole('heading', { name: /^nightly 8.*nightly 9$/ }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: /^nightly 7.*nightly 8$/ }).waitFor()
    await page.waitForURL('**?run=smoke-8')
    await page.reload()
    await page.getByRole('heading', { name: /^nightly 7.*nightly 8$/ }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: /^nightly 8.*nightly 9$/ }).waitFor()
    await page.getByRole('button', { name: /^Fail, nightly 9/ }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: /^nightly 7.*nightly 8$/ }).waitFor()
    await page.getByRole('button', { name: /^Assertions/ }).click()
    await page.waitForURL(/tab=assertions/)
    await page.goBack()
    await page.getByText(/of the words are the same/).waitFor()
  })

  it('says since when the case fails, and opens where it began', async () => {
    const key = aCase({ cell: { test_id: 'test-7' } }).case_key
    const { page } = await open(`/projects/chat/suites/smoke/cases/${key}`, { width: 1440 })
    await page.getByText('Failing since 5 May 2026 (5 runs)').waitFor()
    await page.getByRole('heading', { name: /^nightly 4.*nightly 5$/ }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('shows the newest runs first, older ones on demand, and keeps both in the address', async () => {
    const older = (n: number) => ({
      run_id: `old-${n}`,
      suite: 'long',
      finished_at: new Date(Date.UTC(2025, 0, 1 + n)).toISOString(),
      origin: { note: `long ${n}` },
    })
    for (let n = 0; n < 64; n++) await put(older(n))
    const path = `/projects/chat/suites/long/cases/${aCase().case_key}`
    const { page } = await open(path, { width: 1440 })
    const rows = page.getByRole('table', { name: 'The case in its runs, newest first' }).locator('tbody tr')
    await page.getByRole('heading', { name: '60 runs' }).waitFor()
    await page.getByRole('button', { name: 'Show older runs' }).press('Enter')
    await page.getByRole('heading', { name: '64 runs' }).waitFor()
    expect(await rows.count()).toBe(64)
    await expect.poll(() => new URL(page.url()).searchParams.get('runs')).toBe('260')
    await page.reload()
    await page.getByRole('heading', { name: '64 runs' }).waitFor()
    expect(await page.getByRole('button', { name: 'Show older runs' }).count()).toBe(0)
    // An older pair alone is enough to load it.
    await page.goto(`${path}?run=old-2`)
    await page.getByRole('heading', { name: /^long 1.*long 2$/ }).waitFor()
  })

  it('has lanes of scores, latencies and changes, and names what changed', async () => {
    const suite = 'changing'
    for (let n = 0; n < 3; n++)
      await put({
        run_id: `changing-${n}`,
        suite,
        finished_at: `2026-05-0${n + 1}T09:00:00Z`,
        origin: { note: `changing ${n}` },
        config_digest: (n === 2 ? 'b' : 'a').repeat(64),
        cases: [
          aCase({
            status: n === 2 ? 'fail' : 'pass',
            output: n === 2 ? `Bye. ${HOSTILE.project}` : 'Hello.',
            latency_ms: 100 * (n + 1),
            model: n === 2 ? 'model-2' : 'model-1',
            prompt_digest: (n === 2 ? 'd' : 'c').repeat(64),
            provider_digest: 'e'.repeat(64),
          }),
        ],
      })
    const { page } = await open(`/projects/chat/suites/${suite}/cases/${aCase().case_key}`, {
      width: 1440,
    })
    await page.getByRole('heading', { name: /^changing 1.*changing 2$/ }).waitFor()
    const lanes = page.getByRole('region', { name: '3 runs' })
    for (const name of ['Verdict', 'Score', 'Latency', 'Prompt', 'Model'])
      await lanes.locator('.names').getByText(name, { exact: true }).waitFor()
    expect(await lanes.locator('circle.lat').count()).toBe(3)
    expect(await lanes.locator('circle.dot').count()).toBe(2)
    expect(await lanes.locator('circle.bad').count()).toBe(1)
    const numbersOf = async (name: string): Promise<number[]> =>
      Promise.all((await lanes.locator('circle.lat').all()).map(async (dot) => Number(await dot.getAttribute(name))))
    const heights = await numbersOf('cy')
    expect(heights).toEqual(heights.toSorted((a, b) => b - a))
    expect(new Set(heights).size).toBe(3)
    // One mark in the lane of the prompt and one in that of the model, between the second and the third run.
    const marks = lanes.locator('path.diamond')
    expect(await marks.count()).toBe(2)
    const [x = '', ...others] = await Promise.all(
      (await marks.all()).map(async (mark) => (await mark.getAttribute('d'))?.split(' ')[0] ?? ''),
    )
    expect(others).toEqual([x])
    const dots = await numbersOf('cx')
    expect(Number(x.slice(1))).toBeGreaterThan(dots[1] ?? 0)
    expect(Number(x.slice(1))).toBeLessThan(dots[2] ?? 0)
    await lanes.getByText('2 of 3 runs passed, oldest left. Prompt changed once. Model changed once.').waitFor({
      state: 'attached',
    })
    expect(
      await page.getByRole('table', { name: 'The case in its runs, newest first' }).locator('tbody tr').allInnerTexts(),
    ).toEqual([
      expect.stringMatching(/changing 2[^]*0\.00\s+300 ms/),
      expect.stringMatching(/changing 1[^]*1\.00\s+200 ms/),
      expect.stringMatching(/changing 0[^]*1\.00\s+100 ms/),
    ])
    // The output is shown as it is stored.
    const pair = page.getByRole('region', { name: /^changing 1.*changing 2$/ })
    const unseen = pair.locator('[title="U+202E, right-to-left override"]')
    expect(await unseen.first().innerText()).toBe('U+202E')
    expect(await pair.innerText()).toContain('<img src=x')
    expect(await page.locator('main').innerText()).not.toContain('\u202e')
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('button', { name: /^Configuration 3$/ }).click()
    await page.waitForURL(/tab=configuration/)
    const facts = await pair.innerText()
    for (const words of [
      /Prompt\s+changed/,
      /Model\s+changed[^]*model-1[^]*model-2/,
      /Provider configuration\s+same/,
      /Configuration of the run\s+changed/,
    ])
      expect(facts).toMatch(words)
  })

  it('is linked from the drawer of the case, and absent where the case is', async () => {
    const key = aCase({ cell: { test_id: 'test-0' } }).case_key
    const { page } = await open(`/runs/smoke-9/cases/${key}`, { width: 1440 })
    await page.getByRole('link', { name: 'Full history, with what changed in each run' }).click()
    await PAGES.history.ready(page)
    await expect.poll(() => pathOf(page)).toBe(HISTORY)
    await page.goto('/projects/chat/suites/smoke/cases/0000000000000000')
    await heading(page, 'No such case')
  })
})

const MANY = '/compare?runs=smoke-1,smoke-2,smoke-4'
const SUITE = '/projects/chat/suites/smoke'
const MATRIX = '/runs/matrix-run/matrix'
/** What names the value, and what the page shows with its default. */
const BOGUS = [
  [`${MANY}&filter=worse:none`, 'filter', 'button[aria-pressed="true"] >> text=Only where they differ'],
  [`${MANY}&base=none`, 'base', 'option:checked[value="smoke-1"]'],
  [`${MANY}&value=none`, 'value', 'button[aria-pressed="true"] >> text=Score'],
  [`${SUITE}?order=none`, 'order', 'option:checked[value="flaky"]'],
  [`${SUITE}?fold=constructor`, 'fold', '[role=gridcell] >> nth=0'],
  [`${MATRIX}?value=none`, 'value', 'button[aria-pressed="true"] >> text=Score'],
  [`${MATRIX}?rows=none`, 'order of the rows', 'option:checked[value="document"]'],
  [`${MATRIX}?order=none`, 'order of the columns', 'option:checked[value="best"]'],
  [`${MATRIX}?only=none`, 'filter', 'button[aria-pressed="false"] >> text=Only where they disagree'],
  ['/projects?sort=none', 'order', 'thead:not(:has(th[aria-sort])) >> text=Suite'],
  ['/projects/chat?sort=-none', 'order', 'thead:not(:has(th[aria-sort])) >> text=Suite'],
  ['/runs?sort=toString', 'order', 'text=Newest first'],
  ['/runs?sort=cost&order=none', 'direction', 'text=Highest cost first'],
  ['/runs/smoke-9?sort=none', 'order', 'text="failures first"'],
  ['/cache?sort=none', 'order', 'option:checked[value="created desc"]'],
] as const

describe('a value of the address that is none of the choices', () => {
  let visited: Visit
  beforeAll(async () => {
    visited = await visit(browser, server.url, 'about:blank', { session, width: 1440, keep: true })
    await visited.page.addInitScript(`
      window.shifts = []
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifts.push(value)
      }).observe({ type: 'layout-shift', buffered: true })`)
  })
  afterAll(async () => {
    await visited.close()
    expect(visited.complaints).toEqual([])
  })

  it.each(BOGUS)('is named, does no harm and can be cleared: %s', async (path, words, usual) => {
    const { page } = visited
    await page.goto(path)
    const query = new URL(page.url()).searchParams
    const [name = '', value = ''] = [...query].at(-1) ?? []
    const note = page.getByText(`The ${words} “${value}” of this address is unknown.`)
    await note.waitFor()
    await page.locator(usual).first().waitFor({ state: 'attached' })
    expect(await page.evaluate('shifts')).toEqual([])
    await page.locator('.address-note').getByRole('link', { name: 'Clear' }).click()
    await note.waitFor({ state: 'detached' })
    query.delete(name)
    await expect.poll(() => new URL(page.url()).searchParams.toString()).toBe(query.toString())
    await page.locator(usual).first().waitFor({ state: 'attached' })
    await page.goBack()
    await note.waitFor()
  })
})

it('an empty server shows how to upload a first run', async () => {
  const empty = await startServer({ env: { SERVICE_AUTH_MODE: 'open' } })
  const { page, close } = await visit(browser, empty.url, '/')
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await page.goto('/projects')
  await page.getByText('No project yet').waitFor()
  await close()
  await empty.stop()
})

describe('a row of the overview', () => {
  it('has a reason with numbers, the exact test in words, and the trend as a picture with words', async () => {
    // Ten of twelve cases pass twice and then fail.
    for (const run of [1, 2, 3])
      await put({
        run_id: `slide-${run}`,
        suite: 'slide',
        finished_at: `2026-05-0${run}T09:00:00Z`,
        cases: Array.from({ length: CASES }, (_, test) =>
          aCase({ cell: { test_id: `test-${test}` }, status: run === 3 && test > 1 ? 'fail' : 'pass' }),
        ),
      })
    const { page } = await open('/', { width: 1440 })
    const row = page.locator('tr[data-index]', { has: page.getByRole('rowheader', { name: /^slide/ }) })
    await row.waitFor()
    const reason = row.locator('td.reason')
    // q grows with the number of suites that changed.
    const test = /^exact paired test p 0\.002, q 0\.0\d+ over all suites that changed$/
    const [verdict, words] = (await reason.innerText()).replaceAll(/\s+/g, ' ').split(/ ?; /)
    expect([verdict, words]).toEqual(['Down 83.3 points: 10 worse, 0 better', expect.stringMatching(test)])
    expect(await reason.getAttribute('title')).toBe(words)
    expect(await row.locator('svg[aria-label^="Pass rate of"]').getAttribute('aria-label')).toBe(
      'Pass rate of 3 runs, oldest first: 100.0% to 16.7%, lowest 16.7%, highest 100.0%',
    )
    expect((await row.locator('td.change').innerText()).replaceAll(/\s+/g, ' ')).toBe('−10 worse / 0 better')
    for (const link of [reason.getByRole('link'), row.locator('td.change').getByRole('link')])
      expect(await link.getAttribute('href')).toBe('/compare/slide-2/slide-3?filter=worse')
    await reason.getByRole('link').click()
    await expect.poll(() => page.locator('tr[data-index]').count()).toBe(10)
  })
})
