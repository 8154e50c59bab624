import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, failRequests, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { aCase } from '../support/documents/documents.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const ENV = { SERVICE_SECRET_KEY: Buffer.alloc(32, 6).toString('base64') }

/** Collects the layout shifts from now on in `shifts`. */
const RECORD_SHIFTS = `window.shifts = []
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: 'layout-shift' })`

let browser: Browser
let server: RunningServer
let session: string
let runs = 0

const uploadRun = (): Promise<unknown> =>
  uploadDocument(server, { run_id: `live-${++runs}`, project: 'live', suite: 'all' })
/** Uploads a run whose only case fails, so that the newest pass rate of its suite becomes 0%. */
const uploadFailingRun = (suite: string, day: number): Promise<unknown> =>
  uploadDocument(server, {
    run_id: `${suite}-${day}`,
    project: 'held',
    suite,
    finished_at: `2026-05-0${day}T09:00:00Z`,
    cases: [aCase({ status: day === 1 ? 'pass' : 'fail' })],
  })
const openStreams = async (): Promise<string | undefined> => {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  return /^service_event_streams (\d+)$/m.exec(await answer.text())?.[1]
}
const waitForNew = (page: Page, count: number): Promise<unknown> =>
  page.getByRole('button', { name: `${count} new ${count === 1 ? 'run' : 'runs'}` }).waitFor()

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer({ env: ENV })])
  session = await setUp(server.url)
  await uploadRun()
})
afterAll(() => server.stop())

