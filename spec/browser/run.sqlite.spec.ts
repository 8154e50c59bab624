import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, failRequests, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import type { ADocument } from '../support/documents/documents.ts'
import { largeRun, wideRun } from '../support/documents/large-runs.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  await upload(largeRun('large'))
  await upload(wideRun('wide'))
})
afterAll(() => server.stop())

const send = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const upload = async (document: ADocument) => expect((await send('POST', '/runs', document)).status).toBe(201)
const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, ...look })

const table = (page: Page) => page.getByRole('table', { name: /^Cases of the run/ })
const rows = (page: Page) => table(page).locator('tbody tr[data-index]')
const whenReady = (page: Page) =>
  Promise.all([rows(page).first().waitFor(), page.getByRole('group', { name: 'Latency' }).waitFor()])
const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
const path = (page: Page) => new URL(page.url()).pathname

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

// Polled through the debugger: a function that waits in the page would need eval, which the content security policy
// forbids.
const until = (page: Page, condition: string) => expect.poll(() => page.evaluate(condition)).toBe(true)
const rowHasFocus = (page: Page, row: number) =>
  until(page, `document.activeElement?.closest('tr')?.dataset.index === '${row}'`)
const cellHasFocus = (page: Page, cell: string) => until(page, `document.activeElement?.dataset.at === '${cell}'`)

describe('a run of 10,000 cases', () => {
  it('has the description as its title, and draws few rows', async () => {
    const { page, complaints, close } = await open('/runs/large')
    await whenReady(page)
    expect(await page.title()).toBe('<script>alert(1)</script> · Evaluation Results')
    expect(await rows(page).count()).toBeLessThanOrEqual(60)
    expect(complaints).toEqual([])
    await close()
  })

  it('shows the result in words, with separate costs of systems and of grading', async () => {
    const { page, close } = await open('/runs/large')
    await whenReady(page)
    const result = page.getByRole('region', { name: 'Result' })
    expect(await result.getByRole('img').getAttribute('aria-label')).toBe('5,347 pass, 3,974 fail, 679 skip')
    expect((await result.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /53\.5% passed .* Expected fail 0 Unexpected pass 0 Cost of systems \$5,484\.00 Cost of grading \$0\.42 Duration 18 m 04 s/,
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
    await close()
  })

  it('scrolls through thousands of rows without a gap in any frame', async () => {
    const { page, close } = await open('/runs/large', { width: 1440, height: 900 })
    await whenReady(page)
    const result = await page.evaluate<ScrollResult>(SCROLL_FAST)
    expect(result).toMatchObject({ frames: 240, blank: 0 })
    expect(result.maxRows).toBeLessThanOrEqual(60)
    expect(result.reached).toBeGreaterThan(1_500)
    await close()
  })

  it('loads rows before they are reached, a page at a time, until the last', async () => {
    const { page, close } = await open('/runs/large?status=skip')
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
    await close()
  })

  it('shows stored text as text', async () => {
    const { page, complaints, close } = await open('/runs/large')
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
    const text = page.getByRole('region', { name: 'Document as uploaded' })
    await text.waitFor()
    expect((await text.innerText()).length).toBeLessThan(40_000)
    expect(await page.title()).toBe('<script>alert(1)</script> · Evaluation Results')
    expect(foreignRequests).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })
})

describe('the filters of cases', () => {
  it('are in the URL: typing replaces the history entry, choosing adds one', async () => {
    const { page, close } = await open('/runs/large')
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
    await close()
  })

  it('can also be typed, such as status:skip', async () => {
    const { page, close } = await open('/runs/large')
    await whenReady(page)
    await page.getByLabel('Search name or output').fill('status:skip')
    await page.keyboard.press('Enter')
    await page.getByText('679 cases').waitFor()
    await page.getByRole('button', { name: 'Remove filter Status: Skip' }).click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
    await close()
  })

  it('with a value that does not exist are shown as such', async () => {
    const { page, close } = await open('/runs/large?status=broken&latency=soon')
    await page.getByRole('heading', { name: 'A filter has a value that does not exist' }).waitFor()
    await page.getByText('broken is no value of status.').waitFor()
    await page.getByRole('button', { name: 'Remove filter Latency: soon' }).click()
    await page.getByRole('button', { name: 'Remove filter Status: broken' }).click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
    await close()
  })
})

describe('a distribution', () => {
  it('filters the brushed range and shows it as a chip', async () => {
    const { page, close } = await open('/runs/large', { width: 1440 })
    await whenReady(page)
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
      await send('GET', `/runs/large/distribution/cases?latency_from=${from}&latency_below=${below}&limit=1`)
    ).json()) as { cases: Array<{ case_key: string }> }
    expect(await rows(page).first().getByRole('link').getAttribute('href')).toContain(expected.cases[0]?.case_key)
    await chip.click()
    await page.getByText('10,000 cases', { exact: true }).waitFor()
    expect(query(page)).toEqual({})
    await close()
  })

  it('can be brushed by keyboard', async () => {
    const { page, close } = await open('/runs/large')
    await whenReady(page)
    await page.getByRole('slider', { name: 'Score from' }).focus()
    for (let step = 0; step < 14; step++) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Remove filter Score: .70 or more' }).waitFor()
    expect(query(page)).toEqual({ score: '0.7..' })
    await close()
  })

  it('of scores is hidden when every score is 0 or 1', async () => {
    await upload(
      aDocument({
        run_id: 'two-valued',
        cases: [aCase({ tags: ['a'] }), aCase({ status: 'fail', tags: ['b'], latency_ms: 900, cell: { repeat: 1 } })],
      }),
    )
    const { page, close } = await open('/runs/two-valued')
    await page.getByRole('group', { name: 'Pass rate by tag' }).getByRole('button', { name: /^b/ }).click()
    await page.getByRole('button', { name: 'Remove filter Tag: b' }).waitFor()
    expect(await page.getByRole('group', { name: 'Score' }).count()).toBe(0)
    await close()
  })
})

