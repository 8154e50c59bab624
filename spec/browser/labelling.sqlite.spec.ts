import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MyItem, MyQueues } from '../../queries/reviews/my-items.ts'
import { openBrowser, setUp, visit } from '../support/browser.ts'
import { judgedRun } from '../support/documents/queues.ts'
import { EVERY_QUESTION, RUBRIC_FIELDS } from '../support/documents/rubrics.ts'
import { faultsOf } from '../support/every-page/checks.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

// The pages for those who label: one case at a time, by keys, with labels that wait in the browser until they cannot be undone.

const PASSWORD = 'correct horse battery'
const SET = { project: 'chat', suite: 'review' } as const
const CASES = 62
const LONG = `${'A line of the long output. '.repeat(40)}\n`.repeat(1_000)
const browser = await openBrowser()
let server: RunningServer
let admin: string
const sessions: Record<string, string> = {}

const call = async (method: string, path: string, body?: object, token = admin): Promise<Response> => {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect([path, answer.ok ? 'ok' : await answer.text()]).toEqual([path, 'ok'])
  return answer
}
const made = async <T>(method: string, path: string, body?: object, token?: string): Promise<T> =>
  (await (await call(method, path, body, token)).json()) as T

/** Opens a queue of the first `count` cases, with a rubric of its own, in which `people` label. */
const openQueue = async (count: number, people: readonly string[], rubric: object = {}, more: object = {}) => {
  const { id: rubric_id } = await made<{ id: string }>('POST', '/rubrics', { ...SET, ...RUBRIC_FIELDS, ...rubric })
  const { cases } = await made<{ cases: Array<{ case_key: string }> }>('GET', '/runs/to-label/cases?limit=100')
  const { id } = await made<{ id: string }>('POST', '/review-queues', {
    ...{ ...SET, rubric_id, target: 'metric', metric: 'llm-rubric', seed: 'seed', per_item: people.length },
    ...{ reviewers: people },
    selection: { kind: 'list', cases: cases.slice(0, count).map(({ case_key }) => ({ run_id: 'to-label', case_key })) },
    ...more,
  })
  return id
}
const queueOf = async (id: string, name: string) => {
  const { queues } = await made<MyQueues>('GET', '/review/queues', undefined, sessions[name])
  return queues.find((queue) => queue.id === id)
}
const labelsOf = async (item: string, name: string) =>
  (await made<MyItem>('GET', `/review/items/${item}`, undefined, sessions[name])).labels

beforeAll(async () => {
  server = await startServer()
  admin = await setUp(server.url)
  const run = judgedRun('to-label', CASES, 40)
  await call('POST', '/runs', {
    ...run,
    cases: run.cases.map((each, n) => ({
      ...each,
      output: n === CASES - 1 ? LONG : n % 3 === 0 ? `**Yes**, ${n}.\n\n- one\n- two <b>not bold</b>` : `Output ${n}.`,
    })),
  })
  for (const username of ['ann', 'ben', 'cleo']) {
    await call('POST', '/users', { username, password: PASSWORD, role: 'reviewer' })
    sessions[username] = (await made<{ token: string }>('POST', '/auth/login', { username, password: PASSWORD })).token
  }
})
afterAll(() => server.stop())

/** Opens a page as an account. Its clock stands still but for the time that a spec lets pass. */
const open = async (path: string, name: string, width = 1280) => {
  const visited = await visit(browser, server.url, 'about:blank', { width, height: 900, session: sessions[name]! })
  await visited.page.clock.install()
  await visited.page.goto(path)
  return visited
}
const caseTitle = (page: Page, n: number, total: number) =>
  page.getByRole('heading', { name: `Case ${n} of ${total}`, level: 1 }).waitFor({ state: 'attached' })
/** Lets the time pass in which a label can be undone, and waits until nothing is on its way. */
const pass = async (page: Page, ms = 5_000) => {
  await page.clock.runFor(ms)
}
const sent = (page: Page): string[] => {
  const found: string[] = []
  page.on('request', (request) => {
    const item = /review\/items\/([^/]+)\/(?:labels|adjudicate)$/.exec(request.url())?.[1]
    if (request.method() === 'POST' && item !== undefined) found.push(item)
  })
  return found
}

