import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { upload } from '../support/documents/sample-data.ts'
import { aDocument } from '../support/documents/documents.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

const ENV = { SERVICE_SECRET_KEY: Buffer.alloc(32, 6).toString('base64') }

let browser: Browser
let server: RunningServer
let session: string
let runs = 0

const uploadRun = (): Promise<unknown> =>
  upload(server, JSON.stringify(aDocument({ run_id: `live-${++runs}`, project: 'live', suite: 'all' })))
const openStreams = async (): Promise<string | undefined> => {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  return /^service_event_streams (\d+)$/m.exec(await answer.text())?.[1]
}
const waitForNew = (page: Page, count: number): Promise<unknown> =>
  page.getByRole('button', { name: `${count} new ${count === 1 ? 'run' : 'runs'}` }).waitFor()

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer({ env: ENV })])
  session = await setUp(server.url)
  await uploadRun()
})
afterAll(() => server.stop())

describe('changes on the server', () => {
  it('arrive in all tabs over one stream, and never move a list', async () => {
    const { page: first, context, complaints, close } = await visit(browser, server.url, '/runs', { session })
    await first.locator('tr[data-run]').first().waitFor()
    await expect.poll(openStreams).toBe('1')
    const second = await context.newPage()
    await second.goto('/runs')
    await second.locator('tr[data-run]').first().waitFor()

    const rows = await first.getByRole('row').count()
    await uploadRun()
    await Promise.all([waitForNew(first, 1), waitForNew(second, 1)])
    await uploadRun()
    await Promise.all([waitForNew(first, 2), waitForNew(second, 2)])
    expect(await first.getByRole('row').count()).toBe(rows)
    expect(await openStreams()).toBe('1')
    expect(await axe(first)).toEqual([])
    await first.getByRole('button', { name: '2 new runs' }).click()
    await expect.poll(() => first.getByRole('row').count()).toBe(rows + 2)

    // The tab with the stream closes; the other one takes it over and misses nothing.
    await first.close()
    await uploadRun()
    await waitForNew(second, 3)
    await expect.poll(openStreams).toBe('1')
    expect(complaints).toEqual([])
    await close()
    await expect.poll(openStreams).toBe('0')
  })

  it('update the page of a run: its baseline, and that it was deleted', async () => {
    const { page, complaints, close } = await visit(browser, server.url, '/runs/live-1', { session })
    await page.getByRole('button', { name: 'Pin as baseline' }).first().waitFor()
    await expect.poll(openStreams).toBe('1')
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const pinned = await fetch(`${server.url}/api/v1/projects/live/suites/all/baseline`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ run_id: 'live-1' }),
    })
    expect(pinned.status).toBe(200)
    await page.getByRole('button', { name: 'Unpin baseline' }).first().waitFor()
    const { 'content-type': _, ...bare } = headers
    expect((await fetch(`${server.url}/api/v1/runs/live-1`, { method: 'DELETE', headers: bare })).status).toBe(204)
    await page.getByRole('heading', { name: 'No such run', level: 1 }).first().waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
    await close()
  })

  it.each([360, 1440])('leave a mark when they stop to arrive, until they do again (%i px)', async (width) => {
    const { page, complaints, close } = await visit(browser, server.url, '/runs', { session, width })
    await page.locator('tr[data-run]').first().waitFor()
    await expect.poll(openStreams).toBe('1')
    const port = Number(new URL(server.url).port)
    await server.stop({ keep: true })
    await page.getByText('Updates stopped').waitFor()
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    server = await startServer({ env: ENV, dataDir: server.dataDir, port })
    await uploadRun()
    await waitForNew(page, 1)
    await page.getByText('Updates stopped').waitFor({ state: 'detached' })
    // Scripts that are requested ahead of their use fail as well while the server is away.
    expect(complaints.filter((text) => !text.includes('preload assets'))).toEqual([])
    await close()
  })
})
