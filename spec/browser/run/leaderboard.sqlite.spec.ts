import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { axe, isTooWide, openBrowser, setUp, THEMES, visit } from '../../support/browser.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const TESTS = 12
/** A column that fails the first tests. */
const column = (provider_id: string, failed: number, prompt_id = 'terse'): ACase[] =>
  Array.from({ length: TESTS }, (_, i) =>
    aCase({
      name: `question ${i}`,
      status: (i < failed ? 'fail' : 'pass') satisfies CaseStatus,
      score: i < failed ? 0.25 : 1,
      cell: { provider_id, prompt_id, test_id: `t${i}` },
      latency_ms: 100 * (failed + 1),
    }),
  )
const LONG = 'a-provider-with-a-name-that-is-much-longer-than-the-column-of-names'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  await upload(aDocument({ run_id: 'models', cases: [...column('poor', 9), ...column('good', 0), ...column(LONG, 1)] }))
  await upload(aDocument({ run_id: 'one', cases: column('good', 3) }))
  await upload(
    aDocument({ run_id: 'prompts', cases: [...column('a', 1), ...column('a', 6, 'long'), ...column('b', 2)] }),
  )
  await upload(
    aDocument({ run_id: 'unnamed', cases: [...column('', 9), ...column('named', 0), ...column('other', 3)] }),
  )
})
afterAll(() => server.stop())
const { upload } = adminRequests(() => server)

const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, width: 1440, ...look })
const board = (page: Page) => page.getByRole('region', { name: /^By / })
const lines = async (page: Page): Promise<string[]> =>
  (await board(page).locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())

describe('the leaderboard of a run', () => {
  it('lists the providers next to the cases, the best first, each compared with the best', async () => {
    const { page } = await open('/runs/models')
    await board(page).getByText('in part luck').waitFor()
    expect(await lines(page)).toEqual([
      'Pick good good 100.0% 1.0 100 ms base',
      `Pick ${LONG} ${LONG} 91.7% .94 200 ms too few changes`,
      'Pick poor poor 25.0% .44 1.0 s worse, p = 0.008',
    ])
    expect(await page.getByRole('region', { name: 'Cases' }).getByText('36 cases').isVisible()).toBe(true)
    await board(page).getByRole('combobox', { name: 'Against' }).selectOption('poor')
    await board(page).getByText('better, p = 0.008').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('against')).toBe('poor')
  })

  it('filters the cases by a name, and shows all at a second click', async () => {
    const { page } = await open('/runs/models')
    await board(page).getByRole('link', { name: 'poor' }).click()
    await page.getByText('12 cases', { exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?provider=poor')
    await board(page).getByRole('link', { name: 'poor' }).click()
    await page.getByText('36 cases', { exact: true }).waitFor()
  })

  it('compares two picked columns at once, and leads to the comparison that names them', async () => {
    const { page } = await open('/runs/models')
    await board(page).getByLabel('Pick good').check()
    await board(page).getByText('good is picked. Pick one more.').waitFor()
    await board(page).getByLabel('Pick poor').check()
    await board(page).getByText('good against poor: 9 better, 0 worse, p = 0.004').waitFor()
    await board(page).getByRole('link', { name: 'Compare columns' }).click()
    await page.getByRole('heading', { name: 'good is better than poor' }).waitFor()
    expect(await page.title()).toContain('good is better than poor')
    await page.getByText('question 8').waitFor()
    await page.getByRole('button', { name: 'Swap' }).click()
    await page.getByRole('heading', { name: 'poor is worse than good' }).waitFor()
    await page.goBack()
    await page.goBack()
    await board(page).getByText('good against poor').waitFor()
  })

  it('leads to a comparison that fits a phone with a long name', async () => {
    const { page } = await open(`/compare/models/models?base_column=${LONG}&head_column=poor`, { width: 320 })
    await page.getByText('question 8').waitFor()
    expect(await isTooWide(page)).toBe(false)
  })

  it('sorts by a measure', async () => {
    const { page } = await open('/runs/models')
    await board(page).getByRole('button', { name: 'Latency' }).click()
    await board(page).getByRole('button', { name: 'Latency' }).click()
    expect((await lines(page)).map((line) => line.split(' ')[1])).toEqual(['poor', LONG, 'good'])
  })

  it('has providers, or providers with their prompts, where a provider has several', async () => {
    const { page } = await open('/runs/prompts')
    await board(page).getByText('in part luck').waitFor()
    expect(await board(page).locator('tbody tr').count()).toBe(2)
    await board(page).getByRole('combobox', { name: 'By', exact: true }).selectOption('column')
    await board(page).getByRole('link', { name: 'a · long' }).waitFor()
    expect(await board(page).locator('tbody tr').count()).toBe(3)
  })

  it('names what an address asks for and the run does not have, and shows the rest', async () => {
    const { page } = await open('/runs/models?by=prompt&against=gone&pick=good&pick=lost&pick=poor')
    await board(page).getByText('good against poor').waitFor()
    const notes = board(page).locator('.address-note')
    expect((await notes.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'The kind of column “prompt” of this address is unknown. Clear',
      'The column “gone” of this address is unknown. Clear',
      'The column “lost” of this address is unknown. Clear',
    ])
    for (const _ of ['by', 'against', 'pick']) await notes.first().getByRole('link', { name: 'Clear' }).click()
    await notes.first().waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).search).toBe('?pick=good&pick=poor')
  })

  it('compares a column without a provider, which no filter shows', async () => {
    const { page } = await open('/runs/unnamed')
    await board(page).getByLabel('Pick named').check()
    await board(page).getByLabel('Pick no provider').check()
    await board(page).getByText('named against no provider: 9 better, 0 worse').waitFor()
    expect(await board(page).getByRole('link', { name: 'no provider' }).count()).toBe(0)
    await board(page).getByRole('combobox', { name: 'Against' }).selectOption('no provider')
    await board(page).getByText('better, p =').first().waitFor()
    await board(page).getByRole('link', { name: 'Compare columns' }).click()
    await page.getByRole('heading', { name: 'named is better than no provider' }).waitFor()
    await page.getByText('question 8').waitFor()
  })

  it('says that two columns could not be compared, and tries again', async () => {
    const { page } = await open('/runs/models', { mayComplain: true })
    await board(page).getByLabel('Pick good').check()
    await page.route('**/compare/models/statistics*', (route) => route.abort())
    await board(page).getByLabel('Pick poor').check()
    const alert = board(page).getByRole('alert')
    await alert.getByText('The two columns could not be compared').waitFor()
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await board(page).getByText('good against poor').waitFor()
  })

  it('is not there for a run of one column', async () => {
    const { page } = await open('/runs/one')
    await page.getByText('12 cases', { exact: true }).waitFor()
    expect(await board(page).count()).toBe(0)
  })

  it.each(THEMES)('has no violation and no sideways scrolling in %s', async (theme) => {
    for (const width of [320, 390, 1241, 1440]) {
      const { page } = await open('/runs/models?pick=good&pick=poor', { theme, width })
      await board(page).getByText('good against poor').waitFor()
      expect(await axe(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      const [inner, outer] = await board(page)
        .locator('.lines')
        .evaluate((element) => [element.scrollWidth, element.clientWidth])
      expect(inner, `${width}`).toBeLessThanOrEqual(outer)
    }
  })
})
