import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { CaseList } from '../../queries/cases/cases.ts'
import type { RunList } from '../../queries/runs/run-list.ts'
import { endStreams, openBrowser, setUp, THEMES, visit } from '../support/browser.ts'
import { judgedRun, PLANTED } from '../support/documents/queues.ts'
import { PASSWORD, seedReviews, type Call } from '../support/documents/reviewed-suite.ts'
import { uploadSamples } from '../support/documents/sample-data.ts'
import { runErs } from '../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

// Takes the screenshots for the documentation, in both themes, of pages that show the committed runs, and those that begin with
// `samples` of a server with the sample results: `npm run screenshots`, or `npm run screenshots -- runs case` for a selection.

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const SIZE = { width: 1280, height: 640 }
/** Two hours after the newest of the runs, so that screenshots are the same on any day. */
const NOW = new Date('2025-10-01T22:00:00Z')

/**
 * A screenshot: its page, a selector to wait for, keys to press and what to do afterwards, and whether it shows the real
 * time, or what visitors without a session see.
 */
type Picture = {
  readonly path: string
  readonly ready: string
  readonly keys?: readonly string[]
  readonly act?: (page: Page) => Promise<void>
  readonly height?: number
  readonly isToday?: boolean
  readonly isSignedOut?: boolean
  /** The session of another account than the first. */
  readonly session?: string
}

const ask = async ({ url, token }: RunningServer, path: string): Promise<Response> => {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer
}

const get = async <T>(server: RunningServer, path: string): Promise<T> => (await (await ask(server, path)).json()) as T

/** Chooses a file in the form for receipts. */
const choose = async (page: Page, label: string, name: string, answer: Response): Promise<void> =>
  page
    .getByLabel(label)
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(await answer.arrayBuffer()) })

/** The two newest runs of a suite, as parts of an address. */
const daysOf = async (server: RunningServer, suite: string): Promise<readonly [string, string]> => {
  const { runs } = await get<RunList>(server, `/runs?suite=${suite}&limit=2`)
  const [head, base] = runs.map(({ id }) => encodeURIComponent(id))
  if (!head || !base) throw new Error(`fewer than two runs of ${suite}`)
  return [base, head]
}

const sampleFile = (name: string): string => fileURLToPath(new URL(`../interchange/samples/${name}`, import.meta.url))

/** Runs a command of `ers` with a server, in a new folder, which it returns. */
const ers = async ({ url, token }: RunningServer, ...args: string[]): Promise<string> => {
  const cwd = mkdtempSync(join(tmpdir(), 'ers-screenshots-'))
  const { code, stderr } = await runErs(args, { cwd, env: { SERVICE_SERVER_URL: url, SERVICE_TOKEN: token } })
  if (code !== 0) throw new Error(stderr)
  return cwd
}

/** Writes a run as one page, and returns its address. */
const sharedPage = async (server: RunningServer, run_id: string): Promise<string> =>
  pathToFileURL(join(await ers(server, 'share-html', decodeURIComponent(run_id), '-o', 'run.html'), 'run.html')).href

