import { afterAll, describe, expect, it } from 'vitest'
import { axe, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { count, filterBox, settled, uploadRunList } from '../../support/pages/run-list.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())

const open = async (path = '/runs', look: Parameters<typeof visit>[3] = {}) => {
  return visit(browser, server.url, path, { ...look, session })
}
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await uploadRunList(server)

describe('filters', () => {
  it('offer the values of the server, are in the URL and are undone by going back', async () => {
    const { page } = await open()
    await settled(page)
    await filterBox(page).click()
    await page.getByRole('option', { name: /^project/ }).click()
    await page.getByRole('option', { name: /agbenchmark/ }).click()
    await count(page, '25 runs')
    await expect.poll(() => new URL(page.url()).search).toBe('?project=agbenchmark')
    await filterBox(page).fill('suite:mini')
    await page.getByRole('option', { name: /mini-agi.*12 runs/ }).waitFor()
    await page.keyboard.press('Enter')
    await count(page, '12 runs')
    await expect.poll(() => new URL(page.url()).search).toBe('?project=agbenchmark&suite=mini-agi')
    await page.goBack()
    await count(page, '25 runs')
    await page.goBack()
    await count(page, '43 runs')
    await page.goForward()
    await count(page, '25 runs')
    await page.getByRole('button', { name: 'Remove filter project agbenchmark' }).click()
    await count(page, '43 runs')
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('offer a suite of any project, with the number of all its runs, also if none is shown', async () => {
    const { page } = await open('/runs?status=error&since=2030-01-01')
    await page.getByRole('heading', { name: 'No run matches these filters' }).waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('suite:bee')
    const options = page.getByRole('option')
    await options.filter({ hasText: 'beebot' }).waitFor()
    expect((await options.first().innerText()).replaceAll(/\s+/g, ' ')).toMatch(/beebot.*12 runs$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove filter suite beebot' }).waitFor()
    for (const other of ['status error', 'since 2030-01-01'])
      await page.getByRole('button', { name: `Remove filter ${other}` }).click()
    await count(page, '12 runs')
    await expect.poll(() => new URL(page.url()).search).toBe('?suite=beebot')
  })

  it('offer the models with the number of their runs', async () => {
    const { page } = await open()
    await settled(page)
    await filterBox(page).fill('provider:bee')
    const option = page.getByRole('option', { name: /beebot.* \d+ runs/ })
    const runs = (await option.innerText()).split(/\s+/).slice(-2).join(' ')
    await page.keyboard.press('Enter')
    await count(page, runs)
    await expect.poll(() => new URL(page.url()).search).toBe('?provider=beebot')
  })

  it('in a pasted URL give the same view', async () => {
    const { page } = await open(
      '/runs?project=agbenchmark&status=fail&since=2023-08-28&until=2023-08-28&select=01H8XKBF30BH17MX6MS2G7GRXN',
    )
    await count(page, '2 runs')
    expect(await page.locator('.chip').allInnerTexts()).toEqual(
      ['project\nagbenchmark', 'status\nfail', 'since\n2023-08-28', 'until\n2023-08-28'].map((text): unknown =>
        expect.stringMatching(text.replace('\n', '\\s*')),
      ),
    )
    expect(await page.getByRole('region', { name: 'Selection' }).innerText()).toContain('1 run')
  })

  it.each([
    ['tag:nightly', '1 run'],
    ['branch:feature/"><svg onload=alert(1)>', '1 run'],
    ['origin:ci', '1 run'],
    ['actor:<b>mallory</b>', '1 run'],
    ['suite:lite status:fail', '1 run'],
    ['until:2023-08-19', '2 runs'],
  ])('can also be typed: %s', async (typed, words) => {
    const { page } = await open()
    await settled(page)
    await page.keyboard.press('f')
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
    await count(page, words)
  })

  it('without a match are named and can be removed with one button', async () => {
    const { page } = await open('/runs?project=agbenchmark&status=error')
    await page.getByRole('heading', { name: 'No run matches these filters' }).waitFor()
    expect(await page.locator('.empty-state').innerText()).toContain('Filters: project agbenchmark and status error.')
    await page.getByRole('button', { name: 'Remove status' }).click()
    await count(page, '25 runs')
  })

  it('with a value that does not exist are shown as such, and can be removed', async () => {
    const { page } = await open('/runs?status=odd&since=never&project=promptfoo')
    await page.getByRole('heading', { name: 'A filter has a value that does not exist' }).waitFor()
    await page.getByText('odd is no value of status. Its values are pass, fail, error.').waitFor()
    await page.getByText('never is no value of since.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove since' }).click()
    await page.getByRole('button', { name: 'Remove status', exact: true }).click()
    await count(page, '2 runs')
  })
})

it('hides and counts fully cached runs, shows them, and hides them on going back', async () => {
  const { page } = await open('/runs?project=promptfoo')
  await count(page, '2 runs')
  await page.getByText('2 runs were answered from the cache:').getByRole('button', { name: 'Show them' }).click()
  await count(page, '4 runs')
  await expect.poll(() => new URL(page.url()).searchParams.get('cached')).toBe('all')
  await page.goBack()
  await count(page, '2 runs')
})

it('says so if only a run from the cache matches', async () => {
  await uploadDocument(server, {
    run_id: 'all-cached',
    project: 'cached',
    suite: 'again',
    cases: [aCase({ cached: true })],
  })
  const { page } = await open('/runs?project=cached')
  await page.getByRole('heading', { name: '1 run was answered from the cache' }).waitFor()
  expect(await axe(page)).toEqual([])
  await page.getByRole('button', { name: 'Show it' }).click()
  await count(page, '1 run')
})
