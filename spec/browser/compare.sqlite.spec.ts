import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, inEachTheme, isTooWide, LOOKS, openBrowser, setUp, visit } from '../support/browser.ts'
import { aDocument } from '../support/documents/documents.ts'
import { upload } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  await upload(
    server,
    JSON.stringify(aDocument({ run_id: 'a/1', suite: 'first', finished_at: '2026-05-01T09:00:00Z' })),
  )
  await upload(
    server,
    JSON.stringify(
      aDocument({
        run_id: 'b',
        suite: 'second',
        finished_at: '2026-05-02T09:00:00Z',
        origin: { note: '<b>later</b> \u202eone' },
      }),
    ),
  )
})
afterAll(() => server.stop())

const PAIR = '/compare/a%2F1/b'

describe('a comparison of two runs', () => {
  const look = inEachTheme((look) => visit(browser, server.url, PAIR, { ...look, session }))

  it.each(LOOKS)('names them side by side and is accessible ($theme, $width px)', async (variant) => {
    const { page, complaints, close } = await look(variant)
    await page.getByRole('region', { name: 'head' }).getByRole('link', { name: '<b>later</b> ⟨U+202E⟩one' }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      'first · 2026-05-01 09:00 to <b>later</b> ⟨U+202E⟩one',
    )
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    expect(complaints).toEqual([])
    await close()
  })

  it('opens from the list with a keyboard shortcut, has the older run as base, and can be swapped', async () => {
    const { page, close } = await visit(browser, server.url, '/runs?select=b&select=a%2F1', { session })
    await page.getByRole('link', { name: /^Compare/ }).waitFor()
    await page.keyboard.press('c')
    await page.waitForURL(`**${PAIR}`)
    await page.getByRole('region', { name: 'base' }).getByText('first').first().waitFor()
    await page.keyboard.press('s')
    await page.waitForURL('**/compare/b/a%2F1')
    await page.getByRole('region', { name: 'head' }).getByText('first').first().waitFor()
    await page.goBack()
    await page.waitForURL(`**${PAIR}`)
    await page.getByRole('link', { name: 'Change runs' }).click()
    await page.getByText('2 runs', { exact: true }).first().waitFor()
    await close()
  })

  it('links to the comparison as JSON and to the base run', async () => {
    const { page, close } = await visit(browser, server.url, PAIR, { session })
    const jsonLink = page.getByRole('link', { name: 'the comparison as JSON' })
    await jsonLink.waitFor()
    const { summary } = (await (await page.request.get((await jsonLink.getAttribute('href')) ?? '')).json()) as {
      summary: unknown
    }
    expect(summary).toMatchObject({ newly_failing: 0 })
    await page.getByRole('region', { name: 'base' }).getByRole('link').click()
    await page.waitForURL('**/runs/a%2F1')
    await close()
  })

  it('shows that a run does not exist', async () => {
    const { page, close } = await visit(browser, server.url, '/compare/none/b', { session })
    await page.getByRole('heading', { name: 'No such run', level: 1 }).waitFor({ state: 'attached' })
    expect(await axe(page)).toEqual([])
    await close()
  })
})
