import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, visit } from '../support/browser.ts'
import { aCase } from '../support/documents/documents.ts'
import { uploadDocument } from '../support/documents/sample-data.ts'
import { startWithCases } from '../support/servers/case-server.ts'
import { HOSTILE, HOSTILE_RUN, LONG_OUTPUT } from '../support/documents/hostile-cases.ts'

afterAll(() => server.stop())

const LONG_RUN = 'long-texts'
/** Cases with long texts, by what is long in them. */
/** A picture of one pixel, and a sound of no length. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const LONG = {
  /** It only called tools, and was graded at length. */
  reason: aCase({
    cell: { test_id: 'called' },
    status: 'fail',
    output: '',
    empty_reason: 'tool_use_only',
    tool_calls: [{ id: 'c1', name: 'book_flight', arguments: { from: 'NYC' } }],
    asserts: [
      {
        kind: 'llm-rubric',
        status: 'fail',
        score: 0.2,
        weight: 1,
        reason: Array.from({ length: 40 }, (_, n) => `Sentence ${n + 1} of the reason.`).join('\n'),
        criteria: { type: 'llm-rubric', value: 'Is it polite?', threshold: 0.5 },
      },
    ],
  }),
  /** 1.2 MB in lines of 100 characters. */
  output: aCase({
    cell: { test_id: 'huge' },
    output: `# A heading\n- an item\nplain\n${Array.from({ length: 12_000 }, (_, n) => `line ${n} `.padEnd(99, 'x')).join('\n')}`,
  }),
  /** Markdown with all that is drawn. */
  markdown: aCase({
    cell: { test_id: 'markdown' },
    status: 'fail',
    output: [
      '# A report',
      'Plain *words*, `code`, [a page](https://elsewhere.invalid/page) and $a^2$.',
      '- one\n  - two',
      '| name | value |\n|---|---|\n| a | 1 |',
      '$$\n\\frac{1}{2}\n- b\n$$',
      `![a dot](data:image/png;base64,${DOT})`,
      '![elsewhere](https://elsewhere.invalid/a.png)',
      '<b>raw</b>',
      ...Array.from({ length: 120 }, (_, n) => `### Part ${n}\n\n\`\`\`ts\nconst n = ${n}\n\`\`\``),
    ].join('\n\n'),
    asserts: [{ kind: 'llm-rubric', status: 'fail', score: 0, weight: 1, reason: '- **Fail**: it is *short*' }],
  }),
  /** Pictures and sounds as the chat APIs write them, with some that are not shown. */
  media: aCase({
    cell: { test_id: 'media' },
    vars: { screen: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DOT } } },
    output: [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${DOT}` } },
      { type: 'input_audio', input_audio: { data: SILENCE, format: 'wav' } },
      { type: 'image_url', image_url: { url: 'https://elsewhere.invalid/a.png' } },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/svg+xml', data: btoa('<svg onload="alert(1)"/>') },
      },
    ],
    request: { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: DOT } }] }] },
  }),
} as const
const long = (name: keyof typeof LONG): string => `/runs/${LONG_RUN}/cases/${LONG[name].case_key}`

/** The names of the tabs that a case has. */
const tabs = (page: Page) => drawer(page).getByRole('navigation', { name: 'Parts of the case' })
const tab = (page: Page, name: string) => tabs(page).getByRole('link', { name })
const waitForTab = (page: Page, name: string) =>
  tabs(page).locator('[aria-current=page]').filter({ hasText: name }).waitFor()
/** What is below the tabs. */
const part = (page: Page) => drawer(page).locator('.part')
const tabsOf = async (page: Page): Promise<string[]> =>
  (await tabs(page).getByRole('link').allInnerTexts()).map((text) => text.split('\n')[0] ?? '')
const TAU = '/runs/01JDB9VXG8107AZ292PSDQWSMA'
const FIRST_TRIAL = 'airline/06'
const hostile = (name: keyof typeof HOSTILE): string =>
  `/runs/${HOSTILE_RUN}/cases/${encodeURIComponent(HOSTILE[name].case_key)}`
const drawer = (page: Page) => page.locator('.case-drawer')
/** The heading of a case has the id of its test, and its trial. */
const waitForTrial = (page: Page, test_id: string, trial: string) =>
  drawer(page)
    .locator('.drawer-head')
    .filter({ hasText: test_id })
    .getByRole('heading', { level: 2, name: new RegExp(` · ${trial}$`) })
    .waitFor()
/** Resolves when the case itself is loaded, not only its row. */
const whenLoaded = (page: Page) => tab(page, 'Result').waitFor()
const open = async (path: string, look: Parameters<typeof visit>[3] = {}) => {
  const visited = await visit(browser, server.url, path, { ...look, session })
  await whenLoaded(visited.page)
  return visited
}
const isInDrawer = (page: Page): Promise<boolean> =>
  page.evaluate("document.querySelector('.case-drawer').contains(document.activeElement)")
const output = (page: Page) => drawer(page).getByRole('region', { name: 'Output', exact: true })
const [browser, { server, session }] = await Promise.all([openBrowser(), startWithCases()])
await uploadDocument(server, { run_id: LONG_RUN, project: 'long', suite: 'all', cases: Object.values(LONG) })

describe('a case', () => {
  it.each([360, 1440])('opens by its URL, with every part (%i px)', async (width) => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b`, { width })
    await waitForTrial(page, 'airline/06', 'trial 3 of 4')
    expect(await page.title()).toBe('airline/06 · Evaluation Results')
    expect(await drawer(page).getAttribute('role')).toBe(width > 1240 ? 'region' : 'dialog')
    for (const view of await tabsOf(page)) {
      await tab(page, view).click()
      await waitForTab(page, view)
    }
    expect(await isTooWide(page)).toBe(false)
  })

  it('shows all its tabs on a narrow page', async () => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b`, { width: 360 })
    await tab(page, 'Raw').waitFor()
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.case-drawer .tabs'))",
      ),
    ).toBe(true)
  })

  it('shows tool calls in a monospaced font, however long', async () => {
    const { page } = await open(`${hostile('calls')}?view=conversation`)
    await drawer(page).getByRole('button', { name: 'Open tools' }).click()
    await drawer(page).locator('.msg .call .out').first().waitFor()
    expect(
      await page.evaluate(
        "getComputedStyle(document.querySelector('.msg .call .out')).fontFamily === getComputedStyle(document.querySelector('.msg .call b')).fontFamily",
      ),
    ).toBe(true)
  })

  it.each([390, 1440])('walks the turns of a conversation, and finds words in it (%i px)', async (width) => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b?view=conversation&full=yes`, { width })
    const panel = part(page)
    // The system prompt is folded, so that the first turn of the user is in view.
    await panel.locator('[data-turn="1"]').waitFor()
    expect((await panel.locator('[data-turn="1"]').boundingBox())?.y).toBeLessThan(width === 390 ? 600 : 450)
    const turn = () => page.evaluate('document.activeElement.dataset.turn')
    for (const [key, number] of [
      [']', '1'],
      ['n', '2'],
      [']', '3'],
      ['p', '2'],
      ['[', '1'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(turn).toBe(number)
    }
    expect(await isTooWide(page)).toBe(false)
    expect(await axe(page)).toEqual([])
    await panel.locator('summary').filter({ hasText: 'get_reservation_details' }).first().click()
    await panel.getByText('called with').first().waitFor()
    await page.keyboard.press('f')
    await panel.getByRole('searchbox').fill('reservation')
    // The number of the turn is written in the same way.
    const found = panel.getByRole('search').getByRole('status')
    await found.filter({ hasText: /^1 of [1-9]/ }).waitFor()
    await page.keyboard.press('Enter')
    await found.filter({ hasText: /^2 of [1-9]/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel.getByRole('search').waitFor({ state: 'detached' })
    expect(await isTooWide(page)).toBe(false)
  })

  it.each([390, 1100, 1440])('has its input and output in one view with the assertions (%i px)', async (width) => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b?full=yes`, { width })
    const input = drawer(page).getByRole('region', { name: 'Input' })
    await input.getByText('user_id').first().waitFor()
    const [given, answered, judged] = await Promise.all(
      [input, output(page), drawer(page).getByRole('region', { name: 'Assertions' })].map((part) => part.boundingBox()),
    )
    if (width === 1440) {
      expect(given?.y).toBe(answered?.y)
      expect(answered?.y).toBe(judged?.y)
      expect(given?.x).toBeLessThan(answered?.x ?? 0)
    } else expect(given?.y).toBeGreaterThan(answered?.y ?? 0)
    const metadata = drawer(page).locator('details').filter({ hasText: 'Metadata' })
    expect(await metadata.innerText()).toMatch(/^Metadata\s+\d fields: user_simulator_cost_usd, turns/)
    await metadata.locator('summary').click()
    await expect.poll(() => metadata.innerText()).toMatch(/user_simulator_cost_usd[\s\S]*user_simulator_cost_usd/)
    expect(await isTooWide(page)).toBe(false)
    expect(await axe(page)).toEqual([])
  })

  it('finds words in its output as it is stored', async () => {
    const { page } = await open(long('markdown'))
    await output(page).locator('.rendered').waitFor()
    await page.keyboard.press('f')
    const field = output(page).getByRole('searchbox')
    await field.fill('nowhere')
    await output(page).getByText('not found').waitFor()
    await field.fill('### part')
    await output(page).getByText('1 of 120').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await output(page).locator('.rendered').waitFor()
  })

  it('shows its output as it is stored until what draws it has loaded', async () => {
    const { page } = await visit(browser, server.url, 'about:blank', { session })
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const drawing = readFileSync(new URL('../../webapp/dist/.vite/manifest.json', import.meta.url), 'utf8')
    const { file } =
      (JSON.parse(drawing) as Record<string, { file: string }>)['components/markdown/MarkdownView.vue'] ?? {}
    await page.route(`**/${file}`, async (route) => {
      await released
      await route.continue()
    })
    await page.goto(long('markdown'))
    const beginning = drawer(page).getByRole('region', { name: 'Beginning of the output' })
    await beginning.getByText('# A report').waitFor()
    release()
    await output(page).getByRole('heading', { level: 4, name: 'A report' }).waitFor()
    await beginning.waitFor({ state: 'detached' })
  })

  it('keeps the selected tab in the URL', async () => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b?view=conversation`)
    await waitForTab(page, 'Conversation')
    await page.getByText('get_reservation_details').first().waitFor()
    await tab(page, 'Result').click()
    await page.waitForURL(`**${TAU}/cases/71eb248685caf95b`)
  })

  it('says what another trial called differently in its conversation', async () => {
    const { page } = await open(`${TAU}/cases/20cd979bc95d72ee?view=conversation`)
    await page.getByRole('button', { name: 'Differences' }).click()
    const differences = page.getByRole('region', { name: 'Differences' })
    await differences.getByText(/^13 turns the same, 8 only here, 4 only there/).waitFor()
    await differences
      .getByText(
        /^Here the first tool call that differs is\s+turn 6: assistant get_user_details\(user_id="mia_li_3668"\)/,
      )
      .waitFor()
    expect(await axe(page)).toEqual([])
    await differences.getByRole('combobox').selectOption({ label: 'gpt-4o, airline-policy, trial 3' })
    await differences.getByText(/^\d+ turns the same, \d+ only here/).waitFor()
    await differences
      .getByRole('button', { name: /^turn / })
      .first()
      .click()
    await expect.poll(() => page.locator('[data-turn]:focus').count()).toBe(1)
  })

  it('has its key in the URL, with slashes and dots', async () => {
    const { page } = await open(hostile('key'))
    expect(await drawer(page).innerText()).toContain('a/../b.c/ü?#%2F')
    expect(await output(page).innerText()).toContain('found')
  })

  it('that does not exist looks like one that the viewer may not see', async () => {
    const { page } = await visit(browser, server.url, `/runs/${HOSTILE_RUN}/cases/none`, { session })
    await drawer(page).getByText('It may have been deleted, or you may not have access to it.').waitFor()
    expect(await page.title()).toBe('No such case · Evaluation Results')
  })
})

