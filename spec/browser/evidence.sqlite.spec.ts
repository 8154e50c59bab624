import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CaseStatus } from '../../domain/run/document.ts'
import { callApi, openBrowser, setUp, visit, type Visit } from '../support/browser.ts'
import { aCase, aDocument, type ACase } from '../support/documents/documents.ts'
import { upload, uploadSamples } from '../support/documents/sample-data.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

/**
 * Why a number of a page leads to nothing. `name`: it is part of a stored name, a time or an id, also within a link.
 * Each reason must still have a number.
 */
type Reason = { readonly at: string; readonly why: string; readonly name?: true }
const REASONS: readonly Reason[] = [
  { at: 'h1, #verdict', why: 'the name of the page', name: true },
  { at: '[dir=auto], bdi', why: 'part of a stored name or text', name: true },
  { at: 'time', why: 'a time', name: true },
  { at: '.prov .mono', why: 'an id', name: true },
  { at: 'button', why: 'a button, which shows what it counts when it is pressed' },
  { at: '[role=gridcell][data-at], [role=columnheader]', why: 'a cell, which opens its case or its run' },
  { at: 'svg', why: 'a tick of an axis, or the level of a line that the list next to it links' },
  { at: 'thead', why: 'the kind of an interval, in the head of a column' },
  { at: '.group, .grp', why: 'counts the rows below it' },
  { at: '.board .foot', why: 'counts the lines of the leaderboard, or is a probability' },
  { at: '[role=status]', why: 'counts the rows of the page' },
  // The overview.
  { at: '.spend', why: 'a sum over runs, by day in its table' },
  // A suite.
  { at: '.facts > span', why: 'counts the rows of the grid' },
  { at: '[aria-label=Trials] dl', why: 'a share over the tests that the lists below it have' },
  { at: '.readout', why: 'the point that is chosen, which Enter opens' },
  { at: '.panel > header', why: 'counts the rows of its panel, or says how they were counted' },
  { at: '.flaky .b h3', why: 'counts the rows below it' },
  // A run.
  { at: '[aria-label=Result] .line', why: 'the share of the statuses that the buttons next to it count' },
  { at: '[aria-label=Result] dl', why: 'a sum over the cases, each of which has its part' },
  { at: '[aria-label=Cases] td.n', why: 'of the one case that the row opens' },
  { at: '.board td.n', why: 'a mean over the cases that the name of the line shows' },
  // A comparison.
  { at: '.verdict-panel > p, .verdict-panel h2', why: 'said in words of the counts and the interval below it' },
  { at: '.prov', why: 'how many cases the list below can have' },
  { at: '.mt', why: 'a mean or a sum over the cases of the list below, with its interval' },
  { at: '.cmp td', why: 'of the one case that the row opens' },
]

/** What a page lists, by its path: the number of the things that a link to it may count. */
const LISTED: ReadonlyArray<{ readonly path: RegExp; readonly count: string }> = [
  { path: /^\/runs$/, count: `evidence.rows('')` },
  { path: /^\/runs\/[^/]+$/, count: `evidence.rows('[aria-label=Cases]')` },
  { path: /^\/compare\/[^/]+\/[^/]+$/, count: `evidence.rows('.cmp')` },
  { path: /^\/projects\/[^/]+\/suites\/[^/]+$/, count: `evidence.numberIn('.flaky header')` },
]
const numberOf = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text.replaceAll(',', ''))
/** How many things a link counts, by its text and the filter of its address; null if it counts none. */
const countOf = (text: string, address: URL): number | null => {
  const filter = address.searchParams.get('filter')
  const said = (words: string): number | null => numberOf(new RegExp(`([\\d,]+) (?:got )?${words}`).exec(text)?.[1])
  const [worse, better, lost] = [said('worse'), said('better'), said('pass')]
  if (filter === 'changed' && worse !== null && better !== null) return worse + better
  if (filter === 'worse' && worse !== null) return worse
  if (filter === 'better' && better !== null) return better
  if (filter === 'lost' && lost !== null) return lost
  if (filter === 'still_failing') return null
  return numberOf(/^[−+]?([\d,]+)(?![\d.%,:]| (?:of|sets|m|s|ms|h|d) | [A-Z])/.exec(text)?.[1])
}
/** The rate of a link that has one; a change of the level has two, which are means over runs. */
const rateOf = (text: string): string | undefined => {
  const [rate, ...others] = text.match(/\d{1,3}\.\d%/g) ?? []
  return others.length === 0 ? rate : undefined
}

