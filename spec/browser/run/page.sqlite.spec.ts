import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, failRequests, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { largeRun, wideRun } from '../../support/documents/large-runs.ts'
import { adminRequests, rows } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { send, upload } = adminRequests(() => server)
const open = (path: string, look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, path, { session, ...look })
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await upload(largeRun('large'))
await upload(wideRun('wide'))

describe('the tabs of a run', () => {
  it.each([
    ['/config', 'Configuration'],
    ['/config?view=raw', 'Configuration'],
    ['/document', 'Document'],
  ] as const)('open by their URL: %s', async (tab, name) => {
    const { page } = await open(`/runs/large${tab}`)
    await page.getByRole('region', { name, exact: true }).waitFor()
    expect(await page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page')
  })

  it('offer the document as it was uploaded', async () => {
    const { page } = await open('/runs/large/document')
    await page.getByRole('link', { name: 'Download' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('large.json')
  })
})

it('the page of a run with two cases of one key says that one is not shown', async () => {
  await upload(aDocument({ run_id: 'twice', cases: [aCase(), aCase()] }))
  const { page } = await open('/runs/twice')
  await page.getByText('1 case is not shown: same key', { exact: true }).waitFor()
  expect(await axe(page)).toEqual([])
  await page.goto(`${server.url}/runs/large`)
  await page.getByText('Finished', { exact: true }).waitFor()
  expect(await page.getByText('same key').count()).toBe(0)
})

describe('the menu of exports', () => {
  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('downloads a run in each format, by keyboard, at %i px, %s', async (width, theme) => {
    const { page } = await open('/runs/large', { width, theme })
    const button = page.getByRole('button', { name: 'Export' })
    await button.focus()
    await page.keyboard.press('ArrowDown')
    const items = page.getByRole('menuitem')
    await items.first().waitFor()
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    expect((await items.allTextContents()).map((text) => text.trim())).toHaveLength(7)
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(download.suggestedFilename()).toBe('large.csv')
    await items.first().waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    await button.click()
    const [uploaded] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Uploaded document' }).click(),
    ])
    expect(uploaded.suggestedFilename()).toBe('large.json')
  })

  it('is offered for the selected runs of a list', async () => {
    const { page } = await open('/runs')
    const boxes = page.getByRole('checkbox', { name: /^Select/ })
    await boxes.first().check()
    await boxes.nth(1).check()
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Export' }).click()
    const names = new Set<string>()
    page.on('download', (download) => names.add(download.suggestedFilename()))
    await page.getByRole('menuitem', { name: 'JUnit XML' }).click()
    await expect.poll(() => names.size).toBe(2)
    expect([...names].every((name) => name.endsWith('.junit.xml'))).toBe(true)
  })
})

it('a run that follows a plan says so on its page, and opens its plan', async () => {
  const registered = await send('POST', '/plans', {
    project: 'chat',
    suite: 'planned',
    text: 'All of them.',
    config_digest: 'sha256:planned',
    metric: 'pass_rate',
    comparator: '>=',
    threshold: 1,
    case_count: 2,
  })
  expect(registered.status).toBe(201)
  await upload(aDocument({ run_id: 'unplanned', suite: 'planned' }))
  // A document from the past: its run had started before the plan was registered.
  await upload(aDocument({ run_id: 'late', suite: 'planned', config_digest: 'sha256:planned' }))
  const future = { started_at: '2999-05-04T09:00:00Z', finished_at: '2999-05-04T09:00:01Z' }
  await upload(aDocument({ run_id: 'planned', suite: 'planned', config_digest: 'sha256:planned', ...future }))

  const { page } = await open('/runs/planned')
  const plan = page.locator('.plan')
  await plan.getByText('Registered just now').waitFor()
  expect(await plan.textContent()).toMatch(
    /^Plan Registered just now \([^)]+\), before the upload · attempt 2 of 2 threshold met not the planned number of cases$/,
  )
  expect(await plan.locator('.tag').allTextContents()).toEqual(['threshold met', 'not the planned number of cases'])
  expect(await axe(page)).toEqual([])
  await plan.getByRole('link').click()
  const plans = page.getByRole('dialog', { name: 'Plans of this suite' })
  await plans.getByText('All of them.').waitFor()
  const { id } = (await registered.json()) as { id: string }
  expect(await plans.locator('[aria-current]').innerText()).toContain(id)
  await expect.poll(() => new URL(page.url()).search).toBe(`?plan=${id}`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    plans.getByRole('button', { name: `Receipt of plan ${id}` }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`plan-${id}.tlog-proof`)
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await page.goto('/projects/chat/suites/planned?plan=none')
  await plans.getByText('This suite has no plan with the id of this address.').waitFor()
  await page.goto('/runs/late')
  await plan.getByText('by its own dates the run began before the plan').waitFor()
  await page.goto('/runs/unplanned')
  await page.getByText('Finished').waitFor()
  expect(await page.locator('.plan').count()).toBe(0)
})

describe('nothing moves while a page loads', () => {
  const RECORD_MOVES = `window.moved = []; new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries())
      for (const { node, previousRect, currentRect } of sources)
        window.moved.push([node?.className ?? node?.textContent ?? '', previousRect.y, currentRect.y])
  }).observe({ type: 'layout-shift', buffered: true })`

  beforeAll(() => upload(aDocument({ run_id: 'unplotted', suite: 'moves' })))

  it.each(['large', 'wide', 'unplotted'])('neither on the run %s nor on one of its cases', async (id) => {
    const { cases } = (await (await send('GET', `/runs/${id}/cases?limit=1`)).json()) as {
      cases: ReadonlyArray<{ case_key: string }>
    }
    const { page } = await open('/no/such/page', { width: 1440, height: 900 })
    await page.addInitScript(RECORD_MOVES)
    await page.goto(`/runs/${id}`)
    await rows(page).first().waitFor()
    expect(await page.evaluate('window.moved')).toEqual([])
    await page.goto(`/runs/${id}/cases/${encodeURIComponent(cases[0]?.case_key ?? '')}`)
    await page.locator('.case-drawer .part').waitFor()
    await rows(page).first().waitFor()
    expect(await page.evaluate('window.moved')).toEqual([])
  })
})

describe('the actions of a run', () => {
  const choose = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const baselineRun = async () =>
    ((await (await send('GET', '/sets/chat/suites/pins')).json()) as { baseline_run_id: string | null }).baseline_run_id

  it('are in one line on a narrow page', async () => {
    const { page } = await open('/runs/wide', { width: 360 })
    await page.getByRole('button', { name: 'Share' }).waitFor()
    const tops = await Promise.all(
      [
        page.getByRole('button', { name: 'Share' }),
        page.getByRole('button', { name: 'Export' }),
        page.getByRole('button', { name: 'More actions' }),
      ].map(async (element) => (await element.boundingBox())?.y),
    )
    expect(new Set(tops).size).toBe(1)
  })

  it('pin the run as baseline immediately and can undo it', async () => {
    await upload(aDocument({ run_id: 'first', suite: 'pins' }))
    await upload(aDocument({ run_id: 'second', suite: 'pins' }))
    await send('PUT', '/projects/chat/suites/pins/baseline', { run_id: 'first' })
    const { page } = await open('/runs/second')
    await page.getByRole('link', { name: 'Compare with baseline' }).waitFor()
    await choose(page, 'Pin as baseline')
    await page.locator('.acts').getByText('Baseline', { exact: true }).waitFor()
    await page.getByText('Pinned as baseline').waitFor()
    expect(await baselineRun()).toBe('second')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Compare with baseline' }).waitFor()
    await expect.poll(baselineRun).toBe('first')
  })

  it('revert a pin that the server rejects', async () => {
    const { page } = await open('/runs/second')
    const compare = page.getByRole('link', { name: 'Compare with baseline' })
    await compare.waitFor()
    await failRequests(page, '**/baseline', 503, 'the store is full')
    await choose(page, 'Pin as baseline')
    await page.getByText('Could not pin: the store is full. Request request-7.').waitFor()
    await compare.waitFor()
  })

  it('delete the run after its suite name is typed, by keyboard alone', async () => {
    await upload(aDocument({ run_id: 'doomed', suite: 'short lived' }))
    await send('PUT', '/projects/chat/suites/short%20lived/baseline', { run_id: 'doomed' })
    expect((await send('POST', '/runs/doomed/comments', { text: 'first' })).status).toBe(201)
    expect((await send('PATCH', '/runs/doomed/annotations', { add_tags: ['a', 'b'] })).status).toBe(200)
    const { page } = await open('/runs?suite=short+lived')
    await page
      .getByRole('link', { name: /^short lived/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'More actions' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Unpin baseline' }).and(page.locator(':focus')).waitFor()
    // Deletion is last, behind a line.
    await page.keyboard.press('End')
    expect(await page.getByRole('menu').locator('> *').last().innerText()).toBe('Delete this run…')
    expect(await page.getByRole('separator').count()).toBe(1)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Delete this run?' })
    // What goes with it is named.
    await dialog.getByText('Deleted with it: 1 comment and 2 added tags.').waitFor()
    await dialog.getByText('It is the baseline of chat / short lived').waitFor()
    await dialog.getByLabel('Type short lived to confirm').focus()
    await page.keyboard.type('short')
    expect(await dialog.getByRole('button', { name: 'Delete run' }).isDisabled()).toBe(true)
    await page.keyboard.type(' lived')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('link', { name: /^pins/ }).first().waitFor()
    expect(await page.getByRole('link', { name: /^short lived/ }).count()).toBe(0)
    expect((await send('GET', '/runs/doomed')).status).toBe(404)
  })

  it('are hidden from an account that may only read', async () => {
    const reader = (await (
      await send('POST', '/users', { username: 'reader', password: 'correct horse battery', role: 'viewer' })
    ).json()) as { id: string }
    expect(reader.id).toBeTruthy()
    const answer = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'reader', password: 'correct horse battery' }),
    })
    const { token } = (await answer.json()) as { token: string }
    const { page } = await visit(browser, server.url, '/runs/second', { session: token })
    await page.getByRole('button', { name: 'Export' }).waitFor()
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: /Delete|Pin/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Receipt of this run'])
  })
})