/** Returns the screenshots by name, for runs that the server lists. */
const picturesOf = async (server: RunningServer): Promise<Readonly<Record<string, Picture>>> => {
  const newest = async (suite: string): Promise<string> => {
    const { runs } = await get<RunList>(server, `/runs?suite=${suite}&limit=1`)
    if (!runs[0]) throw new Error(`no run of ${suite}`)
    return encodeURIComponent(runs[0].id)
  }
  const [minds, agents, trials] = [await newest('theory_of_mind'), await newest('all-agents'), await newest('airline')]
  const firstCase = async (run: string, query = ''): Promise<string> => {
    const { cases } = await get<CaseList>(server, `/runs/${run}/cases?limit=1${query}`)
    if (!cases[0]) throw new Error(`no case of ${run}`)
    return `/runs/${run}/cases/${encodeURIComponent(cases[0].case_key)}`
  }
  const trial = await firstCase(trials, '&status=fail')
  await ers(server, 'import', sampleFile('inspect/2025-05-12T20-27-36-04-00_browser.json'), '--suite', 'browsing')
  const browsing = await firstCase(await newest('browsing'))
  const [base, head] = await daysOf(server, 'mini-agi')
  return {
    receipt: {
      path: '/check-receipt',
      ready: 'textarea',
      height: 1240,
      isToday: true,
      isSignedOut: true,
      act: async (page) => {
        await choose(page, 'Receipt', `${minds}.tlog-proof`, await ask(server, `/runs/${minds}/receipt`))
        await choose(page, 'Document', `${minds}.json`, await ask(server, `/runs/${minds}/export`))
        await page.getByRole('heading', { name: /Good, by the key that this server names/ }).waitFor()
      },
    },
    share: { path: await sharedPage(server, trials), ready: 'tr[data-index]', keys: ['j', 'j', 'j', 'Enter'] },
    import: {
      path: '/runs?import',
      ready: 'input[type=file]',
      height: 800,
      act: async (page) => {
        await page.getByLabel('Run documents').setInputFiles(sampleFile('promptfoo/v3-capitals.json'))
        await page.getByText('Ready').waitFor()
      },
    },
    'sign-in': { path: '/login', ready: 'form', isSignedOut: true },
    overview: { path: '/', ready: 'table tbody tr', isToday: true },
    compare: { path: `/compare/${base}/${head}`, ready: 'tr[data-index]' },
    suite: { path: '/projects/agbenchmark/suites/beebot', ready: 'h1' },
    runs: { path: '/runs', ready: 'tbody tr', keys: ['j', 'j', 'x', 'j', 'x'] },
    run: { path: `/runs/${minds}`, ready: 'tr[data-index]', keys: ['j', 'j'] },
    matrix: { path: `/runs/${agents}/matrix`, ready: '[role=gridcell]' },
    case: { path: trial, ready: '.case-drawer .part' },
    differences: {
      path: `${trial}?view=conversation`,
      ready: '.case-drawer .part',
      act: async (page) => {
        await page.getByRole('button', { name: 'Differences' }).click()
        await page.getByText('the first tool call that differs').first().waitFor()
      },
    },
    transcript: { path: `${browsing}/transcript?e=12`, ready: '.events li[aria-current]', height: 800 },
  }
}

/** What a newcomer sees after loading the samples, whose times are of the last days. */
const samplePicturesOf = async (server: RunningServer): Promise<Readonly<Record<string, Picture>>> => {
  const headers = { authorization: `Bearer ${server.token}` }
  const { status } = await fetch(`${server.url}/api/v1/samples`, { method: 'POST', headers })
  if (status !== 200) throw new Error(`the samples: ${status}`)
  const [base, head] = await daysOf(server, 'mini-agi')
  return {
    'samples-overview': { path: '/', ready: 'table tbody tr', isToday: true },
    'samples-compare': { path: `/compare/${base}/${head}`, ready: 'tr[data-index]', isToday: true },
  }
}

/** A case of a queue as the one who labels it sees it: a conversation in words, with the facts that the answer needs. */
const labelledCaseOf = async (call: Call): Promise<Picture> => {
  const of = { project: 'support-desk', suite: 'bookings' }
  const run = judgedRun('01KQ8V9XG8107AZ292PSDQWSMB', 12, 8, of)
  await call('POST', '/runs', {
    ...run,
    cases: run.cases.map((each) => ({
      ...each,
      vars: { booking: { booking_id: 'K7M2QD', class: 'economy', insurance: false, paid: '$312' } },
      prompt: { messages: [{ role: 'user', content: 'I am ill and cannot fly on Friday. Do I get my money back?' }] },
      tool_calls: [{ id: 'c1', name: 'find_booking', arguments: { booking_id: 'K7M2QD' } }],
      output:
        'I am sorry that you are ill.\n\nYour ticket is **economy without insurance**, so it cannot be refunded. You can still:\n\n- move the flight for $40, up to two hours before it leaves\n- keep the value as a voucher for a year\n\nTell me which of these you prefer.',
    })),
  })
  const rubric = await call('POST', '/rubrics', {
    ...of,
    name: 'Refunds of bookings',
    text: 'Would you send this answer as it is?\n\n1. It refunds what the rules refund, and nothing else.\n2. Amounts and times are right.\n3. The next step is clear.',
    questions: [
      { key: 'right', kind: 'verdict', label: 'Is the answer right?', deciding: true },
      {
        key: 'fault',
        kind: 'categories',
        label: 'What is wrong?',
        options: ['Refunds too much', 'Refunds too little', 'Wrong amount', 'Tone'].map((label, n) => ({
          ...{ key: `fault_${n}`, label },
        })),
      },
      { key: 'why', kind: 'comment', label: 'Comment' },
    ],
    show: [
      { field: 'prompt', label: 'What the customer asked' },
      { field: 'vars.booking', label: 'What the system was given' },
      { field: 'tool_calls', label: 'What it looked up' },
      { field: 'output', label: 'The answer to judge' },
    ],
  })
  const { id: rubric_id } = (await rubric.json()) as { id: string }
  const queue = await call('POST', '/review-queues', {
    ...{ ...of, rubric_id, target: 'case', per_item: 1, seed: 'seed', reviewers: ['ann'] },
    selection: { kind: 'random', runs: [run.run_id], count: 12 },
  })
  const { id } = (await queue.json()) as { id: string }
  const signedIn = await call('POST', '/auth/login', { username: 'ann', password: PASSWORD })
  const { token } = (await signedIn.json()) as { token: string }
  return { path: `/review/${id}`, ready: 'article', keys: ['2', '3'], height: 760, isToday: true, session: token }
}