it('an account that only labels signs in, labels sixty cases by keys alone, and finds nothing else', async () => {
  const queue = await openQueue(60, ['ann'])
  const { page, context } = await visit(browser, server.url, '/login', { width: 1280, height: 900 })
  const refused: string[] = []
  page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
  await page.getByLabel('User name').waitFor()
  await page.keyboard.type('ann')
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/review`)
  const link = page.locator(`a[href="/review/${queue}"]`)
  await link.waitFor()
  while ((await page.evaluate('document.activeElement.getAttribute("href")')) !== `/review/${queue}`)
    await page.keyboard.press('Tab')
  await page.clock.install()
  await page.keyboard.press('Enter')
  const labelled = sent(page)
  for (let n = 1; n <= 60; n++) {
    await caseTitle(page, n, 60)
    await page.keyboard.press(n % 4 === 0 ? '2' : '1')
    await pass(page, 2_000)
  }
  await expect
    .poll(async () => {
      await pass(page)
      return page.getByRole('heading', { name: 'Done. 60 labels' }).count()
    })
    .toBe(1)
  await expect.poll(() => labelled.length).toBe(60)
  expect(new Set(labelled).size).toBe(60)
  const { queues } = await made<MyQueues>('GET', '/review/queues', undefined, sessions['ann'])
  expect(queues.find(({ id }) => id === queue)).toMatchObject({ done: 60, left: 0 })
  const given = await made<{ items: Array<{ final: string }> }>('GET', `/review-queues/${queue}/items?limit=200`)
  expect(given.items.filter(({ final }) => final === 'fail').length).toBe(15)

  await page.goto('/runs')
  await page.waitForURL(`${server.url}/review`)
  await page.goto('/settings#password')
  await page.getByRole('heading', { name: 'Password' }).waitFor()
  const main = page.getByRole('navigation', { name: 'Main' })
  expect(await main.getByRole('link').allInnerTexts()).toEqual(['To label'])
  expect(await page.getByRole('heading', { name: /views|webhooks|agents/i }).count()).toBe(0)
  await main.getByRole('link').click()
  await page.waitForURL(`${server.url}/review`)
  expect(refused.filter((url) => !url.endsWith('/auth/login'))).toEqual([])
  await context.close()
})

describe('a label that waits', () => {
  it('is undone within four seconds, and leaves no record', async () => {
    const queue = await openQueue(3, ['ann'])
    const { page } = await open(`/review/${queue}`, 'ann')
    const labelled = sent(page)
    await caseTitle(page, 1, 3)
    const shown = await page.getByRole('region', { name: 'Answer' }).innerText()
    await page.keyboard.press('1')
    await caseTitle(page, 2, 3)
    await page.clock.runFor(3_000)
    await page.keyboard.press('z')
    await caseTitle(page, 1, 3)
    expect(await page.getByRole('region', { name: 'Answer' }).innerText()).toBe(shown)
    await pass(page, 60_000)
    expect(labelled).toEqual([])
    expect(await queueOf(queue, 'ann')).toMatchObject({ done: 0, left: 3 })
    await page.keyboard.press('2')
    await pass(page)
    await expect.poll(async () => (await queueOf(queue, 'ann'))?.done).toBe(1)
    await expect.poll(() => labelled.length).toBe(1)
    expect((await labelsOf(labelled[0]!, 'ann')).map(({ answers }) => answers)).toEqual([{ right: 'fail' }])
  })

  it('survives half a minute without a network and a reload, in order, and is sent by no other account', async () => {
    const queue = await openQueue(6, ['ann', 'ben'])
    const { page, context } = await open(`/review/${queue}`, 'ann')
    await caseTitle(page, 1, 6)
    await context.setOffline(true)
    for (let n = 1; n <= 3; n++) {
      // The next case is here already.
      await caseTitle(page, n, 6)
      await page.keyboard.press('1')
    }
    await pass(page, 30_000)
    await page.getByText('Offline. 3 labels are kept here').waitFor()
    const waiting = await page.evaluate<string[]>(
      "Object.keys(localStorage).filter((name) => name.startsWith('label:')).map((name) => JSON.parse(localStorage[name])).sort((a, b) => a.at - b.at).map(({ item }) => item)",
    )
    expect(waiting.length).toBe(3)

    await context.route('**/review/items/*/labels', (route) => route.abort())
    await context.addCookies([{ name: 'service_session', value: sessions['ben']!, url: server.url }])
    // The page sees that another account is signed in.
    await context.setOffline(false)
    await page.getByRole('link', { name: 'ben' }).waitFor()
    await caseTitle(page, 1, 6)
    const labelled = sent(page)
    await pass(page, 30_000)
    expect(labelled).toEqual([])

    await context.addCookies([{ name: 'service_session', value: sessions['ann']!, url: server.url }])
    await page.reload()
    await page.getByText('Offline. 3 labels are kept here').waitFor()
    await context.unroute('**/review/items/*/labels')
    labelled.length = 0
    await pass(page, 6_000)
    await expect.poll(async () => (await queueOf(queue, 'ann'))?.done).toBe(3)
    await expect.poll(() => labelled).toEqual(waiting)
    await caseTitle(page, 4, 6)
  })

  it('is counted once if the page is loaded again before it was sent', async () => {
    const queue = await openQueue(6, ['ann'])
    const { page } = await open(`/review/${queue}`, 'ann')
    for (let n = 1; n <= 3; n++) {
      await caseTitle(page, n, 6)
      await page.keyboard.press('1')
    }
    await caseTitle(page, 4, 6)
    await page.reload()
    // The browser sends them when the page is left, and the page sends them again.
    await expect.poll(async () => (await queueOf(queue, 'ann'))?.done).toBe(3)
    const counted = page.waitForResponse((response) => response.url().endsWith('/review/queues'))
    await pass(page)
    await counted
    await caseTitle(page, 4, 6)
    await page.keyboard.press('1')
    await caseTitle(page, 5, 6)
  })

  it('that the server refuses is shown with its reason', async () => {
    const queue = await openQueue(2, ['ann'])
    const { page } = await open(`/review/${queue}`, 'ann')
    await caseTitle(page, 1, 2)
    const { items } = await made<{ items: MyItem[] }>('POST', '/review/next', { queue_id: queue }, sessions['ann'])
    const label = { label_id: `01M${'0'.repeat(22)}7`, answers: { right: 'pass' }, seconds: 1 }
    await call('POST', `/review/items/${items[0]!.id}/labels`, label, sessions['ann'])
    await page.keyboard.press('2')
    await pass(page)
    await page.getByText('A label was not taken: you labelled this item.').waitFor()
    await page.getByRole('button', { name: 'Understood' }).click()
    await expect.poll(() => page.getByRole('alert').filter({ hasText: 'not taken' }).count()).toBe(0)
  })
})

it('every kind of question has its keys, words are marked, and a label can be changed', async () => {
  const queue = await openQueue(2, ['ann'], { questions: EVERY_QUESTION })
  const { page } = await open(`/review/${queue}`, 'ann')
  await caseTitle(page, 1, 2)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Not answered yet: Is it right?' }).waitFor({ state: 'attached' })
  for (const key of ['2', '8', '0']) await page.keyboard.press(key)
  await page.getByRole('group', { name: 'Which signs?' }).getByRole('button', { name: 'B' }).click()
  await page.evaluate(
    "getSelection().setBaseAndExtent(document.querySelector('[data-at]').firstChild, 2, document.querySelector('[data-at]').firstChild, 5)",
  )
  await page.keyboard.press('m')
  await page.getByText('Wrong, 3 characters').waitFor()
  await page.keyboard.press('c')
  await page.keyboard.type('0 is no key here')
  await page.keyboard.press('Enter')
  await caseTitle(page, 2, 2)
  await pass(page)
  await expect.poll(async () => (await queueOf(queue, 'ann'))?.done).toBe(1)

  const labelled = sent(page)
  await page.keyboard.press('k')
  await page.getByText('You labelled this case.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Why?' }).inputValue()).toBe('0 is no key here')
  await page.getByRole('group', { name: 'Is it right?' }).getByRole('button', { name: 'Pass' }).click()
  await page.keyboard.press('Enter')
  await caseTitle(page, 2, 2)
  await pass(page)
  await expect.poll(() => labelled.length).toBe(1)
  await expect.poll(async () => (await labelsOf(labelled[0]!, 'ann')).length).toBe(2)
  const [first, second] = await labelsOf(labelled[0]!, 'ann')
  expect(first).toMatchObject({
    standing: false,
    answers: { right: 'fail', tone: 0.7, fault: null, signs: ['b'] },
    texts: { marks: [{ start: 2, end: 5, option: 'wrong' }], why: '0 is no key here' },
  })
  expect(second).toMatchObject({ standing: true, answers: { right: 'pass', tone: 0.7 } })
})

it('a case is passed on, and an adjudicator decides where labels differ', async () => {
  const queue = await openQueue(2, ['ann', 'ben'], {}, { adjudicators: ['cleo'] })
  const { page } = await open(`/review/${queue}`, 'ann')
  await caseTitle(page, 1, 2)
  await page.keyboard.press('d')
  await page.getByRole('button', { name: 'I do not know enough about it' }).click()
  await caseTitle(page, 1, 1)
  await page.keyboard.press('1')
  await pass(page)
  await page.getByRole('heading', { name: 'Done. 1 label' }).waitFor()
  const ben = (await open(`/review/${queue}`, 'ben')).page
  for (let n = 1; n <= 2; n++) {
    await caseTitle(ben, n, 2)
    await ben.keyboard.press('2')
  }
  await pass(ben)
  await expect.poll(async () => (await queueOf(queue, 'cleo'))?.left).toBe(1)

  const cleo = (await open(`/review/${queue}`, 'cleo')).page
  await caseTitle(cleo, 1, 1)
  const given = cleo.getByRole('region', { name: 'Labels to decide between' }).getByRole('listitem')
  expect((await given.allInnerTexts()).map((text) => text.trim())).toEqual(['Fail', 'Pass'])
  await cleo.keyboard.press('2')
  await pass(cleo)
  await expect.poll(async () => (await queueOf(queue, 'cleo'))?.done).toBe(1)
  await cleo.getByRole('heading', { name: 'Done. 1 decision' }).waitFor()
})

describe('a case', () => {
  it('of a megabyte is there as a whole, and laid out where it is seen', async () => {
    const queue = await openQueue(CASES, ['ben'])
    let item: MyItem | undefined
    for (let n = 1; item === undefined; n++) {
      const found = await made<MyItem>('GET', `/review/items/${queue}.${n}`, undefined, sessions['ben'])
      if (String(found.parts[0]?.value).length > 1e6) item = found
    }
    const { page } = await visit(browser, server.url, 'about:blank', { session: sessions['ben']! })
    await page.route('**/review/next', (route) => route.fulfill({ json: { items: [item] } }))
    await page.goto(`/review/${queue}`)
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.waitFor()
    expect(await page.evaluate("document.querySelector('.output .prose').textContent.length")).toBe(LONG.length)
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('.output .part')].filter((part) => getComputedStyle(part).contentVisibility === 'auto').length",
      ),
    ).toBeGreaterThan(100)
  })

  it('with an agent shows a conversation, calls as sentences and results as tables, and JSON when it is asked for', async () => {
    const rows = [
      { flight: 'HAT136', seats: 4 },
      { flight: 'HAT039', seats: 9 },
    ]
    const run = judgedRun('agent', 1, 1)
    await call('POST', '/runs', {
      ...run,
      cases: run.cases.map((each) => ({
        ...each,
        prompt: {
          messages: [
            { role: 'system', content: 'Follow the policy.' },
            { role: 'user', content: 'To Seattle, <b>please</b>.' },
            {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'c1', name: 'search_flight', arguments: { to_airport: 'SEA' } }],
            },
            { role: 'tool', content: JSON.stringify(rows), tool_call_id: 'c1' },
          ],
        },
      })),
    })
    const selection = { kind: 'random', runs: ['agent'], count: 1 }
    const queue = await openQueue(1, ['ben'], { show: [{ field: 'prompt', label: 'Asked' }] }, { selection })
    const { page } = await visit(browser, server.url, `/review/${queue}`, { session: sessions['ben']! })
    const asked = page.getByRole('region', { name: 'Asked' })
    await asked.getByText('To Seattle, <b>please</b>.').waitFor()
    await asked.getByText('Used search flight: to airport SEA').waitFor()
    expect(await asked.getByRole('table').count()).toBe(0)
    // Who says nothing has no heading: what was used, and what it gave, are lines one after the other.
    expect(await asked.getByText('Assistant').count()).toBe(0)
    await asked.getByText('Result of search flight').click()
    expect(await asked.getByRole('row').allInnerTexts()).toEqual(['flight\tseats', 'HAT136\t4', 'HAT039\t9'])
    const folded = asked.locator('details:not(.json)')
    const openOnes = (): Promise<boolean[]> =>
      folded.evaluateAll((all) => all.map((each) => (each as { open?: boolean }).open === true))
    // The instructions, the call and its result.
    expect(await openOnes()).toEqual([false, false, true])
    await page.keyboard.press('f')
    expect(await openOnes()).toEqual([false, true, true])
    await page.keyboard.press('f')
    expect(await openOnes()).toEqual([false, false, false])
    expect(await asked.getByText('"tool_call_id"').count()).toBe(0)
    await asked.getByText('As JSON').click()
    await asked.getByText('"tool_call_id"').waitFor()
  })

  it('with a long question shows the output alone from its beginning, and the question again where it was left', async () => {
    const run = judgedRun('long-question', 2, 0)
    const prompt = { text: 'A line of the question.\n'.repeat(300) }
    await call('POST', '/runs', {
      ...run,
      cases: run.cases.map((each) => ({ ...each, prompt, output: 'A\n'.repeat(200) })),
    })
    const show = [
      { field: 'prompt', label: 'Asked' },
      { field: 'output', label: 'Answer' },
    ]
    const selection = { kind: 'random', runs: ['long-question'], count: 2 }
    const queue = await openQueue(2, ['ben'], { show }, { selection })
    const { page } = await visit(browser, server.url, `/review/${queue}`, { session: sessions['ben']! })
    await caseTitle(page, 1, 2)
    const asked = page.getByRole('region', { name: 'Asked' })
    // What is far is said where a case begins, with a button for those who know no keys.
    await page.getByText(/^It begins \d+ screens further down\.$/).waitFor()
    const only = page.getByRole('button', { name: 'Output only' })
    await only.click()
    await asked.waitFor({ state: 'detached' })
    expect(await only.getAttribute('aria-pressed')).toBe('true')
    await only.click()
    await asked.waitFor()
    const scrolled = (): Promise<number> => page.evaluate('scrollY')
    await page.evaluate('scrollTo(0, 3000)')
    await page.keyboard.press('o')
    await asked.waitFor({ state: 'detached' })
    expect(await scrolled()).toBe(0)
    await page.evaluate('scrollTo(0, 500)')
    await page.keyboard.press('o')
    await asked.waitFor()
    expect(await scrolled()).toBe(3000)
    await page.keyboard.press('o')
    await page.keyboard.press('1')
    await caseTitle(page, 2, 2)
    expect([await asked.count(), await scrolled()]).toEqual([0, 0])
  })

  it('with much Markdown is laid out where it is seen, and its code has the width of the page', async () => {
    const run = judgedRun('long-markdown', 1, 1)
    const code = `\`\`\`js\n${'const one = 1\n'.repeat(100)}\`\`\`\n\nAnd then:\n\n`
    await call('POST', '/runs', { ...run, cases: run.cases.map((each) => ({ ...each, output: code.repeat(12) })) })
    const selection = { kind: 'random', runs: ['long-markdown'], count: 1 }
    const queue = await openQueue(1, ['ben'], {}, { selection })
    const { page } = await visit(browser, server.url, `/review/${queue}`, {
      ...{ session: sessions['ben']!, width: 1440, height: 900 },
    })
    await caseTitle(page, 1, 1)
    const blocks = page.locator('.output pre')
    expect(await blocks.count()).toBe(12)
    const styles = await blocks.evaluateAll((all) => all.map((each) => getComputedStyle(each).contentVisibility))
    expect(new Set(styles)).toEqual(new Set(['auto']))
    // Before it is laid out, a block has about the height of its lines.
    expect((await blocks.last().boundingBox())?.height).toBeGreaterThan(1_500)
    const widths = await page
      .locator('.output :is(pre, p)')
      .evaluateAll((all) => all.slice(0, 2).map((each) => each.getBoundingClientRect().width))
    expect(widths[0]).toBeGreaterThan(widths[1]! + 100)
  })

  it('at 400 % has its answers after the output, its mark in its size, and nothing beyond the edge', async () => {
    const queue = await openQueue(3, ['ann'], { name: 'A name of a rubric that is far too long for a small window' })
    const { page } = await visit(browser, server.url, `/review/${queue}`, {
      ...{ session: sessions['ann']!, width: 320, height: 256 },
    })
    await caseTitle(page, 1, 3)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect((await page.locator('header a[href="/review"] svg').boundingBox())?.width).toBeGreaterThan(15)
    const [output, answers] = [
      await page.getByRole('region', { name: 'Answer', exact: true }).boundingBox(),
      await page.getByRole('region', { name: 'Your label' }).boundingBox(),
    ]
    expect(answers!.y).toBeGreaterThanOrEqual(output!.y + output!.height)
    await page.getByRole('button', { name: 'Rubric' }).click()
    await page.getByRole('dialog', { name: 'Rubric' }).getByText(RUBRIC_FIELDS.text).waitFor()
  })

  it('has no fault at any width, in both themes, with its dialogs and at its end', async () => {
    const show = [
      { field: 'prompt', label: 'Asked' },
      { field: 'vars.question', label: 'Question' },
      { field: 'output', label: 'Answer' },
    ]
    const questions = [...RUBRIC_FIELDS.questions, { key: 'why', kind: 'comment', label: 'Why?' }]
    const queue = await openQueue(4, ['cleo'], { questions, show })
    const { page } = await visit(browser, server.url, `/review/${queue}`, { session: sessions['cleo']! })
    await caseTitle(page, 1, 4)
    expect(await faultsOf(page, false)).toEqual([])
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    expect(await faultsOf(page, false)).toEqual([])
    await page.goto('/review')
    await page.getByRole('heading', { name: 'To label', level: 1 }).waitFor()
    expect(await faultsOf(page, false)).toEqual([])
  })
})