it('a long note folds to three lines, and is shown whole on request, without moving anything before', async () => {
  const note = `${'A note that says why this run was made. '.repeat(40)}The end.`
  await upload(aDocument({ run_id: 'noted', origin: { note } }))
  const { page } = await open('/runs/noted', { width: 1024 })
  const heading = page.getByRole('heading', { level: 1 })
  await page.getByRole('button', { name: 'More of the note' }).waitFor()
  const lines = (): Promise<number> =>
    page.evaluate(`(() => {
        const heading = document.querySelector('h1')
        return Math.round(heading.parentElement.clientHeight / Number.parseFloat(getComputedStyle(heading).lineHeight))
      })()`)
  expect(await lines()).toBe(3)
  expect(await heading.textContent()).toContain('The end.')
  await page.getByRole('button', { name: 'More of the note' }).press('Enter')
  expect(await lines()).toBeGreaterThan(10)
  await page.getByRole('button', { name: 'Less of the note' }).press('Enter')
  expect(await lines()).toBe(3)
  expect(await axe(page)).toEqual([])
  await page.goto('/runs/wide')
  await page
    .getByRole('group', { name: 'Result' })
    .or(page.getByRole('region', { name: 'Result' }))
    .first()
    .waitFor()
  expect(await page.getByRole('button', { name: 'More of the note' }).count()).toBe(0)
})