const DAY_MS = 86_400_000
/** A run of a suite `days` ago: a case for each status. `fields` are further fields of a case. */
const run = (
  suite: string,
  n: number,
  days: number,
  statuses: readonly CaseStatus[],
  fields: (test: number) => Readonly<Record<string, unknown>> = () => ({}),
) => {
  const finished_at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - days * DAY_MS).toISOString()
  return aDocument({
    run_id: `${suite}-${n}`,
    project: 'evidence',
    suite,
    started_at: finished_at,
    finished_at,
    origin: { note: `${suite}, night ${n}` },
    cases: statuses.map((status, test) => {
      const { cell, ...others } = fields(test)
      return aCase({
        cell: { provider_id: 'sonnet', test_id: `order-${test}`, ...(cell as Partial<ACase['cell']>) },
        status,
        name: `Order ${test}`,
        tags: [test % 3 === 0 ? 'refund' : 'delivery'],
        latency_ms: 900 + 37 * test,
        cost_usd: 0.0042,
        usage: { input_tokens: 400 + test, output_tokens: 30 },
        ...others,
      })
    }),
  })
}
const many = (count: number, status: (test: number) => CaseStatus): CaseStatus[] =>
  Array.from({ length: count }, (_, test) => status(test))
const passing = many(24, () => 'pass')
const PROVIDERS = ['haiku', 'opus', 'sonnet']

/** Suites that need attention for each reason, and others, with the real runs of two benchmarks. */
const documents = () => [
  // Nine runs; in the last one, 10 cases got worse, one better, two passes no longer run, one is an error.
  ...Array.from({ length: 8 }, (_, n) =>
    run(
      'worse',
      n,
      9 - n,
      many(24, (test) => (test === 23 ? 'fail' : 'pass')),
    ),
  ),
  run(
    'worse',
    8,
    0.5,
    many(24, (test) =>
      test < 9 ? 'fail' : test === 9 ? 'error' : test < 12 ? 'skip' : test === 22 ? 'xfail' : 'pass',
    ),
    (test) =>
      test === 9 ? { output: '', empty_reason: 'content_filter', error: 'no content' } : { cached: test > 18 },
  ),
  ...Array.from({ length: 8 }, (_, n) =>
    run(
      'flaky',
      n,
      8 - n,
      many(12, (test) => (test < 5 && (n + test) % 2 === 0 ? 'fail' : 'pass')),
    ),
  ),
  run('errors', 0, 2, passing),
  run(
    'errors',
    1,
    1,
    many(24, (test) => (test < 3 ? 'error' : 'pass')),
  ),
  run('dearer', 0, 2, passing),
  run('dearer', 1, 1, passing, (test) => ({ cost_usd: 0.0126 + test / 1e6 })),
  run('lost', 0, 2, passing),
  run(
    'lost',
    1,
    1,
    many(24, (test) => (test < 8 ? 'skip' : 'pass')),
  ),
  run(
    'better',
    0,
    2,
    many(24, (test) => (test < 9 ? 'fail' : 'pass')),
  ),
  run('better', 1, 1, passing),
  run('staying', 0, 3, passing),
  run(
    'staying',
    1,
    2,
    many(24, (test) => (test < 2 ? 'fail' : 'pass')),
  ),
  run(
    'staying',
    2,
    1,
    many(24, (test) => (test < 2 ? 'fail' : 'pass')),
  ),
  ...[42, 41, 40].map((days, n) =>
    run(
      'stale',
      n,
      days,
      many(6, () => 'pass'),
    ),
  ),
  ...PROVIDERS.map((provider_id, n) =>
    run(
      'other models',
      n,
      3 - n,
      many(12, (test) => (test < 4 * n ? 'fail' : 'pass')),
      () => ({ cell: { provider_id } }),
    ),
  ),
  run(
    'stored',
    0,
    2,
    many(6, () => 'pass'),
    () => ({ cached: true }),
  ),
  run(
    'stored',
    1,
    1,
    many(6, () => 'pass'),
  ),
  run(
    'trials',
    0,
    1,
    many(12, (test) => (test === 0 || test % 3 === 1 ? 'fail' : 'pass')),
    (test) => ({ cell: { test_id: `order-${test % 3}`, repeat: Math.floor(test / 3) }, name: `Order ${test % 3}` }),
  ),
  run(
    'models',
    0,
    1,
    many(36, (test) => (Math.floor(test / 12) === 0 && test % 12 < 9 ? 'fail' : test % 12 === 11 ? 'fail' : 'pass')),
    (test) => ({ cell: { provider_id: PROVIDERS[Math.floor(test / 12)] ?? '', test_id: `order-${test % 12}` } }),
  ),
]

