import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit, type Visit } from '../../support/browser.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { largeRun } from '../../support/documents/large-runs.ts'
import { seedReviews } from '../../support/documents/reviewed-suite.ts'
import { upload } from '../../support/documents/sample-data.ts'
import { CACHED, MEASURED_PAGES } from '../../support/every-page/measured-pages.ts'
import { startWithCases } from '../../support/servers/case-server.ts'
import type { RunningServer } from '../../support/servers/server.ts'

/**
 * The budgets of a page. The session, the server's facts, the saved views and the
 * stream of changes are requested once for all pages.
 */
const MAX_KIB = 150
/** The script that all pages share: a page that loads less was in a cache. */
const MIN_KIB = 50
const MAX_REQUESTS = 3
const SHARED = /^\/api\/v1\/(?:auth\/me|meta|views|events\/stream)$/

const LARGE = largeRun('large', 3_000)
const FAR_CASE = LARGE.cases[1_500]?.case_key ?? ''
let server: RunningServer
let session: string
let user: string
let queues: { readonly open: string; readonly closed: string }
beforeAll(async () => {
  ;({ server, session } = await startWithCases())
  await upload(server, JSON.stringify(LARGE))
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const cached = { method: 'PUT', headers, body: new Uint8Array(aBody()) }
  expect((await fetch(`${server.url}/api/v1/cache/${cacheKeyOf(CACHED)}`, cached)).ok).toBe(true)
  const me = await fetch(`${server.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${session}` } })
  queues = await seedReviews(async (method, path, body, token = session) => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer
  })
  user = ((await me.json()) as { user: { id: string } }).user.id
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

type Opened = {
  readonly shifts: readonly string[]
  readonly requested: readonly string[]
  readonly kib: number
}

/**
 * Returns a function that opens a page in a window of a width, whose data arrives slowly, piece by piece. With a route,
 * a browser uses no cache, so each page is loaded as the first one is.
 */
const openMeasuring = async (width: number) => {
  const visited: Visit = await visit(await openBrowser(), server.url, 'about:blank', {
    width,
    height: 900,
    streams: false,
    keep: true,
  })
  const { page, context } = visited
  await context.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
  await page.addInitScript(RECORD_SHIFTS)
  const foreign: string[] = []
  let requested: string[] = []
  let sizes: Array<Promise<number>> = []
  let answered: Promise<unknown> = Promise.resolve()
  page.on('response', (response) => {
    const { origin, pathname, search } = new URL(response.url())
    if (origin !== server.url) foreign.push(response.url())
    if (!pathname.startsWith('/api/'))
      sizes.push(response.headerValue('content-length').then((bytes) => Number(bytes) / 1024))
    else if (!SHARED.test(pathname)) requested.push(`${pathname}${search}`)
  })
  // The responses of the API are sent one after the other, each after the page with the earlier ones is painted.
  await page.route('**/api/v1/**', (route) => {
    answered = answered.then(async () => {
      await painted(page).catch(() => undefined)
      // A request that the page aborted meanwhile needs no response.
      await route.fallback().catch(() => undefined)
    })
  })
  const open = async (path: string): Promise<Opened> => {
    await page.goto('about:blank')
    await context.clearCookies()
    if (path !== '/login') await context.addCookies([{ name: 'service_session', value: session, url: server.url }])
    requested = []
    sizes = []
    answered = new Promise((resolve) => page.once('load', resolve))
    await page.goto(
      [
        ['FAR_CASE', FAR_CASE],
        ['USER', user],
        ['OPEN_QUEUE', queues.open],
        ['CLOSED_QUEUE', queues.closed],
      ].reduce((address, [name = '', value = '']) => address.replace(name, value), path),
    )
    await page.locator('h1').first().waitFor()
    await page.waitForLoadState('networkidle')
    await painted(page)
    const shifts = await page.evaluate<string[]>('shifts')
    const kib = (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
    return { shifts, requested, kib }
  }
  return { open, visited, foreign }
}

describe('a page', () => {
  let wide: Awaited<ReturnType<typeof openMeasuring>>
  let narrow: Awaited<ReturnType<typeof openMeasuring>>
  beforeAll(async () => {
    ;[wide, narrow] = await Promise.all([openMeasuring(1440), openMeasuring(390)])
  })
  afterAll(async () => {
    for (const { visited, foreign } of [wide, narrow]) {
      await visited.close()
      expect([...visited.complaints, ...foreign]).toEqual([])
    }
  })

  it.each(MEASURED_PAGES)('loads 150 KiB and sends three requests at most, and moves nothing: %s', async (path) => {
    const [{ shifts, requested, kib }, inNarrow] = await Promise.all([wide.open(path), narrow.open(path)])
    expect(requested.length, requested.join(' ')).toBeLessThanOrEqual(MAX_REQUESTS)
    expect(kib).toBeLessThanOrEqual(MAX_KIB)
    expect(kib).toBeGreaterThan(MIN_KIB)
    expect(shifts).toEqual([])
    expect(inNarrow.shifts, 'in a narrow window').toEqual([])
  })
})

it('the list next to a case is not drawn again by a step to the next case', async () => {
  // At the start of a page of the list, so that two pages are loaded.
  const path = `/runs/large/cases/${LARGE.cases[1_602]?.case_key}?sort=document`
  const { page } = await visit(await openBrowser(), server.url, path, { session, width: 1440, height: 900 })
  await page.locator('tr[data-index="1595"]:not(.waiting)').waitFor()
  await page.evaluate(`{
      window.drawn = 0
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) drawn += [...addedNodes].filter((node) => node.nodeName === 'TR').length
      }).observe(document.querySelector('table tbody'), { childList: true })
    }`)
  await page.keyboard.press('j')
  await page.locator('tr[aria-current][data-index="1603"]').waitFor()
  await painted(page)
  // Four more, if the list had to scroll.
  expect(await page.evaluate('drawn')).toBeLessThanOrEqual(8)
})
