import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../domain/run/document.ts'
import { axe, failRequests, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { recordRequests } from '../support/recorded-requests.ts'
import { upload, uploadDocument } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe'
/** Long enough to be compared in a thread. */
const longText = (word: string): string =>
  Array.from({ length: 900 }, (_, n) => `line ${n} says ${n % 50 === 7 ? word : 'the same'} again`).join('\n')

let browser: Browser
let server: RunningServer
let session: string

type Line = readonly [test: string, status: CaseStatus, output?: string]
const ingest = async (run_id: string, day: string, lines: readonly Line[], others: object = {}): Promise<void> => {
  const cases = lines.map(([test, status, output = `The answer to ${test}.`]) =>
    aCase({
      name: test,
      status,
      output,
      cell: { test_id: test },
      asserts: [
        {
          kind: 'llm-rubric',
          status: status === 'pass' ? 'pass' : 'fail',
          score: status === 'pass' ? 1 : 0,
          weight: 1,
          reason: status === 'pass' ? 'fine' : `Passed: little\nFail: ${HOSTILE}`,
          cached: false,
          criteria: { metric: `complete ${HOSTILE}`, judge: 'a judge' },
        },
      ],
      latency_ms: 120,
      tags: test === 'calls' ? ['booking'] : [],
      tool_calls: test === 'calls' ? [{ name: 'book', arguments: { to: status === 'pass' ? 'Oslo' : 'Bergen' } }] : [],
    }),
  )
  const document = aDocument({ run_id, finished_at: `2026-05-${day}T09:00:00Z`, cases, ...others })
  await upload(server, JSON.stringify(document))
}
const steady = (count: number, status: CaseStatus): Line[] =>
  Array.from({ length: count }, (_, n): Line => [`steady ${n}`, status])

/** A run whose cases took `scale` times as long, as many tokens and as much money as those of the first. */
const spend = (run_id: string, scale: number): Promise<unknown> => {
  const cases = [1, 2, 3].map((n) =>
    aCase({
      cell: { test_id: `spent ${n}` },
      latency_ms: 100 * n * scale,
      usage: { input_tokens: 1_000 * n * scale, output_tokens: 10 * n * scale },
      cost_usd: 0.25 * scale,
    }),
  )
  const summary = { grader_cost_usd: 0.01 * scale }
  return uploadDocument(server, { run_id, suite: 'spent', cases, summary })
}

/** Ten cases of maths, of which eight have the first status, and ten of code, of which two have the second. */
const tagged = (run_id: string, note: string, [maths, code]: readonly [CaseStatus, CaseStatus]): Promise<unknown> => {
  const cases = ['maths', 'code'].flatMap((tag) =>
    Array.from({ length: 10 }, (_, n) => {
      const status = tag === 'maths' && n < 8 ? maths : tag === 'code' && n < 2 ? code : 'pass'
      return aCase({
        name: `${tag} ${n}`,
        status,
        output: `${tag} ${n} of ${note}`,
        cell: { test_id: `${tag} ${n}` },
        vars: { city: n % 2 === 0 ? 'Lima' : 'Oslo' },
        tags: [tag],
        asserts: [
          {
            kind: 'llm-rubric',
            status: status === 'pass' ? 'pass' : 'fail',
            score: status === 'pass' ? 1 : 0,
            weight: 1,
            reason: 'This **fails** the rule.',
          },
        ],
      })
    }),
  )
  return uploadDocument(server, { run_id, suite: 'tagged', cases, origin: { note } })
}

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  const model = (name: string) => ({ config_snapshot: { model: name, temperature: 0 } })
  await ingest(
    'a/1',
    '01',
    [
      [HOSTILE, 'pass', `Say ${HOSTILE} now and today`],
      ['calls', 'pass'],
      ['long', 'pass', longText('yes')],
      ['mended', 'fail'],
      ['left', 'pass'],
      ...steady(12, 'pass'),
    ],
    { origin: { note: 'before' }, ...model('one') },
  )
  await ingest(
    'b',
    '02',
    [
      [HOSTILE, 'fail', `Say ${HOSTILE} then and today`],
      ['calls', 'fail'],
      ['long', 'fail', longText('no')],
      ['mended', 'pass'],
      ['arrived', 'fail'],
      ...steady(12, 'pass'),
    ],
    { origin: { note: '<b>after</b> \u202eone' }, ...model('two') },
  )
  await ingest('c', '03', [[HOSTILE, 'fail'], ['calls', 'pass'], ...steady(12, 'fail')], { origin: { note: 'third' } })
  await ingest('few', '04', [['calls', 'pass']], { suite: 'other' })
  await Promise.all([tagged('tagged-1', 'older', ['pass', 'fail']), tagged('tagged-2', 'newer', ['fail', 'pass'])])
  await Promise.all([spend('cheap', 1), spend('dear', 2), spend('dearest', 3)])
})
afterAll(() => server.stop())

