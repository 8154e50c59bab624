import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, endStreams, failRequests, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { aDocument } from '../support/documents/documents.ts'
import { upload, uploadSamples } from '../support/documents/sample-data.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const HOSTILE =
  '<script>document.title = "taken over"</script><img src="https://evil.example/x.png"> \u202eevil שלום 🚀'

let browser: Browser
let server: RunningServer
let session: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), startServer()])
  session = await setUp(server.url)
  // 44 real runs, two of them fully cached.
  await uploadSamples(server)
  await upload(
    server,
    JSON.stringify(
      aDocument({
        run_id: 'hostile/../run?#',
        project: 'x/y',
        suite: '../suite',
        finished_at: '2026-05-04T09:00:01Z',
        origin: { note: HOSTILE, actor: '<b>mallory</b>' },
        git: { commit: '0123456789abcdef', branch: 'feature/"><svg onload=alert(1)>', dirty: true },
        ci: { provider: 'jenkins', run_url: 'javascript:alert(1)' },
        filters: { tags: ['nightly'] },
      }),
    ),
  )
})
afterAll(() => server.stop())

const rows = (page: Page) => page.locator('tbody tr')
const filterBox = (page: Page) => page.getByRole('combobox', { name: 'Add a filter' })
/** Resolves when the list is shown and no request is pending. */
const settled = async (page: Page): Promise<void> => {
  await rows(page).first().waitFor()
  await page.locator('section[aria-busy="false"]').waitFor()
}
const count = async (page: Page, words: string): Promise<void> =>
  page.locator('.line').getByText(words, { exact: true }).waitFor()
const attributes = async (locator: Locator, name: string): Promise<Array<string | null>> =>
  Promise.all((await locator.all()).map((element) => element.getAttribute(name)))
const open = async (path = '/runs', look: Parameters<typeof visit>[3] = {}) => {
  return visit(browser, server.url, path, { ...look, session })
}

