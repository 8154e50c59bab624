import { afterAll, describe, expect, it } from 'vitest'
import { axe, callApi, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'

const HOSTILE = '<img src="https://evil.example/x.png" onerror=alert(1)> \u202ewalrus'
afterAll(() => server.stop())

const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { ...look, session })
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
for (let n = 0; n < 5; n++)
  await uploadDocument(server, {
    run_id: `run-${n}`,
    suite: n === 4 ? 'deep' : 'smoke',
    finished_at: new Date(Date.UTC(2026, 4, 1 + n)).toISOString(),
    origin: { note: n === 0 ? HOSTILE : `note ${n}` },
    cases: [
      aCase({ cell: { test_id: 'common' }, output: 'A walrus swims.', status: n === 0 ? 'fail' : 'pass' }),
      ...Array.from({ length: n === 4 ? 25 : 0 }, (_, i) =>
        aCase({ cell: { test_id: `test-${i}` }, name: `Case ${i}`, output: HOSTILE }),
      ),
      ...(n === 4 ? [aCase({ cell: { test_id: 'no spaces' }, output: '我们明天去东京都看朋友' })] : []),
    ],
  })
for (let n = 0; n < 8; n++)
  await uploadDocument(server, {
    run_id: `heron-${n}`,
    project: n === 0 ? 'wanted' : 'birds',
    finished_at: new Date(Date.UTC(2026, 3, 1 + n)).toISOString(),
    origin: { note: `heron ${n}` },
    cases: [aCase({ output: 'x' })],
  })