describe('the keyboard', () => {
  it('moves through rows, opens a case next to the list and returns to its row', async () => {
    const { page, close } = await open('/runs/large?status=fail', { width: 1440 })
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
    await close()
  })
})

describe('a matrix of 30 columns', () => {
  it('shows the best column first and a value per cell, and renders only visible cells', async () => {
    const { page, close } = await open('/runs/wide/matrix', { width: 1024 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    const means = await grid.locator('.mean').allInnerTexts()
    expect(means.map(Number)).toEqual([...means].map(Number).sort((a, b) => b - a))
    expect([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')]).toEqual(['158', '32'])
    expect(await grid.locator('.hr').count()).toBeLessThan(60)
    expect(await grid.locator('.c').count()).toBeLessThan(60 * 34)
    expect((await grid.locator('.c:not(.na)').allInnerTexts()).every((text) => /^(?:0|1\.0|\.\d\d)$/.test(text))).toBe(
      true,
    )
    await page.getByRole('button', { name: 'Latency' }).click()
    await page.waitForURL(/value=latency/)
    await page.getByRole('combobox', { name: 'Columns' }).selectOption('document')
    await page.waitForURL(/order=document/)
    expect(await grid.getByRole('columnheader').nth(2).innerText()).toBe('model-00')
    await close()
  })

  it('keeps its first column and its header visible', async () => {
    const { page, close } = await open('/runs/wide/matrix', { width: 1024 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(500, 2000)")
    await grid.locator('.hr[aria-rowindex="60"]').waitFor()
    const box = await grid.boundingBox()
    const [corner, head] = await Promise.all([
      grid.getByText('Mean over 156 tests').boundingBox(),
      grid.locator('.hr[aria-rowindex="60"] .rh').boundingBox(),
    ])
    expect([Math.round((corner?.x ?? 0) - (box?.x ?? 0)), Math.round((head?.x ?? 0) - (box?.x ?? 0))]).toEqual([1, 1])
    const names = await grid.locator('.names').boundingBox()
    expect(Math.round((corner?.y ?? 0) - (names?.y ?? 0) - (names?.height ?? 0))).toBe(0)
    expect(Math.round((names?.y ?? 0) - (box?.y ?? 0))).toBe(1)
    await close()
  })

  it('uses the available width', async () => {
    const { page, close } = await open('/runs/wide/matrix', { width: 1024 })
    const width = async () => (await page.locator('.hr .c').first().boundingBox())?.width
    await page.getByRole('gridcell').first().waitFor()
    expect(await width()).toBe(40)
    await page.setViewportSize({ width: 1920, height: 800 })
    await expect.poll(width).toBeGreaterThan(42)
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('[role=grid]'))",
      ),
    ).toBe(true)
    await close()
  })

  it('is one tab stop; arrows keep the focus in sight, Enter opens the case, and Back returns to its cell', async () => {
    const { page, close } = await open('/runs/wide/matrix', { width: 1440, height: 900 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1)
    const box = await grid.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 900)).toBeLessThanOrEqual(900)
    await grid.locator('[tabindex="0"]').focus()
    const inSight = (): Promise<boolean> =>
      page.evaluate(
        `(() => {
          const [cell, grid, corner, mean] = [document.activeElement, document.querySelector('[role=grid]'), document.querySelector('.names .corner.m'), document.querySelector('.means')].map((element) => element.getBoundingClientRect())
          return cell.left >= corner.right - 1 && cell.right <= grid.right + 1 && cell.top >= mean.bottom - 1 && cell.bottom <= Math.min(grid.bottom, innerHeight) + 1
        })()`,
      )
    for (let column = 1; column < 30; column++) {
      await page.keyboard.press('ArrowRight')
      await cellHasFocus(page, `0 ${column}`)
      expect(await inSight()).toBe(true)
    }
    for (const cell of ['10 29', '20 29', '30 29', '40 29']) {
      await page.keyboard.press('PageDown')
      await cellHasFocus(page, cell)
      expect(await inSight()).toBe(true)
    }
    await page.keyboard.press('ArrowLeft')
    await cellHasFocus(page, '40 28')
    await page.keyboard.press('Enter')
    await page.locator('.case-drawer').getByRole('tab', { name: 'Result' }).waitFor()
    expect(path(page)).toMatch(/^\/runs\/wide\/cases\//)
    await page.goBack()
    await cellHasFocus(page, '40 28')
    expect(await inSight()).toBe(true)
    await page.keyboard.press('Home')
    await cellHasFocus(page, '40 0')
    expect(await inSight()).toBe(true)
    await page.keyboard.press('ArrowLeft')
    await cellHasFocus(page, '40 -1')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/wide/tests/test-0040')
    await page.goBack()
    await cellHasFocus(page, '40 -1')
    await close()
  })

  it('sorts its rows over all pages, and shows only those where the columns disagree', async () => {
    const { page, complaints, close } = await open('/runs/wide/matrix', { width: 1024 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    const means = async () => (await grid.locator('.rm').allInnerTexts()).map(Number)
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('worst')
    await page.waitForURL(/rows=worst/)
    // The rows of the last order stay until those of the new one are there.
    const isSorted = async () => (await means()).every((mean, n, all) => n === 0 || mean >= (all[n - 1] ?? 0))
    await expect.poll(isSorted).toBe(true)
    expect(new Set(await means()).size).toBeGreaterThan(1)
    // The outputs of a test are walked through in the order of the grid.
    const names = await grid.locator('.rh').allInnerTexts()
    await grid.locator('.rh a').first().click()
    await page.waitForURL(/tests\/.*rows=worst/)
    await page.getByRole('heading', { level: 1, name: names[0] ?? '', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next test' }).click()
    await page.getByRole('heading', { level: 1, name: names[1] ?? '', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Matrix' }).click()
    await page.waitForURL(/matrix\?rows=worst/)
    await grid.getByRole('gridcell').first().waitFor()
    await page.getByRole('button', { name: 'Only where they disagree' }).click()
    await page.waitForURL(/only=disagree/)
    await page.getByText(/of 156 tests; the means of columns are over all tests/).waitFor()
    await page.reload()
    await page.getByText(/of 156 tests; the means of columns are over all tests/).waitFor()
    expect(await page.getByRole('button', { name: 'Only where they disagree' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    expect(complaints).toEqual([])
    await close()
  })

  it('explains itself when there is only one column', async () => {
    const { page, close } = await open('/runs/large/matrix')
    await page.getByText('A matrix needs two columns').waitFor()
    expect(await axe(page)).toEqual([])
    await close()
  })
})

describe('the tabs of a run', () => {
  it.each([
    ['/config', 'Configuration'],
    ['/config?view=raw', 'Configuration'],
    ['/document', 'Document'],
  ] as const)('open by their URL: %s', async (tab, name) => {
    const { page, complaints, close } = await open(`/runs/large${tab}`)
    await page.getByRole('region', { name, exact: true }).waitFor()
    expect(await page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page')
    expect(complaints).toEqual([])
    await close()
  })

  it('offer the document as it was uploaded', async () => {
    const { page, close } = await open('/runs/large/document')
    await page.getByRole('link', { name: 'Download' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('large.json')
    await close()
  })

  it('show that the run does not exist', async () => {
    const { page, close } = await open('/runs/none/matrix')
    await page.getByRole('heading', { name: 'No such run', level: 1 }).waitFor({ state: 'attached' })
    expect(await axe(page)).toEqual([])
    await close()
  })
})

describe('nothing moves while a page loads', () => {
  const RECORD_MOVES = `window.moved = []; new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries())
      for (const { node, previousRect, currentRect } of sources)
        window.moved.push([node?.className ?? node?.textContent ?? '', previousRect.y, currentRect.y])
  }).observe({ type: 'layout-shift', buffered: true })`

  beforeAll(() => upload(aDocument({ run_id: 'unplotted', suite: 'moves' })))

  it.each(['large', 'wide', 'unplotted'])('neither on the run %s nor on one of its cases', async (id) => {
    const { cases } = (await (await send('GET', `/runs/${id}/cases?limit=1`)).json()) as {
      cases: ReadonlyArray<{ case_key: string }>
    }
    const { page, close } = await open('/no/such/page', { width: 1440, height: 900 })
    await page.addInitScript(RECORD_MOVES)
    await page.goto(`/runs/${id}`)
    await rows(page).first().waitFor()
    expect(await page.evaluate('window.moved')).toEqual([])
    await page.goto(`/runs/${id}/cases/${encodeURIComponent(cases[0]?.case_key ?? '')}`)
    await page.locator('.case-drawer').getByRole('tabpanel', { name: 'Result' }).waitFor()
    await rows(page).first().waitFor()
    expect(await page.evaluate('window.moved')).toEqual([])
    await close()
  })
})

describe('the actions of a run', () => {
  const baselineRun = async () =>
    ((await (await send('GET', '/sets/chat/suites/pins')).json()) as { baseline_run_id: string | null }).baseline_run_id

  it('are in one line on a narrow page', async () => {
    const { page, close } = await open('/runs/wide', { width: 360 })
    await page.getByRole('button', { name: 'Pin as baseline' }).waitFor()
    const tops = await Promise.all(
      [
        page.getByRole('button', { name: 'Pin as baseline' }),
        page.getByRole('link', { name: 'Export' }),
        page.getByRole('button', { name: 'Delete this run' }),
      ].map(async (element) => (await element.boundingBox())?.y),
    )
    expect(new Set(tops).size).toBe(1)
    await close()
  })

  it('pin the run as baseline immediately and can undo it', async () => {
    await upload(aDocument({ run_id: 'first', suite: 'pins' }))
    await upload(aDocument({ run_id: 'second', suite: 'pins' }))
    await send('PUT', '/projects/chat/suites/pins/baseline', { run_id: 'first' })
    const { page, close } = await open('/runs/second')
    await page.getByRole('link', { name: 'Compare with baseline' }).waitFor()
    await page.getByRole('button', { name: 'Pin as baseline' }).click()
    await page.getByRole('button', { name: 'Unpin baseline' }).waitFor()
    await page.getByText('Pinned as baseline').waitFor()
    expect(await baselineRun()).toBe('second')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Pin as baseline' }).waitFor()
    await expect.poll(baselineRun).toBe('first')
    await close()
  })

  it('revert a pin that the server rejects', async () => {
    const { page, close } = await open('/runs/second')
    await page.getByRole('button', { name: 'Pin as baseline' }).waitFor()
    await failRequests(page, '**/baseline', 503, 'the store is full')
    await page.getByRole('button', { name: 'Pin as baseline' }).click()
    await page.getByText('Could not pin: the store is full. Request request-7.').waitFor()
    await page.getByRole('button', { name: 'Pin as baseline' }).waitFor()
    await close()
  })

  it('delete the run after its suite name is typed, by keyboard alone', async () => {
    await upload(aDocument({ run_id: 'doomed', suite: 'short lived' }))
    const { page, complaints, close } = await open('/runs?suite=short+lived')
    await page
      .getByRole('link', { name: /^short lived/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Delete this run' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Delete this run?' })
    await dialog.waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByLabel('Type short lived to confirm').focus()
    await page.keyboard.type('short')
    expect(await dialog.getByRole('button', { name: 'Delete run' }).isDisabled()).toBe(true)
    await page.keyboard.type(' lived')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('link', { name: /^pins/ }).first().waitFor()
    expect(await page.getByRole('link', { name: /^short lived/ }).count()).toBe(0)
    expect((await send('GET', '/runs/doomed')).status).toBe(404)
    expect(complaints).toEqual([])
    await close()
  })

  it('are hidden from an account that may only read', async () => {
    const reader = (await (
      await send('POST', '/users', { username: 'reader', password: 'correct horse battery', role: 'viewer' })
    ).json()) as { id: string }
    expect(reader.id).toBeTruthy()
    const answer = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'reader', password: 'correct horse battery' }),
    })
    const { token } = (await answer.json()) as { token: string }
    const { page, close } = await visit(browser, server.url, '/runs/second', { session: token })
    await page.getByRole('link', { name: 'Export' }).waitFor()
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: /Delete|Pin/ }).count()).toBe(0)
    await close()
  })
})

describe('a long note', () => {
  it('folds to three lines, and is shown whole on request, without moving anything before', async () => {
    const note = `${'A note that says why this run was made. '.repeat(40)}The end.`
    await upload(aDocument({ run_id: 'noted', origin: { note } }))
    const { page, complaints, close } = await open('/runs/noted', { width: 1024 })
    const heading = page.getByRole('heading', { level: 1 })
    await page.getByRole('button', { name: 'More of the note' }).waitFor()
    const lines = (): Promise<number> =>
      page.evaluate(`(() => {
        const heading = document.querySelector('h1')
        return Math.round(heading.parentElement.clientHeight / Number.parseFloat(getComputedStyle(heading).lineHeight))
      })()`)
    expect(await lines()).toBe(3)
    expect(await heading.textContent()).toContain('The end.')
    await page.getByRole('button', { name: 'More of the note' }).press('Enter')
    expect(await lines()).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Less of the note' }).press('Enter')
    expect(await lines()).toBe(3)
    expect(await axe(page)).toEqual([])
    await page.goto('/runs/wide')
    await page
      .getByRole('group', { name: 'Result' })
      .or(page.getByRole('region', { name: 'Result' }))
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: 'More of the note' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})
