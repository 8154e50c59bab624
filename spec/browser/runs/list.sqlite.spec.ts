import { afterAll, describe, expect, it } from 'vitest'
import { axe, endStreams, openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { uploadDocument } from '../../support/documents/sample-data.ts'
import { attributes, count, filterBox, rows, settled, uploadRunList } from '../../support/pages/run-list.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())

const open = async (path = '/runs', look: Parameters<typeof visit>[3] = {}) => {
  return visit(browser, server.url, path, { ...look, session })
}
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
await uploadRunList(server)

describe('the list of runs', () => {
  it('hides columns on narrow pages, never the name, the time or the rate', async () => {
    const { page } = await open()
    const columnsAt = async (width: number): Promise<string[]> => {
      await page.setViewportSize({ width, height: 800 })
      await settled(page)
      return page.locator('thead th:visible').allInnerTexts()
    }
    expect(await columnsAt(1920)).toEqual([
      'Select',
      'Run',
      'Model',
      'From',
      'Finished',
      'Pass rate, 95% interval',
      'Worse / better',
      'Pass',
      'Fail',
      'Error',
      'Skip',
      'Cost',
      'Tokens',
      'Duration',
    ])
    expect(await columnsAt(1440)).toEqual([
      'Select',
      'Run',
      'Model',
      'From',
      'Finished',
      'Pass rate, 95% interval',
      'Worse / better',
      'Error',
      'Cost',
      'Duration',
    ])
    expect(await columnsAt(1024)).toEqual([
      'Select',
      'Run',
      'Model',
      'Finished',
      'Pass rate, 95% interval',
      'Error',
      'Cost',
      'Duration',
    ])
    expect(await columnsAt(360)).toEqual(['Select', 'Run', 'Finished', 'Pass rate'])
    expect(await rows(page).first().locator('td.model').isVisible()).toBe(true)
  })

  it('has rows of at most 72 pixels on a phone, and never cuts what sets runs of one name apart', async () => {
    const { page } = await open('/runs', { width: 390 })
    await settled(page)
    const heights = await rows(page).evaluateAll((found) => found.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThanOrEqual(72)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.locator('.mark:visible').evaluateAll((marks) => marks.length)).toBeGreaterThan(0)
      expect(
        await page
          .locator('.mark:visible')
          .evaluateAll((marks) => marks.filter((mark) => mark.scrollWidth > mark.clientWidth).length),
      ).toBe(0)
    }
  })

  it('requests only the runs and what changed in them, once', async () => {
    const { page, context } = await open('/no/such/page')
    const requested: string[] = []
    await endStreams(context)
    await page.reload({ waitUntil: 'networkidle' })
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/') && pathname !== '/api/v1/events/stream') requested.push(pathname)
    })
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.getByRole('link', { name: 'All runs' }).click()
    await settled(page)
    await expect.poll(() => requested).toEqual(['/api/v1/runs', '/api/v1/run-changes'])
  })

  it('has what got worse and better since the previous like run, each with its evidence', async () => {
    for (const [n, verdicts] of ['+++-', '--++'].entries())
      await uploadDocument(server, {
        run_id: `changed-${n}`,
        project: 'changing',
        finished_at: new Date(Date.UTC(2026, 4, 1 + n)).toISOString(),
        cases: [...verdicts].map((verdict, test) =>
          aCase({ cell: { test_id: `t${test}` }, status: verdict === '+' ? 'pass' : 'fail' }),
        ),
      })
    const { page } = await open('/runs?project=changing', { width: 1440 })
    const links = page.locator('td.change a')
    await links.nth(1).waitFor()
    expect(
      await links.evaluateAll((found) => found.map((link) => [link.textContent, link.getAttribute('href')])),
    ).toEqual([
      ['−2 worse', '/compare/changed-0/changed-1?filter=worse'],
      ['+1 better', '/compare/changed-0/changed-1?filter=better'],
    ])
    expect(await page.locator('td.change').last().innerText()).toBe('none like it')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Worse / better' }).click()
    await links.first().waitFor({ state: 'detached' })
  })

  it('interprets nothing in stored text', async () => {
    const { page, context } = await open('/runs?project=x/y', { width: 1920 })
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
  })

  it('copies the whole id of a run', async () => {
    const { page, context } = await open('/runs?suite=lite')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await settled(page)
    await page.getByRole('button', { name: /^Copy id of/ }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('01HZ5GK1DGT3NXH7EBAAMV9G8A')
  })

  it('also copies over plain HTTP, where pages have no clipboard API', async () => {
    const { page, context } = await open('/runs?suite=lite')
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
  })

  it('opens a run by a click on its row', async () => {
    const { page } = await open('/runs?suite=lite')
    await settled(page)
    await rows(page).first().locator('td').nth(4).click()
    await page.waitForURL('**/runs/01HZ5GK1DGT3NXH7EBAAMV9G8A')
  })
})

