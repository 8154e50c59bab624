import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, visit, type Visit } from '../browser.ts'
import { startServer, type RunningServer } from '../servers/server.ts'
import { faultsOf } from './checks.ts'
import { seedEveryPage } from './seed.ts'
import type { State, Seeded } from './states.ts'

const ready = (page: Page, { text }: State) => page.getByText(text).first().waitFor({ state: 'attached' })

/** Leaves the page by a link, and moves back, forward and back again. */
const leaveAndReturn = async (page: Page, state: State): Promise<void> => {
  const address = page.url()
  const overview = page.getByRole('heading', { name: 'Overview', level: 1 })
  await page.locator('a.brand').click()
  await overview.waitFor()
  const left = page.url()
  await page.goBack()
  await page.waitForURL(address)
  await ready(page, state)
  await page.goForward()
  await page.waitForURL(left)
  await overview.waitFor()
  await page.goBack()
  await page.waitForURL(address)
  await ready(page, state)
}

/** The entry of the history that the page is at: it stays when an address is replaced. */
const entryOf = (page: Page): Promise<string> => page.evaluate('navigation.currentEntry.key')

/** Brings the page into the state. If that made an entry in the history, Back leaves the state and Forward returns to it. */
const enter = async (page: Page, state: State): Promise<void> => {
  const [before, address] = [await entryOf(page), page.url()]
  await state.enter?.(page)
  if ((await entryOf(page)) === before) return
  const entered = page.url()
  const dialogs = page.locator('[data-modal]')
  const dialogCount = await dialogs.count()
  await page.goBack()
  await page.waitForURL(address)
  await ready(page, state)
  await expect.poll(() => dialogs.count()).toBe(0)
  await page.goForward()
  await page.waitForURL(entered)
  await expect.poll(() => dialogs.count()).toBe(dialogCount)
}

/**
 * Visits each state on one page of one server, and expects no fault: axe in both themes, Tab to and fro, no sideways
 * scrolling at five widths, 400 % zoom, forced colours, reduced motion, Back, Forward and reload, no complaint of
 * the browser.
 */
export const visitStates = (states: readonly State[], seed = seedEveryPage): void => {
  let server: RunningServer
  let seeded: Seeded
  let visited: Visit
  beforeAll(async () => {
    const [browser, started] = await Promise.all([openBrowser(), startServer({ env: { SERVICE_MCP_ENABLED: 'true' } })])
    server = started
    seeded = await seed(server)
    visited = await visit(browser, server.url, '/login', { streams: false, keep: true })
  })
  afterAll(async () => {
    await visited.close()
    await server.stop()
  })

  // The history of a page is that of its route, so one state of a route shows that it survives a reload.
  const isFirstOfRoute = ({ name, route }: State): boolean =>
    states.find((other) => other.route === route && !other.enter)?.name === name
  it.each(states)('$name has no fault', async (state) => {
    const { page, context, complaints } = visited
    await context.clearCookies()
    const cookie = { name: 'service_session', value: seeded.session, url: server.url }
    if (state.viewer !== 'signed out') await context.addCookies([cookie])
    const before = complaints.length
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.unrouteAll({ behavior: 'wait' })
    await state.stub?.(page)
    await page.goto(state.path(seeded))
    await ready(page, state)
    if (!state.enter && state.viewer !== 'signed out') {
      const hasDialog = (await page.locator('[data-modal]').count()) > 0
      if (state.route !== 'overview' && !hasDialog) await leaveAndReturn(page, state)
      if (isFirstOfRoute(state)) await page.reload()
      await ready(page, state)
    }
    await enter(page, state)
    expect([...(await faultsOf(page, state.popup === true)), ...complaints.slice(before)]).toEqual([])
  })
}
