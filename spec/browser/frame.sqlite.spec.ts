import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, failRequests, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { upload, uploadDocument } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  const body = readFileSync(new URL('../data/swe-bench/lite/aider_gpt-4o-opus.json.gz', import.meta.url))
  await fetch(`${server.url}/api/v1/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body,
  })
})
afterAll(() => server.stop())

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor({ state: 'attached' })
const theme = (page: Page): Promise<string> =>
  page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--canvas').trim()")
const [LIGHT, DARK] = ['#f6f7f9', '#0d0f13']

it('an unknown URL shows that there is no such page', async () => {
  const { page } = await visit(browser, server.url, '/no/such/page', { session })
  await heading(page, 'No such page')
  expect(await page.title()).toBe('No such page · Evaluation Results')
})

describe('the page frame', () => {
  it('opens any page by its URL', async () => {
    const { page } = await visit(browser, server.url, '/runs/a%2F..%2Fb/cases/0123456789abcdef', {
      session,
    })
    await heading(page, 'No such run')
  })

  it('has at the first Tab a link that skips to the content', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await heading(page, 'Runs')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })

  it('moves the focus to the heading of a page that a link opens', async () => {
    const { page } = await visit(browser, server.url, '/no/such/page', { session })
    await page.getByRole('link', { name: 'All runs' }).click()
    await heading(page, 'Runs')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  it('follows the system theme until the user chooses one, and remembers the choice', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session, theme: 'light' })
    await heading(page, 'Runs')
    expect(await theme(page)).toBe(LIGHT)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await theme(page)).toBe(DARK)
    await page.keyboard.press('t')
    expect(await theme(page)).toBe(LIGHT)
    await page.reload()
    await heading(page, 'Runs')
    expect(await theme(page)).toBe(LIGHT)
    await page.getByRole('button', { name: 'Account: mira' }).click()
    await page.getByRole('menuitemradio', { name: 'System theme' }).click()
    expect(await theme(page)).toBe(DARK)
  })

  it('lists its keyboard shortcuts, and ignores them while the user types', async () => {
    const { page } = await visit(browser, server.url, '/no/such/page', { session })
    await heading(page, 'No such page')
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard' })
    await list.waitFor()
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Search\s+\/$/), expect.stringMatching(/^Go to runs\s+g\s+r$/)]),
    )
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('gr?')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/no/such/page')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await heading(page, 'Runs')
  })

  it('finds runs and cases while the user types', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await heading(page, 'Runs')
    await page.keyboard.press('/')
    await page.keyboard.type('django')
    // The hits of the first letters are shown before, and Enter does not open one of those.
    await page.locator('[role=option][href$="?find=django"]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    const address = await page.locator('[role=option][aria-selected=true]').getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${address}`)
    expect(address).toMatch(/^\/runs\/[0-9A-Z]{26}\/cases\/[0-9a-f]{16}\?find=django$/)
  })

  it.each([360, 1024])('shortens a long title, and shows the kind and run set of the hit (%i px)', async (width) => {
    const name = `A wordlessly long title, ${'which goes on and on, '.repeat(20)}to its end`
    await uploadDocument(server, {
      run_id: 'long-title',
      project: 'a project',
      suite: 'of some length',
      cases: [aCase({ name })],
    })
    const { page } = await visit(browser, server.url, '/runs', { width, session })
    await heading(page, 'Runs')
    await page.keyboard.press('/')
    await page.keyboard.type('wordlessly')
    const [hit, location] = [page.getByRole('option').first(), page.getByText('case · a project / of some length')]
    await location.waitFor()
    const [outer, inner] = await Promise.all([hit.boundingBox(), location.boundingBox()])
    expect((inner?.x ?? 0) + (inner?.width ?? Infinity)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0))
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.hits'))",
      ),
    ).toBe(true)
  })

  it('shows why the search failed, and the request id', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await heading(page, 'Runs')
    await failRequests(page, '**/api/v1/search?*', 500, 'internal error')
    await page.keyboard.press('/')
    await page.keyboard.type('django')
    await page.getByText('The search failed: internal error. Request request-7.').waitFor()
  })

  it('shows that no results match', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await heading(page, 'Runs')
    await page.keyboard.press('/')
    await page.keyboard.type('xyzzyplugh')
    await page.getByText('No results match “xyzzyplugh”.').waitFor()
    expect(await axe(page)).toEqual([])
  })
})

it('the page refuses a script from stored text', async () => {
  const { page } = await visit(browser, server.url, '/runs', { session, mayComplain: true })
  await heading(page, 'Runs')
  const violation: unknown = await page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective))
    const script = document.createElement('script')
    script.textContent = 'document.title = "taken over"'
    document.body.append(script)
  })`)
  expect(violation).toBe('script-src-elem')
  expect(await page.title()).toBe('Runs · Evaluation Results')
})

describe('stored JSON', () => {
  const config = { model: 'small', note: '<b title="x">\\"bold"</b>', seeds: [1, 2.5, null] }
  const document = JSON.stringify(aDocument({ run_id: 'coloured', config_snapshot: config }))
  beforeAll(() => upload(server, document))
  const bodyOf = async (seq: number): Promise<string> => {
    const answer = await fetch(`${server.url}/api/v1/audit/${seq}`, { headers: { authorization: `Bearer ${session}` } })
    return ((await answer.json()) as { body: string }).body
  }
  const indented = (text: string): string => JSON.stringify(JSON.parse(text), null, 2)

  it.each([
    [
      '/runs/coloured/config?view=raw',
      'section[aria-label="Configuration"] .out',
      () => indented(JSON.stringify(config)),
    ],
    ['/runs/coloured/document', 'pre[aria-label="Document, indented"]', () => indented(document)],
    ['/runs/coloured/document?view=stored', 'pre[aria-label="Document as uploaded"]', () => document],
    ['/admin/audit/1', 'section[aria-labelledby="record-body"] pre', async () => indented(await bodyOf(1))],
    ['/document-format', 'pre[aria-label="Example"]', indented],
  ] as const)('is coloured, and remains the same text: %s', async (path, selector, expected) => {
    const { page } = await visit(browser, server.url, path, { session, width: 1440 })
    const shown = page.locator(selector)
    await shown.locator('.name').first().waitFor()
    await shown.locator('.string').first().waitFor()
    const text = (await shown.textContent()) ?? ''
    expect(text).toBe(await expected(text))
    // What a user selects and copies.
    await shown.selectText()
    expect(await page.evaluate('String(getSelection())')).toBe(text)
    expect(await shown.locator('b').count()).toBe(0)
  })
})