describe('the order of the runs', () => {
  it('is chosen by a header, is in the URL, and is undone by going back', async () => {
    const { page } = await open('/runs?project=agbenchmark')
    await page.getByRole('columnheader', { name: 'Finished' }).waitFor()
    const header = page.getByRole('columnheader', { name: 'Pass rate' })
    expect(await header.getAttribute('aria-sort')).toBe('none')
    await header.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.getByText('lowest pass rate first').first().waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    await expect.poll(() => new URL(page.url()).search).toContain('sort=pass_rate&order=asc')
    await page.keyboard.press('Enter')
    await page.getByText('highest pass rate first').first().waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('descending')
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
    expect(csv).toContain('/api/v1/runs.csv?')
    expect(csv).toContain('sort=pass_rate&order=desc')
    await page.reload()
    await page.getByText('highest pass rate first').first().waitFor()
    await header.getByRole('button').click()
    await page.getByText('newest first').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('sort')).toBe(false)
    await page.goBack()
    await page.getByText('highest pass rate first').first().waitFor()
  })

  it('is that of the uploads on request, with the time of the upload', async () => {
    const { page } = await open('/runs?project=agbenchmark')
    const finished = await rows(page).first().locator('td.when').innerText()
    await page.getByRole('button', { name: 'Sort by upload' }).click()
    await page.getByText('last uploaded first').first().waitFor()
    await expect.poll(() => new URL(page.url()).search).toContain('sort=uploaded&order=desc')
    expect(await page.getByRole('columnheader', { name: 'Uploaded' }).getAttribute('aria-sort')).toBe('descending')
    expect(await rows(page).first().locator('td.when').innerText()).not.toBe(finished)
    await page.getByRole('button', { name: 'Sort by run time' }).click()
    await page.getByRole('columnheader', { name: 'Finished' }).waitFor()
  })

  it('and the columns are chosen in a menu that is kept', async () => {
    const { page } = await open('/runs')
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
  })
})

