import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit } from '../support/browser.ts'
import { startWithCases } from '../support/servers/case-server.ts'
import { HOSTILE } from '../support/documents/hostile-cases.ts'
import type { RunningServer } from '../support/servers/server.ts'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])
})
afterAll(() => server.stop())

/** What a page asks the API for until it has nothing more to ask, but for who is there. */
const askedBy = async (path: string, width = 1440) => {
  const { page, context, close } = await visit(browser, server.url, '/no/such/page', { session, width })
  await page.getByRole('heading', { name: 'No such page' }).first().waitFor()
  const asked: string[] = []
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/v1/') && !/^\/api\/v1\/(?:auth\/me|meta)$/.test(pathname))
      asked.push(`${pathname.slice('/api/v1'.length)}${search}`)
  })
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  return { page, asked, close }
}

describe('a page asks for no more than it shows', () => {
  it('a run: itself, how its cases spread, and the first of them', async () => {
    const { asked, close } = await askedBy('/runs/hostile')
    expect(asked.sort()).toEqual([
      '/runs/hostile/cases?limit=200',
      '/runs/hostile/distribution',
      '/runs/hostile/in-suite',
    ])
    await close()
  })

  it.each([360, 1440])(
    'a case: itself and its history beside the run and its list, then those beside it ($width px)',
    async (width) => {
      const { page, asked, close } = await askedBy(`/runs/hostile/cases/${HOSTILE.long.case_key}`, width)
      const [first, second, third] = [HOSTILE.markup, HOSTILE.long, HOSTILE.unseen].map(
        ({ case_key }) => `/runs/hostile/cases/${case_key}`,
      )
      const history = `/projects/hostile/suites/all/cases/${HOSTILE.long.case_key}/history?limit=100`
      expect(asked.sort()).toEqual(
        [history, first, second, third, '/runs/hostile/cases?limit=200', '/runs/hostile/in-suite'].sort(),
      )
      // How the cases spread comes once it is in sight.
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      await page
        .getByRole('group', { name: 'Pass rate by tag' })
        .or(page.getByRole('group', { name: 'Latency' }))
        .first()
        .waitFor()
      expect(asked.filter((path) => path === '/runs/hostile/distribution')).toHaveLength(1)
      await close()
    },
  )

  it('what can be filtered with is asked for beside an open case once somebody filters', async () => {
    const { page, asked, close } = await askedBy(`/runs/hostile/cases/${HOSTILE.long.case_key}`)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page
      .locator('label')
      .filter({ hasText: /^Provider/ })
      .waitFor()
    expect(asked.filter((path) => path === '/runs/hostile/distribution')).toHaveLength(1)
    await close()
  })

  it('a walk through cases asks for each case and its history alone, and for the runs of the suite once', async () => {
    const { page, asked, close } = await askedBy('/runs/trial-3')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const history = page.getByRole('heading', { name: /^Last 4 runs/ })
    await history.waitFor()
    for (const name of [/flaky · trial 1 of 2/, /other/]) {
      await page.keyboard.press('j')
      await page.locator('#case-title').filter({ hasText: name }).waitFor()
      await history.waitFor()
    }
    await page.waitForLoadState('networkidle')
    expect(asked.filter((path) => path.startsWith('/runs?'))).toHaveLength(1)
    expect(asked.filter((path) => path.includes('/cases?'))).toEqual(['/runs/trial-3/cases?limit=200'])
    expect(asked.filter((path) => path.includes('/history'))).toHaveLength(3)
    await close()
  })
})
