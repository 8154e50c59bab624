import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunCalibration } from '../../queries/reviews/calibration.ts'
import { openBrowser, setUp, visit } from '../support/browser.ts'
import { judgedRun } from '../support/documents/queues.ts'
import { REVIEWED } from '../support/documents/reviewed.ts'
import { seedReviews } from '../support/documents/reviewed-suite.ts'
import { RUBRIC_FIELDS } from '../support/documents/rubrics.ts'
import { runErs } from '../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

// The pages for those who run a review, from the form that opens a queue to what the judge is worth.

let server: RunningServer
let session: string
const call = async (method: string, path: string, body?: object, token = session): Promise<Response> => {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect([path, answer.ok]).toEqual([path, true])
  return answer
}
const [CASES, PASSED] = [120, 80]
const OPENED = { project: REVIEWED.project, suite: 'opened' } as const
let queues: { readonly open: string; readonly closed: string }
beforeAll(async () => {
  server = await startServer()
  session = await setUp(server.url)
  const document = judgedRun(REVIEWED.run, CASES, PASSED)
  // A suite of its own, so that what is opened there is in no calibration of the other.
  await call('POST', '/runs', judgedRun('to-open', 20, 12, { suite: OPENED.suite }))
  await call('POST', '/rubrics', { ...OPENED, ...RUBRIC_FIELDS })
  queues = await seedReviews(call, { document, passed: PASSED, sample: { passed: 60, failed: 30 } })
})
afterAll(() => server.stop())
const browser = await openBrowser()
const open = async (path: string) =>
  (await visit(browser, server.url, path, { width: 1440, height: 900, session })).page
const SUITE = `/projects/${REVIEWED.project}/suites/${REVIEWED.suite}`

it('a queue is opened from the list of all queues, for a suite that is chosen there', async () => {
  const page = await open('/reviews')
  await page.getByRole('link', { name: 'Open a queue' }).click()
  await page.waitForURL('**/reviews/new')
  expect(await page.getByLabel('Suite').isDisabled()).toBe(true)
  await page.getByLabel('Project').selectOption(OPENED.project)
  await page.getByLabel('Suite').selectOption(OPENED.suite)
  await page.waitForURL(`**/reviews/new?project=${OPENED.project}&suite=${OPENED.suite}*`)
  await page.getByLabel('It passed').waitFor()
})