const PAGES = [
  '/',
  '/projects/evidence/suites/worse',
  '/projects/evidence/suites/flaky',
  '/projects/evidence/suites/models',
  '/projects/evidence/suites/other%20models',
  '/projects/agbenchmark/suites/mini-agi',
  '/projects/evidence/suites/trials',
  '/runs/worse-8',
  '/runs/models-0?pick=haiku&pick=opus',
  '/compare/worse-7/worse-8',
  '/compare/models-0/models-0?base_column=haiku&head_column=opus',
]

let server: RunningServer
let session: string
let pages: Visit
let targets: readonly Visit[]
const openRequests = new Map<Page, number>()
/** So high that all rows of a list are drawn. */
const TALL = { width: 1440, height: 3000 }
beforeAll(async () => {
  const [browser, started] = await Promise.all([openBrowser(), startServer()])
  server = started
  session = await setUp(server.url)
  await uploadSamples(server, ['agbenchmark', 'tau-bench'])
  for (const document of documents()) await upload(server, JSON.stringify(document))
  await callApi(server.url, server.token, 'PUT', '/projects/evidence/suites/worse/baseline', { run_id: 'worse-3' })
  const open = () => visit(browser, server.url, 'about:blank', { session, streams: false, keep: true, ...TALL })
  ;[pages, ...targets] = await Promise.all([open(), open(), open()])
  const script = readFileSync(new URL('../support/evidence/in-page.js', import.meta.url), 'utf8')
  for (const { context, page } of [pages, ...targets]) {
    await context.addInitScript(script)
    const count = (by: number) => () => openRequests.set(page, (openRequests.get(page) ?? 0) + by)
    page.on('request', count(1)).on('requestfinished', count(-1)).on('requestfailed', count(-1))
  }
})
afterAll(async () => {
  for (const { close, complaints } of [pages, ...targets]) {
    await close()
    expect(complaints).toEqual([])
  }
  await server.stop()
})

type PageState = { readonly isReady: boolean; readonly fault: string | null }
const open = async ({ page }: Visit, path: string): Promise<PageState> => {
  if (page.url() === 'about:blank') await page.goto(path, { waitUntil: 'domcontentloaded' })
  else await page.evaluate(`evidence.follow(${JSON.stringify(path)})`)
  await expect.poll(() => page.evaluate<boolean>('evidence.state().isReady')).toBe(true)
  return page.evaluate<PageState>('evidence.state()')
}

/** Waits until the parts that load by themselves are there: no request is open, also after the page was drawn again. */
const settled = async ({ page }: Visit): Promise<void> => {
  let silent = 0
  await expect
    .poll(async () => {
      const isSilent = openRequests.get(page) === 0 && (await page.evaluate<boolean>('evidence.state().isReady'))
      await page.evaluate('evidence.drawn()')
      silent = isSilent ? silent + 1 : 0
      return silent
    })
    .toBeGreaterThan(3)
}

