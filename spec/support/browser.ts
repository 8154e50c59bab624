import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { findBrowser } from '../../cli/bootstrap/chromium.mjs'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const THEMES = ['light', 'dark'] as const
type Look = { readonly theme: (typeof THEMES)[number]; readonly width: number; readonly height?: number }

/** Features that Playwright disables, repeated here because Chromium uses only the last `--disable-features`. */
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
 * With these features, each window would render two pages for the suggestions of an invisible address bar, and start a
 * process for a page that is never opened. That costs half a second of CPU time.
 */
const UNUSED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
]

const options = async (): Promise<LaunchOptions> => {
  const browserPath = findBrowser(process.env)
  if (!browserPath) throw new Error('no Chromium: `npm test` installs one, or name one in CHROMIUM_PATH')
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb']
  if (!browserPath.endsWith('package.json'))
    return {
      executablePath: browserPath,
      args: [...args, `--disable-features=${[...OFF_IN_PLAYWRIGHT, ...UNUSED_FEATURES].join(',')}`],
    }
  // Must be set before the package is loaded: it then adds the libraries that a bare system lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs22.x'
  const { default: bundled } = (await import(
    pathToFileURL(createRequire(browserPath).resolve('@sparticuz/chromium')).href
  )) as { default: { args: string[]; executablePath: () => Promise<string> } }
  return { executablePath: await bundled.executablePath(), args: [...bundled.args, ...args] }
}

let launched: Promise<Browser> | null = null

/**
 * A real Chromium, shared by all specs of a process: each visit has its own cookies and storage. It ends with the
 * process; if it crashed, it is replaced.
 */
export const openBrowser = async (): Promise<Browser> => {
  const running = await launched
  if (running?.isConnected()) return running
  launched = options().then((launchOptions) => chromium.launch(launchOptions))
  return launched
}

export type Visit = {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors and refused scripts or styles that the page reported. A correct page reports none. */
  readonly complaints: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * Opens `path` in a separate window with a theme and a width, signed in if a session token is given. The
 * complaints do not include failed loads: the browser also reports statuses (401, 404) that a page handles itself.
 * The window closes with the test that opened it, which fails if the page complained; a caller that keeps it closes it.
 */
export const visit = async (
  browser: Browser,
  url: string,
  path: string,
  {
    theme = 'light',
    width = 1024,
    height = 800,
    session,
    streams = true,
    keep = false,
    mayComplain = false,
  }: Partial<Look> & {
    readonly session?: string
    /** False ends the streams of changes at once, so that the network becomes idle. */
    readonly streams?: boolean
    readonly keep?: boolean
    /** True if complaints are expected, or checked by the caller. */
    readonly mayComplain?: boolean
  } = {},
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
  if (!streams) await endStreams(context)
  // Long, because a page may take many times its usual time on a busy machine. A spec waits this long only if it fails.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(path)
  const close = () => context.close()
  if (!keep)
    onTestFinished(async () => {
      await close()
      if (!mayComplain) expect(complaints).toEqual([])
    })
  return { context, page, complaints, close }
}

const RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }

/** Returns the violations that axe finds on the current page, as `rule: target`. */
export const axe = async (page: Page): Promise<string[]> => {
  // Injected once per page, with `evaluate`, which works through the debugger: the policy of the page forbids injected
  // script elements.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  // Passed rules are left out: describing them would take as long as finding them.
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

type Violation = {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly target: readonly unknown[]; readonly failureSummary?: string }>
}

/** Whether a page scrolls sideways, which no page may. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Creates the first account of an empty server and returns its session token. */
export const setUp = async (url: string, username = 'mira', password = 'correct horse battery'): Promise<string> => {
  const answer = await fetch(`${url}/api/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const { token } = (await answer.json()) as { token: string }
  return token
}

/** Ends the stream of changes at once, so that the network of a page becomes idle. */
export const endStreams = (context: BrowserContext): Promise<unknown> =>
  context.route('**/api/v1/events/stream*', (route) =>
    route.fulfill({ status: 200, contentType: 'text/event-stream', body: 'retry: 3000\n\n' }),
  )

/** Lets the server answer the requests of a page with an error, whose request id is `request-7`. */
export const failRequests = (page: Page, pattern: string, status: number, error: string): Promise<unknown> =>
  page.route(pattern, (route) =>
    route.fulfill({
      status,
      contentType: 'application/json',
      headers: { 'x-request-id': 'request-7' },
      body: JSON.stringify({ error }),
    }),
  )

/** Sends a request to the API of a server, with a token and a body: an object, JSON as text, or bytes. */
export const callApi = (
  url: string,
  token: string,
  method: string,
  path: string,
  body: object | string | null = null,
): Promise<Response> => {
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const sent = typeof body === 'string' || body === null || body instanceof Uint8Array ? body : JSON.stringify(body)
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type },
    body: sent instanceof Uint8Array ? new Uint8Array(sent) : sent,
  })
}