/** Queues about a suite whose judge passes too much, and the calibration from the closed one. */
const reviewPicturesOf = async ({ url, token }: RunningServer): Promise<Readonly<Record<string, Picture>>> => {
  const [cases, passed] = [240, 180]
  const judged = judgedRun('01KQ8V9XG8107AZ292PSDQWSMA', cases, passed, { project: 'support-desk', suite: 'refunds' })
  // The texts that specs look for are no names.
  const document = JSON.parse(
    JSON.stringify(judged).replaceAll(PLANTED.judge, 'gpt-4.1-2025-04-14').replaceAll(PLANTED.note, 'nightly'),
  ) as typeof judged
  const call: Call = async (method, path, body, as = token) => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const queues = await seedReviews(call, { document, passed, sample: { passed: 70, failed: 40 } })
  return {
    label: await labelledCaseOf(call),
    queue: { path: `/reviews/${queues.open}`, ready: '.progress', isToday: true },
    calibration: {
      path: '/projects/support-desk/suites/refunds/judges/llm-rubric',
      ready: '.matrix',
      height: 900,
      isToday: true,
    },
  }
}

const take = async (
  browser: Browser,
  url: string,
  session: string,
  name: string,
  { path, ready, keys = [], act, height = SIZE.height, isToday = false, isSignedOut = false, session: other }: Picture,
): Promise<void> => {
  for (const theme of THEMES) {
    const { page, context, close } = await visit(browser, url, '/no/such/page', {
      keep: true,
      ...SIZE,
      height,
      theme,
      session: other ?? session,
      streams: false,
    })
    await endStreams(context)
    if (isSignedOut) await context.clearCookies()
    // The server counts days since the last run by its own clock.
    if (!isToday) await page.clock.setFixedTime(NOW)
    await page.goto(path)
    await page.locator(ready).first().waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    for (const key of keys) await page.keyboard.press(key)
    await act?.(page)
    await page.screenshot({ path: `${IMAGES}${name}-${theme}.png`, animations: 'disabled', caret: 'hide' })
    await close()
    console.log(`docs/images/${name}-${theme}.png`)
  }
}

mkdirSync(IMAGES, { recursive: true })
// No page asks the provider anything, so it need not exist.
const server = await startServer({
  env: {
    SERVICE_PUBLIC_URL: 'https://evals.example.com',
    SERVICE_OIDC_PROVIDERS: 'acme,partner',
    ...Object.fromEntries(
      ['ACME', 'PARTNER'].flatMap((name) => [
        [`SERVICE_OIDC_${name}_ISSUER`, 'https://sso.example.com'],
        [`SERVICE_OIDC_${name}_CLIENT_ID`, 'evaluation-results'],
        [`SERVICE_OIDC_${name}_CLIENT_SECRET`, 'secret'],
      ]),
    ),
  },
})
const sampled = await startServer()
const reviewed = await startServer()
const browser = await openBrowser()
try {
  await uploadSamples(server)
  const shown = [
    { server, session: await setUp(server.url), pictures: await picturesOf(server) },
    { server: sampled, session: await setUp(sampled.url), pictures: await samplePicturesOf(sampled) },
    { server: reviewed, session: await setUp(reviewed.url), pictures: await reviewPicturesOf(reviewed) },
  ]
  const all = shown.flatMap(({ pictures }) => Object.keys(pictures))
  const names = process.argv.length > 2 ? process.argv.slice(2) : all
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`no picture is called ${unknown}; there are ${all.join(', ')}`)
  for (const { server: at, session, pictures } of shown)
    for (const [name, picture] of Object.entries(pictures))
      if (names.includes(name)) await take(browser, at.url, session, name, picture)
} finally {
  await browser.close()
  await server.stop()
  await sampled.stop()
  await reviewed.stop()
}
