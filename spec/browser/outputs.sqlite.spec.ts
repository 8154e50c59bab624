import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { HOSTILE_RUN } from '../support/documents/hostile-cases.ts'
import { upload } from '../support/documents/sample-data.ts'
import { startWithCases } from '../support/servers/case-server.ts'

afterAll(() => server.stop())

const TRIALS = '/runs/01JDB9VXG8107AZ292PSDQWSMA/tests/airline%2F26'
const open = async (path: string, look: Parameters<typeof visit>[3] = {}) => {
  const visited = await visit(browser, server.url, path, { ...look, session })
  await columns(visited.page).first().waitFor()
  return visited
}
/** A run with three trials of one test whose outputs are taller than a window; the second trial fails. */
const tallRun = () =>
  aDocument({
    run_id: 'tall',
    suite: 'tall',
    cases: [0, 1, 2].map((repeat) =>
      aCase({
        cell: { test_id: 'tall', repeat },
        status: repeat === 1 ? 'fail' : 'pass',
        output: Array.from({ length: 120 }, (_, n) => `line ${n} of trial ${repeat}`).join('\n'),
        asserts: [
          {
            kind: 'llm-rubric',
            status: repeat === 1 ? 'fail' : 'pass',
            score: repeat === 1 ? 0 : 1,
            weight: 1,
            reason: repeat === 1 ? 'The answer names the wrong day. The rest of it is fine.' : 'Nothing is missing.',
          },
        ],
      }),
    ),
  })

const columns = (page: Page) => page.getByRole('region', { name: 'Outputs side by side' }).locator('section')
const [browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])
await upload(server, JSON.stringify(tallRun()))
const answers = ['good', 'fair', 'poor'].map((provider_id) =>
  aCase({ cell: { test_id: 'asked', provider_id }, status: provider_id === 'poor' ? 'fail' : 'pass' }),
)
await upload(server, JSON.stringify(aDocument({ run_id: 'answers', suite: 'answers', cases: answers })))

