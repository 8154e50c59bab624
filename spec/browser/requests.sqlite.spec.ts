import { afterAll, describe, expect, it } from 'vitest'
import { openBrowser, visit } from '../support/browser.ts'
import { recordRequests } from '../support/recorded-requests.ts'
import { startWithCases } from '../support/servers/case-server.ts'
import { HOSTILE } from '../support/documents/hostile-cases.ts'

afterAll(() => server.stop())

/** Opens a page and returns its API requests until all are answered, without those for the identity, meta and saved views. */
const openRecorded = async (path: string, width = 1440) => {
  const { page, context, close } = await visit(browser, server.url, '/no/such/page', { session, width })
  await page.getByRole('heading', { name: 'No such page' }).first().waitFor()
  const { requested, idle } = recordRequests(context, /^\/(?!(?:auth\/me|meta|views)$)/)
  await page.goto(path)
  await idle(page)
  return { page, requested, idle: () => idle(page), close }
}
const [browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])

describe('a page requests no more than it shows', () => {
  it('the page of a run requests the run, its distribution and its first cases', async () => {
    const { requested } = await openRecorded('/runs/hostile')
    expect(requested.sort()).toEqual([
      '/runs/hostile/case-rows?sort=failures&order=asc&limit=200',
      '/runs/hostile/distribution',
      '/runs/hostile/in-suite',
    ])
  })

  it.each([360, 1440])(
    'the page of a case requests the case in its suite, the run and the case list (%i px)',
    async (width) => {
      const { page, requested } = await openRecorded(`/runs/hostile/cases/${HOSTILE.long.case_key}`, width)
      const opened = `/runs/hostile/cases/${HOSTILE.long.case_key}/in-suite`
      const list = `/runs/hostile/case-rows?sort=failures&order=asc&limit=200&around=${HOSTILE.long.case_key}`
      expect(requested.sort()).toEqual([list, opened, '/runs/hostile/in-suite'])
      // The distribution is requested only when it becomes visible.
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      await page.getByRole('region', { name: 'Distributions' }).waitFor()
      expect(requested.filter((path) => path === '/runs/hostile/distribution')).toHaveLength(1)
    },
  )

  it('the page of a case requests the values of the filters only when the user opens the filters', async () => {
    const { page, requested } = await openRecorded(`/runs/hostile/cases/${HOSTILE.long.case_key}`)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page
      .locator('label')
      .filter({ hasText: /^Provider/ })
      .waitFor()
    expect(requested.filter((path) => path === '/runs/hostile/distribution')).toHaveLength(1)
  })

  it('moving through cases requests each case once, with its history, and the cases next to it', async () => {
    const { page, requested, idle } = await openRecorded('/runs/trial-3?sort=document')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const history = page.getByRole('heading', { name: /^4 runs of the suite/ })
    await history.waitFor()
    for (const name of [/flaky · trial 1 of 2/, /other/]) {
      await page.keyboard.press('j')
      await page.locator('#case-title').filter({ hasText: name }).waitFor()
      await history.waitFor()
    }
    await idle()
    expect(requested.filter((path) => path.startsWith('/runs?') || path.includes('/history'))).toEqual([])
    expect(requested.filter((path) => /\/(?:cases|case-rows)\?/.test(path))).toEqual([
      '/runs/trial-3/case-rows?limit=200',
    ])
    const opened = requested.filter((path) => path.includes('/cases/'))
    expect(opened).toHaveLength(3)
    expect(new Set(opened).size).toBe(3)
  })
})