describe('the list of runs', () => {
  it('hides columns on narrow pages, never the name, the time or the rate', async () => {
    const { page, close } = await open()
    const columnsAt = async (width: number): Promise<string[]> => {
      await page.setViewportSize({ width, height: 800 })
      await settled(page)
      return page.locator('thead th:visible').allInnerTexts()
    }
    expect(await columnsAt(1920)).toEqual([
      'Select',
      'Run',
      'Finished',
      'Pass rate, 95% interval',
      'Pass',
      'Fail',
      'Error',
      'Skip',
      'Cost',
      'Tokens',
      'Duration',
      'From',
    ])
    expect(await columnsAt(1024)).toEqual([
      'Select',
      'Run',
      'Finished',
      'Pass rate, 95% interval',
      'Pass',
      'Fail',
      'Error',
      'Cost',
      'Duration',
    ])
    expect(await columnsAt(360)).toEqual(['Select', 'Run', 'Finished', 'Pass rate, 95% interval'])
    await close()
  })

  it('requests only the runs, once', async () => {
    const { page, context, close } = await open('/no/such/page')
    const requested: string[] = []
    await page.getByRole('heading', { name: 'No such page' }).first().waitFor()
    await endStreams(context)
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/') && pathname !== '/api/v1/events/stream') requested.push(pathname)
    })
    await page.getByRole('link', { name: 'All runs' }).click()
    await settled(page)
    expect(requested).toEqual(['/api/v1/runs'])
    await close()
  })

  it('interprets nothing in stored text', async () => {
    const { page, complaints, context, close } = await open('/runs?project=x/y', { width: 1920 })
    const requested: string[] = []
    context.on('request', (request) => requested.push(request.url()))
    await settled(page)
    const row = rows(page).first()
    expect(await row.innerText()).toContain('<script>document.title')
    expect(await row.innerText()).toContain('⟨U+202E⟩evil')
    expect(await row.locator('script, img, [onload], a[href^="javascript"]').count()).toBe(0)
    expect(await row.getByText('jenkins').count()).toBe(1)
    expect(await page.title()).toBe('Runs · Evaluation Results')
    await row.getByRole('link').first().click()
    await page.waitForURL(`**/runs/${encodeURIComponent('hostile/../run?#')}`)
    expect(requested.filter((url) => !url.startsWith(server.url))).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  it('copies the whole id of a run', async () => {
    const { page, context, close } = await open('/runs?suite=lite')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await settled(page)
    await page.getByRole('button', { name: /^Copy id of/ }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('01HZ5GK1DGT3NXH7EBAAMV9G8A')
    await close()
  })

  it('also copies over plain HTTP, where pages have no clipboard API', async () => {
    const { page, context, complaints, close } = await open('/runs?suite=lite')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.reload()
    await settled(page)
    await page.getByRole('button', { name: /^Copy id of/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByTitle('Copied', { exact: true }).waitFor()
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(/^Copy id of/)
    await filterBox(page).focus()
    await page.keyboard.press('Control+V')
    expect(await filterBox(page).inputValue()).toBe('01HZ5GK1DGT3NXH7EBAAMV9G8A')
    expect(complaints).toEqual([])
    await close()
  })

  it('opens a run by a click on its row', async () => {
    const { page, close } = await open('/runs?suite=lite')
    await settled(page)
    await rows(page).first().locator('td').nth(4).click()
    await page.waitForURL('**/runs/01HZ5GK1DGT3NXH7EBAAMV9G8A')
    await close()
  })
})

describe('filters', () => {
  it('offer the values of the server, are in the URL and are undone by going back', async () => {
    const { page, close } = await open()
    await settled(page)
    await filterBox(page).click()
    await page.getByRole('option', { name: /^project/ }).click()
    await page.getByRole('option', { name: /agbenchmark/ }).click()
    await count(page, '25 runs')
    expect(new URL(page.url()).search).toBe('?project=agbenchmark')
    await filterBox(page).fill('suite:mini')
    await page.getByRole('option', { name: /mini-agi.*12 runs/ }).waitFor()
    await page.keyboard.press('Enter')
    await count(page, '12 runs')
    expect(new URL(page.url()).search).toBe('?project=agbenchmark&suite=mini-agi')
    await page.goBack()
    await count(page, '25 runs')
    await page.goBack()
    await count(page, '43 runs')
    await page.goForward()
    await count(page, '25 runs')
    await page.getByRole('button', { name: 'Remove filter project agbenchmark' }).click()
    await count(page, '43 runs')
    expect(new URL(page.url()).search).toBe('')
    await close()
  })

  it('in a pasted URL give the same view', async () => {
    const { page, close } = await open(
      '/runs?project=agbenchmark&status=fail&since=2023-08-28&until=2023-08-28&select=01H8XKBF30BH17MX6MS2G7GRXN',
    )
    await count(page, '2 runs')
    expect(await page.locator('.chip').allInnerTexts()).toEqual(
      ['project\nagbenchmark', 'status\nfail', 'since\n2023-08-28', 'until\n2023-08-28'].map((text): unknown =>
        expect.stringMatching(text.replace('\n', '\\s*')),
      ),
    )
    expect(await page.getByRole('region', { name: 'Selection' }).innerText()).toContain('1 run')
    await close()
  })

  it.each([
    ['tag:nightly', '1 run'],
    ['branch:feature/"><svg onload=alert(1)>', '1 run'],
    ['origin:ci', '1 run'],
    ['actor:<b>mallory</b>', '1 run'],
    ['suite:lite status:fail', '1 run'],
    ['until:2023-08-19', '2 runs'],
  ])('can also be typed: %s', async (typed, words) => {
    const { page, close } = await open()
    await settled(page)
    await page.keyboard.press('f')
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
    await count(page, words)
    await close()
  })

  it('without a match are named and can be removed with one button', async () => {
    const { page, close } = await open('/runs?project=agbenchmark&status=error')
    await page.getByRole('heading', { name: 'No run matches these filters' }).waitFor()
    expect(await page.locator('.state').innerText()).toContain('Filters: project agbenchmark and status error.')
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove status' }).click()
    await count(page, '25 runs')
    await close()
  })

  it('with a value that does not exist are shown as such, and can be removed', async () => {
    const { page, close } = await open('/runs?status=odd&since=never&project=promptfoo')
    await page.getByRole('heading', { name: 'A filter has a value that does not exist' }).waitFor()
    await page.getByText('odd is no value of status. Its values are pass, fail, error.').waitFor()
    await page.getByText('never is no value of since.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove since' }).click()
    await page.getByRole('button', { name: 'Remove status', exact: true }).click()
    await count(page, '2 runs')
    await close()
  })
})

describe('the order of the runs', () => {
  it('is chosen by a header, is in the URL, and is undone by going back', async () => {
    const { page, close } = await open('/runs?project=agbenchmark')
    await page.getByRole('columnheader', { name: 'Finished' }).waitFor()
    const header = page.getByRole('columnheader', { name: 'Pass rate' })
    expect(await header.getAttribute('aria-sort')).toBe('none')
    await header.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.getByText('lowest pass rate first').first().waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    expect(new URL(page.url()).search).toContain('sort=pass_rate&order=asc')
    await page.keyboard.press('Enter')
    await page.getByText('highest pass rate first').first().waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('descending')
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
    expect(csv).toContain('/api/v1/runs.csv?')
    expect(csv).toContain('sort=pass_rate&order=desc')
    expect(await axe(page)).toEqual([])
    await page.reload()
    await page.getByText('highest pass rate first').first().waitFor()
    await header.getByRole('button').click()
    await page.getByText('newest first').first().waitFor()
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false)
    await page.goBack()
    await page.getByText('highest pass rate first').first().waitFor()
    await close()
  })

  it('and the columns are chosen in a menu that is kept', async () => {
    const { page, close } = await open('/runs')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Cost' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('columnheader', { name: 'Finished' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Cost' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Columns' }).click()
    expect(await axe(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Show all columns' }).click()
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor()
    await close()
  })
})

it('hides and counts fully cached runs, shows them, and hides them on going back', async () => {
  const { page, close } = await open('/runs?project=promptfoo')
  await count(page, '2 runs')
  await page.getByText('2 fully cached runs hidden').getByRole('button', { name: 'Show' }).click()
  await count(page, '4 runs')
  expect(new URL(page.url()).searchParams.get('cached')).toBe('all')
  await page.goBack()
  await count(page, '2 runs')
  await close()
})

describe('two selected runs', () => {
  it('lead to their comparison, the older one first', async () => {
    const { page, close } = await open('/runs?suite=beebot')
    await settled(page)
    const bar = page.getByRole('region', { name: 'Selection' })
    await page.getByRole('checkbox').nth(0).check()
    expect(await bar.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
    await page.getByRole('checkbox').nth(3).check()
    const ids = new URL(page.url()).searchParams.getAll('select')
    expect(await bar.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe(`/compare/${ids[1]}/${ids[0]}`)
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?suite=beebot')
    await close()
  })

  it('of a pasted URL can be compared even if the list does not contain them', async () => {
    const { page, close } = await open(
      '/runs?suite=lite&select=01H905PR687A9F6D68P8XN6X8Q&select=01H8XKBF30BH17MX6MS2G7GRXN',
    )
    const compare = page.getByRole('region', { name: 'Selection' }).getByRole('link', { name: 'Compare' })
    expect(await compare.getAttribute('href')).toBe('/compare/01H8XKBF30BH17MX6MS2G7GRXN/01H905PR687A9F6D68P8XN6X8Q')
    await close()
  })

  it('are not compared when one does not exist', async () => {
    const { page, close } = await open('/runs?select=01H905PR687A9F6D68P8XN6X8Q&select=gone')
    await page.getByText('A selected run was not found').waitFor()
    expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
    await close()
  })
})

it('the list of runs works by keyboard alone', async () => {
  const { page, complaints, close } = await open()
  await settled(page)
  await page.keyboard.press('f')
  await page.keyboard.type('suite:bee')
  await page.getByRole('option', { name: /beebot/ }).waitFor()
  await page.keyboard.press('Enter')
  await count(page, '12 runs')
  // The focus is still in the filter bar: the first Escape leaves it.
  await page.keyboard.press('Escape')
  for (const key of ['j', 'x', 'j', 'j', 'k', 'x']) await page.keyboard.press(key)
  await page.getByRole('link', { name: 'Compare' }).waitFor()
  const [first, second] = await attributes(page.getByRole('link', { name: 'daily run of beebot' }), 'href')
  expect(new URL(page.url()).searchParams.getAll('select').map((id) => `/runs/${id}`)).toEqual([first, second])
  await page.keyboard.press('c')
  await page.waitForURL('**/compare/*/*')
  await page.goBack()
  await page.getByRole('link', { name: 'Compare' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${first}`)
  expect(complaints).toEqual([])
  await close()
})

describe('an empty server', () => {
  let empty: RunningServer
  let ownerSession: string
  beforeAll(async () => {
    empty = await startServer()
    ownerSession = await setUp(empty.url)
  })
  afterAll(() => empty.stop())
  const openEmpty = () => visit(browser, empty.url, '/runs', { session: ownerSession })
  /** Deletes what a spec uploaded, so that the next one finds no runs. */
  const clear = async (id: string): Promise<void> => {
    await fetch(`${empty.url}/api/v1/runs/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${empty.token}` },
    })
  }

  it('shows how to upload a run', async () => {
    const { page, complaints, close } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    expect(await page.locator('.line').innerText()).toBe('')
    await page.getByRole('button', { name: 'Create an API key and show the command' }).click()
    await page.locator('pre').waitFor()
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    expect(complaints).toEqual([])
    await close()
  })

  it('shows a command that works, and then the uploaded run without a click', async () => {
    const { page, close } = await openEmpty()
    await page.getByRole('button', { name: 'Create an API key and show the command' }).click()
    const { stdout } = await promisify(execFile)('sh', ['-c', `${await page.locator('pre').innerText()}`])
    const { id } = JSON.parse(stdout) as { id: string }
    await page.locator(`tr[data-run="${id}"]`).waitFor()
    expect(await page.getByText('new run').count()).toBe(0)
    expect(await page.getByText('No runs yet').count()).toBe(0)
    await close()
    await clear(id)
  })

  it('accepts a dropped file, shows what it holds, and imports it', async () => {
    const { page, complaints, close } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    const drop = (name: string, base64: string) =>
      page.evaluate(
        `{ const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob(${JSON.stringify(base64)}), (c) => c.charCodeAt(0))], ${JSON.stringify(name)}));
           for (const type of ['dragenter', 'drop']) document.querySelector('h1').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })); undefined }`,
      )
    await drop('notes.json', Buffer.from('{"schema_version":3}').toString('base64'))
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('alert').filter({ hasText: 'notes.json: This file has no run_id.' }).waitFor()
    await drop('run.json.gz', gzipSync(smallDocument('dropped')).toString('base64'))
    await dialog.getByText('Ready').waitFor()
    expect(new URL(page.url()).search).toBe('?import')
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: /^Import \d/ }).click()
    await dialog.getByRole('heading', { name: '1 run imported' }).waitFor()
    await dialog.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/dropped')
    expect(complaints).toEqual([])
    await close()
    await clear('dropped')
  })

  it('imports files by keyboard alone, and shows what the server rejects', async () => {
    const { page, complaints, close } = await openEmpty()
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await page.goto(`${empty.url}/runs?import`)
    const dialog = page.getByRole('dialog', { name: 'Import runs' })
    await dialog.waitFor()
    await page.getByLabel('Run documents').setInputFiles([
      { name: 'good.json', mimeType: 'application/json', buffer: Buffer.from(smallDocument('good')) },
      {
        name: 'bad.json',
        mimeType: 'application/json',
        buffer: Buffer.from('{"schema_version":3,"run_id":"bad","cases":[]}'),
      },
    ])
    await expect.poll(() => page.getByText('Ready').count()).toBe(2)
    await page.getByRole('button', { name: /^Import \d/ }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /bad\.json: .*invalid run document/ })
      .waitFor()
    await page.getByRole('heading', { name: '1 run imported' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('tr[data-run="good"]').waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(complaints).toEqual([])
    await close()
    await clear('good')
  })

  it('describes the format of documents', async () => {
    const { page, complaints, close } = await openEmpty()
    await page.goto(`${empty.url}/document-format`)
    await page.locator('tr[data-path="cases[].asserts[].reason"]').waitFor()
    await page.getByLabel('Only those that a document must have').check()
    expect(await page.locator('tr[data-path="project"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Upload it…' }).click()
    await page.getByRole('button', { name: 'Import 1 run, 1 case' }).click()
    await page.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/example-*')
    expect(complaints).toEqual([])
    await clear(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    await close()
  })
})

describe('a thousand runs', () => {
  let full: RunningServer
  let fullSession: string
  const minute = (n: number): string => new Date(Date.UTC(2026, 4, 4) + n * 60_000).toISOString()
  beforeAll(async () => {
    full = await startServer()
    fullSession = await setUp(full.url)
    for (let n = 0; n < 1_000; n += 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          upload(full, smallDocument(`run-${n + i}`, { suite: `suite-${(n + i) % 7}`, at: minute(n + i) })),
        ),
      )
  })
  afterAll(() => full.stop())

  it('are loaded page by page, and shown rows do not move', async () => {
    const { page, close } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    const first = await page.locator('tbody tr').first().boundingBox()
    await page.getByRole('button', { name: 'Next 50' }).click()
    await page.locator('tr[data-run="run-949"] a:focus').waitFor()
    await count(page, 'First 100 runs')
    expect(await attributes(rows(page), 'data-run')).toEqual(Array.from({ length: 100 }, (_, n) => `run-${999 - n}`))
    // The page scrolled to the new rows; earlier rows keep their place on the page.
    const scrolled: number = await page.evaluate('scrollY')
    expect((await page.locator('tbody tr').first().boundingBox())?.y).toBe((first?.y ?? 0) - scrolled)
    await close()
  })

  it('stay when the next page cannot be loaded, and the page shows why', async () => {
    const { page, close } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    await failRequests(page, '**/api/v1/runs?*cursor=*', 500, 'internal error')
    await page.getByRole('button', { name: 'Next 50' }).click()
    await page.getByText('Could not load the next runs: internal error. Request request-7.').waitFor()
    expect(await rows(page).count()).toBe(50)
    await close()
  })

  it('load the next page when the selection moves past the last row', async () => {
    const { page, close } = await visit(browser, full.url, '/runs?suite=suite-1', { session: fullSession })
    await count(page, 'First 50 runs')
    for (let n = 0; n < 51; n++) await page.keyboard.press('j')
    await count(page, 'First 100 runs')
    await close()
  })

  it('are rendered only near the viewport, however many are loaded', async () => {
    const { page, complaints, close } = await visit(browser, full.url, '/runs', { session: fullSession })
    for (let shown = 50; shown < 250; shown += 50) {
      await count(page, `First ${shown} runs`)
      await page.getByRole('button', { name: 'Next 50' }).click()
      await page.locator(`tr[data-index="${shown}"] a:focus`).waitFor()
    }
    expect(await page.locator('tr[data-index]').count()).toBeLessThanOrEqual(60)
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('251')
    await page.keyboard.press('k')
    await page.locator('tr[data-run="run-800"] a:focus').waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('tr[data-run="run-999"]').waitFor()
    await page.keyboard.press('j')
    await page.locator('tr[data-run="run-799"] a:focus').waitFor()
    expect(await axe(page)).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  it('show a notice for new runs without moving, and load them on demand', async () => {
    const { context, page, close } = await visit(browser, full.url, '/no/such/page', { session: fullSession })
    await page.clock.install()
    await page.goto('/runs')
    await count(page, 'First 50 runs')
    await page.keyboard.press('j')
    await upload(full, smallDocument('late', { at: minute(2_000) }))
    await page.clock.runFor(31_000)
    const notice = page.getByRole('button', { name: '1 new run' })
    await notice.waitFor()
    expect(await rows(page).first().getAttribute('data-run')).toBe('run-999')
    await notice.click()
    await page.locator('tr[data-run="late"]').waitFor()
    expect(await rows(page).first().getAttribute('data-run')).toBe('late')
    expect(await notice.count()).toBe(0)
    await context.close()
    await close()
  })

  it('are restored at the same position when going back from a run', async () => {
    const { page, close } = await visit(browser, full.url, '/runs', { session: fullSession })
    await count(page, 'First 50 runs')
    await page.getByRole('button', { name: 'Next 50' }).click()
    await count(page, 'First 100 runs')
    await page.locator('tr a:focus').waitFor()
    const before: number = await page.evaluate('scrollY')
    const address: string = await page.evaluate("document.activeElement.getAttribute('href')")
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${address}`)
    await page.goBack()
    await count(page, 'First 100 runs')
    expect(before).toBeGreaterThan(1_000)
    await expect.poll(() => page.evaluate('scrollY')).toBe(before)
    await close()
  })
})

it('rows with a very short run set have targets of a usable size, however long their names', async () => {
  const notes = [1, 8, 16, 24, 28, 32, 36, 40].map((length) => 'n'.repeat(length))
  for (const note of notes)
    await upload(
      server,
      JSON.stringify(aDocument({ run_id: `short ${note}`, project: 'a', suite: 'b', origin: { note } })),
    )
  const { page, close } = await open('/runs?project=a')
  await settled(page)
  expect(await rows(page).count()).toBe(notes.length)
  // The button of a row is visible while the row is current.
  for (let row = 0; row < notes.length; row++) {
    await page.keyboard.press('j')
    expect(await axe(page)).toEqual([])
  }
  await close()
})
