import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { largeRun } from '../../support/documents/large-runs.ts'
import { adminRequests, rows, table, until } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { send, upload } = adminRequests(() => server)
const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, ...look })

const whenReady = (page: Page) =>
  Promise.all([rows(page).first().waitFor(), page.getByRole('region', { name: 'Distributions' }).waitFor()])
const openCharts = (page: Page) => page.getByRole('button', { name: /^Charts/ }).click()
const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

type ScrollResult = {
  readonly frames: number
  readonly blank: number
  readonly maxRows: number
  readonly reached: number
}

/**
 * Scrolls by 700 px in every second frame, and in the next frame looks for gaps between rows. It is a string because it
 * runs in the page.
 */
const SCROLL_FAST = `(async () => {
  const found = { frames: 0, blank: 0, maxRows: 0, reached: 0 }
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const index = (row) => Number(row?.dataset.index ?? -1)
  while (found.frames < 240) {
    await frame()
    window.scrollBy(0, 700)
    await frame()
    const rows = [...document.querySelectorAll('table.t tbody tr[data-index]')]
    const [first, last] = [rows[0], rows.at(-1)]
    const isEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 200
    const gaps = rows.some((row, n) => n > 0 && index(row) !== index(rows[n - 1]) + 1)
    found.frames++
    found.maxRows = Math.max(found.maxRows, rows.length)
    found.reached = Math.max(found.reached, index(last))
    if (!last || gaps || (index(first) > 0 && first.getBoundingClientRect().top > 82) || (!isEnd && last.getBoundingClientRect().bottom < innerHeight)) found.blank++
  }
  return found
})()`

const rowHasFocus = (page: Page, row: number) =>
  until(page, `document.activeElement?.closest('tr')?.dataset.index === '${row}'`)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await upload(largeRun('large'))