describe('the outputs of a test', () => {
  it('have a column for each trial, with verdict and assertions, and marks against the base', async () => {
    const { page } = await open(TRIALS, { width: 1440 })
    expect(await columns(page).count()).toBe(4)
    expect(await columns(page).nth(1).innerText()).toMatch(/gpt-4o · trial 2[\s\S]*Fail[\s\S]*0\.00[\s\S]*tool-call/)
    await columns(page).nth(1).locator('ins').first().waitFor()
    expect(await columns(page).first().locator('ins').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Differences against' }).selectOption({ index: 1 })
    await page.waitForURL(/against=/)
    await columns(page).first().locator('ins').first().waitFor()
    await page.reload()
    await columns(page).nth(1).getByText('base', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Plain' }).click()
    await page.waitForURL(/plain=yes/)
    expect(await page.locator('.oc ins').count()).toBe(0)
  })

  it('are walked, released and left by keyboard', async () => {
    const { page } = await open(TRIALS, { width: 1440 })
    await page.getByRole('button', { name: 'Next test' }).and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL('**/tests/airline%2F27')
    await page.keyboard.press('k')
    await page.waitForURL('**/tests/airline%2F26')
    await columns(page).first().waitFor()
    await page.keyboard.press('l')
    expect(await page.getByRole('button', { name: 'Scroll together' }).getAttribute('aria-pressed')).toBe('false')
    await columns(page)
      .nth(1)
      .getByRole('link', { name: /^Open the case of/ })
      .press('Enter')
    await page.locator('.case-drawer').getByRole('link', { name: 'Side by side' }).press('Enter')
    await columns(page).nth(1).getByText('base', { exact: true }).waitFor()
  })

  it('of two columns lead to the comparison of these columns, those of trials and of three do not', async () => {
    const { page } = await open('/runs/answers/tests/asked', { width: 1440 })
    expect(await columns(page).count()).toBe(3)
    const link = page.getByRole('link', { name: 'Compare columns' })
    expect(await link.count()).toBe(0)
    await page.getByText('3 of 3 columns').press('Enter')
    await page.getByRole('group', { name: 'Columns' }).getByRole('checkbox').nth(1).press('Space')
    await link.click()
    await page.getByRole('heading', { name: 'Too few changes to tell: good and poor' }).waitFor()
    const { page: trials } = await open('/runs/tall/tests/tall', { width: 1440 })
    await trials.getByText('3 of 3 columns').press('Enter')
    await trials.getByRole('group', { name: 'Columns' }).getByRole('checkbox').nth(1).press('Space')
    await trials.getByText('2 of 3 columns').waitFor()
    expect(await trials.getByRole('link', { name: 'Compare columns' }).count()).toBe(0)
  })

  it('can be those of several runs', async () => {
    const { page } = await open('/compare/outputs/flaky?runs=trial-0,trial-3', { width: 1024 })
    expect((await columns(page).allInnerTexts()).join('\n')).toMatch(/answer 0[\s\S]*answer 3/)
  })

  it('of several runs are chosen by run, two at least', async () => {
    const path = '/compare/outputs/other?runs=trial-0,trial-1,trial-2'
    const { page } = await open(path, { width: 1440 })
    expect(await columns(page).count()).toBe(3)
    await page.getByText('3 of 3 columns').press('Enter')
    const boxes = page.getByRole('group', { name: 'Columns' }).getByRole('checkbox')
    expect(await Promise.all((await boxes.all()).map((box) => box.isDisabled()))).toEqual([true, false, false])
    await boxes.nth(1).press('Space')
    await page.waitForURL(/[?&]show=/)
    await expect.poll(() => new URL(page.url()).searchParams.get('show')).toBe('trial-0,trial-2')
    await page.getByText('2 of 3 columns').waitFor()
    await columns(page).nth(2).waitFor({ state: 'detached' })
    expect((await columns(page).allInnerTexts()).map((text) => /trial-\d/.exec(text)?.[0])).toEqual([
      'trial-0',
      'trial-2',
    ])
    // Two columns stay; the box of the third can be ticked again.
    expect(await Promise.all((await boxes.all()).map((box) => box.isDisabled()))).toEqual([true, false, true])
    expect(await Promise.all((await boxes.all()).map((box) => box.isChecked()))).toEqual([true, false, true])
  })

  it('scroll together with the page, or each by itself', async () => {
    const { page } = await open('/runs/tall/tests/tall', { width: 1440 })
    const texts = page.locator('.ot')
    const ofEach = <T>(value: string) =>
      page.evaluate<T[]>(`[...document.querySelectorAll('.ot')].map((each) => ${value})`)
    const scrolled = () => ofEach<number>('each.scrollTop')
    const ways = () => ofEach<string>('getComputedStyle(each).overflowY')
    expect(await columns(page).nth(1).locator('.why').innerText()).toBe('The answer names the wrong day.')
    expect(await page.locator('.why').count()).toBe(1)
    expect(await ways()).toEqual(['hidden', 'hidden', 'hidden'])
    await page.getByRole('button', { name: 'Show whole outputs' }).click()
    expect(await ways()).toEqual(['visible', 'visible', 'visible'])
    await texts.nth(1).hover({ position: { x: 20, y: 20 } })
    await page.mouse.wheel(0, 400)
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(0)
    expect(await scrolled()).toEqual([0, 0, 0])
    await page.keyboard.press('l')
    await page.locator('.oc.apart').waitFor()
    expect(await ways()).toEqual(['auto', 'auto', 'auto'])
    await texts.nth(1).hover({ position: { x: 20, y: 20 } })
    await page.mouse.wheel(0, 300)
    await expect.poll(async () => (await scrolled())[1]).toBeGreaterThan(0)
    expect([(await scrolled())[0], (await scrolled())[2]]).toEqual([0, 0])
  })

  it('say how many runs of the suite have the test, if the address shows only some of them', async () => {
    const { page } = await open('/compare/outputs/flaky?runs=trial-0,trial-3&of=11', { width: 1024 })
    await page.getByText('2 of the 11 runs that have it are shown').waitFor()
  })

  it('say which runs to choose if the address names none', async () => {
    const { page } = await visit(browser, server.url, '/compare/outputs/flaky', { session })
    await page.getByText('No runs are chosen').waitFor()
  })

  it.each([
    ['of one run', '/runs/01JDB9VXG8107AZ292PSDQWSMA/tests/airline%2F26'],
    ['of several runs', '/compare/outputs/flaky?runs=trial-0,trial-3'],
  ])('show a base in the address that does not exist as such: %s', async (_, path) => {
    const address = `${path}${path.includes('?') ? '&' : '?'}against=%3Cb%3Enone`
    const { page, complaints } = await visit(browser, server.url, address, { session, width: 1024, mayComplain: true })
    await page.getByText('No column of this test is <b>none.').waitFor()
    expect(await axe(page)).toEqual([])
    // The browser itself reports the answer of 400.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([])
    await page.getByRole('button', { name: 'Compare with the first column' }).press('Enter')
    await columns(page).first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('against')).toBe(false)
  })

  it('of a test or run that does not exist look like those that the viewer may not see', async () => {
    const texts = []
    for (const path of ['/runs/none/tests/flaky', `/runs/${HOSTILE_RUN}/tests/none`]) {
      const { page, close } = await visit(browser, server.url, path, { session })
      await page.getByRole('heading', { level: 1, name: 'No such test' }).waitFor({ state: 'attached' })
      texts.push(await page.locator('main').innerText())
      await close()
    }
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('No such test')
  })

  it.each(['markup', 'long', 'unseen'])('show stored text as text only: %s', async (test) => {
    const { page } = await open(`/runs/${HOSTILE_RUN}/tests/${test}`)
    await page.getByRole('button', { name: 'Show whole outputs' }).click()
    expect(await page.locator('.oc :is(img, iframe, script, style, link, object, embed)').count()).toBe(0)
    expect(await page.title()).toContain('Evaluation Results')
    expect(await isTooWide(page)).toBe(false)
  })
})
