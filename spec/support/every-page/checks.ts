import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { axe, isTooWide } from '../browser.ts'

const IN_PAGE = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8')

const WIDTHS = [360, 1024, 1440, 1920] as const
const THEME_AT: { readonly [width: number]: 'light' | 'dark' } = { 360: 'dark', 1920: 'light' }
const HEIGHT = 800
/** A window of 1280 × 1024 px at 400 %. */
const ZOOMED = { width: 320, height: 256 }

const SIDEWAYS = 'the page scrolls sideways'
type Fault = { readonly fault: string; readonly where: string }

type Size = { readonly width: number; readonly height: number }

/** Resolves when the page has drawn itself and waits for nothing. */
const settled = async (page: Page): Promise<void> => {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
}
/** Resizes the window. Resolves when the page knows its new size, has drawn itself in it and waits for nothing. */
const resize = async (page: Page, size: Size): Promise<void> => {
  await page.setViewportSize(size)
  // The call above returns before the page gets the size, which takes long on a busy machine.
  await expect.poll(() => page.evaluate<Size>('({ width: innerWidth, height: innerHeight })')).toEqual(size)
  await settled(page)
}
const ask = (page: Page, question: string): Promise<string[]> => page.evaluate(`everyPage.${question}`)

/** Returns what is wrong at some width. axe sees both themes, the narrowest and the widest layout, each once. */
const faultsOfLooks = async (page: Page): Promise<Fault[]> => {
  const faults: Fault[] = []
  for (const width of WIDTHS) {
    await resize(page, { width, height: HEIGHT })
    if (await isTooWide(page)) faults.push({ fault: SIDEWAYS, where: `${width} px` })
    const theme = THEME_AT[width]
    if (theme === undefined) continue
    await page.emulateMedia({ colorScheme: theme })
    faults.push(...(await axe(page)).map((fault) => ({ fault, where: `${theme}, ${width} px` })))
  }
  return faults
}

/** Walks through a page by Tab, and back. Returns what the walk shows to be wrong. */
const faultsOfWalk = async (page: Page, key: 'Tab' | 'Shift+Tab'): Promise<string[]> => {
  const stops = Number(await page.evaluate(`everyPage.startWalk(${key !== 'Tab'})`))
  for (let step = 0; step < 3 * stops + 40; step++) {
    await page.keyboard.press(key)
    if (await page.evaluate<boolean>('everyPage.step()')) return ask(page, 'endWalk()')
  }
  return ['Tab comes to no end', ...(await ask(page, 'endWalk()'))]
}
const faultsOfKeyboard = async (page: Page): Promise<Fault[]> => {
  const faults: Fault[] = []
  for (const size of [{ width: 1440, height: HEIGHT }, ZOOMED]) {
    await resize(page, size)
    // The ring of the focus is shown after a key only.
    await page.keyboard.press('Shift')
    for (const key of ['Tab', 'Shift+Tab'] as const)
      faults.push(...(await faultsOfWalk(page, key)).map((fault) => ({ fault, where: `${key}, ${size.width} px` })))
  }
  return faults
}

const faultsOfZoom = async (page: Page, isPopup: boolean): Promise<Fault[]> => {
  await resize(page, ZOOMED)
  await page.evaluate('scrollTo(0, 400)')
  await settled(page)
  const faults = (await isTooWide(page)) ? [{ fault: SIDEWAYS, where: 'zoomed' }] : []
  const share = await page.evaluate<number>('everyPage.fixedShare()')
  const isCovered = isPopup || (await page.locator('[aria-modal=true], [data-modal]').count()) > 0
  if (share <= 0.5 || isCovered) return faults
  return [...faults, { fault: `${Math.round(share * 100)} % of the window do not scroll`, where: 'zoomed' }]
}

const faultsOfForcedColours = async (page: Page): Promise<Fault[]> => {
  await resize(page, { width: 1440, height: HEIGHT })
  await page.emulateMedia({ forcedColors: 'active' })
  await settled(page)
  const faults = await ask(page, 'alike()')
  await page.emulateMedia({ forcedColors: 'none' })
  return faults.map((fault) => ({ fault, where: 'forced colours' }))
}

/**
 * Returns everything that is wrong with the page in its present state, each fault once with where it was seen. A
 * popup closes when the focus leaves it, and may cover the page.
 */
export const faultsOf = async (page: Page, isPopup: boolean): Promise<string[]> => {
  await page.evaluate(IN_PAGE)
  const moving = await ask(page, 'motion()')
  const faults = [
    ...moving.map((fault) => ({ fault, where: 'reduced motion' })),
    ...(await faultsOfLooks(page)),
    ...(await faultsOfForcedColours(page)),
    ...(await faultsOfZoom(page, isPopup)),
    ...(isPopup ? [] : await faultsOfKeyboard(page)),
  ]
  return [...Map.groupBy(faults, ({ fault }) => fault)].map(
    ([fault, all]) => `${fault} (${all.map(({ where }) => where).join('; ')})`,
  )
}
