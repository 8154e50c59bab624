import { afterAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { axe, callApi, isTooWide, openBrowser, setUp, THEMES, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { digestOf, manifestOf } from '../support/documents/parts.ts'
import { startServer } from '../support/servers/server.ts'

afterAll(() => server.stop())

const DRAWN = (side: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><rect width="${side}" height="${side}" fill="teal"/></svg>`,
  )
const SCREEN = DRAWN(60)
const ABSENT = `part:${'0'.repeat(64)}`
const named = (bytes: Buffer): string => `part:${digestOf(bytes)}`

const server = await startServer()
const session = await setUp(server.url)
const browser = await openBrowser()
const send = async (bytes: Buffer): Promise<string> => {
  const { status } = await fetch(`${server.url}/api/v1/parts/${digestOf(bytes)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
  expect(status).toBe(200)
  return digestOf(bytes)
}

/** A run of one case that answers with a picture of a size, of what it saw in a conversation. */
const sendRun = async (run_id: string, side: number): Promise<string> => {
  const answer = DRAWN(side)
  const answered = aCase({
    output: named(answer),
    prompt: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'text', text: named(SCREEN) },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'look', arguments: { at: named(SCREEN) } }] },
        { role: 'tool', content: named(SCREEN), tool_call_id: 'c1' },
        { role: 'user', content: ABSENT },
      ],
    },
    raw: { content: [{ type: 'image', part: named(SCREEN) }] },
  })
  const entry = (bytes: Buffer, role: string, name: string) => ({
    ...{ bytes, role, name, case_key: answered.case_key, media_type: 'image/svg+xml' },
  })
  const entries = [entry(answer, 'output', 'answer.svg'), entry(SCREEN, 'input', 'screen.svg')]
  for (const { bytes } of entries) await send(bytes)
  const evidence_manifest = await send(manifestOf(entries))
  const document = { ...aDocument({ run_id, cases: [answered] }), evidence_manifest }
  expect((await callApi(server.url, server.token, 'POST', '/runs', document)).status).toBe(201)
  return answered.case_key
}
const KEY = await sendRun('base', 40)
await sendRun('head', 50)
const CASE = `/runs/base/cases/${KEY}`
const TEST = aCase().cell.test_id

const widths = (page: Page, name: string) => () =>
  page
    .getByRole('img', { name })
    .evaluateAll((pictures) => pictures.map((picture) => (picture as unknown as { naturalWidth: number }).naturalWidth))

describe('a picture that a document names', () => {
  it.each(THEMES)('is shown in the output, the conversation and the raw case, without a fault: %s', async (theme) => {
    for (const width of [390, 1440]) {
      const { page } = await visit(browser, server.url, CASE, { session, theme, width, height: 900 })
      await expect.poll(widths(page, 'answer.svg')).toEqual([40])
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      await page.getByRole('link', { name: /^Conversation/ }).click()
      await expect.poll(widths(page, 'screen.svg')).toEqual([60])
      await page.getByText(ABSENT).waitFor()
      await page.getByRole('button', { name: 'Open tools' }).click()
      // What the tool returned; what it was called with is JSON, whose pictures are shown after a press.
      await expect.poll(widths(page, 'screen.svg')).toEqual([60, 60])
      await page.getByRole('button', { name: 'Show pictures and sounds' }).first().click()
      await expect.poll(widths(page, 'screen.svg')).toEqual([60, 60, 60])
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      await page.context().close()
    }
  })

  it('opens among the attachments', async () => {
    const { page } = await visit(browser, server.url, CASE, { session })
    await expect.poll(widths(page, 'answer.svg')).toEqual([40])
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('link', { name: 'Attachment answer.svg' }).click()
    await page.getByRole('region', { name: 'answer.svg' }).waitFor()
    await expect.poll(widths(page, 'answer.svg')).toEqual([40])
    expect(asked.filter((path) => path.endsWith('/parts'))).toEqual([])
  })

  it.each(THEMES)('is next to those of other runs: %s', async (theme) => {
    for (const width of [390, 1440]) {
      const look = { session, theme, width, height: 900 }
      const outputs = await visit(browser, server.url, `/compare/outputs/${TEST}?runs=base,head&against=base`, look)
      await expect.poll(widths(outputs.page, 'answer.svg')).toEqual([40, 50])
      expect(await axe(outputs.page)).toEqual([])
      expect(await isTooWide(outputs.page)).toBe(false)
      await outputs.page.context().close()
      const compared = await visit(browser, server.url, '/compare/base/head?filter=all', look)
      await compared.page.locator('tbody a[aria-expanded]').click({ timeout: 30_000 })
      await expect.poll(widths(compared.page, 'answer.svg')).toEqual([40, 50])
      expect(await axe(compared.page)).toEqual([])
      await compared.page.context().close()
    }
  })
})