it('of two outputs one is preferred, and the label is that of its run whichever side it was on', async () => {
  const run = judgedRun('second', CASES, 40)
  await call('POST', '/runs', { ...run, cases: run.cases.map((each, n) => ({ ...each, output: `Second ${n}.` })) })
  const questions = [{ key: 'better', kind: 'preference', label: 'Which one is better?', deciding: true }]
  const selection = { kind: 'pairs', runs: ['to-label', 'second'], count: 4 }
  const queue = await openQueue(1, ['ann'], { questions }, { target: 'case', metric: undefined, selection })
  const { page } = await open(`/review/${queue}`, 'ann')
  const labelled = sent(page)
  await caseTitle(page, 1, 4)
  // Smaller than a text that is read alone: as much of both as fits.
  const sizeOf = (part: string) =>
    page
      .locator(`${part} .prose`)
      .first()
      .evaluate((each) => getComputedStyle(each).fontSize)
  expect([await sizeOf('.output'), await sizeOf('.rubric')]).toEqual(['14px', '15px'])
  for (let n = 1; n <= 4; n++) {
    await caseTitle(page, n, 4)
    const isLeft = (await page.getByRole('region', { name: 'Left' }).innerText()).includes('Second')
    expect((await page.getByRole('region', { name: 'Right' }).innerText()).includes('Second')).toBe(!isLeft)
    await page.keyboard.press(isLeft ? '1' : '2')
  }
  await pass(page)
  await expect.poll(() => labelled.length).toBe(4)
  await expect.poll(async () => (await queueOf(queue, 'ann'))?.closed_at).not.toBeNull()
  const { items } = await made<{ items: Array<{ final: string }> }>('GET', `/review-queues/${queue}/items?limit=200`)
  expect(items.map(({ final }) => final)).toEqual(['b', 'b', 'b', 'b'])
})

