import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../spec/support/browser.ts'
import { scrollFrames } from '../scroll-frames.ts'
import { quantile } from './soak.ts'
import type { SoakServer } from './server.ts'
import type { StoredTranscript } from './stored-transcript.ts'

const ROUNDS = 5
const FRAMES = 300
const PIXELS_PER_FRAME = 120
const MIB = 1024 * 1024

const LIST = { frames: FRAMES, within: '.events .scroller' }

type Shown = { readonly session: string; readonly events: number; readonly print: (line: string) => void }

/** Shows a transcript in a browser: until its first events, to its last but one, and while it is scrolled. */
export const transcriptPage = async (
  { url }: SoakServer,
  { run_id, case_key }: StoredTranscript,
  { session, events, print }: Shown,
): Promise<void> => {
  const browser = await openBrowser()
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  await context.addCookies([{ name: 'service_session', value: session, url, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const path = `/runs/${run_id}/cases/${case_key}/transcript`
  const timeUntil = async (n: number, go: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now()
    await go()
    await shown(page, n)
    return performance.now() - begun
  }
  try {
    const first: number[] = []
    const linked: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto('about:blank')
      first.push(await timeUntil(1, () => page.goto(path, { waitUntil: 'commit' })))
      await page.goto('about:blank')
      linked.push(await timeUntil(events - 1, () => page.goto(`${path}?e=${events - 1}`, { waitUntil: 'commit' })))
    }
    print(
      `page: first events ${quantile(first, 0.5).toFixed(0)} ms (goal 1,000), a link to event ${events - 1} ${quantile(linked, 0.5).toFixed(0)} ms, medians of ${ROUNDS}`,
    )
    await page.goto(path)
    await shown(page, 1)
    const jumps: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      jumps.push(await timeUntil(events - 1, () => jump(page, events - 1)))
      await jump(page, 1)
      await shown(page, 1)
    }
    print(`jump to event ${events - 1}: ${jumps.map((ms) => ms.toFixed(0)).join(', ')} ms (goal 300)`)
    // What the machine can do just now, without any scrolling.
    const still = await scrollFrames(page, 0, LIST)
    const frames = await scrollFrames(page, PIXELS_PER_FRAME, LIST)
    const rate = (lengths: readonly number[]): number =>
      (1000 * lengths.length) / lengths.reduce((sum, ms) => sum + ms, 0)
    print(
      `scrolling ${PIXELS_PER_FRAME} px a frame: ${rate(frames).toFixed(1)} frames/s (goal 58), ${rate(still).toFixed(1)} while nothing moves; p99 ${quantile(frames, 0.99).toFixed(0)} ms; ${await page.locator('.space > li').count()} rows drawn (at most 80)`,
    )
    const cdp = await context.newCDPSession(page)
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
    const largest = Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentOf(id)))
    print(`tab: ${largest.toFixed(0)} MiB resident (goal 300), heap ${(usedSize / MIB).toFixed(0)} MiB`)
  } finally {
    await context.close()
    await browser.close()
  }
}

/** Waits until an event is drawn with its text. */
const shown = (page: Page, n: number): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    const look = () =>
      [...document.querySelectorAll('.events li[aria-current]')].some(
        (row) => row.textContent.includes('${n.toLocaleString('en-US')}') && row.querySelector('.hd b'),
      )
        ? done()
        : requestAnimationFrame(look)
    look()
  })`)

/** Goes to another event of the same page, as a press of a link in it does. */
const jump = (page: Page, n: number): Promise<unknown> =>
  page.evaluate(
    `(() => { const { $router, $route } = document.querySelector('#app').__vue_app__.config.globalProperties; return $router.replace({ query: { ...$route.query, e: ${n} } }) })()`,
  )

/** Resident memory of a process in MiB. */
const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
