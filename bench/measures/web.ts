import type { Browser, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../../spec/support/browser.ts'
import { aBody, cacheKeyOf } from '../../spec/support/documents/cache-bodies.ts'
import type { ACase, ADocument } from '../../spec/support/documents/documents.ts'
import { largeRun } from '../../spec/support/documents/large-runs.ts'
import { uploadSamples } from '../../spec/support/documents/sample-data.ts'
import { median } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'
import { CACHED, LARGE, WEB_PAGES, type WebPage } from '../web-pages.ts'
import { scrollFrames } from '../scroll-frames.ts'

const PASSWORD = 'a password of the bench'
const ROUNDS = 3
/** How much slower than this machine the processor is made. */
const THROTTLES = [1, 4] as const
/** Frames of a scroll through the list of cases. */
const FRAMES = 180
/** A quick turn of the wheel, and a pull of the scrollbar. */
const PIXELS_PER_FRAME = [100, 400] as const

/**
 * Collects the Web Vitals of a page (https://web.dev/articles/vitals). The longest event stands for INP, since a visit
 * of the bench has fewer than 50 interactions.
 */
const OBSERVE = `
  window.vitals = { lcp: 0, cls: 0, inp: 0 }
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) vitals.lcp = entry.startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) vitals.cls += entry.value })
    .observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.interactionId) vitals.inp = Math.max(vitals.inp, entry.duration) })
    .observe({ type: 'event', durationThreshold: 16, buffered: true })
`

type Vitals = { readonly lcp: number; readonly cls: number; readonly inp: number }
type Visited = Vitals & { readonly kib: number; readonly requests: number; readonly readyMs: number }

/** The budgets of each page, which the heading of its column repeats. */
const GOALS = { kib: 150, requests: 3, lcp: 1_000, inp: 100, cls: 0 } as const
/** Requested once for all pages. */
const SHARED = /^\/api\/v1\/(?:auth\/me|meta|views|events\/stream)$/

type Opened = { readonly page: Page; readonly cdp: CDPSession; readonly close: () => Promise<void> }

const open = async (browser: Browser, { url }: Server, session: string | null, throttle: number): Promise<Opened> => {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    extraHTTPHeaders: { 'accept-encoding': 'gzip' },
  })
  if (session !== null)
    await context.addCookies([{ name: 'service_session', value: session, url, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: throttle })
  await page.addInitScript(OBSERVE)
  return { page, cdp, close: () => context.close() }
}

/** Opens a page with an empty cache, waits until it can be used, then moves in it with keys. */
const visitPage = async ({ page, cdp }: Opened, { path, ready }: WebPage): Promise<Visited> => {
  let [bytes, requests] = [0, 0]
  const files = new Set<string>()
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    if (!pathname.startsWith('/api/')) files.add(requestId)
    else if (!SHARED.test(pathname)) requests++
  })
  // The bodies as they were sent: page, scripts and styles.
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(path)
  await page.locator(ready).first().waitFor({ state: 'attached' })
  const readyMs: number = await page.evaluate('performance.now()')
  // What arrives later may still move the page.
  await page.waitForTimeout(1_500)
  // What keys open is not part of the first load.
  const first = { kib: bytes / 1024, requests }
  for (const key of ['j', 'j', 'k', 'Tab', 't', 't', 'Escape']) {
    await page.keyboard.press(key)
    await page.waitForTimeout(50)
  }
  await page.waitForTimeout(200)
  return { ...(await page.evaluate<Vitals>('vitals')), ...first, readyMs }
}

/** What the addresses of pages have in place of the names of the data. */
type Names = { readonly CASE: string; readonly TEST: string; readonly USER: string }

const measurePages = async (browser: Browser, server: Server, session: string, names: Names, print: Print) => {
  const vitals = `ready ms | LCP ms (≤ ${GOALS.lcp}) | INP ms (≤ ${GOALS.inp}) | CLS (${GOALS.cls})`
  print(`| page | KiB, gzip (≤ ${GOALS.kib}) | requests (≤ ${GOALS.requests}) | ${vitals} | CPU × 4: ${vitals} |`)
  print('|---|---|---|---|---|---|---|---|---|---|---|')
  for (const { path, ready, isSignedOut } of WEB_PAGES) {
    const named = path.replaceAll(/CASE|TEST|USER/g, (name) => encodeURIComponent(names[name as keyof Names]))
    const webPage = { path: named, ready }
    const cells: string[] = []
    for (const throttle of THROTTLES) {
      const visits: Visited[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const opened = await open(browser, server, isSignedOut ? null : session, throttle)
        visits.push(await visitPage(opened, webPage))
        await opened.close()
      }
      const of = (field: keyof Visited, digits = 0): string => {
        const value = median(visits.map((each) => each[field]))
        const goal = (GOALS as Partial<Record<keyof Visited, number>>)[field] ?? Infinity
        return `${value.toFixed(digits)}${value > goal ? ' over' : ''}`
      }
      if (throttle === 1) cells.push(of('kib', 1), of('requests'))
      cells.push(of('readyMs'), of('lcp'), of('inp'), of('cls', 4))
    }
    print(`| ${path} | ${cells.join(' | ')} |`)
  }
}

