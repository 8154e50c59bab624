import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { startServer } from '../servers/server.ts'
import type { RunningServer } from '../servers/server.ts'
import { faultsOf } from './checks.ts'
import { seedEveryPage } from './seed.ts'
import type { State, Seeded } from './states.ts'

const ready = (page: Page, { text }: State) => page.getByText(text).first().waitFor({ state: 'attached' })

/** Leaves the page by a link, returns to it, and loads it again. */
const returnAndReload = async (page: Page, state: State): Promise<void> => {
  const address = page.url()
  const hasDialog = (await page.locator('[data-modal]').count()) > 0
  if (state.route !== 'overview' && !hasDialog) {
    await page.locator('a.brand').click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.goBack()
    await page.waitForURL(address)
  }
  await ready(page, state)
  await page.reload()
  await ready(page, state)
}

/**
 * Visits each state on one page of one server, and expects no fault: axe in both themes at four widths, Tab to and fro,
 * no sideways scrolling at 320 px, 400 % zoom, forced colours, reduced motion, Back and reload, no complaint of the
 * browser.
 */
export const visitStates = (states: readonly State[], seed = seedEveryPage): void => {
  let server: RunningServer
  let seeded: Seeded
  let visited: Visit
  beforeAll(async () => {
    const [browser, started] = await Promise.all([openBrowser(), startServer()])
    server = started
    seeded = await seed(server)
    visited = await visit(browser, server.url, '/login', { streams: false })
  })
  afterAll(async () => {
    await visited.close()
    await server.stop()
  })

  it.each(states)('$name has no fault', async (state) => {
    const { page, context, complaints } = visited
    if (state.viewer === 'first user' && seeded.session === '') seeded = { ...seeded, session: await setUp(server.url) }
    await context.clearCookies()
    const cookie = { name: 'service_session', value: seeded.session, url: server.url }
    if (state.viewer !== 'nobody') await context.addCookies([cookie])
    const before = complaints.length
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.goto(state.path(seeded))
    await ready(page, state)
    if (!state.enter && state.viewer !== 'nobody') await returnAndReload(page, state)
    await state.enter?.(page)
    expect([...(await faultsOf(page, state.popup === true)), ...complaints.slice(before)]).toEqual([])
  })
}
