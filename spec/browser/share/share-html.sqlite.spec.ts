import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { readTemplate } from '../../../cli/share-html/page.ts'
import { axe, isTooWide, openBrowser, THEMES, visit } from '../../support/browser.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { judgedRun } from '../../support/documents/queues.ts'
import { writePage } from '../../support/share/write-page.ts'

/** Text that takes the page over wherever it is read as markup or as script. */
const PAYLOAD =
  '</script><script>document.title="taken over"</script><img src="https://elsewhere.invalid/x.png" onerror="document.title=\'taken over\'"><!--'

/** A case with the payload in each of its texts. */
const hostile = (fields: Parameters<typeof aCase>[0] = {}): ACase =>
  aCase({
    cell: { test_id: `t${PAYLOAD}`, provider_id: `m${PAYLOAD}`, prompt_id: `p${PAYLOAD}` },
    case_key: `k/../${PAYLOAD}`,
    name: PAYLOAD,
    status: 'fail',
    tags: [PAYLOAD],
    vars: { [PAYLOAD]: PAYLOAD },
    output: `# ${PAYLOAD}\n[press](javascript:alert(1))`,
    prompt: { messages: [{ role: 'user', content: PAYLOAD }] },
    request: { model: PAYLOAD },
    raw: { [PAYLOAD]: PAYLOAD },
    error: PAYLOAD,
    error_details: { at: PAYLOAD },
    error_class: PAYLOAD,
    stop_reason: PAYLOAD,
    reasoning: PAYLOAD,
    tool_calls: [{ id: 'c', name: PAYLOAD, arguments: { [PAYLOAD]: PAYLOAD } }],
    asserts: [
      { kind: 'contains', status: 'fail', score: 0, weight: 1, reason: PAYLOAD, details: PAYLOAD, criteria: PAYLOAD },
    ],
    ...fields,
  })

const plain = (test_id: string, fields: Omit<Parameters<typeof aCase>[0], 'cell'> = {}, provider_id = 'model'): ACase =>
  aCase({ cell: { test_id, provider_id }, ...fields })
const tests = Array.from({ length: 300 }, (_, n) => `test-${n}`)
const BASE = aDocument({
  run_id: 'base-run',
  origin: { note: 'Before' },
  config_snapshot: { temperature: 0 },
  cases: [...tests.map((id) => plain(id)), plain('test-0', {}, 'other'), hostile()],
})
const HEAD = aDocument({
  run_id: `head/${PAYLOAD}`,
  project: `chat${PAYLOAD}`,
  suite: `smoke${PAYLOAD}`,
  origin: { note: `After ${PAYLOAD}`, actor: PAYLOAD, host: PAYLOAD },
  git: { branch: PAYLOAD, commit: PAYLOAD, dirty: true },
  ci: { provider: PAYLOAD, run_url: 'javascript:alert(1)' },
  filters: { tags: [PAYLOAD] },
  config_snapshot: { temperature: 1, [PAYLOAD]: PAYLOAD },
  cases: [
    ...tests.map((id, n) =>
      plain(
        id,
        n === 7 ? { status: 'fail', output: 'Farewell to the needle.', tags: ['rare'] } : { output: `Answer ${n}` },
      ),
    ),
    plain('test-0', { output: 'x'.repeat(5_000) }, 'other'),
    hostile({ output: `changed ${PAYLOAD}` }),
  ],
})

const folder = mkdtempSync(join(tmpdir(), 'ers-spec-pages-'))
const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href
afterAll(() => rmSync(folder, { recursive: true }))

/** Opens a page from the disk. `requests` are all that it asks for but itself. */
const open = async (name: string, look: Parameters<typeof visit>[3] = {}) => {
  const opened = await visit(browser, 'file:///', 'about:blank', look)
  const requests: string[] = []
  opened.page.on('request', (request) => {
    if (!request.url().startsWith('file:')) requests.push(request.url())
  })
  await opened.page.goto(urlOf(name))
  return { ...opened, requests }
}

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Cases' }).locator('table tbody tr')
const go = (page: Page, name: 'Comparison' | 'Head' | 'Base') =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
const [browser] = await Promise.all([
  openBrowser(),
  writePage(join(folder, 'compared.html'), HEAD, BASE, { without: [], with: [], max_output_bytes: 4096 }),
])
writeFileSync(join(folder, 'empty.html'), readTemplate())

