import { readFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright-core'
import { axe, isTooWide } from '../browser.ts'

const IN_PAGE = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8')

const USUAL = { width: 1440, height: 800 }
const WIDTHS = [360, 1024, 1920, USUAL.width] as const
const THEME_AT: { readonly [width: number]: 'light' | 'dark' } = { 360: 'dark', 1920: 'light' }
/** A window of 1280 × 1024 px at 400 %. */
const ZOOMED = { width: 320, height: 256 }

const SIDEWAYS = 'the page scrolls sideways'
type Fault = { readonly fault: string; readonly where: string }

type Size = { readonly width: number; readonly height: number }

/** Resolves when the page has drawn itself and waits for nothing. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    await frame()
    do await frame()
    while (document.querySelector('[aria-busy="true"]'))
  })()`)
/** Resizes the window. Resolves when the page knows its new size, has drawn itself in it and waits for nothing. */
const resize = async (page: Page, { width, height }: Size): Promise<void> => {
  await page.setViewportSize({ width, height })
  // The call above returns before the page gets the size, which takes long on a busy machine.
  await page.evaluate(`(async () => {
    while (innerWidth !== ${width} || innerHeight !== ${height}) await new Promise(requestAnimationFrame)
  })()`)
  await settled(page)
}

const keyboards = new WeakMap<Page, Promise<CDPSession>>()
const keyboardOf = (page: Page): Promise<CDPSession> => {
  const opened = keyboards.get(page) ?? page.context().newCDPSession(page)
  keyboards.set(page, opened)
  return opened
}
const ask = (page: Page, question: string): Promise<string[]> => page.evaluate(`everyPage.${question}`)

/** Returns what is wrong at some width. axe sees both themes, the narrowest and the widest layout, each once. */
const faultsOfLooks = async (page: Page): Promise<Fault[]> => {
  const faults: Fault[] = []
  for (const width of WIDTHS) {
    await resize(page, { ...USUAL, width })
    if (await isTooWide(page)) faults.push({ fault: SIDEWAYS, where: `${width} px` })
    const theme = THEME_AT[width]
    if (theme === undefined) continue
    await page.emulateMedia({ colorScheme: theme })
    faults.push(...(await axe(page)).map((fault) => ({ fault, where: `${theme}, ${width} px` })))
  }
  return faults
}

type Walk = 'Tab' | 'Shift+Tab'
/** Walks through a page by Tab, or back, and lets it settle after each step. Returns what the walk shows to be wrong. */
const walkInSteps = async (page: Page, key: Walk): Promise<string[]> => {
  const stops = Number(await page.evaluate(`everyPage.startWalk(${key !== 'Tab'})`))
  for (let step = 0; step < 3 * stops + 40; step++) {
    await page.keyboard.press(key)
    if (await page.evaluate<boolean>('everyPage.step()')) return ask(page, 'endWalk()')
  }
  return ['Tab comes to no end', ...(await ask(page, 'endWalk()'))]
}
const KEYS_AT_ONCE = 12
const TAB = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
/** As `walkInSteps`, with keys that do not wait for each other: a tenth of the calls. In doubt, goes again in steps. */
const faultsOfWalk = async (page: Page, key: Walk): Promise<string[]> => {
  const keyboard = await keyboardOf(page)
  const modifiers = key === 'Tab' ? 0 : 8
  const stops = Number(await page.evaluate(`everyPage.startKeys(${key !== 'Tab'})`))
  for (let pressed = 0; pressed < 3 * stops + 40; pressed += KEYS_AT_ONCE) {
    await Promise.all(
      Array.from({ length: KEYS_AT_ONCE }, () => [
        keyboard.send('Input.dispatchKeyEvent', { ...TAB, modifiers, type: 'rawKeyDown' }),
        keyboard.send('Input.dispatchKeyEvent', { ...TAB, modifiers, type: 'keyUp' }),
      ]).flat(),
    )
    const state = await page.evaluate<string>('everyPage.walkState()')
    if (state === 'over') return ask(page, 'endWalk()')
    if (state === 'unsure') break
  }
  return walkInSteps(page, key)
}
const faultsOfKeyboard = async (page: Page, { width }: Size): Promise<Fault[]> => {
  const faults: Fault[] = []
  // The ring of the focus is shown after a key only.
  await page.keyboard.press('Shift')
  for (const key of ['Tab', 'Shift+Tab'] as const)
    faults.push(...(await faultsOfWalk(page, key)).map((fault) => ({ fault, where: `${key}, ${width} px` })))
  return faults
}

const faultsOfZoom = async (page: Page, isPopup: boolean): Promise<Fault[]> => {
  await page.evaluate('scrollTo(0, 400)')
  await settled(page)
  const faults = (await isTooWide(page)) ? [{ fault: SIDEWAYS, where: 'zoomed' }] : []
  const share = await page.evaluate<number>('everyPage.fixedShare()')
  const isCovered = isPopup || (await page.locator('[aria-modal=true], [data-modal]').count()) > 0
  if (share <= 0.5 || isCovered) return faults
  return [...faults, { fault: `${Math.round(share * 100)} % of the window do not scroll`, where: 'zoomed' }]
}

const faultsOfForcedColours = async (page: Page): Promise<Fault[]> => {
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
  const faults = moving.map((fault) => ({ fault, where: 'reduced motion' }))
  faults.push(...(await faultsOfLooks(page)), ...(await faultsOfForcedColours(page)))
  if (!isPopup) faults.push(...(await faultsOfKeyboard(page, USUAL)))
  await resize(page, ZOOMED)
  faults.push(...(await faultsOfZoom(page, isPopup)))
  if (!isPopup) faults.push(...(await faultsOfKeyboard(page, ZOOMED)))
  return [...Map.groupBy(faults, ({ fault }) => fault)].map(
    ([fault, all]) => `${fault} (${all.map(({ where }) => where).join('; ')})`,
  )
}
