import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  const cases = [aCase({ name: 'a zebra crossing' })]
  for (const [run_id, suite] of [
    ['first', 'mini-agi'],
    ['second', 'beebot'],
    ['hostile', HOSTILE],
  ] as const)
    await uploadDocument(server, { run_id, project: 'agents', suite, cases })
})
afterAll(() => server.stop())

const ask = (page: Page) => page.getByRole('combobox', { name: 'Go to or do' })
const opened = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  await page.keyboard.press('Control+k')
  await ask(page).waitFor()
}
const groups = (page: Page) => page.getByRole('dialog', { name: 'Commands' }).getByRole('group')

describe('the command palette', () => {
  it('leads to pages, sets, runs and cases by keyboard alone, and returns the focus', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await page.locator('tr[data-run]').first().waitFor()
    await page.keyboard.press('f')
    const before = await page.evaluate("document.activeElement.getAttribute('placeholder')")
    // Also while the user types elsewhere.
    await opened(page)
    await page.keyboard.press('Control+k')
    await ask(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('placeholder')")).toBe(before)

    await opened(page)
    await page.keyboard.type('mini')
    await page.getByRole('option', { name: /mini-agi.*suite/ }).waitFor()
    expect((await groups(page).allInnerTexts()).map((text) => text.split('\n', 1)[0])).toEqual(['Go to', 'Cases'])
    expect(await page.getByRole('option').last().innerText()).toMatch(/^Search “mini” in all cases/)
    await page.keyboard.press('ArrowUp')
    expect(await page.getByRole('option').last().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/mini-agi/)

    await opened(page)
    await page.keyboard.type('zebra')
    await page
      .getByRole('option', { name: /a zebra crossing/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/runs\/\w+\/cases\/[0-9a-f]{16}$/)
  })

  it('does what the page offers, and what its keys do', async () => {
    const { page } = await visit(browser, server.url, '/runs/first', { session })
    await page.getByRole('button', { name: 'More actions' }).waitFor()
    await opened(page)
    await page.keyboard.type('pin this')
    await page.getByRole('option', { name: 'Pin this run as baseline' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.acts').getByText('Baseline', { exact: true }).waitFor()
    await opened(page)
    await page.keyboard.type('dark theme')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    // The header's button opens it as well, and the list of keys names it.
    await page.getByRole('button', { name: 'Commands' }).click()
    await ask(page).waitFor()
    await page.keyboard.press('Escape')
    await ask(page).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Commands\s*Ctrl\s*k/ })
      .waitFor()
  })

  it('searches cases with Ctrl Enter', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await page.locator('tr[data-run]').first().waitFor()
    await opened(page)
    await page.keyboard.type('zebra')
    await page.keyboard.press('Control+Enter')
    await ask(page).waitFor({ state: 'detached' })
    await expect
      .poll(
        async () =>
          page.url().includes('/search?q=zebra') || (await page.getByRole('option', { name: /zebra/ }).count()) > 0,
      )
      .toBe(true)
  })

  it('shows stored names as text', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await page.locator('tr[data-run]').first().waitFor()
    await opened(page)
    await page.keyboard.type('onerror')
    await page
      .getByRole('option', { name: /<img src=x/ })
      .first()
      .waitFor()
    expect(await page.getByRole('option').first().innerText()).not.toContain('\u202e')
    expect(await page.locator('[role=option] img').count()).toBe(0)
  })
  it('lists the newest run before anything is typed, and opens the settings by a part of their name', async () => {
    const times = { started_at: '2026-11-30T09:00:00Z', finished_at: '2026-12-01T09:00:00Z' }
    await uploadDocument(server, { run_id: 'newest', origin: { note: 'a run of December' }, ...times })
    const { page } = await visit(browser, server.url, '/cache', { session })
    await opened(page)
    const runs = page.getByRole('option', { name: /run · .* · \d{4}-\d\d-\d\d$/ })
    await runs.first().waitFor()
    expect(await runs.first().innerText()).toMatch(/^a run of December\s/)
    expect(await runs.count()).toBe(4)
    await page.keyboard.type('sett')
    await page.getByRole('option', { name: /^Settings/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings')
    await opened(page)
    await runs.first().click()
    await page.waitForURL('**/runs/newest')
  })

  it('opens a run by its id, and a case by its key', async () => {
    await uploadDocument(server, {
      run_id: 'run-by-id-7',
      project: 'agents',
      suite: 'ids',
      cases: [aCase({ name: 'a zebra crossing' })],
    })
    const { page } = await visit(browser, server.url, '/suites', { session })
    await opened(page)
    await page.keyboard.type('run-by-id-7')
    await page.getByRole('option', { name: /run · run-by-id-7/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/run-by-id-7')

    await opened(page)
    const { case_key } = aCase({ name: 'a zebra crossing' })
    await page.keyboard.type(case_key)
    await page
      .getByRole('option', { name: /a zebra crossing/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/cases/${case_key}`)
  })
})