describe('a run of 10,000 cases', () => {
  it('has the description as its title, and draws few rows', async () => {
    const { page } = await open('/runs/large')
    await whenReady(page)
    expect(await page.title()).toBe('<script>alert(1)</script> · Evaluation Results')
    expect(await rows(page).count()).toBeLessThanOrEqual(60)
  })

  it('shows the result in words, with separate costs of systems and of grading', async () => {
    const { page } = await open('/runs/large')
    await whenReady(page)
    const result = page.getByRole('region', { name: 'Result' })
    expect(await result.getByRole('img').getAttribute('aria-label')).toBe('5,347 pass, 3,974 fail, 679 skip')
    expect((await result.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /53\.5% passed .* Pass 5,347 Fail 3,974 Skip 679 Cost of systems \$5,484\.00 Cost of grading \$0\.42 Duration 18 m 04 s/,
    )
    const fail = result.getByRole('button', { name: 'Fail 3,974' })
    await fail.click()
    await page.getByText('3,974 cases').waitFor()
    expect(query(page)).toEqual({ status: 'fail' })
    expect(await fail.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('columnheader', { name: 'Latency' }).getByRole('button').click()
    await page.getByText('slowest first').first().waitFor()
    expect(query(page)).toEqual({ status: 'fail', sort: 'latency', order: 'desc' })
    await fail.click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
    expect(query(page)).toEqual({ sort: 'latency', order: 'desc' })
  })

  it('scrolls through thousands of rows without a gap in any frame', async () => {
    const { page } = await open('/runs/large', { width: 1440, height: 900 })
    await whenReady(page)
    const result = await page.evaluate<ScrollResult>(SCROLL_FAST)
    expect(result).toMatchObject({ frames: 240, blank: 0 })
    expect(result.maxRows).toBeLessThanOrEqual(60)
    expect(result.reached).toBeGreaterThan(1_500)
  })

  it('loads rows before they are reached, a page at a time, until the last', async () => {
    const { page } = await open('/runs/large?status=skip')
    await rows(page).first().waitFor()
    await page.getByText('679 cases').waitFor()
    for (let lastIndex = -1; lastIndex < 678;) {
      await page.keyboard.press('End')
      await until(
        page,
        `Number([...document.querySelectorAll('tr[data-index]')].at(-1)?.dataset.index ?? -1) > ${lastIndex}`,
      )
      lastIndex = Number(await rows(page).last().getAttribute('data-index'))
    }
    expect(await table(page).getAttribute('aria-rowcount')).toBe('680')
  })

  it('shows errors and failures first, and the order of the document on request', async () => {
    const failures = (await (await send('GET', '/runs/large/case-rows?sort=failures&limit=3')).json()) as {
      rows: Array<{ case_key: string; status: string }>
    }
    expect(failures.rows.map(({ status }) => status)).toEqual(['fail', 'fail', 'fail'])
    const { page } = await open('/runs/large')
    await whenReady(page)
    const first = () => rows(page).first().getByRole('link').getAttribute('href')
    expect(await first()).toContain(failures.rows[0]?.case_key)
    await page.getByRole('button', { name: 'Document order' }).click()
    await page.waitForURL(/sort=document/)
    await page.getByText('in the order of the document').first().waitFor()
    await page.getByRole('button', { name: 'Failures first' }).click()
    await page.getByText('failures first').first().waitFor()
    expect(query(page)).toEqual({})
  })

  it('has twelve cases above the fold, and keeps the charts open for the next visit once they were opened', async () => {
    const cases = Array.from({ length: 30 }, (_, n) =>
      aCase({ cell: { test_id: `t${n}` }, score: n / 29, latency_ms: 100 + n, tags: ['a'] }),
    )
    await upload(aDocument({ run_id: 'folded', cases }))
    const { page } = await open('/runs/folded', { width: 1440, height: 900 })
    await whenReady(page)
    const ends = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().bottom))
    expect(ends.filter((end) => end <= 900).length).toBeGreaterThanOrEqual(12)
    expect(await page.getByRole('group', { name: 'Latency' }).count()).toBe(0)
    await openCharts(page)
    await page.getByRole('group', { name: 'Latency' }).waitFor()
    await page.reload()
    await page.getByRole('group', { name: 'Latency' }).waitFor()
    expect(await page.getByRole('button', { name: /^Charts/ }).getAttribute('aria-expanded')).toBe('true')
  })

  it('shows variables and assertions as columns, remembered for the suite, and groups the cases by one', async () => {
    const cases = Array.from({ length: 12 }, (_, n) =>
      aCase({
        cell: { test_id: `t${n}` },
        status: n % 4 === 0 ? 'fail' : 'pass',
        vars: { city: n % 2 === 0 ? 'Lima' : 'Oslo', '<b>': 'x' },
      }),
    )
    await upload(aDocument({ run_id: 'varied', suite: 'varied', cases }))
    const { page } = await open('/runs/varied', { width: 1440, height: 900 })
    await rows(page).first().waitFor()
    const button = page.getByRole('button', { name: 'Columns and groups' })
    await button.click()
    const panel = page.getByRole('group', { name: 'Columns and groups' })
    const find = panel.getByRole('textbox', { name: 'Find a column' })
    await panel.getByRole('checkbox', { name: 'city 2 values' }).waitFor()
    expect(await find.evaluate((input) => input === document.activeElement)).toBe(true)
    await find.fill('cit')
    expect(await panel.getByRole('checkbox').count()).toBe(1)
    await panel.getByRole('checkbox').check()
    await page.getByRole('columnheader', { name: 'city' }).waitFor()
    await rows(page).first().getByText('Lima', { exact: true }).waitFor()
    await find.fill('zzz')
    await panel.getByText('No column has this name.').waitFor()
    await find.fill('')
    expect(await axe(page)).toEqual([])
    await panel.getByRole('combobox', { name: 'Group by' }).selectOption({ label: 'city (2)' })
    const groups = page.getByRole('region', { name: 'Groups by city' })
    await groups.getByRole('row').nth(2).waitFor()
    expect(query(page)).toEqual({ group: 'var.city' })
    // The lowest pass rate first: of the six cases of Lima, three failed.
    expect(await groups.getByRole('row').nth(1).innerText()).toMatch(/Lima\s+6\s+50\.0%/)
    expect(await groups.getByRole('row').nth(2).innerText()).toMatch(/Oslo\s+6\s+100\.0%/)
    await find.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await groups.getByRole('link', { name: '6 cases of Lima' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^6 cases$/ })
      .waitFor()
    expect(query(page)).toEqual({ group: 'var.city', field: 'var.city=Lima' })
    await page.getByRole('button', { name: 'Remove filter Field: var.city=Lima' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.reload()
    await page.getByRole('columnheader', { name: 'city' }).waitFor()
    expect(await isTooWide(page)).toBe(false)
  })

  it('shows stored text as text', async () => {
    const { page } = await open('/runs/large?sort=document')
    const foreignRequests: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) foreignRequests.push(request.url())
    })
    await whenReady(page)
    expect(await rows(page).first().locator('.o').innerText()).toContain(
      "<script>document.title = 'taken over'</script>",
    )
    expect(await rows(page).nth(1).locator('.o').innerText()).toContain('⟨U+202E⟩')
    await page.goto('/runs/large/document')
    await page.getByRole('region', { name: 'Document, indented' }).waitFor()
    expect(await isTooWide(page)).toBe(false)
    await page.getByRole('button', { name: 'As stored' }).click()
    const text = page.getByRole('region', { name: 'Document as uploaded' })
    await text.waitFor()
    expect((await text.innerText()).length).toBeLessThan(40_000)
    expect(await page.title()).toBe('<script>alert(1)</script> · Evaluation Results')
    expect(foreignRequests).toEqual([])
  })
})