describe('the search page', () => {
  it('folds the cases of one test', async () => {
    const { page } = await open('/search?q=walrus')
    await page.getByRole('link', { name: 'common' }).first().waitFor()
    await page.getByRole('button', { name: 'Unfold common, 4 cases' }).click()
    await page.getByRole('button', { name: 'Show the other 1' }).click()
  })

  it('finds comments, and leads to the run or the case that they are on', async () => {
    const { case_key } = aCase({ cell: { test_id: 'common' } })
    for (const [text, key] of [
      ['Ibis: the judge was too strict.', null],
      [`Ibis again ${HOSTILE}`, case_key],
    ])
      await fetch(`${server.url}/api/v1/runs/run-2/comments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text, case_key: key }),
      })
    const { page, complaints } = await open('/search?q=ibis')
    const comments = page.getByRole('region', { name: 'Comments' })
    await comments.getByRole('listitem').nth(1).waitFor()
    await page.getByText('2 comments and 0 cases contain ibis').waitFor()
    expect(await comments.locator('mark').allInnerTexts()).toEqual(['Ibis', 'Ibis'])
    expect(
      await comments.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual([`/runs/run-2/cases/${case_key}?find=ibis`, '/runs/run-2'])
    expect(await axe(page)).toEqual([])
    await comments.getByRole('link', { name: 'note 2' }).click()
    await page.waitForURL('**/runs/run-2')
    expect(complaints).toEqual([])
  })

  it('finds a word in text without spaces, marks it, and finds it in the case', async () => {
    const { page } = await open(`/search?q=${encodeURIComponent('东京')}`)
    await page.getByText('1 case contains 东京').waitFor()
    const cases = page.getByRole('region', { name: 'Cases' })
    expect(await cases.locator('mark').allInnerTexts()).toEqual(['东京'])
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: 'no spaces' }).first().click()
    await page.waitForURL('**/runs/run-4/cases/*')
    await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size ?? 0")).toBeGreaterThan(0)
  })

  it('says of a text that the index cannot know that it has words, and offers the search within a run', async () => {
    const { page } = await open('/search?q=alrus.sw')
    await page.getByText('No words are found for alrus.sw').waitFor()
    await page.getByRole('heading', { name: 'The search cannot know all that contains this' }).waitFor()
    expect(await page.getByText('0 cases contain').count()).toBe(0)
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: 'Search within note 4' }).click()
    await page.waitForURL('**/runs/run-4?q=*')
  })

  it('finds a run, a case and a test by their ids', async () => {
    const { page } = await open('/search?q=run-3')
    const runs = page.getByRole('region', { name: 'Runs' })
    expect(await runs.getByRole('link').first().getAttribute('href')).toBe('/runs/run-3')
    expect(await runs.locator('mark').allInnerTexts()).toEqual(['run-3'])
    await page.goto('/search?q=test-17')
    await page.getByRole('region', { name: 'Cases' }).getByText('id').first().waitFor()
    expect(await page.getByRole('region', { name: 'Cases' }).locator('mark').first().innerText()).toBe('test-17')
  })

  it('works by keyboard, and keeps its words and filters in the URL', async () => {
    const { page } = await open('/runs')
    await page.getByRole('combobox', { name: 'Search runs, cases and outputs' }).fill('walrus')
    await page.getByRole('link', { name: /^All results/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/search?q=walrus')
    // Without a chosen hit, Enter does the same, also before there are hits.
    await page.getByRole('combobox', { name: 'Search runs, cases and outputs' }).fill('common')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=common')
    // The whole id of a run chooses it.
    await page.getByRole('combobox', { name: 'Search runs, cases and outputs' }).fill('run-3')
    await page.locator('[role=option][aria-selected=true][href="/runs/run-3"]').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/run-3')
    await page.goto('/search?q=walrus')
    await page.getByRole('link', { name: 'common' }).first().waitFor()
    await page.getByRole('button', { name: /^Fail/ }).click()
    await page.waitForURL('**/search?q=walrus&status=fail')
    await page.getByText('1 case contain').waitFor()
    expect(await page.getByRole('button', { name: /^Fail/ }).getAttribute('aria-pressed')).toBe('true')
    await page.reload()
    await page.getByText('1 case contain').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'More results' }).click()
    await page.getByText('That is all.').waitFor()
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/*/cases/*')
    // The words that were searched are marked in the case.
    await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size ?? 0")).toBeGreaterThan(0)
  })

  it('says that nothing matches, and offers each word alone', async () => {
    const { page } = await open('/search?q=walrus+zebra')
    await page.getByRole('heading', { name: 'Nothing contains all of these words' }).waitFor()
    expect(await page.getByRole('list', { name: 'Each word alone' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Search “walrus” only\s+\d+ cases/),
      expect.stringMatching(/“zebra”\s+in no case/),
    ])
    await page.getByRole('button', { name: 'Search “walrus” only' }).click()
    await page.getByRole('link', { name: 'common' }).first().waitFor()
  })

  it('shows why a search failed, and tries again', async () => {
    const { page } = await open('/search')
    await page.getByRole('heading', { name: 'Search runs, cases and comments' }).waitFor()
    await page.route('**/api/v1/search/cases**', (route) => route.abort())
    await page.getByRole('textbox', { name: 'Words' }).fill('walrus')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The search failed' }).waitFor()
    await page.unroute('**/api/v1/search/cases**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'common' }).first().waitFor()
  })

  it('has a region of runs, marks the words, and filters by a suite', async () => {
    const { page } = await open('/search?q=walrus')
    const runs = page.getByRole('region', { name: 'Runs' })
    expect(await runs.getByRole('link').getAttribute('href')).toBe('/runs/run-0')
    expect(await runs.locator('mark').allInnerTexts()).toEqual(['walrus'])
    const cases = page.getByRole('region', { name: 'Cases' })
    const marked = await cases.locator('mark').allInnerTexts()
    expect(marked.length).toBeGreaterThan(0)
    expect(new Set(marked)).toEqual(new Set(['walrus']))
    await page.getByText('1 run, 1 comment and 30 cases contain').waitFor()
    const suite = page.getByRole('complementary', { name: 'Filters' }).getByRole('button', { name: 'chat / smoke 4' })
    expect(await suite.getAttribute('aria-pressed')).toBe('false')
    await suite.click()
    await page.waitForURL('**/search?q=walrus&project=chat&suite=smoke')
    await page.getByText(/^1 run.* and 4 cases contain/).waitFor()
    expect(await suite.getAttribute('aria-pressed')).toBe('true')
    expect(await page.getByRole('search').last().locator('.chip').allInnerTexts()).toEqual([
      expect.stringMatching(/project\s*chat/),
      expect.stringMatching(/suite\s*smoke/),
    ])
    // The run with the words is of the other suite.
    await page.goto('/search?q=walrus&project=chat&suite=deep')
    await page.getByText(/^(?:1 comment and )?26 cases contain/).waitFor()
    expect(await runs.count()).toBe(0)
  })

  it('counts all runs, filters them on the server, and shows the rest on demand', async () => {
    const { page } = await open('/search?q=heron&project=wanted')
    const runs = page.getByRole('region', { name: 'Runs' })
    const links = runs.getByRole('link')
    await page.getByText('1 run and 0 cases contain').waitFor()
    expect(await links.getAttribute('href')).toBe('/runs/heron-0')
    await page.getByRole('button', { name: 'Remove filter project wanted' }).click()
    await page.getByText('8 runs and 0 cases contain').waitFor()
    expect(await runs.getByRole('heading').innerText()).toMatch(/^Runs\s*8$/)
    expect(await links.count()).toBe(6)
    await page.getByRole('button', { name: 'More runs' }).click()
    await runs.locator('a[href="/runs/heron-0"]').waitFor()
    expect(new Set(await Promise.all((await links.all()).map((link) => link.getAttribute('href'))))).toEqual(
      new Set(Array.from({ length: 8 }, (_, n) => `/runs/heron-${n}`)),
    )
    expect(await page.getByRole('button', { name: 'More runs' }).count()).toBe(0)
  })

  it('names a run by the title that was added to it, on one line, also on a phone', async () => {
    await callApi(server.url, server.token, 'PATCH', '/runs/run-1/annotations', {
      title: 'The osprey release',
      add_tags: ['rc'],
    })
    for (const width of [390, 1440]) {
      const { page } = await open('/search?q=osprey', { width })
      const run = page.getByRole('region', { name: 'Runs' }).getByRole('listitem')
      await run.getByRole('link', { name: 'The osprey release' }).waitFor()
      expect(await run.locator('mark').allInnerTexts()).toEqual(['osprey'])
      await run.getByText('chat / smoke, rc').waitFor()
      const [time, name] = [await run.locator('time').boundingBox(), await run.boundingBox()]
      expect(
        Math.abs((time?.y ?? 0) + (time?.height ?? 0) / 2 - (name?.y ?? 0) - (name?.height ?? 0) / 2),
      ).toBeLessThan(4)
      expect(await axe(page)).toEqual([])
    }
  })

  it('shows the words that were found in each line on a phone', async () => {
    const { page } = await open('/search?q=walrus', { width: 390 })
    const marks = page.getByRole('region', { name: 'Cases' }).locator('mark')
    await marks.first().waitFor()
    for (const mark of await marks.all()) {
      const isInView = await mark.evaluate((element) => {
        const line = element.closest('.cut')?.getBoundingClientRect()
        const { right, bottom } = element.getBoundingClientRect()
        return line !== undefined && right <= line.right + 1 && bottom <= line.bottom + 1
      })
      expect(isInView).toBe(true)
    }
  })

  it('shows hostile text as it is stored', async () => {
    const { page } = await open('/search?q=walrus+evil')
    const regions = [page.getByRole('region', { name: 'Runs' }), page.getByRole('region', { name: 'Cases' })]
    for (const region of regions) {
      await region.getByText('<img src=').first().waitFor()
      const mark = region.locator('[title="U+202E, right-to-left override"]').first()
      expect(await mark.innerText()).toBe('U+202E')
      expect(await region.innerText()).not.toContain('\u202e')
      expect(await region.locator('img').count()).toBe(0)
    }
  })

  it('shows a status that does not exist as such', async () => {
    const { page } = await open('/search?q=walrus&status=odd')
    await page.getByRole('heading', { name: 'A filter has a value that does not exist' }).waitFor()
    await page.getByText('odd is no value of status. Its values are pass, fail, error').waitFor()
    await page.getByRole('button', { name: 'Remove filter status odd' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove status', exact: true }).click()
    await page.waitForURL('**/search?q=walrus')
    await page.getByRole('link', { name: 'common' }).first().waitFor()
  })
})