describe('a run as one page', () => {
  it.each(THEMES)('shows comparison, cases, a case and matrix in the %s theme, without a request', async (theme) => {
    const { page, complaints, requests } = await open('compared.html', { theme, width: 1280 })
    await page.getByRole('heading', { name: 'Too few to call' }).or(page.locator('#verdict')).first().waitFor()
    await page.getByText('Outputs beyond 4 KiB are cut.').waitFor()
    const compared = page.getByRole('link', { name: /^test-7/ })
    await compared.click()
    await page.getByText('Open the case of').last().waitFor()
    await page.getByRole('heading', { name: 'Configuration' }).scrollIntoViewIfNeeded()
    await page.getByText('of 2 recorded settings').waitFor()
    // At the top, the fixed header covers no part of a button.
    await page.evaluate('window.scrollTo(0, 0)')
    expect(await axe(page)).toEqual([])

    await page.getByText('Open the case of').last().click()
    const drawer = page.locator('.case-drawer')
    await drawer.getByText('Farewell to the needle.').waitFor()
    expect(await axe(page)).toEqual([])
    // The cases are failures first, also for the keys.
    const shown = await rowsOf(page).getByRole('link').allInnerTexts()
    expect([shown[0], shown[2], shown[3]]).toEqual(['test-7', 'test-0', 'test-1'])
    await drawer.getByText('1 of 302').waitFor()
    for (const [key, number, status] of [
      ['j', 2, 'Fail'],
      ['j', 3, 'Pass'],
      ['k', 2, 'Fail'],
      ['k', 1, 'Fail'],
    ] as const) {
      await page.keyboard.press(key)
      await drawer.getByText(`${number} of 302`).waitFor()
      await expect.poll(() => drawer.locator('.pill').innerText()).toBe(status)
    }
    await drawer.getByRole('heading', { name: 'test-7' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: /^Matrix/ }).click()
    await page.getByRole('grid').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('t')
    expect(await page.locator('html').getAttribute('data-theme')).toBe(theme === 'light' ? 'dark' : 'light')
    expect([await page.title(), requests, complaints]).toEqual([
      expect.not.stringMatching(/^taken over/) as unknown,
      [],
      [],
    ])
  })

  it('filters, sorts and searches the cases, and unpacks only what it shows', async () => {
    const { page, complaints, requests } = await open('compared.html')
    // The page is shown when all but the cases in full is unpacked.
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.evaluate(`{
      const Stream = DecompressionStream
      window.unpacked = 0
      window.DecompressionStream = class extends Stream { constructor(format) { super(format); window.unpacked++ } }
    }`)
    const unpacked = () => page.evaluate<number>('window.unpacked')
    await go(page, 'Base')
    await page.getByText('302 cases', { exact: true }).waitFor()
    await go(page, 'Head')
    await page.getByRole('heading', { name: /^After/ }).waitFor()
    expect(await unpacked()).toBe(0)
    await page.getByRole('button', { name: /Fail 2/ }).click()
    await page.getByText('2 cases', { exact: true }).waitFor()
    await page.getByRole('button', { name: /Fail 2/ }).click()
    await page.getByRole('region', { name: 'Cases' }).getByRole('button', { name: 'Latency' }).click()
    await page.getByText('slowest first', { exact: true }).waitFor()
    expect(await unpacked()).toBe(0)

    const search = page.getByRole('search').getByRole('textbox').or(page.getByRole('searchbox')).first()
    await search.fill('NEEDLE')
    await page.getByText('1 case', { exact: true }).waitFor()
    expect(await unpacked()).toBe(2)
    await rowsOf(page).getByRole('link', { name: 'test-7' }).click()
    await page.locator('.case-drawer').getByText('Farewell to the needle.').waitFor()
    expect(await unpacked()).toBe(2)
    await page.keyboard.press('Escape')
    await search.fill('')
    await search.fill('tag:rare')
    await search.press('Enter')
    await page.getByText('1 case', { exact: true }).waitFor()
    expect([requests, complaints]).toEqual([[], []])
  })

  it('chooses the columns of the cases that the file has, which no field can group', async () => {
    const { page, complaints, requests } = await open('compared.html', { width: 1440 })
    await go(page, 'Base')
    await page.getByText('302 cases', { exact: true }).waitFor()
    const latency = page.getByRole('region', { name: 'Cases' }).getByRole('columnheader', { name: 'Latency' })
    await latency.waitFor()
    await page.getByRole('button', { name: 'Columns and groups' }).click()
    const panel = page.getByRole('group', { name: 'Columns and groups' })
    await panel.getByRole('combobox', { name: 'Group by' }).waitFor({ state: 'detached' })
    expect(await panel.getByRole('alert').count()).toBe(0)
    expect(await axe(page)).toEqual([])
    await panel.getByRole('checkbox', { name: 'Latency' }).uncheck()
    await latency.waitFor({ state: 'detached' })
    expect([requests, complaints]).toEqual([[], []])
  })

  it('shows hostile texts as text, in every part of a case, and on a narrow screen', async () => {
    const { page, complaints, requests } = await open('compared.html', { width: 390 })
    await go(page, 'Head')
    const search = page.getByRole('search').getByRole('textbox').or(page.getByRole('searchbox')).first()
    await search.fill('taken over')
    await page.getByText('1 case', { exact: true }).waitFor()
    expect(await isTooWide(page)).toBe(false)
    await rowsOf(page).getByRole('link').first().click()
    const drawer = page.locator('.case-drawer')
    const parts = drawer.getByRole('navigation', { name: 'Parts of the case' }).getByRole('link')
    await parts.filter({ hasText: 'Result' }).waitFor()
    for (const name of await parts.allInnerTexts()) {
      await parts.filter({ hasText: name.split('\n')[0] ?? '' }).click()
      await drawer.getByText('taken over').first().waitFor()
      expect(await isTooWide(page)).toBe(false)
    }
    expect(await page.locator('main img, main iframe, a[href^="javascript:"]').count()).toBe(0)
    // The address of the case opens it again.
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await drawer.getByRole('heading', { level: 2 }).waitFor()
    expect([await page.title(), requests, complaints]).toEqual([
      expect.not.stringMatching(/^taken over/) as unknown,
      [],
      [],
    ])
  })

  it('names at its foot the runs and how to check them', async () => {
    const { page } = await open('compared.html')
    const foot = page.getByRole('contentinfo')
    await foot.getByText('base-run', { exact: true }).waitFor()
    expect(await foot.getByText(/^sha256:[\da-f]{64}$/).count()).toBe(4)
    await foot.getByText('How to check this').click()
    await foot.getByText('ers check-receipt', { exact: false }).waitFor()
    await page.goto(`${urlOf('compared.html')}#/nowhere`)
    await page.locator('#verdict').waitFor()
  })

  it('says what is left out', async () => {
    const parts = { without: ['outputs'] as const, with: [], max_output_bytes: null }
    await writePage(join(folder, 'without.html'), aDocument(), BASE, parts)
    const { page } = await open('without.html')
    await page.getByRole('note').getByText('Left out of this file: outputs').waitFor()
    await page.getByText('The configurations are left out of this file.').waitFor()
    await page.getByRole('button', { name: 'Swap' }).click()
    await page.getByText('The configurations are left out of this file.').waitFor()
    await go(page, 'Head')
    await rowsOf(page).getByRole('link').first().click()
    await page.locator('.case-drawer').getByText('[left out of this file]').waitFor()
  })

  it('has no button that would ask a server what people say of the judge', async () => {
    const judged = judgedRun('judged', 20, 12)
    await writePage(join(folder, 'judged.html'), judgedRun('judged-before', 20, 15), judged)
    const { page } = await open('judged.html')
    await page.locator('#verdict').waitFor()
    expect(await page.getByRole('button', { name: 'Correct for errors of the judge' }).count()).toBe(0)
    await go(page, 'Head')
    await rowsOf(page).first().waitFor()
    expect(await page.getByRole('button', { name: 'How good is the judge?' }).count()).toBe(0)
  })

  it('says that it has no run if it has none', async () => {
    const { page } = await open('empty.html')
    await page.getByRole('alert').getByText('This page has no run').waitFor()
  })
})
