import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { startServer } from '../servers/server.ts'
import type { RunningServer } from '../servers/server.ts'
import { faultsOf } from './checks.ts'
import { seedEveryPage } from './seed.ts'
import type { Seeded } from './seed.ts'
import type { State } from './states.ts'

const ready = (page: Page, { text }: State) => page.getByText(text).first().waitFor({ state: 'attached' })

/**
 * Visits each state on one page of one server, and expects no fault: axe in both themes at four widths, the keyboard, no
 * sideways scrolling at 320 px, 400 % zoom, forced colours and reduced motion, Back, Forward and reload.
 */
export const visitStates = (states: readonly State[]): void => {
  let server: RunningServer
  let seeded: Seeded
  let visited: Visit
  beforeAll(async () => {
    const [browser, started] = await Promise.all([openBrowser(), startServer()])
    server = started
    seeded = await seedEveryPage(server)
    visited = await visit(browser, server.url, '/login', { streams: false })
    visited.context.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await visited.close()
    await server.stop()
  })

  describe.each(states)('$name', (state) => {
    it('has no fault', async () => {
      const { page, context, complaints } = visited
      await context.clearCookies()
      const cookie = { name: 'service_session', value: seeded.session, url: server.url }
      if (state.viewer !== 'nobody') await context.addCookies([cookie])
      await page.setViewportSize({ width: 1440, height: 800 })
      await page.goto(state.path(seeded))
      await ready(page, state)
      await state.enter?.(page)
      const before = complaints.length
      const ff = await faultsOf(page, { byKeyboard: state.popup !== true })
      process.stderr.write(`\n## ${state.name}\n${[...ff, ...complaints.slice(before)].join('\n')}\n`)
      expect([...ff, ...complaints.slice(before)]).toEqual([])
      //(page, { byKeyboard: state.popup !== true })), ...complaints.slice(before)]).toEqual([])
    })
  })
}