type Link = { readonly href: string; readonly text: string }
/** Follows a link. Returns what is wrong with its target, or null. */
const faultOf = async (target: Visit, { href, text }: Link): Promise<string | null> => {
  const { fault } = await open(target, href)
  if (fault !== null) return `${text} (${href}): ${fault}`
  const address = new URL(href, server.url)
  const rate = rateOf(text)
  const has = (condition: string): Promise<boolean> =>
    expect
      .poll(() => target.page.evaluate<boolean>(condition))
      .toBe(true)
      .then(() => true)
      .catch(() => false)
  if (rate !== undefined && /^\/runs\/[^/]+$/.test(address.pathname))
    return (await has(`evidence.says(${JSON.stringify(rate)})`)) ? null : `${text} (${href}) does not lead to this rate`
  const [count, listed] = [countOf(text, address), LISTED.find(({ path }) => path.test(address.pathname))]
  if (count === null || !listed || rate !== undefined) return null
  if (await has(`${listed.count} === ${count}`)) return null
  return `${text} (${href}) leads to ${await target.page.evaluate<number | null>(listed.count)}`
}

/** Links of one kind that are followed on a page. */
const MAX_OF_KIND = 3
/** Links of one kind lead to the same page with the same parameters, for other things. */
const kindOf = ({ href, text }: Link): string => {
  const { pathname, searchParams } = new URL(href, server.url)
  const route = pathname.split('/').map((part, n) => (n % 2 === 1 ? part : '*'))
  return `${route.join('/')} ${[...searchParams].map(([name, value]) => (name === 'filter' ? value : name)).join()} ${text.replaceAll(/\d+/g, '')}`
}
const someOf = (links: readonly Link[]): Link[] => {
  const seen = new Map<string, number>()
  return links.filter((link) => {
    const count = (seen.get(kindOf(link)) ?? 0) + 1
    seen.set(kindOf(link), count)
    return count <= MAX_OF_KIND
  })
}

const used = new Set<string>()
it.each(PAGES)('every number of %s leads to what it counts, or has a reason', async (path) => {
  expect((await open(pages, path)).fault).toBeNull()
  await settled(pages)
  const found = await pages.page.evaluate<{ links: Link[]; used: string[]; missing: string[] }>(
    `evidence.numbers(${JSON.stringify(REASONS)})`,
  )
  for (const at of found.used) used.add(at)
  expect(found.missing).toEqual([])
  expect(found.links.length).toBeGreaterThan(0)
  const unique = [...new Map(found.links.map((link) => [`${link.href} ${link.text}`, link])).values()]
  const followed = someOf(unique)
  const faults = await Promise.all(
    targets.map(async (target, n) => {
      const own: Array<string | null> = []
      for (const link of followed.filter((_, i) => i % targets.length === n)) own.push(await faultOf(target, link))
      return own
    }),
  )
  expect(faults.flat().filter((fault) => fault !== null)).toEqual([])
})

it('a status of a run and a change of a comparison are buttons that list as many cases as they count', async () => {
  for (const { path, buttons, count } of [
    { path: '/runs/worse-8', buttons: '[aria-label=Result] button', count: LISTED[1]?.count ?? '' },
    { path: '/compare/worse-7/worse-8', buttons: '.cfs button', count: LISTED[2]?.count ?? '' },
  ]) {
    await open(pages, path)
    const all = pages.page.locator(buttons)
    expect(await all.count()).toBeGreaterThan(3)
    for (const button of await all.all()) {
      if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click()
      const number = Number(/\d{1,4}$/.exec((await button.innerText()).trim())?.[0])
      await expect.poll(() => pages.page.evaluate(count), { message: await button.innerText() }).toBe(number)
    }
  }
})

it('each reason has a number', () => {
  expect(REASONS.filter(({ at }) => !used.has(at)).map(({ at }) => at)).toEqual([])
})
