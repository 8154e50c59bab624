import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endStreams, openBrowser, visit } from '../../support/browser.ts'
import { HOSTILE } from '../../support/documents/hostile-cases.ts'
import { largeRun } from '../../support/documents/large-runs.ts'
import { upload } from '../../support/documents/sample-data.ts'
import { startWithCases } from '../../support/servers/case-server.ts'
import type { RunningServer } from '../../support/servers/server.ts'

/**
 * The budgets of a page. The session, the server's facts, the saved views and the
 * stream of changes are requested once for all pages.
 */
const MAX_KIB = 150
const MAX_REQUESTS = 3
const SHARED = /^\/api\/v1\/(?:auth\/me|meta|views|events\/stream)$/

const LARGE = largeRun('large', 3_000)
const FAR = `/runs/large/cases/${LARGE.cases[1_500]?.case_key}`
const LONG = `/runs/hostile/cases/${HOSTILE.long.case_key}`
const PAGES: readonly string[] = [
  '/',
  '/projects',
  '/projects/agbenchmark',
  '/projects/agbenchmark/suites/beebot',
  `/projects/hostile/suites/all/cases/${HOSTILE.long.case_key}`,
  '/runs',
  '/runs?project=agbenchmark',
  '/runs/hostile',
  '/runs/large',
  '/runs/large?status=fail',
  FAR,
  LONG,
  `${LONG}?view=usage`,
  '/runs/hostile/matrix',
  '/runs/hostile/config',
  '/runs/hostile/document',
  '/compare/trial-0/trial-2',
  '/compare?runs=trial-1,trial-2,trial-3',
  '/compare/outputs/flaky?runs=trial-1,trial-2',
  '/search?q=refund',
  '/cache',
  '/settings',
  '/admin/users',
  '/admin/keys',
  '/admin/access',
  '/admin/audit',
  '/admin/audit/1',
  '/admin/server',
  '/document-format',
  '/runs/none',
  '/no/such/page',
]

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])
  await upload(server, JSON.stringify(LARGE))
})
afterAll(() => server.stop())

/** Records what moves on the page without an input of the user (https://web.dev/articles/cls). */
const RECORD_SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput)
        shifts.push(value.toFixed(4) + ' ' + sources.map(({ node, previousRect, currentRect }) =>
          (node?.nodeType === 1 ? node.tagName + '.' + node.className : node?.textContent?.slice(0, 40)) + ' ' + previousRect.top + ' → ' + currentRect.top).join('; '))
  }).observe({ type: 'layout-shift', buffered: true })`

/** Waits until what the page shows now is painted, with skeletons that appear late. */
const painted = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    await frame()
    await Promise.all(document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished.catch(() => {})))
    await frame()
    await frame()
  })()`)

/** Sends the responses of the API one after the other, each after the page with the earlier ones is painted. */
const slowDown = async (page: Page): Promise<void> => {
  let last = page.waitForLoadState('load')
  await page.route('**/api/v1/**', (route: Route) => {
    last = last.then(async () => {
      await painted(page).catch(() => undefined)
      // A request that the page aborted meanwhile needs no response.
      await route.fallback().catch(() => undefined)
    })
  })
}

type Opened = { readonly shifts: readonly string[]; readonly requested: readonly string[]; readonly kib: number }

const openMeasured = async (path: string, width: number, isSlow: boolean): Promise<Opened> => {
  const { page, context, close } = await visit(browser, server.url, 'about:blank', { session, width, height: 900 })
  await context.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
  await page.addInitScript(RECORD_SHIFTS)
  if (isSlow) await slowDown(page)
  await endStreams(context)
  const requested: string[] = []
  const sizes: Array<Promise<number>> = []
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    if (!pathname.startsWith('/api/')) sizes.push(response.headerValue('content-length').then(Number))
    else if (!SHARED.test(pathname)) requested.push(`${pathname}${search}`)
  })
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await painted(page)
  const shifts = await page.evaluate<string[]>('shifts')
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await close()
  return { shifts, requested, kib: bytes / 1024 }
}

describe('a page', () => {
  it.each(PAGES)('loads at most 150 KiB and sends at most three requests: %s', async (path) => {
    const { shifts, requested, kib } = await openMeasured(path, 1440, false)
    expect(requested.length, requested.join(' ')).toBeLessThanOrEqual(MAX_REQUESTS)
    expect(kib).toBeLessThanOrEqual(MAX_KIB)
    expect(shifts).toEqual([])
  })

  it.each([390, 1440].flatMap((width) => PAGES.map((path) => [path, width] as const)))(
    'moves nothing while its data arrives: %s (%i px)',
    async (path, width) => expect((await openMeasured(path, width, true)).shifts).toEqual([]),
  )
})
