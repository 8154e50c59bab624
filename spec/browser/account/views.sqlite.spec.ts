import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { SavedView } from '../../../queries/views.ts'
import { axe, callApi, failRequests, openBrowser, setUp, visit } from '../../support/browser.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { startServer } from '../../support/servers/server.ts'

const call = (method: string, path: string, body?: object) => callApi(server.url, session, method, path, body)
const stored = async (): Promise<SavedView[]> =>
  ((await (await call('GET', '/views')).json()) as { views: SavedView[] }).views
const clear = async (): Promise<void> => {
  for (const { id } of await stored()) await call('DELETE', `/views/${id}`)
}
afterAll(() => server.stop())

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Saved views' })
const nav = (page: Page) => page.getByRole('navigation', { name: 'Saved views' })
const openPage = async (path: string, width = 1440) => {
  const visited = await visit(browser, server.url, path, { session, width })
  await visited.page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  return visited
}
const openDialog = async (page: Page): Promise<void> => {
  // The page knows the key only when it knows the account.
  await page.locator('nav[aria-label="Saved views"]').waitFor({ state: 'attached' })
  await page.keyboard.press('v')
  await dialog(page).waitFor()
}
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (const [run_id, suite] of [
  ['r1', 'smoke'],
  ['r2', 'full'],
] as const)
  await uploadDocument(server, { run_id, project: 'chat', suite })

