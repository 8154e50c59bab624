import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Download, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { formatBytes } from '../../../webapp/text/format.ts'
import { openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { startServer } from '../../support/servers/server.ts'
import { contentsIn } from '../../support/share/write-page.ts'

const tests = Array.from({ length: 30 }, (_, n) => `test-${n}`)
const folder = mkdtempSync(join(tmpdir(), 'ers-spec-share-menu-'))
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (const [run_id, day, failing] of [
  ['one', '04', 2],
  ['two', '05', 12],
] as const)
  await uploadDocument(server, {
    run_id,
    suite: 'smoke',
    finished_at: `2026-05-${day}T09:00:00Z`,
    origin: { note: `The run ${run_id}` },
    cases: tests.map((test_id, n) =>
      aCase({ cell: { test_id }, name: `Test | ${n}`, status: n < failing ? 'fail' : 'pass', latency_ms: 100 + n }),
    ),
  })
for (const run_id of ['sealed', 'sealed-too'])
  await uploadDocument(server, { run_id, suite: 'vault', cases: [aCase()] })
await fetch(`${server.url}/api/v1/sets/chat/suites/vault/restriction`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${server.token}` },
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

const open = (path: string, width = 1280) => visit(browser, server.url, path, { session, width })
const choose = async (page: Page, item: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'Share' }).first().click()
  await page.getByRole('menuitem', { name: item }).click()
}
const saved = async (download: Download, name: string): Promise<string> => {
  await download.saveAs(join(folder, name))
  return join(folder, name)
}
const fileOf = async (page: Page): Promise<Download> => {
  const dialog = page.getByRole('dialog', { name: 'HTML file' })
  await dialog.getByText(/^Size: /).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save file' }).click(),
  ])
  await dialog.waitFor({ state: 'detached' })
  return download
}

describe('the menu that shares a page', () => {
  it('saves a comparison as a file, of the size that it said, which opens without the server', async () => {
    const { page } = await open('/compare/one/two')
    await choose(page, /^HTML file/)
    const dialog = page.getByRole('dialog', { name: 'HTML file' })
    await dialog.getByText(/^Size: /).waitFor()
    const size = await dialog.getByRole('status').textContent()
    const download = await fileOf(page)
    expect(download.suggestedFilename()).toBe('smoke-The-run-one-and-The-run-two.html')
    const path = await saved(download, 'compared.html')
    const text = readFileSync(path, 'utf8')
    expect(size).toBe(`Size: ${formatBytes(Buffer.byteLength(text))}`)
    expect(contentsIn(text)).toMatchObject({ runs: [{ run: { id: 'two' } }, { run: { id: 'one' } }], is_cut: false })

    const file = await visit(browser, 'file:///', 'about:blank')
    await file.page.goto(pathToFileURL(path).href)
    await file.page.locator('#verdict').waitFor()
    expect(await file.page.getByRole('note').count()).toBe(0)
    expect(await file.page.getByRole('button', { name: /Share|Copy link/ }).count()).toBe(0)
    await file.page.keyboard.press('?')
    await file.page.getByText('Swap the two').waitFor()
    expect(await file.page.getByText('Copy link').count()).toBe(0)
  })

  it('saves the comparison of two columns of a run, which opens with them', async () => {
    await uploadDocument(server, {
      run_id: 'models',
      suite: 'models',
      cases: ['small', 'large'].flatMap((provider_id) =>
        tests.map((test_id, n) =>
          aCase({ cell: { test_id, provider_id }, status: provider_id === 'small' && n < 9 ? 'fail' : 'pass' }),
        ),
      ),
    })
    const { page } = await open('/compare/models/models?base_column=small&head_column=large')
    await choose(page, /^HTML file/)
    const download = await fileOf(page)
    expect(download.suggestedFilename()).toMatch(/^models-.*-small-and-large\.html$/)
    const path = await saved(download, 'columns.html')
    const file = await visit(browser, 'file:///', 'about:blank')
    await file.page.goto(pathToFileURL(path).href)
    await file.page.getByRole('heading', { level: 1, name: 'large is better than small' }).waitFor()
    await file.page.getByRole('link', { name: '9 better' }).first().waitFor()
    await file.page.keyboard.press('s')
    await file.page.getByRole('heading', { level: 1, name: 'small is worse than large' }).waitFor()
    await file.page.getByRole('link', { name: 'Run', exact: true }).click()
    await file.page.getByRole('heading', { name: 'By provider' }).waitFor()
    expect(file.complaints).toEqual([])
  })

  it('leaves out what is not chosen, and what repeats it', async () => {
    const { page } = await open('/runs/two')
    await choose(page, /^HTML file/)
    const dialog = page.getByRole('dialog', { name: 'HTML file' })
    await dialog.getByLabel('Outputs, tool calls').uncheck()
    expect(await dialog.getByLabel('Raw answers').isDisabled()).toBe(true)
    const path = await saved(await fileOf(page), 'run.html')
    expect(contentsIn(readFileSync(path, 'utf8'))).toMatchObject({ without: ['outputs'], comparisons: [] })
  })

  it('has comments only if they are chosen, and if nothing that they may quote is left out', async () => {
    await fetch(`${server.url}/api/v1/runs/two/comments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Among ourselves' }),
    })
    const { page } = await open('/runs/two')
    const commentsOf = async (name: string) =>
      contentsIn(readFileSync(await saved(await fileOf(page), name), 'utf8')).runs[0]?.comments.map(({ text }) => text)
    await choose(page, /^HTML file/)
    const comments = page.getByRole('dialog', { name: 'HTML file' }).getByLabel('Comments, without the names')
    expect(await comments.isChecked()).toBe(false)
    expect(await commentsOf('quiet.html')).toEqual([])
    await choose(page, /^HTML file/)
    await comments.check()
    expect(await commentsOf('open.html')).toEqual(['Among ourselves'])
    await choose(page, /^HTML file/)
    await page.getByRole('dialog').getByLabel('Variables').uncheck()
    expect(await comments.isDisabled()).toBe(true)
    expect(await commentsOf('less.html')).toEqual([])
  })

  it('opens the file of a case with this case', async () => {
    const { case_key } = aCase({ cell: { test_id: 'test-3' } })
    const { page } = await open(`/runs/two/cases/${encodeURIComponent(case_key)}`)
    await page.locator('.case-drawer').getByRole('button', { name: 'Share' }).click()
    await page.getByRole('menuitem', { name: /^HTML file/ }).click()
    const path = await saved(await fileOf(page), 'case.html')
    expect(contentsIn(readFileSync(path, 'utf8'))).toMatchObject({ case_key })
    const file = await visit(browser, 'file:///', 'about:blank')
    await file.page.goto(pathToFileURL(path).href)
    await file.page.locator('.case-drawer').getByText('Test | 3').first().waitFor()
  })

  it('asks before it saves a run of a restricted suite', async () => {
    const { page } = await open('/runs/sealed')
    await choose(page, /^HTML file/)
    const dialog = page.getByRole('dialog', { name: 'HTML file' })
    await dialog.getByText(/^Size: /).waitFor()
    const save = dialog.getByRole('button', { name: 'Save file' })
    expect(await save.isDisabled()).toBe(true)
    await dialog.getByLabel(/^The suite is restricted/).check()
    expect(await save.isDisabled()).toBe(false)
  })

  it('says why a file cannot be made', async () => {
    const { page } = await open('/runs/two')
    await page.route('**/share.html*', (route) =>
      route.fulfill({ status: 422, contentType: 'application/json', body: '{"error":"the documents are too large"}' }),
    )
    await choose(page, /^HTML file/)
    await page.getByRole('dialog').getByText('the documents are too large').waitFor()
    expect(await page.getByRole('button', { name: 'Save file' }).isDisabled()).toBe(true)
  })

  it.each([
    [
      '/compare/one/two',
      /^### The run two is worse than The run one\n[\s\S]*\| Passed \|[\s\S]*\[Open the comparison\]/,
    ],
    [
      '/runs/two',
      /^### The run two\n[\s\S]*\| Passed \| 60\.0% \(18 of 30; [\d.]+% to [\d.]+%\) \|[\s\S]*\[Open the run\]/,
    ],
    ['/projects/chat/suites/smoke', /^### `chat \/ smoke`\n[\s\S]*The run two \[open\][\s\S]*The run one \[open\]/],
  ] as const)('copies %s as Markdown', async (path, pattern) => {
    const { page, context } = await open(path)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await choose(page, /^Copy as Markdown/)
    await page.getByText('Markdown copied').waitFor()
    const text = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(text).toMatch(pattern)
    expect(text).toContain(`(${server.url}${path})`)
  })

  it('saves a chart as it is drawn, as pixels and as shapes without code', async () => {
    const { page } = await open('/projects/chat/suites/smoke')
    await page.getByRole('grid').getByRole('gridcell').first().waitFor()
    await choose(page, /^Picture of a chart/)
    const dialog = page.getByRole('dialog', { name: 'Picture of a chart' })
    const save = async (format: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog
          .getByRole('button', { name: new RegExp(`^${format}: `) })
          .first()
          .click(),
      ])
      return readFileSync(await saved(download, `chart.${format}`))
    }
    const png = await save('PNG')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    // Twice the width of the chart on the page.
    expect(png.readUInt32BE(16)).toBeGreaterThan(800)
    const svg = (await save('SVG')).toString()
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(svg).toContain('>smoke</text>')
    expect(svg).not.toMatch(/href|onload|class=|style=|var\(/)
    writeFileSync(join(folder, 'chart.svg'), svg)
    const alone = await visit(browser, 'file:///', 'about:blank')
    await alone.page.goto(pathToFileURL(join(folder, 'chart.svg')).href)
    expect(await alone.page.locator('path').count()).toBeGreaterThan(0)
  })

  it('opens from the palette, and y copies the link', async () => {
    const { page, context } = await open('/runs/two')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('y')
    await page.getByText('Copied').waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${server.url}/runs/two`)
    for (const [word, item] of [
      ['share', 'Copy link'],
      ['export', 'Uploaded document'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Go to or do' }).fill(word)
      // Before anything is listed, Enter searches for the word.
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: item }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menuitem', { name: item }).waitFor({ state: 'detached' })
    }
  })
})
