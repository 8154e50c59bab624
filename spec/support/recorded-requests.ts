import type { BrowserContext, Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Records the API requests of a context whose path after `/api/v1` matches `pattern`, with their queries. `idle`
 * resolves when all are answered, drawn, and followed by no other. Streams of changes do not count: they stay open.
 */
export const recordRequests = (
  context: BrowserContext,
  pattern: RegExp,
): { readonly requested: string[]; readonly idle: (page: Page) => Promise<void> } => {
  const requested: string[] = []
  const open = new Set<Request>()
  let started = 0
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/v1/events/stream') return
    started++
    open.add(request)
    const path = pathname.startsWith('/api/v1/') ? `${pathname.slice('/api/v1'.length)}${search}` : ''
    if (pattern.test(path)) requested.push(path)
  })
  context.on('requestfinished', (request) => open.delete(request))
  context.on('requestfailed', (request) => open.delete(request))
  /** Resolves after the page has had time to request what a response or a frame makes it request. */
  const drawn = (page: Page) =>
    page.evaluate(`new Promise((resolve) => {
      let frames = 0
      const next = () => (++frames > 4 ? resolve() : requestAnimationFrame(() => requestIdleCallback(next)))
      next()
    })`)
  const idle = async (page: Page): Promise<void> => {
    for (let before = -1; before !== started;) {
      await expect.poll(() => open.size).toBe(0)
      before = started
      await drawn(page)
    }
  }
  return { requested, idle }
}