const PAIR = '/compare/a%2F1/b'
const rowNames = (page: Page) => page.locator('tr[data-index] .name').allInnerTexts()
const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.innerText')

describe('a comparison of runs that follow a plan', () => {
  it('says of each what its plan shows, in one line of text, also on a narrow page', async () => {
    const registered = await fetch(`${server.url}/api/v1/plans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project: 'chat', suite: 'planned', text: 'Both.', config_digest: 'sha256:planned' }),
    })
    expect(registered.status).toBe(201)
    const planned = { suite: 'planned', config_digest: 'sha256:planned' }
    await ingest('unplanned', '01', steady(2, 'pass'), { suite: 'planned' })
    await ingest('early', '02', steady(2, 'pass'), planned)
    const started = { started_at: '2999-05-04T09:00:00Z', finished_at: '2999-05-04T09:00:01Z' }
    await ingest('later', '03', steady(2, 'fail'), { ...planned, ...started })
    await ingest('latest', '04', steady(2, 'fail'), { ...planned, ...started, finished_at: '2999-05-04T09:00:07Z' })

    const { page } = await visit(browser, server.url, '/compare/early/later', { session })
    const plans = page.locator('.plan')
    await plans.first().waitFor()
    expect((await plans.allTextContents()).map((text) => text.replace(/ \(.*?\)/, ''))).toEqual([
      'Plan of the first Registered just now, before the upload, but by its own dates the run began before the plan · attempt 1 of 3 late',
      'Plan of the second Registered just now, before the upload · attempt 2 of 3',
    ])
    expect(await axe(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    for (const label of ['Plan of the first', 'Plan of the second']) {
      const [name, link] = await Promise.all([
        page.getByText(label, { exact: true }).boundingBox(),
        plans.filter({ hasText: label }).getByRole('link').boundingBox(),
      ])
      expect(Math.abs((name?.y ?? 0) - (link?.y ?? 99)), label).toBeLessThan(8)
    }
    await page.goto('/compare/unplanned/later')
    await plans.first().waitFor()
    expect(await plans.count()).toBe(1)
    // Of one suite and one minute: they differ in the second.
    await page.goto('/compare/later/latest')
    const heading = page.getByRole('heading', { level: 1 })
    await expect
      .poll(() => heading.innerText())
      .toMatch(/planned · 2999-05-04 09:00:01 UTC and planned · 2999-05-04 09:00:07 UTC$/)
  })
})

describe('a comparison of two runs', () => {
  it('shows the verdict, the measures and the cases, with stored text as text', async () => {
    const { page } = await visit(browser, server.url, `${PAIR}?filter=all`, { session })
    await page.getByRole('heading', { name: 'Too few changes to tell' }).waitFor()
    // The configurations are loaded when they are first in view.
    await page.getByRole('heading', { name: 'Configuration' }).scrollIntoViewIfNeeded()
    await page.getByText('1 of 2 recorded settings differs').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      'Too few changes to tell: before and <b>after</b> ⟨U+202E⟩one',
    )
    await page.locator('tr[data-index]').first().locator('.name').click()
    await page.locator('.dr ins').first().waitFor()
    expect(await page.locator('.det img').count()).toBe(0)
  })

  it('has time, tokens and cost of both runs side by side', async () => {
    const { page } = await visit(browser, server.url, '/compare/cheap/dear', { session, width: 1440 })
    const table = page.getByRole('table', { name: /^Measures of/ })
    await table.waitFor()
    const cells = async (name: string) => {
      const row = table.locator('tbody tr', { has: page.getByRole('rowheader', { name, exact: true }) })
      return (await row.locator('td').allTextContents()).map((text) => text.trim())
    }
    expect(await cells('Time, median of a case')).toEqual([
      '200 ms',
      '400 ms',
      'a typical case: 2.0 times, slower2.00 to 2.00 · 600 ms to 1.2 s in all',
    ])
    expect(await cells('Output tokens, median')).toEqual([
      '20',
      '40',
      'a typical case: 2.0 times, more2.00 to 2.00 · 60 to 120 in all',
    ])
    expect(await cells('Input tokens, median')).toEqual([
      '2,000',
      '4,000',
      'a typical case: 2.0 times, more2.00 to 2.00 · 6k to 12k in all',
    ])
    expect(await cells('Cost of systems')).toEqual(['$0.75', '$1.50', 'a typical case: 2.0 times, dearer2.00 to 2.00'])
    expect(await cells('Cost of grading')).toEqual(['$0.01', '$0.02', '2.0 times, dearer'])
    const heads = (await table.getByRole('columnheader').allTextContents()).map((text) => text.trim())
    expect(heads.slice(1, 3)).toEqual(['cheap', 'dear'])
  })

  it('has in narrow heads what differs between long names, and after equal names of cases what differs', async () => {
    const common = 'a system that is served by the model'
    for (const [run_id, model, status] of [
      ['twin-1', 'claude-2', 'pass'],
      ['twin-2', 'claude-2.1', 'fail'],
    ] as const) {
      const cases = ['memory/first', 'memory/second', `memory/only in ${run_id}`].map((test_id) =>
        aCase({ name: `How well the agent remembers ${'its goal '.repeat(20)}`, status, cell: { test_id } }),
      )
      await uploadDocument(server, { run_id, suite: 'twins', cases, origin: { note: `${common} ${model}` } })
    }
    for (const width of [1440, 390]) {
      const { page } = await visit(browser, server.url, '/compare/twin-1/twin-2', { session, width })
      const rows = page.locator('tr[data-index]')
      await rows.nth(1).waitFor()
      for (const [n, id] of ['first', 'second'].entries()) {
        const [row, shown] = await Promise.all([
          rows.nth(n).boundingBox(),
          rows.nth(n).getByText(id, { exact: true }).boundingBox(),
        ])
        expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThan((row?.x ?? 0) + (row?.width ?? 0))
      }
      const heads = (await page.locator('thead').allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '))
      expect(heads).toEqual([
        expect.stringMatching(/…claude-2 ?…claude-2\.1/),
        expect.stringMatching(/…claude-2 ?…claude-2\.1 ?Change.*Time, …claude-2 ?Time, …claude-2\.1/),
      ])
      for (const words of ['Only in …claude-2 1', 'Only in …claude-2.1 1'])
        await page.getByRole('button', { name: words, exact: true }).waitFor()
      expect(await axe(page)).toEqual([])
      if (width === 390) continue
      // Nothing of a head is cut, in one line or in two.
      const cut = await page
        .locator('thead .cut')
        .evaluateAll((all) =>
          all.flatMap((of) =>
            of.scrollWidth > of.clientWidth || of.scrollHeight > of.clientHeight + 1 ? [of.textContent] : [],
          ),
        )
      expect(cut).toEqual([])
    }
  })

  it('groups the cases by what happened to them, with their counts, and each group is a filter', async () => {
    const { page } = await visit(browser, server.url, `${PAIR}?filter=all`, {
      session,
      height: 2400,
    })
    await page.locator('tr[data-index]').nth(17).waitFor()
    const groups = () => page.locator('tr.grp').allInnerTexts()
    expect((await groups()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Got worse 3',
      'Got better 1',
      'Still passing 12',
      'Only in before 1',
      'Only in <b>after</b> ⟨U+202E⟩one 1',
    ])
    for (const [name, filter, first, count] of [
      ['Still passing 12', 'still_passing', 'steady 0', 12],
      ['Only in before 1', 'base_only', 'left', 1],
    ] as const) {
      await page.getByRole('button', { name }).press('Enter')
      await page.waitForURL(`**/b?filter=${filter}`)
      await expect.poll(() => rowNames(page)).toHaveLength(count)
      expect((await rowNames(page))[0]).toBe(`${first} · model · terse`)
      expect(await page.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true')
      expect((await groups()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([name])
    }
  })

  it('moves nothing while it loads', async () => {
    const { context, page } = await visit(browser, server.url, '/runs', { session, width: 1440 })
    await context.addInitScript(
      `window.shifts = []; new PerformanceObserver((list) => { for (const { sources } of list.getEntries())
        for (const { node, previousRect, currentRect } of sources)
          shifts.push([node?.className, node?.textContent.slice(0, 60), previousRect.toJSON(), currentRect.toJSON()].map((part) => JSON.stringify(part)).join(' ')) })
        .observe({ type: 'layout-shift', buffered: true })`,
    )
    for (const path of [PAIR, '/compare/few/a%2F1']) {
      // The statistics are shown before the cases arrive.
      const { promise: isShown, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/api/v1/runs/*/compare/*/cases*', async (route) => {
        await isShown
        await route.continue()
      })
      await page.goto(path)
      await page.getByRole('button', { name: 'Assertion flipped, same verdict …' }).waitFor()
      release()
      await page.locator('tr[data-index]').first().waitFor()
      await page.unroute('**/api/v1/runs/*/compare/*/cases*')
      await page.getByRole('button', { name: /^Assertion flipped, same verdict \d/ }).waitFor()
      expect(await page.evaluate('shifts'), path).toEqual([])
    }
  })

  it('lists the cases that changed, opens one in place, and walks through them by keyboard alone', async () => {
    const { page } = await visit(browser, server.url, PAIR, { session, width: 1280 })
    await page.locator('tr[data-index]').first().waitFor()
    expect(await rowNames(page)).toEqual([
      expect.stringContaining('gnp.exe'),
      'calls · model · terse',
      'long · model · terse',
      'mended · model · terse',
    ])
    await page.keyboard.press('j')
    expect(await focusedText(page)).toContain('gnp.exe')
    await page.keyboard.press('j')
    await expect.poll(() => focusedText(page)).toContain('calls')
    await page.keyboard.press('k')
    await expect.poll(() => focusedText(page)).toContain('gnp.exe')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/b?case=*')
    await page.getByText('1 of 1 assertion flipped').waitFor()
    // The reason begins at its failure; the marks of both sides are text.
    const flip = page.locator('.flip li')
    expect(await flip.innerText()).toContain('Fail: <img src=x onerror=alert(1)>')
    expect(await flip.innerText()).not.toContain('little')
    expect(await page.locator('.dr del, .dr ins').allInnerTexts()).toEqual(['now', 'then'])
    await page.keyboard.press('j')
    await page.locator('.dx', { hasText: 'Tool calls of before' }).locator('.dr del').getByText('Oslo').waitFor()
    expect(await focusedText(page)).toContain('calls')
    // Walking replaces the address, so that Back closes the case.
    await page.goBack()
    await page.locator('.det').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.goForward()
    await page.locator('.det').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.det').waitFor({ state: 'detached' })
  })

  it('names a column that a run does not have, with a way out of it', async () => {
    const { page } = await visit(browser, server.url, `${PAIR}?base_column=nothing%20here`, { session })
    await page.getByRole('heading', { name: 'The address names an unknown column' }).waitFor()
    await page
      .getByText(/^The first column: the run has no case in the column "nothing here"; its columns are/)
      .waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: 'Compare all cases' }).click()
    await page.waitForURL((url) => url.search === '')
    await page.getByRole('button', { name: /^Got worse/ }).waitFor()
  })

  it('compares long outputs in a thread, folds what is the same, and has other views', async () => {
    const { page } = await visit(browser, server.url, `${PAIR}?filter=worse`, {
      session,
      width: 1280,
    })
    await page.locator('tr[data-index]', { hasText: 'long' }).locator('.name').click()
    await page.locator('.dr ins').getByText('no', { exact: true }).first().waitFor()
    await page.getByText('% of the words are the same.').waitFor()
    await page
      .getByRole('button', { name: /lines unchanged$/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Fold / }).waitFor()
    await page.getByRole('button', { name: 'One column' }).click()
    await page.locator('.dr.column').first().waitFor()
    await page.getByRole('button', { name: 'Plain' }).click()
    await page.locator('.plain').waitFor()
    await page.reload()
    await page.locator('.plain').waitFor()
  })

  it('filters by what happened, undoes a filter with Back, and keeps a case that the filter hides', async () => {
    const { page } = await visit(browser, server.url, PAIR, { session })
    await page
      .getByRole('button', { name: /^Only in/ })
      .last()
      .click()
    await page.waitForURL('**/b?filter=head_only')
    await page.getByText('arrived').first().waitFor()
    await page.locator('tr[data-index] .name').click()
    await page.getByText('Output, only in').waitFor()
    const { searchParams } = new URL(page.url())
    await page.goto(`${PAIR}?filter=better&case=${searchParams.get('case')}`)
    await page.getByText('The case of this address, which the filter hides').waitFor()
    expect(await rowNames(page)).toEqual(['arrived · model · terse', 'mended · model · terse'])
    await page.goto(`${PAIR}?case=unknown`)
    await page.getByText('The case of this address is in neither run.').waitFor()
    await page.goto(`${PAIR}?filter=%3Cb%3E`)
    await page.getByText('The filter “<b>” of this address is unknown.').waitFor()
    await page.goto(`${PAIR}?filter=undecided`)
    await page.getByRole('button', { name: 'Skipped in one or both 0', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Show all 18' }).click()
    await page.waitForURL('**/b?filter=all')
    await page.goBack()
    await page.getByText('No case is in “Skipped in one or both”.').waitFor()
  })

  it('has eight cases in view on a large screen, and no filter without a case', async () => {
    for (const [run_id, from] of [
      ['usual-1', 0],
      ['usual-2', 20],
    ] as const)
      await uploadDocument(server, {
        run_id,
        suite: 'usual',
        cases: Array.from({ length: 100 }, (_, n) =>
          aCase({
            cell: { test_id: `usual ${n}` },
            status: n >= from && n < from + 30 ? 'fail' : 'pass',
            tags: ['maths'],
            latency_ms: 100 + n,
            cost_usd: 0.002,
            usage: { input_tokens: 300, output_tokens: 50 + n },
          }),
        ),
      })
    const { page } = await visit(browser, server.url, '/compare/usual-1/usual-2', { session, width: 1440, height: 900 })
    await page.locator('tr[data-index]').nth(7).waitFor()
    const bottoms = await page
      .locator('tr[data-index]:not(.grp)')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().bottom))
    expect(bottoms.filter((bottom) => bottom <= 900).length).toBeGreaterThanOrEqual(8)
    const filters = page.getByRole('group', { name: 'Filter cases by change' }).getByRole('button')
    expect(await filters.allInnerTexts()).toEqual([
      expect.stringMatching(/^Verdict changed\s+40$/),
      expect.stringMatching(/^Got worse\s+20$/),
      expect.stringMatching(/^Got better\s+20$/),
      expect.stringMatching(/^Still failing\s+10$/),
      expect.stringMatching(/^Still passing\s+50$/),
      expect.stringMatching(/^Assertion flipped, same verdict\s+0$/),
      expect.stringMatching(/^All\s+100$/),
    ])
    await expect.poll(() => page.getByRole('row', { name: /^Cost of grading/ }).count()).toBe(0)
  })

  it('keeps the place of a detail that is not drawn, whatever its height became', async () => {
    const cases = Array.from({ length: 60 }, (_, n) =>
      aCase({ cell: { test_id: `tall ${n}` }, output: 'wide '.repeat(90) }),
    )
    for (const run_id of ['tall-1', 'tall-2']) await uploadDocument(server, { run_id, cases })
    const { page } = await visit(browser, server.url, '/compare/tall-1/tall-2?filter=all', {
      session,
      width: 1280,
    })
    await page.locator('tr[data-index] a').first().click()
    const detail = page.locator('tr.det')
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
    // A key would scroll what has the focus, which may be the output of the detail.
    const scrollTo = (top: number) => page.evaluate(`scrollTo(0, ${top})`)
    await detail.getByText('wide wide').first().waitFor()
    await scrollTo(1e6)
    await detail.waitFor({ state: 'detached' })
    await scrollTo(0)
    await detail.waitFor()
    await page.setViewportSize({ width: 320, height: 600 })
    await expect.poll(() => page.locator('tr[data-index]').first().boundingBox()).toMatchObject({ height: 64 })
    const before = await height()
    await scrollTo(1e6)
    await detail.waitFor({ state: 'detached' })
    expect(await height()).toBe(before)
  })

  it('sorts by every column, and filters by text and tag together with the counts', async () => {
    const { page } = await visit(browser, server.url, `${PAIR}?filter=all`, { session, width: 1440, height: 2400 })
    await page.locator('tr[data-index]').nth(17).waitFor()
    const table = page.getByRole('table', { name: 'Cases of both runs' })
    const headers = table.getByRole('columnheader')
    expect(await headers.count()).toBe(9)
    for (let n = 0; n < 9; n++) {
      await headers.nth(n).getByRole('button').click()
      await expect.poll(() => headers.nth(n).getAttribute('aria-sort')).toMatch(/^(?:as|des)cending$/)
    }
    // Sorted by a value, the cases are in no groups.
    expect(await page.locator('tr.grp').count()).toBe(0)
    await page.getByLabel('Filter cases by name').fill('steady')
    await page.waitForURL(/q=steady/)
    await page.getByRole('button', { name: 'Got worse 0' }).waitFor()
    await page.getByRole('button', { name: /^All 1\d$/ }).waitFor()
    await page.getByLabel('Tag', { exact: true }).focus()
    await page.getByLabel('Tag', { exact: true }).selectOption({ index: 1 })
    await page.waitForURL(/tag=/)
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('tag'))
    await page.getByLabel('Filter cases by name').fill('nothing of this name')
    await page.getByText('No case is in “All” with these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('button', { name: 'Got worse 3' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Sort by').selectOption('name')
    await page.waitForURL(/sort=name/)
    expect(await axe(page)).toEqual([])
  })

  it('never says base or head where it knows the names', async () => {
    const { page } = await visit(browser, server.url, '/compare/a%2F1/few', { session })
    await page.getByText('Only 1 of 17 cases ran in both runs.').waitFor()
    await page.getByRole('heading', { name: 'Configuration' }).scrollIntoViewIfNeeded()
    expect(await page.locator('main').innerText()).not.toMatch(/\b(?:base|head)\b/i)
  })

  it('says which tag and which value of a variable lost most, and each group leads to its cases', async () => {
    const { page } = await visit(browser, server.url, '/compare/tagged-1/tagged-2', { session })
    const panel = page.getByRole('region', { name: /^Cases by/ })
    await page.getByRole('button', { name: 'Most lost by tag' }).press('Enter')
    await panel.getByText('8 worse and 0 better of 10 cases').waitFor()
    expect(await panel.locator('.most').innerText()).toMatch(/^maths 8 worse .*points, 95% interval .*; p = 0\.016$/)
    await panel.getByRole('row', { name: /^code 10 0 2 / }).waitFor()
    expect(await panel.getByRole('row').locator('td:first-child').allInnerTexts()).toEqual(['maths', 'code'])
    await panel.getByRole('link', { name: '2 cases of code got better' }).press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?by=tag&tag=code&filter=better')
    await expect.poll(() => rowNames(page)).toEqual(['code 0 · model · terse', 'code 1 · model · terse'])
    await panel.getByLabel('Field').selectOption('var.city')
    await panel.getByRole('link', { name: 'Lima', exact: true }).first().click()
    await expect.poll(() => new URL(page.url()).searchParams.get('field')).toBe('var.city=Lima')
    await page.getByRole('button', { name: 'Remove the filter by a variable' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('field')).toBeNull()
    await page.locator('table.cmp[aria-busy="false"]').waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('names the runs, not base and head, in an open case, and draws its reasons', async () => {
    const { page } = await visit(browser, server.url, '/compare/tagged-1/tagged-2?filter=worse', { session })
    await page.locator('tr[data-index] .name').first().click()
    await page.locator('.det .legend').waitFor()
    expect(await page.locator('.det').innerText()).not.toMatch(/\b(?:base|head)\b/i)
    expect(await page.locator('.det .legend').innerText()).toBe('Only in older Only in newer')
    await page.locator('.det .reason strong').waitFor()
    expect(await page.locator('.det .reason').first().innerText()).not.toContain('**')
  })

  it('opens from the list with a keyboard shortcut, has the older run as base, and can be swapped', async () => {
    const { page } = await visit(browser, server.url, '/runs?select=b&select=a%2F1', { session })
    await page.getByRole('link', { name: /^Compare/ }).waitFor()
    await page.keyboard.press('c')
    await page.waitForURL(`**${PAIR}`)
    await page.getByRole('button', { name: 'Got worse 3' }).waitFor()
    await page.keyboard.press('s')
    await page.waitForURL('**/compare/b/a%2F1')
    await page.getByRole('button', { name: 'Got worse 1' }).waitFor()
    await page.goBack()
    await page.waitForURL(`**${PAIR}`)
    await page.getByRole('link', { name: 'Add or change runs' }).click()
    await page.getByText('2 runs', { exact: true }).first().waitFor()
  })

  it('says that runs of different suites share few cases', async () => {
    const { page } = await visit(browser, server.url, '/compare/a%2F1/few', { session })
    await page.getByText('Only 1 of 17 cases ran in both runs.').waitFor()
    expect(await page.getByRole('note').innerText()).toContain('is of chat / smoke, ')
    await page.getByText(/^The suite of .* has no other run/).waitFor()
    // The other way round, the notice names a run that can be compared well.
    await page.goto('/compare/few/a%2F1')
    await page.getByText('Only 1 of 17 cases ran in both runs.').waitFor()
    await page.getByText('instead: 16 of 17 cases ran in both.').waitFor()
    await page.getByRole('note').getByRole('link').click()
    await page.waitForURL('**/compare/b/a%2F1')
    await page.getByRole('button', { name: 'Got worse 1' }).waitFor()
  })

  it('reports an error and tries again', async () => {
    const { page } = await visit(browser, server.url, '/runs', { session })
    await failRequests(page, '**/compare/b/statistics', 503, 'the store is busy')
    await page.goto(PAIR)
    await page.getByRole('heading', { name: 'The runs could not be compared' }).waitFor()
    await page.getByText('request-7').waitFor()
    await page.unroute('**/compare/b/statistics')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Too few changes to tell' }).waitFor()
  })

  it('shows that a run does not exist', async () => {
    const { page } = await visit(browser, server.url, '/compare/none/b', { session })
    await page.getByRole('heading', { name: 'No such run', level: 1 }).waitFor({ state: 'attached' })
    expect(await axe(page)).toEqual([])
  })
})

describe('a comparison of several runs', () => {
  const MANY = '/compare?runs=a%252F1,b,c'
  it('shows each run against the base, with stored text as text', async () => {
    const { page } = await visit(browser, server.url, MANY, { session })
    await page.getByRole('heading', { name: '1 of 2 runs is worse than before' }).waitFor()
    await page.locator('tr[data-index]').first().waitFor()
    expect(await page.locator('.many img').count()).toBe(0)
    const headers = page.locator('.many thead').getByRole('columnheader')
    expect(await headers.locator('.runname').allInnerTexts()).toEqual(['before', '<b>after</b> ⟨U+202E⟩one', 'third'])
    expect(await headers.nth(1).locator('.tag').innerText()).toBe('base')
    expect(await headers.locator('.tag').count()).toBe(1)
  })

  it('can be shared as Markdown and as a link, but not as a file', async () => {
    const { page } = await visit(browser, server.url, MANY, { session })
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('menuitem', { name: /^Copy as Markdown/ }).waitFor()
    expect(await page.getByRole('menuitem', { name: /^Copy link/ }).count()).toBe(1)
    expect(await page.getByRole('menuitem', { name: /^HTML file/ }).count()).toBe(0)
  })

  it('marks the cells that are worse or better than the base by colour, arrow and words', async () => {
    const { page } = await visit(browser, server.url, MANY, { session, height: 1600 })
    const cells = (test: string) => page.locator('tr[data-index]', { hasText: test }).locator('td')
    await cells('mended').first().waitFor()
    for (const [test, marks] of [
      ['calls', ['', 'worse than the base', '']],
      ['mended', ['', 'better than the base', 'not in this run']],
      ['steady 3', ['', '', 'worse than the base']],
    ] as const)
      for (const [n, words] of marks.entries()) {
        const cell = cells(test).nth(n)
        const text = (await cell.textContent()) ?? ''
        expect(/(?:worse|better) than the base|not in this run/.exec(text)?.[0] ?? '', `${test} ${n}`).toBe(words)
        const [word = ''] = words.split(' ')
        expect(await cell.getAttribute('class')).toContain(word === 'not' ? 'absent' : n === 0 ? 'base' : word)
        expect(await cell.locator('.arrow-down').count()).toBe(word === 'worse' ? 1 : 0)
      }
    expect(await page.locator('td.worse').count()).toBe(16)
  })

  it('opens from a selection of three runs, and changes its base, filter and value in the address', async () => {
    const { page } = await visit(browser, server.url, '/runs?select=c&select=b&select=a%2F1', {
      session,
      width: 1440,
    })
    await page.getByRole('link', { name: /^Compare/ }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: '3 runs compared', level: 1 }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('runs')).toBe('a%2F1,b,c')
    const rows = page.locator('tr[data-index]')
    await rows.first().waitFor()
    const differing = await rows.count()
    await page.getByRole('button', { name: /^All cases/ }).click()
    await page.waitForURL('**filter=all*')
    await rows.nth(differing).waitFor()
    await page.goBack()
    await rows.nth(differing).waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^\d+ got worse$/ })
      .first()
      .click()
    await page.getByText('Got worse in <b>after</b> ⟨U+202E⟩one: 3').waitFor()
    // The rows of the last filter stay until those of the new one are loaded.
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('button', { name: 'Time', exact: true }).click()
    await rows.first().getByText('120 ms').first().waitFor()
    await page.getByLabel('Base').selectOption({ label: 'third' })
    await page.waitForURL('**base=c*')
    await page.getByRole('heading', { name: 'runs are better than third' }).waitFor()
    await page.keyboard.press('j')
    expect(await page.evaluate("document.activeElement.closest('tr[data-index]') !== null")).toBe(true)
  })

  it('shows the cost of each case', async () => {
    const { page } = await visit(browser, server.url, '/compare?runs=cheap,dear,dearest&filter=all', { session })
    await page.getByRole('button', { name: 'Cost', exact: true }).click()
    await page.waitForURL('**value=cost*')
    const cells = page.locator('tr[data-index]').first().locator('td')
    await cells.nth(2).getByText('$0.75').waitFor()
    expect((await cells.allInnerTexts()).map((text) => /\$[0-9.]+/.exec(text)?.[0])).toEqual([
      '$0.25',
      '$0.50',
      '$0.75',
    ])
  })

  it('has a page for two runs, and says what an address lacks', async () => {
    const { page } = await visit(browser, server.url, '/compare?runs=a%252F1,b', { session })
    await page.waitForURL(`**${PAIR}`)
    await page.goto('/compare?runs=b')
    await page.getByRole('heading', { name: 'No runs to compare' }).waitFor()
    await page.goto('/compare?runs=a%252F1,b,none')
    await page.getByRole('heading', { name: 'No such run', level: 1 }).waitFor({ state: 'attached' })
  })
})

describe('a hidden run', () => {
  /** What a viewer sees on a page, and what the server answered to it. Ids of runs are left out. */
  const shownAt = async (token: string, path: string, id: string) => {
    const { page, context, complaints, close } = await visit(browser, server.url, '/no/such/page', { session: token })
    const { idle } = recordRequests(context, /^/)
    const answers: string[] = []
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url())
      if (!/\/(?:compare|runs)/.test(pathname) || !pathname.startsWith('/api/')) return
      answers.push(`${response.status()} ${`${pathname}${search}`.replaceAll(id, 'ID')}`)
    })
    await page.goto(path.replace('ID', id))
    await page.getByRole('heading', { name: /^No such (?:run|test)$/, level: 1 }).waitFor({ state: 'attached' })
    await idle(page)
    const main: string = await page.evaluate("document.querySelector('main').outerHTML")
    const shown = {
      main,
      title: await page.title(),
      address: page.url().replaceAll(id, 'ID'),
      complaints: [...complaints],
    }
    await close()
    return { ...shown, answers: [...new Set(answers)].sort() }
  }

  it('looks on every page of a comparison like a run that does not exist', async () => {
    await ingest('sealed', '05', steady(12, 'pass'), { suite: 'sealed' })
    const admin = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    await fetch(`${server.url}/api/v1/sets/chat/suites/sealed/restriction`, { method: 'PUT', headers: admin })
    const account = { username: 'vera', password: 'correct horse battery' }
    const post = (route: string, body: object) =>
      fetch(`${server.url}/api/v1${route}`, { method: 'POST', headers: admin, body: JSON.stringify(body) })
    await post('/users', { ...account, role: 'viewer' })
    const answer = await post('/auth/login', account)
    expect(answer.status).toBe(200)
    const { token } = (await answer.json()) as { token: string }
    for (const path of [
      '/compare/ID/b',
      '/compare/b/ID',
      '/compare?runs=a%252F1,b,ID',
      '/compare/outputs/steady%200?runs=b,ID',
    ]) {
      const hidden = await shownAt(token, path, 'sealed')
      expect(hidden, path).toEqual(await shownAt(token, path, 'absent'))
      expect(hidden.main).not.toContain('sealed')
      expect(hidden.complaints).toEqual([])
    }
    // A viewer who may see it can compare it.
    const { page } = await visit(browser, server.url, '/compare/sealed/b', { session })
    await page.getByRole('heading', { level: 1, name: /^smoke|sealed/ }).waitFor()
  })
})
