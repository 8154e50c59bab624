import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../../queries/server.ts'
import { axe, callApi, failRequests, openBrowser, setUp, visit } from '../support/browser.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

/** A name with markup, an invisible character and one that reverses the direction of text. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u200b'
const PASSWORD = 'correct horse battery'

let browser: Browser
let server: RunningServer
let session: string
let viewerSession: string
let ids: Record<string, string>

const call = (method: string, path: string, body?: object, token = session) =>
  callApi(server.url, token, method, path, body)
const signIn = async (username: string): Promise<string> =>
  ((await (await call('POST', '/auth/login', { username, password: PASSWORD })).json()) as { token: string }).token

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  ids = {}
  for (const [username, role] of [
    ['ci-bot', 'member'],
    ['reviewer', 'viewer'],
    ['leaver', 'member'],
    [HOSTILE, 'member'],
  ] as const) {
    const answer = await call('POST', '/users', { username, password: PASSWORD, role })
    ids[username] = ((await answer.json()) as { id: string }).id
  }
  await uploadDocument(server, { run_id: 'r1', project: 'chat', suite: 'smoke' })
  await uploadDocument(server, { run_id: 'r2', project: 'code', suite: 'lint' })
  await call('PUT', '/sets/chat/suites/smoke/restriction')
  await call('PUT', `/sets/chat/suites/smoke/grants/${ids['ci-bot']}`, { level: 'upload' })
  await call('PUT', `/sets/${encodeURIComponent('<b>later</b>')}/restriction`)
  const bot = await signIn('ci-bot')
  await call('POST', '/apikeys', { name: 'uploads', scope: 'write' }, bot)
  viewerSession = await signIn('reviewer')
  await call('POST', '/auth/login', { username: 'reviewer', password: 'wrong wrong wrong' })
})
afterAll(() => server.stop())

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1, exact: true }).waitFor({ state: 'attached' })
const focusedText = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent.trim()')
const toast = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe('the accounts', () => {
  it('are filtered, walked and opened by keyboard, and the address holds it', async () => {
    const { page } = await visit(browser, server.url, '/admin', { session, width: 1440 })
    await page.getByRole('link', { name: 'ci-bot' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/users')
    expect(await page.title()).toBe('Users · Admin · Evaluation Results')
    await page.keyboard.press('f')
    await page.keyboard.type('role:member b')
    await page.getByText('1 of 5 accounts').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?q=role:member+b')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    expect(await focusedText(page)).toBe('ci-bot')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'ci-bot' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/admin/users/${ids['ci-bot']}`)
    await page.getByText('chat / smoke').waitFor()
    await page.getByRole('cell', { name: /^uploads/ }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'ci-bot' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'ci-bot' }).waitFor({ state: 'detached' })
    expect(await focusedText(page)).toBe('ci-bot')
    await page.goBack()
    await page.getByRole('heading', { name: 'ci-bot' }).waitFor()
  })

  it('are added, changed with undo, disabled and deleted', async () => {
    const { page } = await visit(browser, server.url, '/admin/users', { session, width: 1440 })
    await page.getByRole('link', { name: 'ci-bot' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('They may').selectOption('viewer')
    await page.getByRole('button', { name: 'Make link' }).click()
    const link = (await page.getByRole('group', { name: 'The new link' }).locator('code').textContent()) ?? ''
    await page.getByRole('button', { name: 'Close' }).click()
    const invited = await visit(browser, server.url, link.slice(server.url.length))
    await invited.page.getByText('With this account you can read').waitFor()
    await invited.page.getByLabel('User name').fill('newcomer')
    await invited.page.getByLabel('Password').fill('long enough')
    await invited.page.keyboard.press('Enter')
    await invited.page.getByRole('button', { name: 'Account: newcomer' }).waitFor()
    expect(JSON.stringify(server.log)).not.toContain(link.split('#')[1])
    await invited.page.goto('/login')
    await invited.page.goto(link)
    await invited.page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    await invited.close()
    await page.reload()
    await page.getByRole('link', { name: 'newcomer' }).click()
    await page.getByRole('heading', { name: 'newcomer' }).waitFor()
    await page.getByLabel('Role', { exact: true }).selectOption('member')
    await toast(page, 'newcomer is now member')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#user-role:has(option[value="viewer"]:checked)').waitFor()
    await page.getByRole('button', { name: 'Make a reset link' }).click()
    const reset = (await page.getByRole('group', { name: 'The new link' }).locator('code').textContent()) ?? ''
    const forgetful = await visit(browser, server.url, reset.slice(server.url.length))
    await forgetful.page.getByLabel('Password').fill('another password')
    await forgetful.page.keyboard.press('Enter')
    await toast(forgetful.page, 'Password set. Sign in with it.')
    await forgetful.page.getByLabel('User name').fill('newcomer')
    await forgetful.page.getByLabel('Password').fill('another password')
    await forgetful.page.keyboard.press('Enter')
    await forgetful.page.getByRole('button', { name: 'Account: newcomer' }).waitFor()
    await forgetful.close()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    expect(await page.getByRole('button', { name: 'Make a reset link' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Delete…' }).click()
    const confirm = page.getByRole('button', { name: 'Delete account' })
    expect(await confirm.isDisabled()).toBe(true)
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Type newcomer to confirm').fill('newcomer')
    await confirm.click()
    await toast(page, 'Account newcomer deleted')
    await page.getByRole('link', { name: 'newcomer' }).waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/users')
  })

  it('keep the last admin, and say why', async () => {
    const { page } = await visit(browser, server.url, '/admin/users?q=mira', { session, width: 1440 })
    await page.getByRole('link', { name: 'mira' }).click()
    await page.getByText('This is your own account.').waitFor()
    await page.getByLabel('Role', { exact: true }).selectOption('viewer')
    await toast(page, /cannot remove the last admin/)
    await page.locator('#user-role:has(option[value="admin"]:checked)').waitFor()
  })

  it('show a revoked key only on request, and say what a revocation ends', async () => {
    const bot = await signIn('ci-bot')
    await call('POST', '/apikeys', { name: 'old', scope: 'read' }, bot)
    const { page } = await visit(browser, server.url, `/admin/users/${ids['ci-bot']}`, { session, width: 1440 })
    await page.getByRole('button', { name: 'Revoke old' }).click()
    await page.getByText('What uses it is refused from the next request on.').waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await toast(page, 'Key old revoked')
    await page.getByRole('cell', { name: /^old/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('cell', { name: /^old/ }).waitFor()
  })

  it('show names as text', async () => {
    const { page } = await visit(browser, server.url, `/admin/users/${ids[HOSTILE]}`, { session })
    await page.getByRole('heading', { name: /<img src=x onerror=alert\(1\)>/ }).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).not.toContain('\u202e')
  })

  it('say that there is no such account', async () => {
    const { page } = await visit(browser, server.url, '/admin/users/none', { session })
    await page.getByRole('heading', { name: 'No such account' }).first().waitFor()
  })
})

describe('the access list', () => {
  it('grants, changes and revokes with undo', async () => {
    const { page } = await visit(browser, server.url, '/admin/access', { session, width: 1440 })
    await page.getByText(/ suites (?:is|are) restricted/).waitFor()
    const row = page.getByRole('button', { name: /smoke.*in chat/s })
    await row.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('set')).toBe('["chat","smoke"]')
    await page.getByLabel('Account', { exact: true }).selectOption({ label: 'reviewer' })
    await page.getByRole('button', { name: 'Grant', exact: true }).click()
    await toast(page, 'reviewer has view on chat / smoke')
    await page.getByLabel('Level of reviewer').selectOption('manage')
    await toast(page, 'reviewer has manage on chat / smoke')
    await page.getByRole('button', { name: 'Revoke the access of reviewer' }).click()
    await toast(page, 'Access of reviewer revoked')
    await page.getByLabel('Level of reviewer').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByLabel('Level of reviewer').waitFor()
    await page.goBack()
    await page.getByLabel('Level of ci-bot').waitFor({ state: 'detached' })
  })

  it('restricts a set and lifts it, and shows first what becomes visible', async () => {
    const { page } = await visit(browser, server.url, '/admin/access?open=true', { session, width: 1440 })
    await page.getByRole('button', { name: 'Restrict a set' }).click()
    await page.getByLabel('Project').fill('code')
    await page.getByLabel(/^Suite/).fill('lint')
    await page.getByText('1 run will be hidden from accounts without a grant.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Restrict', exact: true }).click()
    await toast(page, 'code / lint is restricted')
    await page.getByText('code / lint is seen by admins only.').waitFor()
    await page.getByRole('button', { name: 'Lift the restriction…' }).click()
    await page.getByText('1 run with 1 case become visible to everyone who may read').waitFor()
    await page.getByRole('button', { name: 'Lift the restriction', exact: true }).click()
    await toast(page, 'code / lint is open')
  })

  it('filters by account, and shows names as text', async () => {
    const { page } = await visit(browser, server.url, '/admin/access', { session })
    await page.getByText('<b>later</b>').first().waitFor()
    await page.getByLabel('Grants of').selectOption({ label: 'ci-bot' })
    await page.getByText('<b>later</b>').first().waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).searchParams.get('user')).toBe(ids['ci-bot'])
    await page.getByLabel('Grants of').selectOption({ label: 'leaver' })
    await page.getByText('leaver has no grant').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('<b>later</b>').first().waitFor()
  })
})

describe('the audit trail', () => {
  it('is filtered by type, actor, stream and time, all in the address', async () => {
    const { page } = await visit(browser, server.url, '/admin/audit', { session, width: 1440 })
    await page.getByRole('link', { name: 'Sign-in refused' }).first().waitFor()
    await page.getByRole('combobox', { name: 'What' }).selectOption('RunIngested')
    await page.getByRole('link', { name: 'Sign-in refused' }).first().waitFor({ state: 'detached' })
    expect(new Set(await page.locator('a.row-link').allTextContents())).toEqual(new Set(['Run uploaded']))
    await page.getByRole('textbox', { name: 'On' }).fill('run/r1')
    await page.locator('a.row-link').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'When' }).selectOption('7d')
    await page.waitForURL((url) => url.searchParams.get('since') === '7d')
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({
        type: 'RunIngested',
        stream: 'run/r1',
        since: '7d',
      })
    expect(await page.getByRole('link', { name: 'Export as JSON lines' }).getAttribute('href')).toMatch(
      /^\/api\/v1\/audit\/export\?type=RunIngested&stream=run%2Fr1&since=\d+$/,
    )
    await page.reload()
    await page.locator('a.row-link').first().waitFor()
    expect(await page.locator('a.row-link').count()).toBe(1)
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('since'))
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('link', { name: 'Sign-in refused' }).first().waitFor()
    await page.getByLabel('Who').fill('no such person')
    await page.getByText('No record matches').waitFor()
  })

  it('lists what one account did, by its name', async () => {
    const { page } = await visit(browser, server.url, '/admin/audit', { session, width: 1440 })
    await page.getByRole('link', { name: 'Run uploaded' }).first().waitFor()
    await page.getByLabel('Who').fill('ci-bot')
    await page.getByRole('link', { name: 'Run uploaded' }).first().waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).searchParams.get('actor')).toBe('ci-bot')
    const answer = await call('GET', `/audit?actor=${ids['ci-bot']}&limit=50`)
    const { events } = (await answer.json()) as { events: ReadonlyArray<{ seq: number }> }
    expect(events.length).toBeGreaterThan(0)
    const listed = await page.evaluate(
      "[...document.querySelectorAll('a.row-link')].map((link) => Number(link.dataset.seq))",
    )
    expect(listed).toEqual(events.map(({ seq }) => seq))
    expect(new Set(await page.locator('tbody td.who').allInnerTexts())).toEqual(new Set(['ci-bot']))
  })

  it('is filtered by a range of days, in the address', async () => {
    const { page } = await visit(browser, server.url, '/admin/audit', { session, width: 1440 })
    await page.getByRole('link', { name: 'Run uploaded' }).first().waitFor()
    await page.getByRole('combobox', { name: 'When' }).selectOption('days')
    await page.getByLabel('From', { exact: true }).fill('2020-01-01')
    await page.waitForURL((url) => url.searchParams.get('since') === '2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-02')
    await page.getByText('No record matches').waitFor()
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ since: '2020-01-01', until: '2020-01-02' })
    expect(await page.getByRole('link', { name: 'Export as JSON lines' }).getAttribute('href')).toBe(
      `/api/v1/audit/export?since=${Date.UTC(2020, 0, 1)}&until=${Date.UTC(2020, 0, 3) - 1}`,
    )
    await page.reload()
    await page.getByText('No record matches').waitFor()
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2999-12-31')
    await page.getByRole('link', { name: 'Run uploaded' }).first().waitFor()
  })

  it('opens a record, walks to the next one, and returns the focus', async () => {
    const { page } = await visit(browser, server.url, '/admin/audit?type=RunIngested', {
      session,
      width: 1440,
    })
    await page.getByRole('link', { name: 'Run uploaded' }).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Recomputed here: body and leaf belong together').waitFor()
    const first = new URL(page.url()).pathname
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.pathname !== first)
    await page.getByRole('link', { name: 'Open the run' }).waitFor()
    await page.getByText('"case_count": 1').waitFor()
    // Next to the record, each head is still above its cells.
    const lefts = (cells: string) =>
      page
        .locator(`table.audit ${cells}`)
        .evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)))
    expect(await lefts('thead th')).toEqual(await lefts('tbody tr:first-child td'))
    await page.keyboard.press('Escape')
    await page.waitForURL('**/admin/audit?type=RunIngested')
    expect(await focusedText(page)).toBe('Run uploaded')
  })

  it('shows an altered record as such, and an unknown one as missing', async () => {
    const { page } = await visit(browser, server.url, '/admin/audit', { session })
    await page.route('**/api/v1/audit/2', async (route) => {
      const answer = await route.fetch()
      const record = (await answer.json()) as { body: string }
      await route.fulfill({
        response: answer,
        json: { ...record, body: record.body.replace('"version":1', '"version":2') },
      })
    })
    await page.goto('/admin/audit/2')
    await page.getByText('Recomputed here: body and leaf differ').waitFor()
    await page.goto('/admin/audit/999999')
    await page.getByRole('heading', { name: 'No such record' }).first().waitFor()
  })

  it('shows hostile names of a record as text', async () => {
    await uploadDocument(server, { run_id: 'hostile', project: HOSTILE, suite: 'smoke' })
    const shown = '<img src=x onerror=alert(1)>⟨U+202E⟩⟨U+200B⟩'
    for (const { type, title, on, marks } of [
      // The record of an account has its id, and the page adds its name.
      { type: 'UserCreated', title: 'Account made', on: shown, marks: [] },
      {
        type: 'RunIngested',
        title: 'Run uploaded',
        on: `${shown} / smoke`,
        marks: ['U+202E, right-to-left override', 'U+200B, zero width space'],
      },
    ]) {
      const answer = await call('GET', `/audit?type=${type}&limit=200`)
      const { events } = (await answer.json()) as {
        events: ReadonlyArray<{ seq: number; data: Readonly<Record<string, unknown>> }>
      }
      const record = events.find(({ data }) => data['user_id'] === ids[HOSTILE] || data['project'] === HOSTILE)
      const { page, close } = await visit(browser, server.url, `/admin/audit/${record?.seq}`, { session })
      await page.getByText('Recomputed here: body and leaf belong together').waitFor()
      const drawer = page.getByRole('dialog', { name: new RegExp(`^${title}`) })
      expect(await drawer.locator('dd').first().innerText()).toContain(on)
      // The body has a mark for each invisible character.
      const found = drawer.locator('pre bdi')
      expect(await Promise.all((await found.all()).map((mark) => mark.getAttribute('title')))).toEqual(marks)
      expect(await page.locator('body').textContent()).not.toMatch(/[\u202e\u200b]/)
      expect(await page.locator('img').count()).toBe(0)
      await close()
    }
  })
})