describe('stored text', () => {
  it.each(Object.keys(HOSTILE) as Array<keyof typeof HOSTILE>)('is shown as text only: %s', async (name) => {
    const { page, context } = await visit(browser, server.url, 'about:blank', { session })
    const requested: string[] = []
    context.on('request', (request) => requested.push(request.url()))
    await page.goto(hostile(name))
    await whenLoaded(page)
    for (const view of await tabsOf(page)) {
      await tab(page, view).click()
      await waitForTab(page, view)
      // Each button disappears once it is pressed.
      for (const more = drawer(page).getByRole('button', { name: /^Show all/ }); (await more.count()) > 0;)
        await more.first().click()
      expect(await drawer(page).locator('img, iframe, script, style, link, object, embed, svg image').count()).toBe(0)
      const origins = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.case-drawer a')].map((link) => link.origin)",
      )
      expect(origins.filter((origin) => origin !== server.url)).toEqual([])
    }
    expect(await page.title()).toBe(`${HOSTILE[name].cell.test_id} · Evaluation Results`)
    const ownPrefixes = [`${server.url}/assets/`, `${server.url}/api/v1/`, `${server.url}/icon`, `${server.url}/runs/`]
    expect(requested.filter((url) => !ownPrefixes.some((start) => url.startsWith(start)))).toEqual([])
    expect(requested.length).toBeGreaterThan(3)
  })

  it('is shown whole if it has members that Vue gives to its own objects', async () => {
    const { page } = await open(hostile('framework'))
    await output(page).getByText('the rest of the output').waitFor()
    await page.goto(`${hostile('framework')}?view=raw`)
    const raw = part(page)
    for (const branch of ['output', 'vars']) await raw.getByRole('button', { name: branch }).click()
    for (const rest of ['output', 'variables', 'raw answer'])
      await raw.getByText(`the rest of the ${rest}`).first().waitFor()
  })

  it('of 130 KB is rendered in part first, and in full on demand', async () => {
    const { page } = await open(hostile('long'), { width: 360 })
    await output(page).getByRole('button', { name: 'Source' }).click()
    const storedText = drawer(page).locator('section[aria-labelledby=case-output] .stored')
    expect((await storedText.innerText()).length).toBeLessThan(25_000)
    expect(await storedText.innerText()).toContain("<script>document.title = 'taken over'")
    await drawer(page)
      .getByRole('button', { name: /^Show all .+ of the output$/ })
      .click()
    await drawer(page).getByText('of 130,000 characters').waitFor()
    await drawer(page).getByRole('button', { name: 'Show all', exact: true }).click()
    // Added over several frames, so that the page stays responsive.
    await expect.poll(async () => (await storedText.textContent())?.length).toBeGreaterThanOrEqual(LONG_OUTPUT.length)
    expect(await isTooWide(page)).toBe(false)
    await drawer(page).getByRole('button', { name: 'Wrap' }).click()
    expect(await isTooWide(page)).toBe(false)
    expect(await axe(page)).toEqual([])
  })

  it('of 1.2 MB is added by portions, each in a frame of its own, until it is whole', async () => {
    const { page } = await open(long('output'), { width: 1440 })
    const stored = LONG.output['output'] as string
    const style = await page.evaluate(`((heading, item, plain) =>
      [heading, item, plain].map((part) => {
        const { fontSize, fontWeight, paddingInlineStart, color } = getComputedStyle(part)
        return { fontSize, color, isBold: Number(fontWeight) > 500, isIndented: Number.parseFloat(paddingInlineStart) > 0 }
      }))(...['heading', 'item', 'text'].map((kind) => document.querySelector('[aria-labelledby=case-output] .' + kind)))`)
    const plain = { fontSize: '13px', color: expect.any(String) as unknown, isBold: false, isIndented: false }
    expect(style).toEqual([{ ...plain, isBold: true }, { ...plain, isIndented: true }, plain])
    await drawer(page).getByRole('button', { name: 'Show all 12,003 lines of the output' }).click()
    await drawer(page).getByText('of 1,200,027 characters').waitFor()
    // Records the length that each frame begins with. A frame runs each callback once, so a difference is what was added
    // between two frames.
    await page.evaluate(`(() => {
      window.lengths = []
      const record = () => {
        window.lengths.push(document.querySelector('[aria-labelledby=case-output] .stored').textContent.length)
        requestAnimationFrame(record)
      }
      record()
    })()`)
    await drawer(page).getByRole('button', { name: 'Show all', exact: true }).click()
    await expect.poll(() => page.evaluate('window.lengths.at(-1)')).toBe(stored.length)
    const lengths = await page.evaluate<number[]>('window.lengths')
    const added = lengths
      .slice(1)
      .flatMap((length, n) => (length > (lengths[n] ?? 0) ? [length - (lengths[n] ?? 0)] : []))
    // Ten portions of 20,000 characters, up to the end of the one in which they end.
    expect(Math.max(...added)).toBeLessThanOrEqual(220_000)
    expect(added.length).toBeGreaterThanOrEqual(6)
    const shown = await drawer(page).locator('section[aria-labelledby=case-output] .stored').textContent()
    expect(shown === stored).toBe(true)
  })

  it.each([390, 1440])(
    'with Markdown is drawn from its text alone, or shown as it is stored (%i px)',
    async (width) => {
      const { page } = await open(long('markdown'), { width })
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      // An entry of the outline unfolds the output.
      await output(page).getByText('121 headings in the output').click()
      expect(await axe(page)).toEqual([])
      await output(page).getByRole('button', { name: 'Part 98' }).click()
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Part 98')
      await output(page).getByRole('heading', { level: 4, name: 'A report' }).waitFor()
      await output(page).locator('math mfrac').waitFor()
      await output(page).getByText('image/png, 1 × 1').waitFor()
      expect(await output(page).innerText()).toContain('<b>raw</b>')
      expect(await output(page).innerText()).toContain('elsewhere https://elsewhere.invalid/a.png')
      await output(page).getByRole('link', { name: 'a page' }).click()
      const dialog = page.getByRole('dialog', { name: 'Open this address?' })
      await dialog.getByText('https://elsewhere.invalid/page').waitFor()
      expect(await axe(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(requested.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:'))).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      expect(await axe(page)).toEqual([])

      await output(page).getByText('121 headings in the output').click()
      await output(page).getByRole('button', { name: 'Part 99' }).click()
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Part 99')

      await output(page).getByRole('button', { name: 'Source' }).click()
      expect(await output(page).locator('.stored').textContent()).toContain('# A report\n')
      await page.reload()
      await whenLoaded(page)
      expect(await output(page).getByRole('button', { name: 'Source' }).getAttribute('aria-pressed')).toBe('true')
      // The choice is one for each kind of text.
      const reasons = drawer(page).getByRole('region', { name: 'Assertions' })
      expect(await reasons.locator('.rendered strong').innerText()).toBe('Fail')
    },
  )

  it('shows invisible characters and leaves visible ones unchanged', async () => {
    const { page } = await open(hostile('unseen'))
    expect(await output(page).innerText()).toContain(
      'nul NUL×3 bell BEL override U+202Etxt.exeU+202C tags U+E0041U+E0042 mark U+FEFF end',
    )
    await page.goto(hostile('written'))
    await whenLoaded(page)
    expect(await output(page).innerText()).toContain(HOSTILE.written['output'])
    expect(
      await page.evaluate(
        "getComputedStyle(document.querySelector('[aria-labelledby=case-output] .stored')).direction",
      ),
    ).toBe('rtl')
  })

  it('that is structured is shown as a tree with every digit, or as text', async () => {
    const { page, context } = await open(hostile('structured'))
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    expect(await output(page).innerText()).toContain('12345678901234567890')
    await output(page)
      .getByRole('button', { name: /^deep\b/ })
      .click()
    await output(page).getByRole('button', { name: 'Text' }).click()
    expect(await output(page).innerText()).toContain('"order": 12345678901234567890,')
    await output(page).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"order": 12345678901234567890,')
  })
})

describe('the result of a case', () => {
  it('shows its error with class and details, and why it is empty', async () => {
    const { page } = await open(hostile('refused'))
    await drawer(page).getByText('provider_protocol').waitFor()
    const text = await drawer(page).innerText()
    for (const expected of [
      'Error',
      'provider_protocol',
      'the provider gave no content',
      'choices',
      'refusal',
      'The output is an empty text.',
      'No assertions were recorded.',
    ])
      expect(text).toContain(expected)
  })

  it('of tool calls alone shows the calls, and folds a long reason to 12 lines', async () => {
    const { page } = await open(long('reason'), { width: 1440, height: 900 })
    await drawer(page).getByText('book_flight').first().waitFor()
    expect(await drawer(page).getByRole('heading', { name: 'Empty output' }).count()).toBe(0)
    expect(await drawer(page).innerText()).not.toContain('tool_use_only')
    const more = drawer(page).getByRole('button', { name: 'Show all 40 lines of the reason' })
    await more.waitFor()
    const lines = (): Promise<number> =>
      page.evaluate(`(() => {
        const box = document.querySelector('.asn .prose')
        return Math.round(box.clientHeight / Number.parseFloat(getComputedStyle(box.querySelector('.out')).lineHeight))
      })()`)
    const before = await lines()
    expect(before).toBeGreaterThan(3)
    expect(before).toBeLessThanOrEqual(12)
    await more.press('Enter')
    expect(await lines()).toBeGreaterThanOrEqual(40)
    expect(await axe(page)).toEqual([])
    await drawer(page).getByRole('button', { name: 'Fold of the reason' }).press('Enter')
    expect(await lines()).toBe(before)
  })

  it('shows each assertion as authored, with reason, score, cost and cache', async () => {
    const { page } = await open(hostile('calls'))
    const assertions = drawer(page).locator('.asn > li')
    // They are shown once the scripts for calls of tools have loaded.
    await assertions.first().waitFor()
    expect(await assertions.allInnerTexts()).toEqual([
      expect.stringMatching(/^Pass\s+llm-rubric Is it polite\?\s+reads well\s+score\s+0.80 needs 0.50$/),
      expect.stringMatching(/^Skip\s+search\s+not evaluated$/),
    ])
    // The mark at the threshold is within the bar of the score.
    const [bar, mark] = await Promise.all(
      ['rect:nth-of-type(2)', 'path'].map((part) => assertions.first().locator(`.gauge ${part}`).boundingBox()),
    )
    expect((bar?.x ?? 0) + (bar?.width ?? 0)).toBeGreaterThan(mark?.x ?? 0)
    expect(mark?.x).toBeGreaterThan(bar?.x ?? 0)
    for (const summary of await assertions.locator('summary').all()) await summary.press('Enter')
    await assertions.last().getByRole('table').waitFor()
    const [graded, called] = await assertions.allInnerTexts()
    expect(graded).toContain('value Is it polite? · weight 2 · cached verdict · $0.0012 grading')
    expect(called).toMatch(
      /Expected 1 call\s+Called 2 calls: 1 the same, 0 differ, 0 missing[\s\S]*1 other call: search/,
    )
    await tab(page, 'Conversation').click()
    await expect
      .poll(() => part(page).innerText())
      .toMatch(
        /system[\s\S]*You book flights[\s\S]*Thinking[\s\S]*Which one\?[\s\S]*search\s+ATL[\s\S]*\d (?:Ki)?B back/,
      )
    await tab(page, 'Usage').click()
    await expect
      .poll(() => part(page).innerText())
      .toMatch(/Input\s+610[\s\S]*Read from cache\s+300\s+Cost and time[\s\S]*\$0.0042[\s\S]*\$0.0012[\s\S]*2.1 s/)
  })

  it('leads with the output and the failing assertion, with the expected calls next to those made', async () => {
    const { page } = await open(`${TAU}/cases/dad79f49544078a9`, { width: 1440, height: 900 })
    const failed = drawer(page).locator('.asn details').first()
    expect(await failed.getAttribute('open')).not.toBeNull()
    const below = await failed.boundingBox()
    const above = await output(page).boundingBox()
    expect((above?.y ?? 900) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
    expect(below?.y).toBeLessThan(900)
    expect((await failed.getByRole('columnheader').allInnerTexts()).slice(1)).toEqual([
      'Expected 6 calls',
      'Called 10 calls: 4 the same, 2 differ, 0 missing',
    ])
    expect(await failed.locator('del').last().innerText()).toContain('9074831')
    expect(await failed.locator('ins').last().innerText()).toContain('4959530')
    await failed.getByRole('button', { name: /^4 other calls/ }).click()
    expect(await failed.locator('li').count()).toBe(4)
    // A call leads to its turn.
    await failed.getByRole('link', { name: 'call 4', exact: true }).click()
    const turn = drawer(page).locator('[data-turn]:focus')
    await turn.getByText('cancel_reservation').waitFor()
    expect(await turn.getByText('NQNU5R').count()).toBeGreaterThan(0)
    await page.keyboard.press('j')
    await page.waitForURL((url) => !url.pathname.endsWith('dad79f49544078a9') && !url.searchParams.has('turn'))
  })

  it('is as wide as the window on demand: the assertions are next to the output', async () => {
    const { page } = await open(`${TAU}/cases/dad79f49544078a9?sort=document`, { width: 1440, height: 900 })
    await page.keyboard.press('w')
    await page.waitForURL(/full=yes/)
    const [left, right] = [await output(page).boundingBox(), await drawer(page).locator('.asn').boundingBox()]
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0)
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(false)
    expect(await page.getByRole('banner').isVisible()).toBe(true)
    await page.keyboard.press('j')
    await waitForTrial(page, 'airline/26', 'trial 3 of 4')
    await expect.poll(() => page.url()).toContain('full=yes')
    await page.keyboard.press('w')
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.pathname === TAU && url.search === '?sort=document')
  })

  it('moves nothing in the drawer while it loads', async () => {
    const { page } = await visit(browser, server.url, '/login', { session, width: 1440, height: 900 })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.addInitScript(
      `window.moved = []; new PerformanceObserver((list) => { for (const { sources } of list.getEntries()) for (const { node, previousRect, currentRect } of sources) if (node?.parentElement?.closest('.case-drawer') && Math.abs(previousRect.top - currentRect.top) > 1) window.moved.push(node.className) }).observe({ type: 'layout-shift', buffered: true })`,
    )
    await page.goto(`${TAU}/cases/dad79f49544078a9`)
    await drawer(page).locator('.asn details').first().waitFor()
    await drawer(page).getByRole('button', { name: 'Next case' }).and(page.locator(':enabled')).waitFor()
    expect(await page.evaluate('window.moved')).toEqual([])
  })

  it('shows why it was expected to fail', async () => {
    const { page } = await open(hostile('expected'))
    await expect.poll(() => drawer(page).innerText()).toMatch(/Expected fail[\s\S]*a known fault/)
  })
})

it('the history of a case shows gaps and changes of verdict, has arrow keys, and is also a table', async () => {
  const { page } = await open(`/runs/trial-3/cases/${await flaky()}`, { width: 1440 })
  await waitForTrial(page, 'flaky', 'trial 1 of 2')
  await drawer(page).getByText('· 2 changes of verdict, case not in 1 of the runs, oldest first').waitFor()
  const strip = drawer(page).getByRole('list', { name: /runs of the suite/ })
  expect(await strip.getByRole('listitem').allInnerTexts()).toEqual([
    '2026-05-01: Pass',
    '2026-05-02: not in this run',
    '2026-05-03: Fail',
    '2026-05-04: Pass',
  ])
  await drawer(page).getByText('As a table').click()
  expect(await drawer(page).getByRole('row').allInnerTexts()).toHaveLength(5)
  expect(await axe(page)).toEqual([])
  await strip.getByRole('link').last().focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL(/runs\/trial-0\/cases/)
  await waitForTrial(page, 'flaky', 'trial 1 of 2')
})

describe('a case by keyboard alone', () => {
  it('leads to its neighbours, and to those of the same status', async () => {
    const { page } = await open(`${TAU}/cases/71eb248685caf95b?sort=document`, { width: 1440 })
    await drawer(page).getByText('27 of 200').waitFor()
    await page.keyboard.press('j')
    await drawer(page).getByText('28 of 200').waitFor()
    await waitForTrial(page, FIRST_TRIAL, 'trial 4 of 4')
    for (const position of [27, 26, 25]) {
      await page.keyboard.press('k')
      await drawer(page).getByText(`${position} of 200`).waitFor()
      await whenLoaded(page)
    }
    await waitForTrial(page, FIRST_TRIAL, 'trial 1 of 4')
    const [before, status] = [page.url(), await drawer(page).locator('.pill').innerText()]
    expect(status).toBe('Pass')
    await page.keyboard.press(']')
    await page.waitForURL((url) => url.href !== before)
    await whenLoaded(page)
    expect(await drawer(page).locator('.pill').innerText()).toBe('Pass')
    await page.keyboard.press('[')
    await page.waitForURL(before)
  })

  it('copies its link', async () => {
    const { page, context } = await open(`${hostile('markup')}?status=fail`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.press('y')
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
  })

  it('closes and returns the focus to its row', async () => {
    const { page } = await open(`${hostile('key')}?status=pass&view=raw`)
    expect(await isInDrawer(page)).toBe(true)
    await page.locator('tr[aria-current] a').waitFor()
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'detached' })
    await expect
      .poll(() => new URL(page.url()).pathname + new URL(page.url()).search)
      .toBe(`/runs/${HOSTILE_RUN}?status=pass`)
    expect(await page.title()).not.toContain('key')
    await expect
      .poll(() => page.evaluate("new URL(document.activeElement.href ?? 'none:').pathname"))
      .toBe(hostile('key'))
  })

  it('traps the focus when it covers the page, and blocks the keys of the page', async () => {
    const { page } = await open(hostile('calls'), { width: 1024 })
    for (let n = 0; n < 25; n++) {
      await page.keyboard.press(n < 20 ? 'Tab' : 'Shift+Tab')
      expect(await isInDrawer(page)).toBe(true)
    }
    for (const key of ['g', 'r']) await page.keyboard.press(key)
    await expect.poll(() => page.url()).toContain('/cases/')
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard' })
    await list.getByText('Next case of the same status').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    expect(await drawer(page).count()).toBe(1)
  })

  it('opens next to the page if there is room, and keeps the page usable', async () => {
    const { page } = await open(hostile('calls'), { width: 1241 })
    expect(await drawer(page).getAttribute('role')).toBe('region')
    const edges = await page.evaluate<[number, number]>(
      "[document.querySelector('main').getBoundingClientRect().right, document.querySelector('.case-drawer').getBoundingClientRect().left]",
    )
    expect(edges[0]).toBeLessThanOrEqual(edges[1])
    await page.getByRole('link', { name: 'Matrix' }).click()
    await drawer(page).waitFor({ state: 'detached' })
    await page.goBack()
    await whenLoaded(page)
    await page.setViewportSize({ width: 1240, height: 800 })
    await page.getByRole('dialog').waitFor()
  })
})

