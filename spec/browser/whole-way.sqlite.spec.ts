import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { openBrowser, visit } from '../support/browser.ts'
import { startWithCases } from '../support/servers/case-server.ts'

afterAll(() => server.stop())

const TAU = '/runs/01JDB9VXG8107AZ292PSDQWSMA'
const drawer = (page: Page) => page.locator('.case-drawer')
const whenLoaded = (page: Page) => drawer(page).getByRole('navigation', { name: 'Parts of the case' }).waitFor()
const row = (page: Page, index: number) => page.locator(`tr[data-index="${index}"]`)
const waitForCurrent = (page: Page, index: number) =>
  page.locator(`tr[data-index="${index}"][aria-current=true]`).waitFor()
const waitForPlace = (page: Page, text: string) => drawer(page).getByText(text, { exact: true }).waitFor()
const waitForFocus = (page: Page, selector: string) =>
  expect.poll(() => page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)).toBe(true)
const isInSight = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(
    `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return box.top >= 82 && box.bottom <= innerHeight })()`,
  )
const [browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])

it('by keyboard alone a user signs in, opens a run and a case, and returns', async () => {
  const { page } = await visit(browser, server.url, '/runs?suite=airline', {
    width: 1440,
    height: 900,
  })
  await page.getByLabel('User name').waitFor()
  await waitForFocus(page, 'input')
  await page.keyboard.type('mira')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse battery')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/runs?suite=airline')
  await page.locator('tbody tr').first().waitFor()
  await page.keyboard.press('j')
  await waitForFocus(page, 'tbody .l1')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${TAU}`)
  await row(page, 0).waitFor()
  for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
  await waitForFocus(page, 'tr[data-index="2"] a')
  await page.keyboard.press('Enter')
  await whenLoaded(page)
  await waitForPlace(page, '3 of 200')
  await page.keyboard.press('j')
  await waitForPlace(page, '4 of 200')
  await waitForCurrent(page, 3)
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await waitForFocus(page, 'tr[data-index="3"] a')
  await page.keyboard.press('j')
  await waitForFocus(page, 'tr[data-index="4"] a')
  for (const key of ['g', 'r']) await page.keyboard.press(key)
  await page.waitForURL('**/runs')
  await page.locator('tbody tr').first().waitFor()
})

describe('a case next to the list of its run', () => {
  it('lies below the results of the search box', async () => {
    const { page } = await visit(browser, server.url, `${TAU}/cases/0`, { width: 1440, height: 900, session })
    await drawer(page).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('airline')
    await page.getByRole('listbox', { name: 'Runs and cases found' }).waitFor()
    expect(
      await page.evaluate(`[...document.querySelectorAll('.hits [role=option]')].every((hit) => {
        const { left, top, width, height } = hit.getBoundingClientRect()
        return [0.1, 0.5, 0.9].every((part) => hit.contains(document.elementFromPoint(left + width * part, top + height / 2)))
      })`),
    ).toBe(true)
  })

  it('stays in sync with the list in both directions', async () => {
    const { page } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 1).getByRole('link').click()
    await whenLoaded(page)
    await waitForCurrent(page, 1)
    const edges = await page.evaluate<[number, number]>(
      "[document.querySelector('.tw').getBoundingClientRect().right, document.querySelector('.case-drawer').getBoundingClientRect().left]",
    )
    expect(edges[0]).toBeLessThanOrEqual(edges[1])
    expect(edges[1] - edges[0]).toBeLessThan(40)
    await row(page, 3).locator('.o').click()
    await waitForPlace(page, '4 of 200')
    await waitForCurrent(page, 3)
    for (let position = 5; position <= 40; position++) {
      await page.keyboard.press('j')
      await waitForPlace(page, `${position} of 200`)
    }
    await waitForCurrent(page, 39)
    await expect.poll(() => isInSight(page, 'tr[data-index="39"]')).toBe(true)
    await page.keyboard.press('Escape')
    await waitForFocus(page, 'tr[data-index="39"] a')
    // Closing the case added a history entry, so Back returns to the last case. The steps with `j` added none.
    await page.goBack()
    await waitForPlace(page, '40 of 200')
  })

  it('keeps the row under the pointer in place when it opens and closes', async () => {
    const { page } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 1).waitFor()
    await page.mouse.move(300, 600)
    await page.mouse.wheel(0, 3_000)
    await row(page, 55).waitFor()
    await row(page, 55).scrollIntoViewIfNeeded()
    const top = async (): Promise<number> => Math.round((await row(page, 55).boundingBox())?.y ?? 0)
    const before = await top()
    await row(page, 55).getByRole('link').click()
    await whenLoaded(page)
    await expect.poll(top).toBe(before)
    await page.keyboard.press('Escape')
    await waitForFocus(page, 'tr[data-index="55"] a')
    await expect.poll(top).toBe(before)
  })

  it('scrolls back to its row when it closes, wherever the list was scrolled', async () => {
    const { page } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 2).getByRole('link').click()
    await whenLoaded(page)
    await page.mouse.move(300, 600)
    await page.mouse.wheel(0, 7_000)
    await row(page, 2).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await waitForFocus(page, 'tr[data-index="2"] a')
    await expect.poll(() => isInSight(page, 'tr[data-index="2"]')).toBe(true)
  })

  it('covers the list in a narrow window; when the case closes, the list has the same filter', async () => {
    const { page } = await visit(browser, server.url, `${TAU}?status=fail`, { width: 360, session })
    await row(page, 1).getByRole('link').click()
    await whenLoaded(page)
    expect(await drawer(page).getAttribute('role')).toBe('dialog')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await waitForPlace(page, '4 of 116')
    await page.keyboard.press('Escape')
    await waitForFocus(page, 'tr[data-index="3"] a')
    await expect.poll(() => new URL(page.url()).search).toBe('?status=fail')
  })
})
