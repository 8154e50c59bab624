import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'

afterAll(() => server.stop())

const MANIFEST = JSON.parse(
  readFileSync(new URL('../../webapp/dist/.vite/manifest.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly file: string; readonly name?: string }>>
/** The script of a page or a part of one. A part that another one imports has no key of its own, only a name. */
const scriptOf = (part: string): string => {
  const named = Object.values(MANIFEST).find(
    ({ name, file }) => name === part.split('/').at(-1) && file.endsWith('.js'),
  )
  const found = MANIFEST[`${part}.vue`] ?? named
  if (!found) throw new Error(`${part} is not in the build`)
  return `**/${found.file}`
}

const message = (page: Page) => page.getByRole('alert').filter({ hasText: 'The page could not be loaded' })
const abort = (page: Page, script: string): Promise<unknown> => page.route(script, (route) => route.abort())
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await uploadDocument(server, {
  run_id: 'one',
  project: 'a project with rather a long name, of several words',
  suite: 's',
})
await uploadDocument(server, {
  run_id: 'columns',
  cases: ['a', 'b'].map((provider_id) => aCase({ cell: { provider_id, prompt_id: null, test_id: 't' } })),
})

describe('a script that cannot be loaded', () => {
  it('is reported for a page, which stays, with a way to try again', async () => {
    const script = scriptOf('pages/run/RunPage')
    const { page, complaints } = await visit(browser, server.url, '/runs', { session, width: 360, mayComplain: true })
    await page.locator('tr[data-run]').first().waitFor()
    await abort(page, script)
    await page.locator('tr[data-run] a').first().click()
    await message(page).waitFor()
    await page.mouse.move(0, 0)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/runs')
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    // The first message stays until the second attempt begins, so the attempt itself is awaited.
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith(script.slice(2)))
    await page.getByRole('button', { name: 'Try again' }).click()
    await failed
    await message(page).waitFor()
    await page.unroute(script)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL('**/runs/one')
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Runs' }).first().waitFor()
    expect(await message(page).count()).toBe(0)
    expect(complaints.filter((text) => !/Failed to fetch dynamically|error loading/i.test(text))).toEqual([])
  })

  it('is reported for a tab and a drawer, and the page stays in use', async () => {
    const { page } = await visit(browser, server.url, '/runs/columns', { session, width: 1440 })
    await page.getByRole('link', { name: /^Matrix/ }).waitFor()
    await abort(page, scriptOf('pages/run/matrix/RunMatrix'))
    await abort(page, scriptOf('pages/case/CaseDrawer'))
    await page.getByRole('link', { name: /^Matrix/ }).click()
    await message(page).waitFor()
    await page.getByRole('button', { name: 'Stay here' }).click()
    await message(page).waitFor({ state: 'detached' })
    await page.locator('main a[href*="/cases/"]').first().click()
    await message(page).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(/\/cases\//)
  })

  it('is reported for the page that was opened first', async () => {
    const { page, context } = await visit(browser, server.url, '/no/such/page', { session })
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    const second = await context.newPage()
    await abort(second, scriptOf('pages/runs/RunsPage'))
    await second.goto('/runs')
    await message(second).waitFor()
    expect(await axe(second)).toEqual([])
    await second.unrouteAll()
    await second.getByRole('button', { name: 'Try again' }).click()
    await second.locator('tr[data-run]').first().waitFor()
  })

  it('is reported for the leaderboard of a run, and the cases are shown', async () => {
    const { context } = await visit(browser, server.url, '/no/such/page', { session })
    const page = await context.newPage()
    await abort(page, scriptOf('pages/run/leaderboard/RunLeaderboard'))
    await page.goto('/runs/columns')
    const alert = page.getByRole('alert').filter({ hasText: 'The run could not be loaded whole' })
    await alert.waitFor()
    await page.locator('main a[href*="/cases/"]').first().waitFor()
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'By provider' }).waitFor()
  })

  it('is reported for the command palette', async () => {
    const { page } = await visit(browser, server.url, '/no/such/page', { session })
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    await abort(page, scriptOf('frame/palette/CommandPalette'))
    await page.reload()
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await page.getByText('The commands could not be loaded').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('combobox', { name: 'Go to or do' }).waitFor()
  })
})

describe('a slow network', () => {
  it('shows the frame before the app, in the chosen theme, and a line while a page is loading', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session, theme: 'light' })
    await page.locator('tr[data-run]').first().waitFor()
    await page.keyboard.press('t')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    const released = Promise.withResolvers<void>()
    await page.route(/assets\/index-.*\.js/, async (route) => {
      await released.promise
      await route.continue()
    })
    // The browser calls no animation frame before the first paint, so this records what is painted first.
    await page.addInitScript(`
      const record = () => {
        const shell = document.querySelector('.shell')
        if (shell) window.firstPainted = getComputedStyle(shell).backgroundColor
        else requestAnimationFrame(record)
      }
      requestAnimationFrame(record)`)
    await page.goto('/runs', { waitUntil: 'commit' })
    await expect.poll(() => page.evaluate('window.firstPainted')).toMatch(/^rgb/)
    expect(await page.evaluate('window.firstPainted')).not.toBe('rgb(255, 255, 255)')
    expect(await page.locator('.shell').isVisible()).toBe(true)
    released.resolve()
    await page.locator('tr[data-run]').first().waitFor()

    const arrived = Promise.withResolvers<void>()
    await page.route(scriptOf('pages/run/RunPage'), async (route) => {
      await arrived.promise
      await route.continue()
    })
    await page.locator('tr[data-run] a').first().click()
    await page.getByRole('progressbar', { name: 'Loading the page' }).waitFor({ state: 'attached' })
    arrived.resolve()
    await page.waitForURL('**/runs/one')
    await page.getByRole('progressbar', { name: 'Loading the page' }).waitFor({ state: 'detached' })
  })

  it.each([
    ['a page', scriptOf('pages/suites/SuitesPage'), '/runs/one', 'header a[href="/projects"]', '/projects'],
    [
      'a tab',
      scriptOf('pages/run/matrix/RunMatrix'),
      '/runs/columns',
      'main a[href="/runs/columns/matrix"]',
      '/runs/columns/matrix',
    ],
    ['a case', scriptOf('pages/case/CaseDrawer'), '/runs/one', 'main a[href*="/cases/"]', '/runs/one/cases/*'],
  ] as const)('shows a line from the click on %s until its script is loaded', async (_, script, path, link, target) => {
    const { page } = await visit(browser, server.url, path, { session, width: 1440 })
    const line = page.getByRole('progressbar', { name: 'Loading the page' })
    await page.locator(link).first().waitFor()
    expect(await line.count()).toBe(0)
    const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(script, async (route) => {
      requested.resolve()
      await released.promise
      await route.continue()
    })
    await page.locator(link).first().click()
    await requested.promise
    // The script is released only after the line was seen.
    await line.waitFor({ state: 'visible' })
    expect((await line.boundingBox())?.width).toBeGreaterThan(100)
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
    released.resolve()
    await page.waitForURL(`**${target}`)
    await line.waitFor({ state: 'detached' })
  })

  it('shows that the data of a page is loading, from the click on', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await page.locator('tr[data-run]').first().waitFor()
    const released = Promise.withResolvers<void>()
    await page.route(/api\/v1\/runs\/one\b/, async (route) => {
      await released.promise
      await route.continue()
    })
    await page.locator('tr[data-run] a').first().click()
    await page.getByRole('status', { name: 'Loading the run' }).waitFor({ state: 'attached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/runs/one')
    released.resolve()
    await page.getByRole('status', { name: 'Loading the run' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Export' }).waitFor()
  })

  it.each(['/login', '/setup'])('%s does not scroll in a window of 900 px', async (path) => {
    const empty = path === '/setup' ? await startServer() : null
    const { page, close } = await visit(browser, (empty ?? server).url, path, { width: 1440, height: 900 })
    await page.getByRole('button').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900)
    await close()
    await empty?.stop()
  })
})
