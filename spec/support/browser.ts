import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, LaunchOptions, Page } from 'playwright-core'
import { findBrowser } from '../../cli/bootstrap.mjs'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const THEMES = ['light', 'dark'] as const
/** Widths of windows that pages are held to, in CSS pixels. */
const WIDTHS = [360, 1024, 1920] as const
export type Look = { readonly theme: (typeof THEMES)[number]; readonly width: number; readonly height?: number }
/** Every theme at every width. */
export const LOOKS: readonly Look[] = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })))

/** What Playwright turns off: Chromium hears the last list alone. */
const OFF_IN_PLAYWRIGHT = [
  ...[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ],
  ...[
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
  ],
]
/**
 * Each window would draw two pages for the suggestions of an address bar that nobody sees, and start a process for a
 * page that does not come: half a second of CPU time.
 */
const OFF = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess']

const options = async (): Promise<LaunchOptions> => {
  const found = findBrowser(process.env)
  if (!found) throw new Error('no Chromium: `npm test` installs one, or name one in CHROMIUM_PATH')
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb']
  if (!found.endsWith('package.json'))
    return { executablePath: found, args: [...args, `--disable-features=${[...OFF_IN_PLAYWRIGHT, ...OFF].join(',')}`] }
  // Told before it is loaded: then it brings the libraries along that a bare system lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs22.x'
  const { default: packed } = (await import(
    pathToFileURL(createRequire(found).resolve('@sparticuz/chromium')).href
  )) as { default: { args: string[]; executablePath: () => Promise<string> } }
  return { executablePath: await packed.executablePath(), args: [...packed.args, ...args] }
}

let launched: Promise<Browser> | null = null

/**
 * A real Chromium, one for all specifications of a process: each visit has its own cookies and storage. It ends with
 * the process; one that crashed is replaced.
 */
export const openBrowser = async (): Promise<Browser> => {
  const known = await launched
  if (known?.isConnected()) return known
  launched = options().then((chosen) => chromium.launch(chosen))
  return launched
}

export type Visit = {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page complained of: errors, refused scripts and styles. A page in order complains of nothing. */
  readonly complaints: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * A window of its own on a server, in a theme and at a width, signed in with a session token if one is given. `path` is
 * opened. A status that a page asks for and handles itself (401, 404) is a complaint of the browser's, not of the
 * page's: it is left out.
 */
export const visit = async (
  browser: Browser,
  url: string,
  path: string,
  { theme = 'light', width = 1024, height = 800, session }: Partial<Look> & { readonly session?: string } = {},
): Promise<Visit> => {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  if (session !== undefined)
    await context.addCookies([{ name: 'service_session', value: session, url, httpOnly: true, sameSite: 'Lax' }])
  // Only for what never comes: on a busy machine a page may take many times as long.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(path)
  return { context, page, complaints, close: () => context.close() }
}

/**
 * Opens a page once for each width and shows it in the other themes without another load, for specifications that only
 * look. They go through `LOOKS` in its order; the page is closed with its last theme.
 */
export const inEachTheme = (open: (look: Look) => Promise<Visit>): ((look: Look) => Promise<Visit>) => {
  const opened = new Map<number, Visit>()
  return async (look) => {
    const known = opened.get(look.width)
    const visited = known ?? (await open(look))
    opened.set(look.width, visited)
    if (known) await known.page.emulateMedia({ colorScheme: look.theme })
    return { ...visited, close: async () => (look.theme === THEMES.at(-1) ? visited.close() : undefined) }
  }
}

/** What axe finds wrong on a page as it is now, told as `rule: where`. */
export const axe = async (page: Page): Promise<string[]> => {
  // Through the debugger, since the page's own policy lets no script in; once a page.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // What is in order is not described: that would take as long as finding it.
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

type Violation = {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly target: readonly unknown[]; readonly failureSummary?: string }>
}

/** Whether a page can be scrolled sideways, which no page may. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Makes the first account of an empty server and gives the token of its session. */
export const setUp = async (url: string, username = 'mira', password = 'correct horse battery'): Promise<string> => {
  const answer = await fetch(`${url}/api/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const { token } = (await answer.json()) as { token: string }
  return token
}
