import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failRequests, openBrowser, setUp, visit } from '../../support/browser.ts'
import { upload } from '../../support/documents/sample-data.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { attributes, count, rows } from '../../support/pages/run-list.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const browser = await openBrowser()

describe('a thousand runs', () => {
  let full: RunningServer
  let fullSession: string
  const minute = (n: number): string => new Date(Date.UTC(2026, 4, 4) + n * 60_000).toISOString()
  beforeAll(async () => {
    full = await startServer()
    fullSession = await setUp(full.url)
    for (let n = 0; n < 1_000; n += 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          upload(full, smallDocument(`run-${n + i}`, { suite: `suite-${(n + i) % 7}`, at: minute(n + i) })),
        ),
      )
  })
  afterAll(() => full.stop())

  it('are loaded page by page, and shown rows do not move', async () => {
    const { page } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    const first = await page.locator('tbody tr').first().boundingBox()
    await page.getByRole('button', { name: 'Next 50' }).click()
    await page.locator('tr[data-run="run-949"] a:focus').waitFor()
    await count(page, 'First 100 runs')
    expect(await attributes(rows(page), 'data-run')).toEqual(Array.from({ length: 100 }, (_, n) => `run-${999 - n}`))
    // The page scrolled to the new rows; earlier rows keep their place on the page.
    const scrolled: number = await page.evaluate('scrollY')
    expect((await page.locator('tbody tr').first().boundingBox())?.y).toBe((first?.y ?? 0) - scrolled)
  })

  it('stay when the next page cannot be loaded, and the page shows why', async () => {
    const { page } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    await failRequests(page, '**/api/v1/runs?*cursor=*', 500, 'internal error')
    await page.getByRole('button', { name: 'Next 50' }).click()
    await page.getByText('Could not load the next runs: internal error. Request request-7.').waitFor()
    expect(await rows(page).count()).toBe(50)
  })

  it('load the next page when the selection moves past the last row', async () => {
    const { page } = await visit(browser, full.url, '/runs?suite=suite-1', { session: fullSession })
    await count(page, 'First 50 runs')
    for (let n = 0; n < 51; n++) await page.keyboard.press('j')
    await count(page, 'First 100 runs')
  })

  it('are rendered only near the viewport, however many are loaded', async () => {
    const { page } = await visit(browser, full.url, '/runs', { session: fullSession })
    for (let shown = 50; shown < 250; shown += 50) {
      await count(page, `First ${shown} runs`)
      await page.getByRole('button', { name: 'Next 50' }).click()
      await page.locator(`tr[data-index="${shown}"] a:focus`).waitFor()
    }
    expect(await page.locator('tr[data-index]').count()).toBeLessThanOrEqual(60)
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('251')
    await page.keyboard.press('k')
    await page.locator('tr[data-run="run-800"] a:focus').waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('tr[data-run="run-999"]').waitFor()
    await page.keyboard.press('j')
    await page.locator('tr[data-run="run-799"] a:focus').waitFor()
  })

  it('show a notice for new runs without moving, and load them on demand', async () => {
    const { context, page } = await visit(browser, full.url, '/no/such/page', { session: fullSession })
    await page.clock.install()
    await page.goto('/runs')
    await count(page, 'First 50 runs')
    await page.keyboard.press('j')
    await upload(full, smallDocument('late', { at: minute(2_000) }))
    await page.clock.runFor(31_000)
    const notice = page.getByRole('button', { name: '1 new run' })
    await notice.waitFor()
    expect(await rows(page).first().getAttribute('data-run')).toBe('run-999')
    await notice.click()
    await page.locator('tr[data-run="late"]').waitFor()
    expect(await rows(page).first().getAttribute('data-run')).toBe('late')
    expect(await notice.count()).toBe(0)
    await context.close()
  })

  it('are restored at the same position when going back from a run', async () => {
    const { page } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    await page.getByRole('button', { name: 'Next 50' }).click()
    await count(page, 'First 100 runs')
    await page.locator('tr a:focus').waitFor()
    const before: number = await page.evaluate('scrollY')
    const address: string = await page.evaluate("document.activeElement.getAttribute('href')")
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${address}`)
    await page.goBack()
    await count(page, 'First 100 runs')
    expect(before).toBeGreaterThan(1_000)
    await expect.poll(() => page.evaluate('scrollY')).toBe(before)
  })
})
