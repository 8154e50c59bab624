import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit } from '../support/browser.ts'
import { startWithCases } from '../support/servers/case-server.ts'
import type { RunningServer } from '../support/servers/server.ts'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])
})
afterAll(() => server.stop())

const TAU = '/runs/01JDB9VXG8107AZ292PSDQWSMA'
const drawer = (page: Page) => page.locator('.case-drawer')
const loaded = (page: Page) => drawer(page).getByRole('tab', { name: 'Result' }).waitFor()
const row = (page: Page, index: number) => page.locator(`tr[data-index="${index}"]`)
const current = (page: Page, index: number) => page.locator(`tr[data-index="${index}"][aria-current=true]`).waitFor()
const place = (page: Page, told: string) => drawer(page).getByText(told, { exact: true }).waitFor()
const focusIn = (page: Page, selector: string) =>
  expect.poll(() => page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)).toBe(true)
const isInSight = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(
    `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return box.top >= 82 && box.bottom <= innerHeight })()`,
  )

describe('by keyboard alone', () => {
  it('one goes from the sign-in through the runs to a run and a case of it, and back', async () => {
    const { page, complaints, close } = await visit(browser, server.url, '/runs?suite=airline', {
      width: 1440,
      height: 900,
    })
    await page.getByLabel('User name').waitFor()
    await focusIn(page, 'input')
    await page.keyboard.type('mira')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse battery')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs?suite=airline')
    await page.locator('tbody tr').first().waitFor()
    await page.keyboard.press('j')
    await focusIn(page, 'tbody .l1')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${TAU}`)
    await row(page, 0).waitFor()
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
    await focusIn(page, 'tr[data-index="2"] a')
    await page.keyboard.press('Enter')
    await loaded(page)
    await place(page, '3 of 200')
    await page.keyboard.press('j')
    await place(page, '4 of 200')
    await current(page, 3)
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'detached' })
    await focusIn(page, 'tr[data-index="3"] a')
    await page.keyboard.press('j')
    await focusIn(page, 'tr[data-index="4"] a')
    for (const key of ['g', 'r']) await page.keyboard.press(key)
    await page.waitForURL('**/runs')
    await page.locator('tbody tr').first().waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})

describe('a case beside the list of its run', () => {
  it('leaves the list live: what is walked in one is shown in the other', async () => {
    const { page, complaints, close } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 1).getByRole('link').click()
    await loaded(page)
    await current(page, 1)
    const edges = await page.evaluate<[number, number]>(
      "[document.querySelector('.tw').getBoundingClientRect().right, document.querySelector('.case-drawer').getBoundingClientRect().left]",
    )
    expect(edges[0]).toBeLessThanOrEqual(edges[1])
    expect(edges[1] - edges[0]).toBeLessThan(40)
    await row(page, 3).locator('.o').click()
    await place(page, '4 of 200')
    await current(page, 3)
    for (let at = 5; at <= 40; at++) {
      await page.keyboard.press('j')
      await place(page, `${at} of 200`)
    }
    await current(page, 39)
    await expect.poll(() => isInSight(page, 'tr[data-index="39"]')).toBe(true)
    await page.keyboard.press('Escape')
    await focusIn(page, 'tr[data-index="39"] a')
    // Every step but the two that were chosen took the place of the one before it.
    await page.goBack()
    await place(page, '40 of 200')
    expect(complaints).toEqual([])
    await close()
  })

  it('takes no row from under the pointer when it opens and closes', async () => {
    const { page, close } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 1).waitFor()
    await page.mouse.move(300, 600)
    await page.mouse.wheel(0, 3_000)
    await row(page, 55).waitFor()
    await row(page, 55).scrollIntoViewIfNeeded()
    const top = async (): Promise<number> => Math.round((await row(page, 55).boundingBox())?.y ?? 0)
    const before = await top()
    await row(page, 55).getByRole('link').click()
    await loaded(page)
    await expect.poll(top).toBe(before)
    await page.keyboard.press('Escape')
    await focusIn(page, 'tr[data-index="55"] a')
    await expect.poll(top).toBe(before)
    await close()
  })

  it('goes back to its row, wherever the list was scrolled to in the meantime', async () => {
    const { page, close } = await visit(browser, server.url, TAU, { width: 1440, height: 900, session })
    await row(page, 2).getByRole('link').click()
    await loaded(page)
    await page.mouse.move(300, 600)
    await page.mouse.wheel(0, 7_000)
    await row(page, 2).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await focusIn(page, 'tr[data-index="2"] a')
    await expect.poll(() => isInSight(page, 'tr[data-index="2"]')).toBe(true)
    await close()
  })

  it('covers it where there is no room, and gives it back as it was', async () => {
    const { page, close } = await visit(browser, server.url, `${TAU}?status=fail`, { width: 360, session })
    await row(page, 1).getByRole('link').click()
    await loaded(page)
    expect(await drawer(page).getAttribute('role')).toBe('dialog')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await place(page, '4 of 116')
    await page.keyboard.press('Escape')
    await focusIn(page, 'tr[data-index="3"] a')
    expect(new URL(page.url()).search).toBe('?status=fail')
    await close()
  })

  it('walks what the bounds of its address leave, and no other', async () => {
    const { page, close } = await visit(browser, server.url, `${TAU}?score=0.5..`, { width: 1440, session })
    await row(page, 0).getByRole('link').click()
    await loaded(page)
    await page.keyboard.press('j')
    await current(page, 1)
    await loaded(page)
    await expect.poll(() => drawer(page).locator('.pill').innerText()).toBe('Pass')
    expect(
      (await drawer(page).getByText(/^2 of/).count()) + (await drawer(page).getByText('2', { exact: true }).count()),
    ).toBeGreaterThan(0)
    await close()
  })
})