it('the page of the server shows the version, the storage, the log, what is deleted when, and the read tables', async () => {
  const { page } = await visit(browser, server.url, '/admin/server', { session, width: 1440 })
  await page.getByText('Everything works.').waitFor()
  const state = (await (await call('GET', '/server')).json()) as Server
  const { runs } = (await (await call('GET', '/runs')).json()) as { runs: ReadonlyArray<{ case_count: number }> }
  const cases = runs.reduce((sum, { case_count }) => sum + case_count, 0)
  const shown = (name: string) => page.getByRole('region', { name, exact: true })
  const fact = (region: string, term: string) =>
    shown(region)
      .locator('div', { has: page.locator('dt', { hasText: new RegExp(`^${term}$`) }) })
      .locator('dd')
      .last()
      .innerText()
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(state.version).toBe(version)
  expect(await fact('Version', 'Version')).toBe(`${version} Node ${state.node_version}`)
  expect(
    await shown('Storage')
      .getByText(/^SQLite, /)
      .count(),
  ).toBe(1)
  expect(
    await shown('Storage')
      .getByRole('row', { name: `Documents, as uploaded ${runs.length} runs, ${cases} cases` })
      .count(),
  ).toBe(1)
  expect(state.log.size).toBeGreaterThan(10)
  expect(await fact('Log', 'Records')).toBe(String(state.log.size))
  expect(await fact('Log', 'Root')).toContain(state.log.root)
  expect(await fact('Retention', 'Runs')).toBe('stay at any age')
  expect(await fact('Retention', 'Cache entries')).toBe(
    `are deleted after ${state.retention.cache_max_age_days} days, and beyond 1.00 GiB, least recently read first`,
  )
  expect(state.read_tables.length).toBeGreaterThan(0)
  expect(await shown('Read tables').locator('tbody tr').allInnerTexts()).toEqual(
    state.read_tables.map(({ name, version: of }) => `${name}\t${of}\tnever`),
  )
})