describe('two selected runs', () => {
  it('lead to their comparison, the older one first', async () => {
    const { page } = await open('/runs?suite=beebot')
    await settled(page)
    const bar = page.getByRole('region', { name: 'Selection' })
    await page.getByRole('checkbox').nth(0).check()
    expect(await bar.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
    await page.getByRole('checkbox').nth(3).check()
    const ids = new URL(page.url()).searchParams.getAll('select')
    expect(await bar.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe(`/compare/${ids[1]}/${ids[0]}`)
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).search).toBe('?suite=beebot')
  })

  it('of a pasted URL can be compared even if the list does not contain them', async () => {
    const { page } = await open('/runs?suite=lite&select=01H905PR687A9F6D68P8XN6X8Q&select=01H8XKBF30BH17MX6MS2G7GRXN')
    const compare = page.getByRole('region', { name: 'Selection' }).getByRole('link', { name: 'Compare' })
    expect(await compare.getAttribute('href')).toBe('/compare/01H8XKBF30BH17MX6MS2G7GRXN/01H905PR687A9F6D68P8XN6X8Q')
  })

  it('get tags, and lose them', async () => {
    const { page } = await open('/runs?suite=beebot&tag=looked-at')
    await page.getByRole('heading', { name: 'No run matches' }).waitFor()
    await page.getByRole('button', { name: 'Remove filter tag looked-at' }).click()
    await settled(page)
    await page.getByRole('checkbox').nth(0).check()
    await page.getByRole('checkbox').nth(1).check()
    const tag = async (field: RegExp) => {
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Tag…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Tag 2 runs' })
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByRole('textbox', { name: field }).fill('looked-at')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await tag(/^Add/)
    await expect.poll(() => rows(page).filter({ hasText: 'looked-at' }).count()).toBe(2)
    await tag(/^Remove/)
    await expect.poll(() => rows(page).filter({ hasText: 'looked-at' }).count()).toBe(0)
  })

  it('are not compared when one does not exist', async () => {
    const { page } = await open('/runs?select=01H905PR687A9F6D68P8XN6X8Q&select=gone')
    await page.getByText('A selected run was not found').waitFor()
    expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
  })
})

it('the list of runs works by keyboard alone', async () => {
  const { page } = await open()
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
  await expect
    .poll(() => new URL(page.url()).searchParams.getAll('select').map((id) => `/runs/${id}`))
    .toEqual([first, second])
  await page.keyboard.press('c')
  await page.waitForURL('**/compare/*/*')
  await page.goBack()
  await page.getByRole('link', { name: 'Compare' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${first}`)
})

it('rows with a very short run set have targets of a usable size, however long their names', async () => {
  const notes = [1, 8, 16, 24, 28, 32, 36, 40].map((length) => 'n'.repeat(length))
  for (const note of notes)
    await uploadDocument(server, { run_id: `short ${note}`, project: 'a', suite: 'b', origin: { note } })
  const { page } = await open('/runs?project=a')
  await settled(page)
  expect(await rows(page).count()).toBe(notes.length)
  // The button of a row is visible while the row is current.
  for (let row = 0; row < notes.length; row++) {
    await page.keyboard.press('j')
    expect(await axe(page)).toEqual([])
  }
})

it('the selected runs are deleted after a question that names baselines and holds, and the list is without them', async () => {
  const { send, upload } = adminRequests(() => server)
  for (const id of ['goes', 'pinned', 'held', 'stays'])
    await upload(aDocument({ run_id: id, project: 'bulk', suite: 'nightly', origin: { note: 'nightly' } }))
  await send('PUT', '/projects/bulk/suites/nightly/baseline', { run_id: 'pinned' })
  expect((await send('POST', '/holds', { run_id: 'held', reference: 'case-7' })).status).toBe(201)
  const { page } = await open('/runs?suite=nightly')
  await count(page, '4 runs')
  // Runs of one name get what they differ in.
  const names = await rows(page).getByRole('link').allInnerTexts()
  expect(new Set(names.filter((name) => name.startsWith('nightly'))).size).toBe(4)
  for (const id of ['goes', 'pinned', 'held'])
    await rows(page)
      .filter({ has: page.locator(`a[href="/runs/${id}"]`) })
      .getByRole('checkbox')
      .check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem').first().waitFor()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Copy ids', 'Delete 3 runs…'])
  expect(await axe(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Delete 3 runs…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 2 of 3 runs?' })
  await dialog.getByText('2 runs with 2 cases, their documents and their history.').waitFor()
  await dialog.getByText('A baseline goes with it: bulk / nightly.').waitFor()
  await dialog.getByText('Under legal hold, so it stays: nightly').waitFor()
  expect(await axe(page)).toEqual([])
  const button = dialog.getByRole('button', { name: 'Delete 2 runs' })
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('2')
  await button.click()
  await dialog.waitFor({ state: 'detached' })
  await count(page, '2 runs')
  expect((await send('GET', '/runs/goes')).status).toBe(404)
  expect((await send('GET', '/runs/held')).status).toBe(200)
  await expect.poll(() => new URL(page.url()).searchParams.getAll('select')).toEqual(['held'])
})
