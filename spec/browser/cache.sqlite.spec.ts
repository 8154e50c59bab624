import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, callApi, failRequests, openBrowser, setUp, visit } from '../support/browser.ts'
import { recordRequests } from '../support/recorded-requests.ts'
import { cachePath } from '../../domain/cache/key.ts'
import { aBody, cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

/** A text with markup, a character that reverses the direction of text, and one that is not visible. */
const HOSTILE = '<img src="https://evil.example/x.png" onerror=alert(1)>\u202e\u200b'
const KEY = cacheKeyOf('paid')
const HOSTILE_KEY = cacheKeyOf('hostile')
const PASSWORD = 'correct horse battery'
/** Judge entries, which the specs remove. */
const JUDGES = 60

let browser: Browser
let server: RunningServer
let session: string
let viewerSession: string
let localDir: string

const call = (method: string, path: string, body?: Buffer | string) => callApi(server.url, session, method, path, body)
const put = async (name: string, body: Buffer | string): Promise<void> => {
  expect((await call('PUT', `/cache/${cacheKeyOf(name)}`, body)).status).toBe(201)
}
const request = (text: string) => ({
  transport: 'http',
  method: 'POST',
  path: '/v1/messages',
  body: { messages: [{ role: 'user', content: text }] },
})

beforeAll(async () => {
  localDir = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  const local = join(localDir, cachePath(cacheKeyOf('local')))
  mkdirSync(join(local, '..'), { recursive: true })
  writeFileSync(local, aBody({ output: 'An answer on the disk of the server.', model: 'disk-model' }))
  ;[browser, server] = await Promise.all([openBrowser(), startServer({ env: { SERVICE_LOCAL_CACHE_DIR: localDir } })])
  session = await setUp(server.url)
  await call('POST', '/users', JSON.stringify({ username: 'reviewer', password: PASSWORD, role: 'viewer' }))
  const signedIn = await call('POST', '/auth/login', JSON.stringify({ username: 'reviewer', password: PASSWORD }))
  viewerSession = ((await signedIn.json()) as { token: string }).token

  for (let n = 0; n < JUDGES; n++)
    await put(
      `judge ${n}`,
      aBody({ kind: 'judge', model: 'judge-model', output: `Verdict number ${n}`, cost_usd: 0.01 }),
    )
  await put(
    'paid',
    aBody({
      model: 'fast-model',
      output: 'The walrus answers.',
      request: request('Ask the walrus.'),
      cost_usd: 0.28,
      usage: { input_tokens: 570, output_tokens: 3335 },
      provider_latency_ms: 2100,
      stop_reason: 'end_turn',
      raw: { id: 'msg_7' },
    }),
  )
  await put(
    'hostile',
    aBody({
      model: HOSTILE,
      kind: `odd ${HOSTILE}`,
      output: HOSTILE,
      request: request(HOSTILE),
      stop_reason: HOSTILE,
      reasoning: HOSTILE,
      raw: { [HOSTILE]: HOSTILE },
    }),
  )
  await put('bytes', '\u0000 no entry at all')
  await put('blank', aBody({ model: 'fast-model', output: '', empty_reason: 'blank' }))
  for (const [run_id, cached] of [
    ['paying', false],
    ['reusing', true],
  ] as const) {
    const time = new Date().toISOString()
    const cases = [aCase({ name: `walrus ${run_id}`, cached, cache_key: KEY })]
    const summary = { cache_savings_usd: cached ? 0.28 : 0 }
    await uploadDocument(server, { run_id, started_at: time, finished_at: time, cases, summary })
  }
  // A lookup that finds an entry, and one that does not.
  await call('GET', `/cache/${KEY}`)
  await call('GET', `/cache/${cacheKeyOf('none')}`)
})
afterAll(async () => {
  await server.stop()
  rmSync(localDir, { recursive: true })
})

const rows = (page: Page) => page.locator('a.row-link')
const focusedText = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent.trim()')
const queryOfPage = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe('the page of the cache', () => {
  it('shows what is stored and what it saves, in three requests', async () => {
    const { page, context } = await visit(browser, server.url, '/settings', { session, width: 1440 })
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    const { requested, idle } = recordRequests(context, /^\/cache/)
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Cache', level: 1 }).waitFor()
    await page.getByText('of 2 requested, 50.0%').waitFor()
    expect(await page.title()).toBe('Cache · Evaluation Results')
    const totals = await page.getByRole('region', { name: 'Totals' }).innerText()
    for (const words of ['64', '$0.28', '2 of 2 runs that asked a cache', '50.0%', '1 of 2 lookups'])
      expect(totals).toContain(words)
    await page.getByText('Kept 30 days, at most 1.00 GiB.').waitFor()
    await page.getByText('64 entries').waitFor()
    await idle(page)
    expect(requested.toSorted()).toEqual([
      '/cache/entries?sort=created&order=desc&limit=50',
      '/cache/facets',
      '/cache/overview?days=30',
    ])
    await page.getByRole('button', { name: 'Table of Lookups of runs by day' }).click()
    await page.getByRole('cell', { name: '$0.28' }).first().waitFor()
    await page.getByLabel('Days shown').selectOption('7')
    await page.getByText('Reused by runs, last 7 d').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ days: '7' })
  })

  it('filters and sorts by every field, all in the address', async () => {
    const { page } = await visit(browser, server.url, '/cache', { session, width: 1440 })
    await page.getByText('64 entries').waitFor()
    expect(await rows(page).count()).toBe(50)
    await page.getByRole('button', { name: 'More entries' }).click()
    await page.getByText('That is all.').waitFor()
    expect(await rows(page).count()).toBe(64)

    await page.getByRole('button', { name: /^Provider/ }).click()
    await page.getByText('2 entries').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ kind: 'provider' })
    await page.getByRole('button', { name: /^fast-model/ }).click()
    await page.getByRole('button', { name: /^blank/ }).click()
    await page.getByText('1 entry').waitFor()
    expect(await rows(page).allTextContents()).toEqual(['Empty answer: blank'])
    await page.goBack()
    await page.getByText('2 entries').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ kind: 'provider', model: 'fast-model' })
    await page.goForward()
    await page.getByText('1 entry').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('64 entries').waitFor()

    await page.keyboard.press('f')
    await page.keyboard.type('walrus')
    await page.getByText('1 entry').waitFor()
    expect(await rows(page).allTextContents()).toEqual(['The walrus answers.'])
    await page.getByLabel('Words').fill('paid:0.2..0.3')
    await page.keyboard.press('Enter')
    await page.getByText('$0.20 to $0.30').waitFor()
    await page.waitForURL((url) => url.searchParams.get('paid') === '0.2..0.3')
    await page.reload()
    await page.getByText('1 entry').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ q: 'walrus', paid: '0.2..0.3' })
    await page.getByRole('button', { name: 'Remove filter Paid: $0.20 to $0.30' }).click()
    await page.waitForURL((url) => !url.searchParams.has('paid'))
    await page.getByRole('combobox', { name: 'Stored' }).selectOption('7d')
    await page.waitForURL((url) => url.searchParams.get('stored') === '7d')
    await page.getByRole('button', { name: 'Clear' }).click()

    await page.getByRole('button', { name: 'Paid', exact: true }).click()
    await page.getByText(', without those that recorded no cost').waitFor()
    await page.locator('a.row-link >> nth=0').getByText('The walrus answers.').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ sort: 'cost', order: 'desc' })
    await page.getByLabel('Order').selectOption('Least paid first')
    await page.locator('a.row-link >> nth=0').getByText('Verdict number').waitFor()
    expect(await page.getByRole('columnheader', { name: 'Paid' }).getAttribute('aria-sort')).toBe('ascending')

    await page.goto('/cache?kind=provider&paid=cheap&q=nothing-has-this')
    await page.getByText('No entry matches these filters').waitFor()
    await page.getByRole('button', { name: 'Remove filter Paid: cheap' }).waitFor()
    await page.getByRole('button', { name: 'Show all entries' }).click()
    await page.getByText('64 entries').waitFor()
  })

  it.each([
    ['Largest first', 'size', 'desc', 'size'],
    ['Smallest first', 'size', 'asc', 'size'],
    ['Read last first', 'last_access', 'desc', 'last_access_at'],
    ['Not read for longest first', 'last_access', 'asc', 'last_access_at'],
  ] as const)('has the order “%s”, in the address and in the request', async (words, sort, order, field) => {
    const { page } = await visit(browser, server.url, '/cache', { session, width: 1440 })
    await page.getByText('64 entries').waitFor()
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes(`/api/v1/cache/entries?sort=${sort}&order=${order}&`)),
      page.getByLabel('Order').selectOption(words),
    ])
    await expect.poll(() => queryOfPage(page)).toEqual({ sort, order })
    const { entries } = (await answer.json()) as {
      entries: ReadonlyArray<{ key: string } & Record<typeof field, number | string | null>>
    }
    const values = entries.flatMap((entry) => entry[field] ?? [])
    expect(new Set(values).size).toBeGreaterThan(1)
    const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)))
    expect(values).toEqual(order === 'asc' ? sorted : sorted.toReversed())
    await page
      .locator('a.row-link >> nth=0')
      .and(page.locator(`[href^="/cache/${entries[0]?.key}"]`))
      .waitFor()
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('a.row-link')].map((link) => new URL(link.href).pathname.slice(7))",
      ),
    ).toEqual(entries.map(({ key }) => key))
    await page.reload()
    await page.getByText('64 entries').waitFor()
    expect(await page.getByLabel('Order').inputValue()).toBe(`${sort} ${order}`)
  })

  it('shows a directory on the disk of the server', async () => {
    const { page } = await visit(browser, server.url, '/cache', { session, width: 1440 })
    await page.getByRole('button', { name: 'Local directory' }).click()
    await page.getByText('An answer on the disk of the server.').click()
    await page.getByText('Local directory, read-only').waitFor()
    await expect.poll(() => queryOfPage(page)).toEqual({ tier: 'local' })
    await page.getByRole('heading', { name: 'Provider entry of disk-model' }).waitFor()
    expect(await page.getByRole('button', { name: 'Remove…' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Prune…' }).count()).toBe(0)
  })

  it('shows what failed and tries again', async () => {
    const { page } = await visit(browser, server.url, '/settings', { session, width: 1440 })
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    for (const [path, pattern, title] of [
      ['/cache', '**/api/v1/cache/overview?*', 'The totals could not be loaded'],
      ['/cache', '**/api/v1/cache/entries?*', 'The entries could not be loaded'],
      [`/cache/${KEY}`, `**/api/v1/cache/entries/*`, 'The entry could not be loaded'],
    ] as const) {
      await failRequests(page, pattern, 500, 'internal server error')
      await page.goto(path)
      await page.getByText(title).waitFor()
      await page.unroute(pattern)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(title).waitFor({ state: 'detached' })
    }
  })
})

describe('an entry', () => {
  it('is opened, walked and closed by keyboard', async () => {
    const { page } = await visit(browser, server.url, '/cache?sort=cost&order=desc', {
      session,
      width: 1440,
    })
    await page.getByText('The walrus answers.').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Provider entry of fast-model' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/cache/${KEY}`)
    expect(await page.title()).toBe('Provider entry of fast-model · Evaluation Results')
    for (const words of ['2.1 s', 'end_turn', 'Ask the walrus.'])
      await page.getByRole('region', { name: 'Provider entry' }).getByText(words).first().waitFor()
    await page.getByText('2 cases in 2 runs, 1 of them reused it: saved $0.28').waitFor()
    expect(await page.getByRole('link', { name: 'walrus reusing' }).getAttribute('href')).toMatch(
      /^\/runs\/reusing\/cases\//,
    )
    await page.getByRole('group', { name: 'Show the request as' }).getByRole('button', { name: 'JSON' }).click()
    await page.getByText('"content": "Ask the walrus."').waitFor()
    await page.getByRole('button', { name: 'Show what the provider sent' }).click()
    await page.getByText('msg_7').waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Judge entry of judge-model' }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'Provider entry of fast-model' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Provider entry of fast-model' }).waitFor()
    await page.getByText('The walrus answers.').first().waitFor()
    // The focus returns to the row of the list, which loads apart from the entry.
    await page.locator(`a[data-entry="${KEY}"]`).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/cache?sort=cost&order=desc')
    expect(await focusedText(page)).toBe('The walrus answers.')
  })

  it('shows its body as text, whatever it contains', async () => {
    const { page } = await visit(browser, server.url, `/cache/${HOSTILE_KEY}`, {
      session,
      width: 1440,
    })
    await page.getByRole('heading', { name: /<img src=/ }).waitFor()
    await page.getByRole('button', { name: 'Show what the provider sent' }).click()
    await page.getByRole('region', { name: 'As the provider sent it' }).getByText('<img src=').first().waitFor()
    await page.getByRole('region', { name: 'Reasoning' }).getByText('<img src=').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202e\u200b]/)
    expect(await page.getByRole('region', { name: 'Response' }).innerText()).toContain('U+202E')

    await page.goto(`/cache/${cacheKeyOf('bytes')}`)
    await page.getByText('The body cannot be read as an entry').waitFor()
    expect(await page.getByRole('link', { name: 'Download the bytes' }).getAttribute('href')).toBe(
      `/api/v1/cache/${encodeURIComponent(cacheKeyOf('bytes'))}`,
    )
  })

  it.each([cacheKeyOf('none'), 'no-key-at-all'])('that is not there is said to be missing (%s)', async (key) => {
    const { page } = await visit(browser, server.url, `/cache/${key}`, { session })
    await page.getByRole('heading', { name: 'No such entry' }).first().waitFor()
    expect(await page.title()).toBe('No such entry · Evaluation Results')
  })

  it('is removed after the page has shown what goes', async () => {
    await put('to remove', aBody({ model: 'old-model', output: 'To be removed.', cost_usd: 0.5 }))
    const { page } = await visit(browser, server.url, '/cache?model=old-model', {
      session,
      width: 1440,
    })
    await page.getByRole('link', { name: 'To be removed.' }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByText('1 of 65 entries').waitFor()
    await page.getByText('It was not read in the last 7 days.').waitFor()
    await page.getByText('$0.50 was paid.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove 1 entry' }).click()
    await page.getByText('1 entry removed').first().waitFor()
    await page.getByText('No entry matches these filters').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/cache')
    expect((await call('HEAD', `/cache/${cacheKeyOf('to remove')}`)).status).toBe(404)
  })
})