const measureLongList = async (browser: Browser, server: Server, session: string, print: Print): Promise<void> => {
  print(
    '\n| list of 10,000 cases | pixels a frame | frames/s (60) | 95 % of the frames within | layouts and styles a frame | rows (≤ 60) |',
  )
  print('|---|---|---|---|---|---|')
  for (const [throttle, pixels] of THROTTLES.flatMap((each) => PIXELS_PER_FRAME.map((px) => [each, px] as const))) {
    const { page, cdp, close } = await open(browser, server, session, throttle)
    await cdp.send('Performance.enable')
    const work = async (): Promise<number> =>
      (await cdp.send('Performance.getMetrics')).metrics
        .filter(({ name }) => name === 'LayoutCount' || name === 'RecalcStyleCount')
        .reduce((sum, { value }) => sum + value, 0)
    await page.goto(`/runs/${LARGE[0]}`)
    await page.locator('main a[href*="/cases/"]').first().waitFor()
    await page.waitForTimeout(1_000)
    const before = await work()
    const frames = (await scrollFrames(page, pixels, { frames: FRAMES })).toSorted((a, b) => a - b)
    const perSecond = (frames.length * 1000) / frames.reduce((sum, ms) => sum + ms, 0)
    const perFrame = ((await work()) - before) / frames.length
    const rows = await page.locator('main a[href*="/cases/"]').count()
    print(
      `| CPU × ${throttle} | ${pixels} | ${perSecond.toFixed(1)} | ${frames[Math.floor(frames.length * 0.95)]?.toFixed(1)} ms | ${perFrame.toFixed(1)} | ${rows} |`,
    )
    await close()
  }
}

/** The large run with other verdicts: every tenth passing case fails, and as many failing cases pass. */
const changedRun = (run_id: string): ADocument => {
  const document = largeRun(run_id)
  const of = (status: string) => document.cases.filter((each) => each.status === status)
  const [passing, failing] = [of('pass').filter((_, n) => n % 10 === 0), of('fail')]
  const other = new Map<string, ACase['status']>()
  passing.slice(0, failing.length).forEach((each, n) => {
    other.set(each.case_key, 'fail')
    other.set(failing[n]?.case_key ?? '', 'pass')
  })
  return {
    ...document,
    cases: document.cases.map((each) => ({ ...each, status: other.get(each.case_key) ?? each.status })),
  }
}

/** Opens the comparison of two runs that the server has never compared, with an empty cache of the browser. */
const measureColdComparison = async (browser: Browser, server: Server, session: string, print: Print) => {
  print('\n| first comparison of two runs of 10,000 cases | can be used after, ms (≤ 1500) |')
  print('|---|---|')
  for (const throttle of THROTTLES) {
    // Each throttle compares in another direction, so that no response is cached.
    const [base, head] = throttle === 1 ? LARGE : LARGE.toReversed()
    const { page, close } = await open(browser, server, session, throttle)
    await page.goto(`/compare/${base}/${head}`)
    await page.locator('table.cmp tbody tr[data-index]').first().waitFor()
    print(`| CPU × ${throttle} | ${(await page.evaluate<number>('performance.now()')).toFixed(0)} |`)
    await close()
  }
}

/**
 * Measures every page of the web app in Chromium: bytes and requests of the first load, LCP, INP and CLS, each as the
 * median of three visits with an empty cache, and the frames of a long list. What is over its budget is marked.
 */
export const web = async (print: Print): Promise<void> => {
  const server = await startBenchServer('service', undefined, {
    SERVICE_ADMIN_USER: 'bench',
    SERVICE_ADMIN_PASSWORD: PASSWORD,
  })
  const browser = await openBrowser()
  try {
    await uploadSamples({ url: server.url, token: 'bench' })
    let [CASE, TEST] = ['', '']
    for (const run_id of LARGE) {
      const document = run_id === LARGE[0] ? largeRun(run_id) : changedRun(run_id)
      // In the middle of a page of the list.
      const middle = document.cases[5_100]
      ;[CASE, TEST] = [middle?.case_key ?? '', middle?.cell.test_id ?? '']
      const answer = await fetch(`${server.url}/api/v1/runs`, {
        method: 'POST',
        headers: server.headers,
        body: JSON.stringify(document),
      })
      if (!answer.ok) throw new Error(`a run was refused: ${answer.status} ${await answer.text()}`)
    }
    const cached = await fetch(`${server.url}/api/v1/cache/${cacheKeyOf(CACHED)}`, {
      method: 'PUT',
      headers: server.headers,
      body: new Uint8Array(aBody()),
    })
    if (!cached.ok) throw new Error(`an entry of the cache was refused: ${cached.status} ${await cached.text()}`)
    const answer = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'bench', password: PASSWORD }),
    })
    const { token, user } = (await answer.json()) as { token: string; user: { id: string } }
    await measureColdComparison(browser, server, token, print)
    await measurePages(browser, server, token, { CASE, TEST, USER: user.id }, print)
    await measureLongList(browser, server, token, print)
  } finally {
    await browser.close()
    await server.stop()
  }
}