describe('changes on the server', () => {
  it('arrive in all tabs over one stream, and never move a list', async () => {
    const { page: first, context, close } = await visit(browser, server.url, '/runs', { session })
    await first.locator('tr[data-run]').first().waitFor()
    await expect.poll(openStreams).toBe('1')
    const second = await context.newPage()
    await second.goto('/runs')
    await second.locator('tr[data-run]').first().waitFor()

    const rows = await first.getByRole('row').count()
    await uploadRun()
    await Promise.all([waitForNew(first, 1), waitForNew(second, 1)])
    await uploadRun()
    await Promise.all([waitForNew(first, 2), waitForNew(second, 2)])
    expect(await first.getByRole('row').count()).toBe(rows)
    expect(await openStreams()).toBe('1')
    expect(await axe(first)).toEqual([])
    await first.getByRole('button', { name: '2 new runs' }).click()
    await expect.poll(() => first.getByRole('row').count()).toBe(rows + 2)

    // The tab with the stream closes; the other one takes it over and misses nothing.
    await first.close()
    await uploadRun()
    await waitForNew(second, 3)
    await expect.poll(openStreams).toBe('1')
    await close()
    await expect.poll(openStreams).toBe('0')
  })

  it('update the page of a run: its baseline, and that it was deleted', async () => {
    const { page } = await visit(browser, server.url, '/runs/live-1', { session })
    await page.getByRole('button', { name: 'More actions' }).waitFor()
    await expect.poll(openStreams).toBe('1')
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const pinned = await fetch(`${server.url}/api/v1/projects/live/suites/all/baseline`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ run_id: 'live-1' }),
    })
    expect(pinned.status).toBe(200)
    await page.locator('.acts').getByText('Baseline', { exact: true }).waitFor()
    const { 'content-type': _, ...bare } = headers
    expect((await fetch(`${server.url}/api/v1/runs/live-1`, { method: 'DELETE', headers: bare })).status).toBe(204)
    await page.getByRole('heading', { name: 'No such run', level: 1 }).first().waitFor({ state: 'attached' })
  })

  it.each([
    ['/', 'Suites, worst first'],
    ['/projects', 'Suites'],
    ['/projects/held', 'Suites'],
  ])('are announced above the list of %s, which changes when the user asks', async (path, list) => {
    const suite = `suite-of-${path.length}`
    await uploadFailingRun(suite, 1)
    const { page } = await visit(browser, server.url, path, { session, width: 1440 })
    const row = page.getByRole('table', { name: list }).getByRole('row').filter({ hasText: suite })
    await row.waitFor()
    await expect.poll(openStreams).toBe('1')
    await page.evaluate(RECORD_SHIFTS)
    const chart = page.getByRole('img', { name: /^Runs per day from/ })
    const hasChart = path === '/'
    const before = { row: await row.innerText(), box: await row.boundingBox() }
    const chartBefore = hasChart ? await chart.getAttribute('aria-label') : null
    const notice = page.getByRole('button', { name: 'Show new results' })
    expect(await notice.count()).toBe(0)

    await uploadFailingRun(suite, 2)
    await notice.waitFor()
    await page.getByRole('status').filter({ hasText: 'There are new results' }).waitFor({ state: 'attached' })
    expect({ row: await row.innerText(), box: await row.boundingBox() }).toEqual(before)
    expect(await page.evaluate('shifts')).toEqual([])
    expect(await axe(page)).toEqual([])

    await notice.press('Enter')
    await row.filter({ hasText: '0.0%' }).waitFor()
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'The list is up to date' }).waitFor({ state: 'attached' })
    if (hasChart) expect(await chart.getAttribute('aria-label')).not.toBe(chartBefore)
    // The focus stays above the list.
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('New results')
  })

  it('add a point to the trend of a suite at once, and a column to its grid when the user asks', async () => {
    await uploadFailingRun('grid', 1)
    await uploadFailingRun('grid', 2)
    const { page } = await visit(browser, server.url, '/projects/held/suites/grid', { session })
    await page.getByRole('grid').getByRole('gridcell').first().waitFor()
    await expect.poll(openStreams).toBe('1')
    const points = page.getByLabel('Pass rate by run').getByRole('link')
    const columns = page.getByRole('grid').getByRole('columnheader')
    await expect.poll(() => points.count()).toBe(2)
    const columnCount = await columns.count()
    const box = await page.getByRole('grid').boundingBox()

    await uploadFailingRun('grid', 3)
    const notice = page.getByRole('button', { name: 'Show new results' })
    await notice.waitFor()
    await expect.poll(() => points.count()).toBe(3)
    expect(await columns.count()).toBe(columnCount)
    expect(await page.getByRole('grid').boundingBox()).toEqual(box)
    await notice.click()
    await expect.poll(() => columns.count()).toBe(columnCount + 1)
    await notice.waitFor({ state: 'detached' })
  })

  it('are no news on the page that made them, and are in another tab', async () => {
    await uploadFailingRun('own', 1)
    const { page, context } = await visit(browser, server.url, '/', { session, width: 1440 })
    await expect.poll(openStreams).toBe('1')
    const other = await context.newPage()
    await other.goto('/')
    await other.getByRole('table', { name: 'Suites, worst first' }).waitFor()
    await page.getByRole('button', { name: 'Snooze, own or archive own' }).click()
    await page.getByRole('menuitem', { name: 'Pin the newest run as baseline' }).click()
    // The event is in both tabs now; the list of this one was loaded again for the pin.
    await other.getByRole('button', { name: 'Show new results' }).waitFor()
    expect(await page.getByRole('button', { name: 'Show new results' }).count()).toBe(0)
  })

  it('keep the notice and say why when the list cannot be loaded again', async () => {
    await uploadFailingRun('broken', 1)
    const { page } = await visit(browser, server.url, '/', { session, width: 360 })
    await page.getByRole('table', { name: 'Suites, worst first' }).waitFor()
    await expect.poll(openStreams).toBe('1')
    await uploadFailingRun('broken', 2)
    const notice = page.getByRole('button', { name: 'Show new results' })
    await notice.waitFor()
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await failRequests(page, '**/api/v1/overview*', 500, 'internal error')
    await notice.click()
    await page.getByText('Could not load the new results: internal error. Request request-7.').waitFor()
    await notice.waitFor()
  })

  it('leave a mark when they stop to arrive, until they do again', async () => {
    const { page, complaints } = await visit(browser, server.url, 'about:blank', {
      session,
      width: 360,
      mayComplain: true,
    })
    await page.clock.install()
    await page.goto('/runs')
    await page.locator('tr[data-run]').first().waitFor()
    await expect.poll(openStreams).toBe('1')
    /** Tries to connect again without waiting, until the text is shown, or is not. */
    const reconnectUntil = (text: string, count: number): Promise<void> =>
      expect
        .poll(async () => {
          await page.clock.fastForward(20_000)
          return page.getByText(text).count()
        })
        .toBe(count)
    const port = Number(new URL(server.url).port)
    await server.stop({ keep: true })
    await reconnectUntil('Updates stopped', 1)
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
    }
    server = await startServer({ env: ENV, dataDir: server.dataDir, port })
    await uploadRun()
    await reconnectUntil('Updates stopped', 0)
    await waitForNew(page, 1)
    // Scripts that are requested ahead of their use fail as well while the server is away.
    expect(complaints.filter((text) => !text.includes('preload assets'))).toEqual([])
  })
})