describe('a saved view', () => {
  it('is named, pinned and opened again by keyboard, and by its address', async () => {
    await clear()
    const { page, context } = await openPage('/runs?suite=smoke&sort=cost&order=desc')
    await page.locator('tr[data-run]').first().waitFor()
    await openDialog(page)
    const name = page.getByRole('textbox', { name: 'Name of this view' })
    await name.waitFor()
    expect(await name.inputValue()).toBe('Runs: smoke')
    expect(await page.evaluate('document.activeElement.id')).toBe('view-name')
    await page.keyboard.type('Smoke by cost')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await page.getByText('Saved as Smoke by cost').first().waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject([
      { name: 'Smoke by cost', path: '/runs', query: 'suite=smoke&sort=cost&order=desc', pinned: true },
    ])
    const link = nav(page).getByRole('link', { name: 'Smoke by cost' })
    await link.waitFor()
    expect(await link.getAttribute('aria-current')).toBe('page')

    await page.goto('/')
    await link.click()
    await page.waitForURL((url) => url.search === '?suite=smoke&sort=cost&order=desc')
    await page.locator('tr[data-run="r1"]').waitFor()
    await page.locator('tr[data-run="r2"]').waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL((url) => url.pathname === '/')
    await page.reload()
    await link.waitFor()
    expect(await link.getAttribute('aria-current')).toBeNull()

    // The address works for others, who do not see the name.
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openDialog(page)
    await page.getByRole('button', { name: 'Copy the link to Smoke by cost' }).click()
    await page.getByTitle('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `${server.url}/runs?suite=smoke&sort=cost&order=desc`,
    )
  })

  it('is shared with others, who find who shared it, until it is removed for all', async () => {
    await clear()
    const account = { username: 'ben', password: 'correct horse battery' }
    await call('POST', '/users', { ...account, role: 'viewer' })
    await call('POST', '/views', { name: 'Ours', path: '/runs', query: 'project=chat&suite=smoke' })
    const { page } = await openPage('/runs')
    await openDialog(page)
    await page.getByRole('button', { name: 'Share Ours' }).click()
    await page.getByRole('button', { name: 'Share Ours', pressed: true }).waitFor()
    expect(await axe(page)).toEqual([])

    const signedIn = await call('POST', '/auth/login', account)
    const { token } = (await signedIn.json()) as { token: string }
    const theirs = await visit(browser, server.url, '/runs', { session: token, width: 1440 })
    await openDialog(theirs.page)
    await theirs.page.getByRole('region', { name: 'Shared by others' }).getByText('mira').waitFor()
    expect(await axe(theirs.page)).toEqual([])
    expect(await theirs.page.getByRole('button', { name: /for everyone/ }).count()).toBe(0)
    await theirs.page.getByRole('link', { name: 'Ours' }).click()
    await theirs.page.waitForURL('**/runs?project=chat&suite=smoke')

    await callApi(server.url, token, 'POST', '/views', { name: 'Theirs', path: '/runs' })
    const [{ id = '' } = {}] = (
      (await (await callApi(server.url, token, 'GET', '/views')).json()) as { views: SavedView[] }
    ).views
    await callApi(server.url, token, 'PATCH', `/views/${id}`, { shared: true })
    await page.reload()
    await openDialog(page)
    await page.getByRole('button', { name: 'Remove Theirs for everyone' }).click()
    await page.getByRole('region', { name: 'Shared by others' }).waitFor({ state: 'detached' })
  })

  it('is shared as it is saved', async () => {
    await clear()
    const { page } = await openPage('/runs?suite=smoke')
    await openDialog(page)
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('For all')
    await page.getByLabel('Share with everyone who sees what it shows').check()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('Saved and shared as For all').first().waitFor()
    const saved = await stored()
    expect(saved).toMatchObject([{ name: 'For all', pinned: false }])
    expect(saved[0]?.shared_at).toMatch(/^20/)
  })

  it('is updated with other filters, renamed, unpinned and deleted with undo', async () => {
    await clear()
    await call('POST', '/views', { name: 'Mine', path: '/runs', query: 'suite=smoke', pinned: true })
    const { page } = await openPage('/runs?suite=smoke')
    await nav(page).getByRole('link', { name: 'Mine' }).waitFor()
    await openDialog(page)
    await page.getByText('Saved as Mine.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Pass rate/ }).click()
    await page.waitForURL((url) => url.searchParams.get('sort') === 'pass_rate')
    await openDialog(page)
    await page.getByRole('button', { name: 'Update Mine' }).click()
    await page.getByText('View Mine updated').first().waitFor()
    expect(await stored()).toMatchObject([{ name: 'Mine', query: 'suite=smoke&sort=pass_rate&order=asc' }])

    await openDialog(page)
    await page.getByRole('button', { name: 'Rename Mine' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rename Mine' }).waitFor()
    await page.getByRole('button', { name: 'Rename Mine' }).click()
    await page.getByRole('textbox', { name: 'Name of Mine' }).fill('Ours')
    await page.keyboard.press('Enter')
    // The dialog hides what is behind it from the roles.
    const pinned = page.locator('nav[aria-label="Saved views"] a', { hasText: 'Ours' })
    await pinned.waitFor()
    await page.getByRole('button', { name: 'Pin Ours' }).click()
    await pinned.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete Ours' }).click()
    await page.getByText('None yet.').waitFor()
    expect(await stored()).toEqual([])
    await page.keyboard.press('Escape')
    await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/api/v1/views') && answer.status() === 201),
      page.getByRole('button', { name: 'Undo' }).click(),
    ])
    expect(await stored()).toMatchObject([
      { name: 'Ours', pinned: false, query: 'suite=smoke&sort=pass_rate&order=asc' },
    ])
  })

  it('is found in the command palette, and only as many as fit are in the navigation', async () => {
    await clear()
    for (const name of ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
      await call('POST', '/views', { name, path: '/runs', query: `q=${name}`, pinned: name !== 'Fifth' })
    const { page } = await openPage('/')
    await nav(page).getByRole('link', { name: 'First' }).waitFor()
    expect(await nav(page).getByRole('link').count()).toBeLessThan(4)
    const overlaps = await page.evaluate<boolean>(
      `document.querySelector('nav[aria-label="Saved views"]').scrollWidth > document.querySelector('nav[aria-label="Saved views"]').clientWidth`,
    )
    expect(overlaps).toBe(false)
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /^Fourth/ }).waitFor()
    expect(await page.getByRole('option', { name: /^Fifth/ }).count()).toBe(0)
    await page.keyboard.type('fifth')
    await page.getByRole('option', { name: /Fifth.*saved view · Runs/s }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.search === '?q=Fifth')
  })

  it('is reached on a narrow page by the menu of the account', async () => {
    await clear()
    const { page } = await openPage('/projects', 360)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Saved views' }).click()
    await page.getByRole('textbox', { name: 'Name of this view' }).waitFor()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('Saved as Suites').first().waitFor()
  })

  it('says why it was not saved or not loaded', async () => {
    await clear()
    const { page } = await openPage('/settings')
    await openDialog(page)
    await page.getByText('None yet. A view is').waitFor()
    // Settings are no list.
    expect(await page.getByRole('textbox', { name: 'Name of this view' }).count()).toBe(0)
    await failRequests(page, '**/api/v1/views', 409, 'an account has at most 200 saved views: delete one first')
    await page.goto('/runs')
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    await openDialog(page)
    await page.getByText('Your views could not be loaded').waitFor()
    const retried = page.waitForRequest('**/api/v1/views')
    await page.getByRole('button', { name: 'Try again' }).click()
    await retried
    await page.getByText('Your views could not be loaded').waitFor()
    await page.unroute('**/api/v1/views')
    // The page may load the views by itself meanwhile, and the button is then gone.
    await page
      .getByRole('button', { name: 'Try again' })
      .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()))
    await page.getByRole('textbox', { name: 'Name of this view' }).waitFor()
    await failRequests(page, '**/api/v1/views', 409, 'an account has at most 200 saved views: delete one first')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page
      .getByText(/Not saved: an account has at most 200 saved views/)
      .first()
      .waitFor()
  })

  it('does not exist for callers without an account', async () => {
    const open = await startServer({ env: { SERVICE_AUTH_MODE: 'open' } })
    try {
      const { page, close } = await visit(browser, open.url, '/runs', { width: 1440 })
      const requests: string[] = []
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await page.reload()
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
      await page.keyboard.press('v')
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
      expect(await page.getByText('Save or open a view').count()).toBe(0)
      expect(await nav(page).count()).toBe(0)
      expect(requests).not.toContain('/api/v1/views')
      await close()
    } finally {
      await open.stop()
    }
  })
})