describe('the filters of cases', () => {
  it('are in the URL: typing replaces the history entry, choosing adds one', async () => {
    const { page } = await open('/runs/large')
    await whenReady(page)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('combobox', { name: 'Tag', exact: true }).selectOption({ index: 1 })
    await page.waitForURL(/tag=/)
    const { tag } = query(page)
    await page.getByLabel('Search name or output').fill('zzz nothing holds this')
    await page.getByText('No case matches').waitFor()
    expect(query(page)).toEqual({ tag, q: 'zzz nothing holds this' })
    expect(await axe(page)).toEqual([])
    await page.goBack()
    await rows(page).first().waitFor()
    expect(query(page)).toEqual({})
  })

  it('can also be typed, such as status:skip', async () => {
    const { page } = await open('/runs/large')
    await whenReady(page)
    await page.getByLabel('Search name or output').fill('status:skip')
    await page.keyboard.press('Enter')
    await page.getByText('679 cases').waitFor()
    await page.getByRole('button', { name: 'Remove filter Status: Skip' }).click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
  })

  it('with a value that does not exist are shown as such', async () => {
    const { page } = await open('/runs/large?status=broken&latency=soon')
    await page.getByRole('heading', { name: 'A filter has a value that does not exist' }).waitFor()
    await page.getByText('broken is no value of status.').waitFor()
    await page.getByRole('button', { name: 'Remove filter Latency: soon' }).click()
    await page.getByRole('button', { name: 'Remove filter Status: broken' }).click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
  })
})

