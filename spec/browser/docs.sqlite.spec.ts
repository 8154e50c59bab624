import { afterAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../cli/bootstrap/builds.mjs'
import { axe, isTooWide, openBrowser, setUp, THEMES, visit } from '../support/browser.ts'
import { startServer } from '../support/servers/server.ts'

await buildSite(process.execPath)
const [server, browser] = await Promise.all([startServer(), openBrowser()])
const session = await setUp(server.url)
afterAll(() => server.stop())

const PAGES = ['', 'importing', 'pages', 'api/runs', 'no-such-page']

describe.each(THEMES)('the documentation in the theme %s', (theme) => {
  it.each(PAGES.flatMap((page) => [390, 1440].map((width) => [page, width] as const)))(
    'has no fault that axe finds, and fits: /docs/%s at %i pixels',
    async (path, width) => {
      const { page } = await visit(browser, server.url, `/docs/${path}`, { theme, width })
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('networkidle')
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(theme === 'dark')
    },
  )
})

describe('the documentation', () => {
  it('has a search that asks no server but this one', async () => {
    const { page } = await visit(browser, server.url, '/docs/')
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('promptfoo')
    await page
      .getByRole('option', { name: /Coming from promptfoo/ })
      .first()
      .waitFor()
    await page
      .getByRole('option', { name: /Coming from promptfoo/ })
      .first()
      .click()
    await page.waitForURL('**/docs/coming-from/promptfoo*')
    expect([...hosts]).toEqual([server.url])
  })

  it('shows the pictures of its theme, which is that of the app', async () => {
    const { page } = await visit(browser, server.url, '/docs/pages', { session, width: 1440 })
    const picture = page.getByRole('img', { name: /^The overview/ })
    expect(await picture.getAttribute('src')).toBe('/docs/images/overview-light.png')
    await page.getByRole('switch').first().click()
    expect(await picture.getAttribute('src')).toBe('/docs/images/overview-dark.png')
    await page.getByRole('link', { name: 'Open the app' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  })

  it('is one entry of the menu away from the page that it explains', async () => {
    const { page, context } = await visit(browser, server.url, '/runs', { session })
    await page.getByRole('button', { name: 'Account: mira' }).click()
    const opened = context.waitForEvent('page')
    await page.getByRole('menuitem', { name: 'Help for this page' }).click()
    const help = await opened
    await help.getByRole('heading', { name: 'Runs', exact: false, level: 2 }).first().waitFor()
    expect(new URL(help.url()).pathname + new URL(help.url()).hash).toBe('/docs/pages#runs')
  })
})
