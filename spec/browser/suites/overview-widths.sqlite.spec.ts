import { afterAll, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { upload } = adminRequests(() => server)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
const now = new Date().toISOString()
await upload(aDocument({ started_at: now, finished_at: now, cases: [aCase({ status: 'error', error: 'timeout' })] }))

it.each([768, 900, 1024, 1200, 1440])('the overview uses the width of its table at %i px', async (width) => {
  const { page, close } = await visit(browser, server.url, '/', { session, width })
  await page.getByText('1 case ended in error').waitFor()
  const right = (box: { x: number; width: number } | null): number => Math.round(box!.x + box!.width)
  const boxes = async (selector: string): Promise<Array<{ x: number; width: number } | null>> =>
    Promise.all((await page.locator(selector).all()).map((cell) => cell.boundingBox()))
  const [heads, cells] = [await boxes('.tw thead th'), await boxes('.tw tbody tr:last-child > *')]
  // A hidden cell has no box.
  expect(cells.map((box) => box?.x)).toEqual(heads.map((box) => box?.x))
  expect(right(cells.at(-1)!)).toBe(right(await page.locator('.tw table').boundingBox()))
  expect(heads[1]!.width).toBeGreaterThan(140)
  for (const link of await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all())
    expect(await link.evaluate((node) => node.getClientRects().length + node.childNodes.length)).toBe(2)
  await close()
})