it('open pages of a queue follow it: how far it came, what is left to decide, and that it was closed', async () => {
  for (const username of ['max', 'moe']) await call('POST', '/users', { username, password: PASSWORD, role: 'member' })
  const sign = async (username: string) =>
    (await made<{ token: string }>('POST', '/auth/login', { username, password: PASSWORD })).token
  const [max, moe] = [await sign('max'), await sign('moe')]
  const queue = await openQueue(2, ['ann', 'max'], {}, { adjudicators: ['moe'] })
  const follow = async (path: string, session: string) =>
    (await visit(browser, server.url, path, { width: 1280, height: 900, session })).page
  const page = await follow(`/reviews/${queue}`, admin)
  const labels = await follow(`/review/${queue}`, max)
  const decides = await follow(`/review/${queue}`, moe)
  await caseTitle(labels, 1, 2)
  await decides.getByRole('heading', { name: 'Done. 0 decisions' }).waitFor()
  await page.getByText('Open', { exact: true }).waitFor()

  const { items } = await made<{ items: MyItem[] }>(
    'POST',
    '/review/next',
    { queue_id: queue, count: 1 },
    sessions['ann'],
  )
  const give = (token: string, n: number, right: string) =>
    call(
      'POST',
      `/review/items/${items[0]!.id}/labels`,
      { label_id: `01N${'0'.repeat(22)}${n}`, answers: { right }, seconds: 1 },
      token,
    )
  await give(sessions['ann']!, 1, 'pass')
  await give(max, 2, 'fail')
  await caseTitle(decides, 1, 1)
  await call('POST', `/review-queues/${queue}/close`)
  await labels.getByRole('heading', { name: 'The queue is closed' }).waitFor()
  await decides.getByRole('heading', { name: 'The queue is closed' }).waitFor()
  await page.getByText(/^Closed/).waitFor()
})