describe('the pages for admins', () => {
  it('do not exist for others, who see no entry either', async () => {
    for (const path of ['/admin', '/admin/audit/1', '/admin/server']) {
      const { page, close } = await visit(browser, server.url, path, { session: viewerSession })
      await heading(page, 'No such page')
      expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
      expect(await page.getByRole('navigation', { name: 'Admin' }).count()).toBe(0)
      await close()
    }
  })

  it.each([
    ['/admin/users', 'users/overview', 'The accounts could not be loaded'],
    ['/admin/access', 'access?*', 'The access list could not be loaded'],
    ['/admin/audit', 'audit?*', 'The audit trail could not be loaded'],
    ['/admin/server', 'server', "The server's state could not be loaded"],
  ])('%s shows what failed and tries again', async (path, request, title) => {
    const { page } = await visit(browser, server.url, '/settings', { session })
    await heading(page, 'Settings')
    const pattern = `**/api/v1/${request}`
    await failRequests(page, pattern, 500, 'internal server error')
    await page.goto(path)
    await page.getByText(title).waitFor()
    expect(await axe(page)).toEqual([])
    await page.unroute(pattern)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(title).waitFor({ state: 'detached' })
  })
})

it('legal holds name the run, lead from a held run to its holds, and disable its deletion with the reason', async () => {
  await uploadDocument(server, { run_id: 'held-run', project: 'held', suite: 'one' })
  await uploadDocument(server, { run_id: 'other-run', project: 'held', suite: 'two' })
  for (const hold of [{ run_id: 'held-run' }, { project: 'held' }, { project: 'held', suite: 'two' }])
    expect((await call('POST', '/holds', { ...hold, reference: 'case-2026/7' })).status).toBe(201)

  const { page } = await visit(browser, server.url, '/runs/held-run', { session })
  await page.getByRole('button', { name: 'More actions' }).click()
  const remove = page.getByRole('menuitem', { name: 'Delete this run' })
  expect(await remove.getAttribute('aria-disabled')).toBe('true')
  expect(await remove.innerText()).toContain('Under legal hold')
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator('.prov').getByRole('link', { name: 'held', exact: true }).click()
  await page.getByText('Holds that cover').waitFor()
  const table = page.getByRole('table', { name: 'Legal holds' })
  expect(await table.getByRole('row').count()).toBe(3)
  expect(await table.getByRole('link').allInnerTexts()).toEqual(['one · 2026-05-04 09:00 UTC'])
  expect(await table.innerText()).toContain('one run, held-run')
  expect(await axe(page)).toEqual([])

  await page.getByRole('button', { name: 'Lift the hold case-2026/7 on Run held-run' }).click()
  const dialog = page.getByRole('dialog', { name: 'Lift this hold?' })
  await dialog.getByText('All of it is still held by case-2026/7').waitFor()
  await dialog.getByText('one · 2026-05-04 09:00 UTC').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show all holds' }).click()
  await page.getByRole('button', { name: 'Lift the hold case-2026/7 on All of held' }).click()
  await dialog.getByText('it covers 2 runs now').waitFor()
  expect(await dialog.getByText('still held').count()).toBe(0)
  expect(await axe(page)).toEqual([])
})

it('an erased record says who erased it and for what reference, and nothing about a body', async () => {
  await uploadDocument(server, { run_id: 'erased-run', project: 'code', suite: 'lint' })
  const { events } = (await (await call('GET', '/audit?stream=run/erased-run')).json()) as {
    events: ReadonlyArray<{ seq: number }>
  }
  const seq = events[0]?.seq ?? 0
  expect((await call('POST', '/erasures', { run_id: 'erased-run', reference: 'dsr-2026/17' })).status).toBe(200)

  const { page } = await visit(browser, server.url, `/admin/audit/${seq}`, { session })
  await page.getByText('By an erased actor').waitFor()
  await page.locator('.side-drawer').getByText('dsr-2026/17').waitFor()
  expect(await page.getByText('The body is the one that was recorded').count()).toBe(0)
  await page.getByText('A record of this type is at this place in the log').waitFor()
  expect(await axe(page)).toEqual([])
  await page.getByRole('link', { name: /the erasure$/ }).click()
  await page.getByRole('heading', { name: /^Record erased/ }).waitFor()
  await page.locator('.side-drawer').getByText('dsr-2026/17').first().waitFor()
})