const flaky = async (): Promise<string> => {
  const answer = await fetch(`${server.url}/api/v1/runs/trial-3/cases?test=flaky`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  const { cases } = (await answer.json()) as { cases: ReadonlyArray<{ case_key: string; repeat: number }> }
  return cases.find(({ repeat }) => repeat === 0)?.case_key ?? ''
}

describe('a case with pictures and sounds in its values', () => {
  it('shows them where they are, requests nothing for them, and runs nothing', async () => {
    const { page } = await open(`${long('media')}?view=result`, { width: 1440 })
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    const inOutput = output(page).getByRole('group', { name: 'Pictures and sounds' })
    const show = { name: 'Show pictures and sounds' }
    await output(page).getByRole('button', show).click()
    await inOutput.getByText('image/png, 1 × 1, 68 B').waitFor()
    expect(await inOutput.getByRole('img').count()).toBe(1)
    // The browser has read the sound.
    await expect
      .poll(() => inOutput.locator('audio').evaluate((audio) => Number(Reflect.get(audio, 'readyState'))))
      .toBe(4)
    await page.getByRole('region', { name: 'Input' }).getByRole('button', show).click()
    await page.getByRole('region', { name: 'Input' }).getByText('image/png, 1 × 1, 68 B').waitFor()
    expect(await axe(page)).toEqual([])
    await tab(page, 'Request').click()
    await page.getByRole('region', { name: 'Request' }).getByRole('button', show).click()
    await page.getByRole('region', { name: 'Request' }).getByText('image/png, 1 × 1, 68 B').waitFor()
    expect(requested.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:'))).toEqual([])
  })
})

describe('a case whose last control is closed', () => {
  it('moves from it to the first one by Tab, although the closed part has controls too', async () => {
    const { page } = await open(`/runs/trial-3/cases/${await flaky()}`, { width: 1024 })
    // Once the order of the cases is known, the first control can be used.
    await expect.poll(() => page.getByLabel('Previous case').isEnabled()).toBe(true)
    const last = page.getByText('As a table')
    await last.focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Previous case')
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('As a table')
  })
})
