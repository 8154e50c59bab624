import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, THEMES, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { largeRun, wideRun } from '../../support/documents/large-runs.ts'
import { adminRequests, until } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { upload } = adminRequests(() => server)
const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, ...look })

const path = (page: Page) => new URL(page.url()).pathname
const cellHasFocus = (page: Page, cell: string) => until(page, `document.activeElement?.dataset.at === '${cell}'`)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await upload(largeRun('large'))
await upload(wideRun('wide'))

describe('a matrix of 30 columns', () => {
  it('shows the best column first and a value per cell, and renders only visible cells', async () => {
    const { page } = await open('/runs/wide/matrix', { width: 1024 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    const means = await grid.locator('.means').first().locator('.mean').allInnerTexts()
    expect(means.map(Number)).toEqual([...means].map(Number).sort((a, b) => b - a))
    expect([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')]).toEqual(['161', '32'])
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
  })

  it('keeps its first column and its header visible', async () => {
    const { page } = await open('/runs/wide/matrix', { width: 1024 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(500, 2000)")
    await grid.locator('.hr[aria-rowindex="60"]').waitFor()
    const box = await grid.boundingBox()
    const [corner, head] = await Promise.all([
      grid.getByText('Mean of the cases').boundingBox(),
      grid.locator('.hr[aria-rowindex="60"] .rh').boundingBox(),
    ])
    expect([Math.round((corner?.x ?? 0) - (box?.x ?? 0)), Math.round((head?.x ?? 0) - (box?.x ?? 0))]).toEqual([1, 1])
    const names = await grid.locator('.names').boundingBox()
    expect(Math.round((corner?.y ?? 0) - (names?.y ?? 0) - (names?.height ?? 0))).toBe(0)
    expect(Math.round((names?.y ?? 0) - (box?.y ?? 0))).toBe(1)
  })

  it('uses the available width', async () => {
    const { page } = await open('/runs/wide/matrix', { width: 1024 })
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
  })

  it('is one tab stop; arrows keep the focus in sight, Enter opens the case, and Back returns to its cell', async () => {
    const { page } = await open('/runs/wide/matrix', { width: 1440, height: 900 })
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().waitFor()
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1)
    const box = await grid.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 900)).toBeLessThanOrEqual(900)
    await grid.locator('[tabindex="0"]').focus()
    const inSight = (): Promise<boolean> =>
      page.evaluate(
        `(() => {
          const [cell, grid, corner, mean] = [document.activeElement, document.querySelector('[role=grid]'), document.querySelector('.names .corner.m'), [...document.querySelectorAll('.means')].at(-1)].map((element) => element.getBoundingClientRect())
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
    await page.locator('.case-drawer').getByRole('navigation', { name: 'Parts of the case' }).waitFor()
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
  })

  it('sorts its rows over all pages, and shows only those where the columns disagree', async () => {
    const { page } = await open('/runs/wide/matrix', { width: 1024 })
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
  })

  it('explains itself when there is only one column', async () => {
    const { page } = await open('/runs/large/matrix')
    await page.getByText('A matrix needs two columns').waitFor()
    expect(await axe(page)).toEqual([])
  })
})

describe('columns of a matrix', () => {
  const statuses = { good: 0, middling: 3, poor: 9 }
  const cases = Object.entries(statuses).flatMap(([provider_id, failed]) =>
    Array.from({ length: 40 }, (_, i) =>
      aCase({
        name: `question ${i}`,
        status: i < failed ? (i === 0 ? 'error' : 'fail') : 'pass',
        score: i < failed ? 0.25 : 1,
        latency_ms: 100,
        cell: { provider_id, prompt_id: 'terse', test_id: `t${i}` },
      }),
    ),
  )
  beforeAll(() => upload(aDocument({ run_id: 'picks', cases })))

  const header = (page: Page, name: string) => page.getByRole('columnheader', { name }).getByRole('checkbox')

  it('are picked in the header, which gives the verdict at once and leads to the comparison', async () => {
    const { page } = await open('/runs/picks/matrix', { width: 1440 })
    await header(page, 'poor').check()
    await page.getByRole('region', { name: 'Selection' }).getByText('Pick one more.').waitFor()
    // With the keys: the header is one row above the first.
    await page.keyboard.press('Home')
    await cellHasFocus(page, '-1 0')
    await page.keyboard.press(' ')
    await page.getByText('good against poor: 9 better, 0 worse, p = 0.004').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.getAll('pick').sort()).toEqual(['good', 'poor'])
    // The last choice is undone by Back.
    await page.goBack()
    await page.getByText('Pick one more.').waitFor()
    await page.goForward()
    await page.getByRole('link', { name: 'Compare columns' }).click()
    await page.getByRole('heading', { name: 'good is better than poor' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.waitForURL((url) => url.search === '')
  })

  it('have their statistics below the names, which are horizontal and stay in sight', async () => {
    const { page } = await open('/runs/picks/matrix', { width: 1440, height: 600 })
    const grid = page.getByRole('grid')
    await grid.getByText('worse, 0.008').waitFor()
    const row = async (name: string): Promise<string[]> =>
      (await grid.getByRole('row', { name }).getByRole('gridcell').allInnerTexts()).map((text) => text.trim())
    expect(await row('Passed')).toEqual(['100.0%', '92.5%', '77.5%'])
    expect(await row('95% interval')).toEqual(['91 to 100', '80 to 97', '62 to 88'])
    expect(await row('Against the best')).toEqual(['best', '0.250', 'worse, 0.008'])
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(0, 600)")
    await grid.locator('.hr[aria-rowindex="30"]').waitFor()
    const [box, stat, name] = await Promise.all([
      grid.boundingBox(),
      grid.getByText('worse, 0.008').boundingBox(),
      grid.getByRole('columnheader', { name: 'good' }).locator('span').boundingBox(),
    ])
    expect((stat?.y ?? 0) - (box?.y ?? 0)).toBeLessThan(220)
    expect(stat?.y).toBeGreaterThan(box?.y ?? Infinity)
    expect(name?.width).toBeGreaterThan(name?.height ?? Infinity)
  })

  it.each(['score', 'pass', 'latency', 'outputs'])('mark failed cells where the cells show %s', async (value) => {
    const { page } = await open(`/runs/picks/matrix?value=${value}`, { width: 1440, height: 3000 })
    await page.locator('.c .mark').first().waitFor()
    await page
      .locator(`.c[title*="${{ score: 'score', pass: 'pass rate', latency: 'latency', outputs: 'distinct' }[value]}"]`)
      .first()
      .waitFor()
    expect(await page.locator('.c .mark').count()).toBe(12)
    expect(await page.locator('.c[title$=", failed"]').count()).toBe(12)
  })

  it('name a column of an address that the run does not have', async () => {
    const { page } = await open('/runs/picks/matrix?pick=lost&pick=poor')
    await page.getByText('The column “lost” of this address is unknown.').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.waitForURL((url) => url.search === '?pick=poor')
  })

  it.each(THEMES)('pass axe in the %s theme, also on a phone', async (theme) => {
    for (const width of [390, 1440]) {
      const { page } = await open('/runs/picks/matrix?pick=good&pick=poor', { theme, width })
      await page.getByText('p = 0.004').waitFor()
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
    }
  })
})