describe('a distribution', () => {
  it('filters the brushed range and shows it as a chip', async () => {
    const { page } = await open('/runs/large', { width: 1440 })
    await whenReady(page)
    await openCharts(page)
    await page.getByRole('group', { name: 'Latency' }).waitFor()
    const plot = page.getByRole('group', { name: 'Latency' }).getByRole('img')
    const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/latency=/)
    const [from = 0, below = 0] = (query(page)['latency'] ?? '').split('..').map(Number)
    expect([from > 300, below > from]).toEqual([true, true])
    const chip = page.getByRole('button', { name: /^Remove filter Latency/ })
    await chip.waitFor()
    await table(page).and(page.locator('[aria-busy=false]')).waitFor()
    const expected = (await (
      await send(
        'GET',
        `/runs/large/distribution/cases?latency_from=${from}&latency_below=${below}&sort=failures&limit=1`,
      )
    ).json()) as { cases: Array<{ case_key: string }> }
    expect(await rows(page).first().getByRole('link').getAttribute('href')).toContain(expected.cases[0]?.case_key)
    await chip.click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
    expect(query(page)).toEqual({})
  })

  it('can be brushed by keyboard', async () => {
    const { page } = await open('/runs/large')
    await whenReady(page)
    await openCharts(page)
    await page.getByRole('slider', { name: 'Score from' }).focus()
    for (let step = 0; step < 14; step++) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Remove filter Score: .70 or more' }).waitFor()
    expect(query(page)).toEqual({ score: '0.7..' })
  })

  it('of scores is hidden when every score is 0 or 1', async () => {
    await upload(
      aDocument({
        run_id: 'two-valued',
        cases: [aCase({ tags: ['a'] }), aCase({ status: 'fail', tags: ['b'], latency_ms: 900, cell: { repeat: 1 } })],
      }),
    )
    const { page } = await open('/runs/two-valued')
    await openCharts(page)
    await page.getByRole('group', { name: 'Pass rate by tag' }).getByRole('button', { name: /^b/ }).click()
    await page.getByRole('button', { name: 'Remove filter Tag: b' }).waitFor()
    expect(await page.getByRole('group', { name: 'Score' }).count()).toBe(0)
  })
})

it('the keyboard moves through rows, opens a case next to the list and returns to its row', async () => {
  const { page } = await open('/runs/large?status=fail', { width: 1440 })
  await whenReady(page)
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  await rowHasFocus(page, 1)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/cases\//)
  expect(query(page)).toEqual({ status: 'fail' })
  await table(page).locator('tr[aria-current=true][data-index="1"]').waitFor()
  expect(await isTooWide(page)).toBe(false)
  await page.goBack()
  await rowHasFocus(page, 1)
})

it('the trials of a test are one row on request, which opens to them', async () => {
  const trial = (test: number, repeat: number, passes: boolean) =>
    aCase({ name: `Test ${test}`, status: passes ? 'pass' : 'fail', cell: { test_id: `t-${test}`, repeat } })
  const cases = [0, 1, 2].flatMap((test) => [0, 1, 2].map((repeat) => trial(test, repeat, repeat < test)))
  await upload(aDocument({ run_id: 'trials', suite: 'trials', cases }))
  for (const width of [390, 1440]) {
    const { page } = await open('/runs/trials?group=test', { width })
    const tests = page.getByRole('region', { name: 'Tests' })
    await tests.getByText('3 tests, fewest passes first').first().waitFor()
    expect(await tests.getByRole('button', { expanded: false }).allInnerTexts()).toEqual(['Test 0', 'Test 1', 'Test 2'])
    expect(await tests.locator('td.n').allInnerTexts()).toEqual(['0 of 3', '1 of 3', '2 of 3'])
    await tests.getByRole('button', { name: 'Test 2' }).press('Enter')
    const trials = tests.getByRole('list', { name: 'Trials of Test 2' })
    await trials.getByRole('link', { name: 'trial 3 of Test 2' }).waitFor()
    expect(await trials.getByRole('listitem').count()).toBe(3)
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  }
  const { page } = await open('/runs/trials', { width: 1440 })
  await page.getByRole('button', { name: 'Columns and groups' }).click()
  await page.getByRole('combobox', { name: 'Group by' }).selectOption({ label: 'Test, with its trials' })
  await page.waitForURL('**/runs/trials?group=test')
  await page.getByRole('button', { name: 'All trials' }).click()
  await page.getByText('9 cases').first().waitFor()
  expect(query(page)).toEqual({})
})

it('groups of cases are read whole on a phone', async () => {
  const { page } = await open('/runs/large?group=tag', { width: 390 })
  const groups = page.getByRole('region', { name: 'Groups by tag' })
  await groups.locator('td.rate').first().waitFor()
  const beyond = await groups
    .locator('td')
    .evaluateAll((cells) =>
      cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map(({ textContent }) => textContent),
    )
  expect(beyond).toEqual([])
  expect(await axe(page)).toEqual([])
  expect(await isTooWide(page)).toBe(false)
})