it('a queue is counted and opened with a form, gets another person, and is closed', async () => {
  const page = await open(`/projects/${OPENED.project}/suites/${OPENED.suite}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Reviews' }).click()
  await page.getByRole('link', { name: 'Open a queue' }).click()
  await page.getByText('Name a reviewer to open it.').waitFor()
  await page.getByLabel('It passed').fill('6')
  await page.getByLabel('It failed').fill('3')
  await page.getByRole('button', { name: 'Count cases' }).click()
  await page.getByText('9 cases: 6 of 12 cases that the judge passed, 3 of 8 cases that the judge failed.').waitFor()
  await page.getByRole('textbox', { name: /^Reviewers/ }).fill('ann, ghost')
  await page.getByRole('button', { name: 'Open the queue' }).click()
  await page.getByRole('alert').getByText('there is no account ghost').waitFor()
  await page.getByRole('textbox', { name: /^Reviewers/ }).fill('ann\nben')
  await page.getByRole('button', { name: 'Open the queue' }).click()
  await page.getByRole('heading', { name: '0 of 9 cases have all labels' }).waitFor()
  const people = page.getByRole('region', { name: 'People' }).getByRole('row')
  expect(await people.count()).toBe(3)
  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByLabel('Names of accounts').fill('cleo')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await people.filter({ hasText: 'cleo' }).waitFor()
  await page.getByRole('button', { name: 'Close queue' }).click()
  await page.getByText('9 cases without all labels will have no final one').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close queue' }).click()
  await page.getByText('It was closed before all cases had a final label.').waitFor()
})

it('an open queue shows how far people came, and nothing that they or the judge said', async () => {
  const page = await open(`/reviews/${queues.open}`)
  await page.getByRole('heading', { name: /of 8 cases? ha(?:s|ve) all labels/ }).waitFor()
  await page
    .getByRole('link', { name: /^Cases/ })
    .last()
    .click()
  const cases = page.getByRole('region', { name: 'Cases of the queue' })
  await cases.waitFor()
  expect(await cases.getByRole('columnheader').allInnerTexts()).toEqual(['Case', 'State'])
  expect(await cases.getByText(/Pass|Fail|Cannot tell/).count()).toBe(0)
})

it('a closed queue leads from the agreement of people to the calibration, and from its counts to the cases', async () => {
  const page = await open('/reviews?state=closed')
  await page.locator(`a[href="/reviews/${queues.closed}"]`).click()
  await page.getByRole('link', { name: 'Agreement' }).click()
  await page.getByRole('rowheader', { name: /^Krippendorff α/ }).waitFor()
  await page.getByRole('region', { name: 'Where people differed' }).getByRole('listitem').first().waitFor()
  await page.getByRole('link', { name: 'Calibration' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${SUITE}/judges/llm-rubric`)
  await page.getByRole('heading', { name: 'Judge against people' }).waitFor()
  const letThrough = page.getByRole('link', { name: /cases: judge passes, people fail$/ })
  const count = Number(await letThrough.innerText())
  expect(count).toBeGreaterThan(3)
  await letThrough.click()
  const rows = page.getByRole('region', { name: 'Cases of the queue' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(count)
})

it('the page of a run leads to the calibration of its judge once it was asked', async () => {
  const page = await open(`/runs/${REVIEWED.run}`)
  await page.getByRole('button', { name: 'How good is the judge?' }).click()
  await page.getByRole('region', { name: 'Result' }).getByRole('link', { name: 'Calibration' }).click()
  await page.getByRole('heading', { name: 'Judge against people' }).waitFor()
})

it('the trend of a suite ends its line where the judge changed, with a diamond', async () => {
  for (const [n, model] of ['m-1', 'm-1', 'm-2', 'm-2'].entries()) {
    const at = new Date(Date.UTC(2026, 4, n + 1)).toISOString()
    const run = judgedRun(`swapped-${n}`, 20, 10 + n, { suite: 'swapped', started_at: at, finished_at: at })
    const cases = run.cases.map((each) => ({
      ...each,
      asserts: each.asserts?.map((assert) => ({ ...assert, details: { judge: { model } } })),
    }))
    await call('POST', '/runs', { ...run, cases })
  }
  const page = await open(`/projects/${OPENED.project}/suites/swapped`)
  const chart = page.getByRole('group', { name: 'Pass rate by run' })
  await chart.waitFor()
  expect(await chart.locator('.diamond').count()).toBe(1)
  expect((await chart.locator('.ln').getAttribute('d'))?.match(/M/g)).toHaveLength(2)
  await page.getByText(/; the judge changed once/).waitFor({ state: 'attached' })
  await chart.getByRole('link', { name: /judge changed \(model\)/ }).waitFor()
})

it('the trend of a suite shows what people would pass of each run, where its calibration is good', async () => {
  for (const [n, passed] of [78, 82].entries()) {
    const at = new Date(Date.UTC(2026, 5, n + 1)).toISOString()
    await call('POST', '/runs', judgedRun(`like-${n}`, CASES, passed, { started_at: at, finished_at: at }))
  }
  const found = await Promise.all(
    [REVIEWED.run, 'like-0', 'like-1'].map(
      async (id) => (await (await call('GET', `/runs/${id}/calibration`)).json()) as RunCalibration,
    ),
  )
  const good = found.filter(({ state }) => state === 'good')
  expect(good.map(({ run_id }) => run_id)).toContain(REVIEWED.run)
  const page = await open(SUITE)
  const chart = page.getByRole('group', { name: 'Pass rate by run' })
  await chart.waitFor()
  expect(await chart.locator('.mark').count()).toBe(0)
  await page.getByRole('button', { name: 'By people' }).click()
  await expect.poll(() => chart.locator('.mark').count()).toBe(good.length)
  for (const { rate } of good) {
    if (rate.reason !== null) throw new Error('a good calibration has a rate')
    const [value, lower, upper] = [rate.estimate, rate.lower, rate.upper].map((each) => `${(each * 100).toFixed(1)}%`)
    await chart.getByRole('link', { name: `people ${value} (${lower} to ${upper})` }).waitFor()
  }
  await page
    .getByRole('status')
    .getByText(/dashed: what people would pass of llm-rubric/)
    .waitFor()
  await page.getByRole('button', { name: 'Table of Pass rate' }).click()
  expect(await page.getByRole('columnheader').allInnerTexts()).toContain('By people, 95% interval')
  await page.getByRole('button', { name: 'Table of Pass rate' }).click()
  await page.getByRole('button', { name: 'By people' }).click()
  await expect.poll(() => chart.locator('.mark').count()).toBe(0)
  // Where nothing was labelled, it says so.
  await page.goto(`/projects/${OPENED.project}/suites/swapped`)
  await page.getByRole('button', { name: 'By people' }).click()
  await page.getByRole('status').getByText('Not checked by people').waitFor()
})

it('a file with a run says what people say of its judge', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-spec-'))
  try {
    const file = join(folder, 'run.html')
    const env = { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token }
    expect(await runErs(['share-html', REVIEWED.run, '-o', file], { cwd: folder, env })).toMatchObject({ code: 0 })
    const { page } = await visit(browser, server.url, pathToFileURL(file).href)
    await page.getByText(/(good|weak|stale) Calibrated \d.* judge alone .*, by labels up to/).waitFor()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
