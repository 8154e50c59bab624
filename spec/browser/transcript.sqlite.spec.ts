import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentTranscript } from '../../bench/soak/agent-transcript.ts'
import { axe, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'
import { AN_AGENT, transcriptOf } from '../support/transcripts/transcripts.ts'
import { uploadTranscript } from '../support/transcripts/upload-transcript.ts'

const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
afterAll(() => server.stop())

const caseOf = (repeat: number) => aCase({ cell: { test_id: 'dates', repeat } })
const [FIRST, SECOND, BARE] = [caseOf(0), caseOf(1), aCase({ cell: { test_id: 'bare' } })]
const LONG = 3000
const long = (seed: number): Buffer => Buffer.concat([...agentTranscript({ events: LONG, resultBytes: 700, seed })])
const ODD = aCase({ cell: { test_id: 'odd' } })
const ALIKE = aCase({ cell: { test_id: 'alike' } })
/** Tool calls of one kind, of which the eighth has the searched text in line 30 of its result. */
const READS = Array.from({ length: 12 }, (_, i) => ({
  type: 'tool',
  parent: 'main',
  name: 'read_file',
  arguments: { path: `src/${i}.ts` },
  result: Array.from(
    { length: 40 },
    (_unused, line) => `${i}: ${i === 7 && line === 30 ? 'needle' : 'line'} ${line}`,
  ).join('\n'),
}))
const MANY_ALIKE = [
  { type: 'span', id: 'main', kind: 'agent', name: 'main' },
  { type: 'message', parent: 'main', role: 'user', content: 'Read them all.' },
  ...READS,
  { type: 'message', parent: 'main', role: 'assistant', content: 'Done.' },
  ...Array.from({ length: 700 }, (_, i) => ({ type: 'state', parent: 'main', content: `state ${i}` })),
  { type: 'score', name: 'all read', value: 1, passed: true },
]

beforeAll(async () => {
  await uploadDocument(server, { run_id: 'r', cases: [FIRST, SECOND, BARE, ODD, ALIKE] })
  await uploadDocument(server, { run_id: 'later', cases: [ODD] })
  await uploadTranscript(server, { run_id: 'later', case_key: ODD.case_key }, transcriptOf(AN_AGENT.slice(0, 6)))
  await uploadTranscript(server, { run_id: 'r', case_key: FIRST.case_key }, long(1))
  await uploadTranscript(server, { run_id: 'r', case_key: SECOND.case_key }, long(2))
  await uploadTranscript(server, { run_id: 'r', case_key: ODD.case_key }, transcriptOf(AN_AGENT))
  await uploadTranscript(server, { run_id: 'r', case_key: ALIKE.case_key }, transcriptOf(MANY_ALIKE))
})

const pathOf = ({ case_key }: { readonly case_key: string }, query = ''): string =>
  `/runs/r/cases/${case_key}/transcript${query}`
const open = async (path: string, look: Parameters<typeof visit>[3] = {}) =>
  (await visit(browser, server.url, path, { width: 1440, ...look, session })).page
const chosen = (page: Page) => page.locator('.events li[aria-current]')
const detail = (page: Page, n: number) => page.getByRole('article', { name: `Event ${n}`, exact: true })

describe('the page of a transcript', () => {
  it('is reached from the case, and opens on the event of its address', async () => {
    const page = await open(`/runs/r/cases/${FIRST.case_key}`)
    await page.getByRole('link', { name: 'Transcript' }).click()
    await page.getByRole('heading', { name: 'Transcript of dates' }).waitFor()
    await chosen(page).getByText('Begins').waitFor()
    await page.goto(pathOf(FIRST, `?e=${LONG - 1}`))
    await chosen(page).filter({ hasText: '2,999' }).waitFor()
    await detail(page, LONG - 1).waitFor()
    expect(await page.locator('.events li').count()).toBeLessThanOrEqual(80)
  })

  it('is read with the keys alone', async () => {
    const page = await open(pathOf(ODD))
    await chosen(page).waitFor()
    const keys = async (key: string, n: number): Promise<void> => {
      await page.keyboard.press(key)
      await detail(page, n).waitFor()
    }
    await keys('j', 2)
    await keys('k', 1)
    await keys('l', 2)
    await keys('e', 7)
    await keys('h', 6)
    await keys('h', 1)
    await page.getByRole('searchbox', { name: 'Find in this transcript' }).fill('29 FEBRUARY')
    await page.keyboard.press('Enter')
    // It is in an output of which the page shows only the beginning.
    await detail(page, 7).waitFor()
    await page.getByRole('status').filter({ hasText: '1 of 1' }).waitFor()
    await page.getByRole('group', { name: 'List of events' }).focus()
    await keys('ArrowDown', 8)
    await keys('N', 7)
    await page.keyboard.press('o')
    await detail(page, 7).getByText('reads 29 February').waitFor()
    await chosen(page).getByText('reads 29 February').waitFor()
    await page.keyboard.press('o')
    await chosen(page).getByRole('button', { name: 'Show 54 more lines' }).waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.press('y')
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
    expect(new URL(page.url()).searchParams.get('e')).toBe('7')
  })

  it('folds equal neighbours and long results, and finds what is folded', async () => {
    const page = await open(pathOf(ALIKE))
    await chosen(page).waitFor()
    const numbers = () =>
      page
        .locator('.space > li')
        .evaluateAll((rows) => rows.map((row) => row.querySelector('.figures b, .run .figures')?.textContent))
    await expect.poll(numbers).toEqual(['1', '2', '3–14', '15', '16–715', '716'])
    await page.getByText('12 events of the same kind: tool read_file').waitFor()
    for (const n of [2, 3, 15]) {
      await page.keyboard.press('j')
      await detail(page, n).waitFor()
    }
    await page.keyboard.press('k')
    await page.keyboard.press('o')
    await expect.poll(numbers).toContain('4')
    await chosen(page).getByRole('button', { name: 'Show 32 more lines' }).click()
    await chosen(page).getByText('0: line 39').waitFor()
    await page.getByRole('button', { name: /12 events of the same kind/ }).click()
    await expect.poll(numbers).toEqual(['1', '2', '3–14', '15', '16–715', '716'])
    await page.getByRole('searchbox', { name: 'Find in this transcript' }).fill('needle')
    await page.keyboard.press('Enter')
    await detail(page, 10).waitFor()
    await chosen(page).getByText('src/7.ts').waitFor()
    await page.goto(pathOf(ALIKE, '?e=400'))
    await detail(page, 400).waitFor()
    await chosen(page).filter({ hasText: 'state 384' }).waitFor()
    expect(await page.locator('.space > li').count()).toBeLessThanOrEqual(80)
  })

  it('shows only what is chosen: a type of events, or an agent', async () => {
    const page = await open(pathOf(ODD))
    await chosen(page).waitFor()
    const rows = page.locator('.space > li')
    const titles = () => page.locator('.space > li .hd > b').allTextContents()
    await page.getByRole('button', { name: /^Messages 4/ }).click()
    await expect.poll(titles).toEqual(['Message', 'Message', 'Message', 'Message'])
    expect(await rows.count()).toBe(4)
    await page.getByRole('button', { name: /^Tools 1/ }).click()
    await expect.poll(titles).toEqual(['Tool'])
    await page.getByRole('button', { name: /^All/ }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(6)
    await page.getByRole('navigation', { name: 'Agents and steps' }).getByText('explorer').click()
    await expect.poll(() => rows.count()).toBe(3)
  })

  it('runs nothing of what is stored', async () => {
    const page = await open(pathOf(ODD, '?e=7'))
    await detail(page, 7).waitFor()
    await page.getByRole('button', { name: 'Messages', exact: true }).click()
    await page.getByText('<script>document.title = 1</script>').waitFor()
    expect(await page.title()).toContain('Transcript of odd')
    expect(await page.locator('main img').count()).toBe(0)
  })

  it('has the messages alone, and what another trial did differently', async () => {
    const page = await open(pathOf(FIRST, '?view=messages'))
    await page.getByRole('region', { name: 'Messages' }).getByText('Find out').waitFor()
    await page.getByRole('button', { name: 'Differences', exact: true }).click()
    const differences = page.getByRole('region', { name: 'Differences' })
    await differences
      .getByText(/events the same, [\d,]+ only here/)
      .first()
      .waitFor()
    await differences
      .getByText(/^Here the first tool call that differs is\s+event [\d,]+: Tool .*; until then .* in · /)
      .waitFor()
    await differences.getByText(/^There the first tool call that differs is\s+event [\d,]+: Tool /).waitFor()
    await differences
      .getByRole('button', { name: /^event / })
      .first()
      .click()
    await chosen(page).waitFor()
    expect(Number(new URL(page.url()).searchParams.get('e'))).toBeGreaterThan(1)
  })

  it('is compared with that of another run of the suite', async () => {
    const page = await open(pathOf(ODD, '?view=differences'))
    const differences = page.getByRole('region', { name: 'Differences' })
    await differences.getByText(/^6 events the same, [\d,]+ only here, 0 only there/).waitFor()
    expect(await differences.getByRole('combobox').innerText()).toMatch(/^run of \d{4}-/)
  })

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('passes axe at %i px, %s', async (width, theme) => {
    const page = await open(pathOf(ODD, '?e=7'), { width, theme })
    await chosen(page).waitFor()
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    if (width > 400) return
    await page.getByRole('button', { name: 'Event 7' }).click()
    await detail(page, 7).waitFor()
    await page.getByRole('button', { name: 'Agents' }).click()
    await page.getByRole('navigation', { name: 'Agents and steps' }).getByRole('button', { name: /main/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('span')).toBe('1')
  })

  it('says when a case has none', async () => {
    const page = await open(pathOf(BARE))
    await page.getByText('No transcript of this case was uploaded.').waitFor()
    await page.goto('/runs/r/cases/none/transcript')
    await page.getByRole('heading', { name: 'No such case' }).first().waitFor()
  })
})