it('who may not administer sees the totals, opens an entry by its key, and reads why there is no list', async () => {
  const { page } = await visit(browser, server.url, '/cache?prune', { session: viewerSession })
  await page.getByText('The list of entries is for admins').waitFor()
  await page.getByText('1 of 2 lookups').waitFor()
  expect(await axe(page)).toEqual([])
  for (const name of ['Prune…', 'Local directory']) expect(await page.getByRole('button', { name }).count()).toBe(0)
  await page.getByRole('textbox', { name: 'Key' }).fill(KEY)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Provider entry of fast-model' }).waitFor()
  await page.getByRole('link', { name: 'walrus reusing' }).waitFor()
  expect(await page.getByRole('button', { name: 'Remove…' }).count()).toBe(0)
  await page.getByRole('link', { name: 'walrus reusing' }).click()
  await page.getByRole('navigation', { name: 'Parts of the case' }).getByRole('link', { name: 'Usage' }).click()
  await page.getByRole('link', { name: KEY }).click()
  await page.getByRole('heading', { name: 'Provider entry of fast-model' }).waitFor()
})

it('a prune counts what goes as the rules change, and removes that', async () => {
  const { page } = await visit(browser, server.url, '/cache?kind=judge', { session, width: 1440 })
  await page.getByText('60 entries').waitFor()
  await page.getByRole('button', { name: 'Prune…' }).click()
  await page.getByRole('button', { name: 'Remove 60 entries' }).waitFor()
  await expect.poll(() => queryOfPage(page)).toEqual({ kind: 'judge', prune: '' })
  await page.getByText('None was read in the last 7 days.').waitFor()
  await page.getByText('$0.60 was paid.').waitFor()
  await page.getByLabel('Stored longer ago than').fill('7')
  await page.getByText('No entry meets these rules.').waitFor()
  expect(await page.getByRole('button', { name: 'Remove entries' }).isDisabled()).toBe(true)
  await page.getByLabel('Stored longer ago than').fill('soon')
  await page.getByText('Days are a whole number.').waitFor()
  await page.getByLabel('Stored longer ago than').fill('')
  await page.getByRole('button', { name: 'Remove 60 entries' }).waitFor()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Kind' }).selectOption('')
  await page.getByText("Without a rule, the server's own limits apply").waitFor()
  await page.getByText('No entry meets these rules.').waitFor()
  await page.getByLabel('Keep at most').fill('0')
  await page.getByRole('button', { name: 'Remove 64 entries' }).waitFor()
  await page.getByText('1 of them was read in the last 7 days.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => queryOfPage(page)).toEqual({ kind: 'judge' })

  await page.getByRole('button', { name: 'Prune…' }).click()
  await page.getByRole('button', { name: 'Remove 60 entries' }).click()
  await page.getByText('60 entries removed').first().waitFor()
  await page.getByText('No entry matches these filters').waitFor()
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await page.getByText('4 entries').waitFor()

  await page.getByRole('button', { name: 'Prune…' }).click()
  await page.getByLabel('Keep at most').fill('0')
  await page.getByRole('button', { name: 'Remove 4 entries' }).click()
  await page.getByText('The cache is empty').waitFor()
  expect(await axe(page)).toEqual([])
})
