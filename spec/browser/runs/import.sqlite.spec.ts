import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, isTooWide, openBrowser, setUp, visit } from '../../support/browser.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const browser = await openBrowser()

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
    const { page } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    expect(await page.locator('.line').innerText()).toBe('')
    await page.getByRole('button', { name: 'Create an API key and show the command' }).click()
    await page.locator('pre').waitFor()
    expect(await axe(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
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
    const { page, close } = await openEmpty()
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
    await expect.poll(() => new URL(page.url()).search).toBe('?import')
    await dialog.getByRole('button', { name: /^Import \d/ }).click()
    await dialog.getByRole('heading', { name: '1 run imported' }).waitFor()
    await dialog.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/dropped')
    await close()
    await clear('dropped')
  })

  it('says what a file of another tool holds and what is kept as evidence alone, and imports its runs where they shall go', async () => {
    const { page } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await page.goto(`${empty.url}/runs?import`)
    const dialog = page.getByRole('dialog')
    await page
      .getByLabel('Run documents')
      .setInputFiles([{ name: 'any.db', mimeType: '', buffer: Buffer.from('SQLite format 3\0') }])
    await dialog
      .getByRole('alert')
      .filter({ hasText: /any\.db: This file is a database/ })
      .waitFor()
    await dialog.getByText("ers import 'any.db'").waitFor()
    await dialog.getByRole('button', { name: 'Choose others' }).click()
    await page.getByLabel('Run documents').setInputFiles([join(SAMPLES, 'promptfoo', 'v3-capitals.json')])
    await dialog.getByText('Ready').waitFor()
    expect(await dialog.getByRole('region', { name: 'What it holds' }).innerText()).toMatch(/48 cases/)
    await dialog
      .getByRole('region', { name: 'What is changed, left behind or kept as evidence alone' })
      .getByRole('table')
      .waitFor()
    expect(await dialog.getByLabel('Project').inputValue()).toBe('promptfoo')
    await dialog.getByLabel('Suite').fill('geography')
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import 1 run, 48 cases' }).click()
    await dialog.getByRole('heading', { name: '1 run imported' }).waitFor()
    expect(await dialog.getByRole('term').allInnerTexts()).toEqual(['Passed', 'Kept as evidence'])
    expect(await dialog.getByRole('definition').allInnerTexts()).toEqual([
      expect.stringMatching(/%/),
      expect.stringMatching(/^[\d.]+ (B|KiB), listed under Configuration$/),
    ])
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/promptfoo-*')
    await page.getByRole('link', { name: 'geography' }).first().waitFor()
    await clear(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  })

  it('leads to a run that is stored already, and asks for nothing that it would ignore', async () => {
    const { page } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    const dialog = page.getByRole('dialog')
    const capitals = [join(SAMPLES, 'promptfoo', 'v3-capitals.json')]
    await page.goto(`${empty.url}/runs?import`)
    await page.getByLabel('Run documents').setInputFiles(capitals)
    await dialog.getByRole('button', { name: 'Import 1 run, 48 cases' }).click()
    await dialog.getByRole('button', { name: 'Import another' }).click()
    await page.getByLabel('Run documents').setInputFiles(capitals)
    await dialog.getByText('The run is stored already, and stays where it is.').waitFor()
    expect(await dialog.getByLabel('Project').count()).toBe(0)
    expect(await dialog.getByRole('button', { name: /^Import \d/ }).count()).toBe(0)
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('link', { name: 'Open run' }).last().click()
    await page.waitForURL('**/runs/promptfoo-*')
    await clear(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    const own = { name: 'own.json', mimeType: '', buffer: Buffer.from(smallDocument('own')) }
    await page.goto(`${empty.url}/runs?import`)
    for (const again of [false, true]) {
      await page.getByLabel('Run documents').setInputFiles([own])
      await dialog.getByText('Ready', { exact: true }).waitFor()
      if (again) break
      await dialog.getByRole('button', { name: /^Import \d/ }).click()
      await dialog.getByRole('button', { name: 'Import another' }).click()
    }
    await dialog.getByText('A run with this id is stored already.').waitFor()
    await dialog.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/own')
    await clear('own')
  })

  it('asks the server about several files of other tools, one after another', async () => {
    const { page } = await visit(browser, empty.url, '/runs?import', { session: ownerSession })
    const files = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      name: `${name}/eval_results_table.json`,
      mimeType: '',
      buffer: Buffer.from(
        JSON.stringify({ columns: ['inputs', 'outputs', 'exact_match/score'], data: [[name, 'x', 1]] }),
      ),
    }))
    await page.getByLabel('Run documents').setInputFiles(files)
    await page.getByRole('dialog').getByRole('button', { name: 'Import 5 runs, 5 cases' }).waitFor()
  })

  it('asks which scores decide before they do', async () => {
    const { page, close } = await visit(browser, empty.url, '/runs?import', { session: ownerSession })
    const dialog = page.getByRole('dialog')
    const rows = [5, 1, 4].map((grade, n) => ({ grade, toxicity: 0.1, n }))
    const table = {
      columns: ['inputs', 'outputs', 'grade/score', 'toxicity/score'],
      data: rows.map(({ grade, toxicity, n }) => [`q${n}`, 'a', grade, toxicity]),
    }
    const buffer = Buffer.from(JSON.stringify(table))
    await page.getByLabel('Run documents').setInputFiles([{ name: 'eval_results_table.json', mimeType: '', buffer }])
    const scores = dialog.getByRole('region', { name: 'Which scores decide' })
    await scores.getByText('2 questions').waitFor()
    await scores.getByRole('row', { name: /grade.*Decides nothing: not from 0 to 1.*1 to 5/ }).waitFor()
    await scores.getByRole('row', { name: /toxicity.*is a low value good\?/ }).waitFor()
    await scores.getByLabel('Lowest value of grade/score').fill('1')
    await scores.getByLabel('Highest value of grade/score').fill('5')
    await scores.getByLabel('Threshold of grade/score').fill('4')
    await scores.getByLabel('Good values of toxicity/score').selectOption('low')
    await scores.getByText('Decides: passes from 4 on').waitFor()
    await scores.getByText('Decides: passes up to 0.5').waitFor()
    expect(await axe(page)).toEqual([])
    await scores.getByLabel('Threshold of grade/score').fill('9')
    await scores.getByLabel('Threshold of grade/score').blur()
    await dialog.getByRole('alert').filter({ hasText: 'the scores of grade/score are from 1 to 5' }).waitFor()
    await scores.getByLabel('Threshold of grade/score').fill('4')
    await scores.getByLabel('Threshold of grade/score').blur()
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Import 1 run, 3 cases' }).click()
    await dialog.getByRole('heading', { name: '1 run imported' }).waitFor()
    await dialog.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL('**/runs/table-*')
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const answer = await fetch(`${empty.url}/api/v1/runs/${id}`, {
      headers: { authorization: `Bearer ${empty.token}` },
    })
    expect(await answer.json()).toMatchObject({ pass_count: 2, fail_count: 1 })
    await close()
    await clear(id)
  })

  it('says what one file holds and where it goes, and shows the progress of its upload', async () => {
    const { page, close } = await openEmpty()
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await page.goto(`${empty.url}/runs?import`)
    const dialog = page.getByRole('dialog')
    await page
      .getByLabel('Run documents')
      .setInputFiles([{ name: 'one.json', mimeType: 'application/json', buffer: Buffer.from(smallDocument('held')) }])
    await dialog.getByText('Ready').waitFor()
    const holds = await dialog.getByRole('region', { name: 'What it holds' }).innerText()
    expect(holds).toMatch(/\b3 cases\b/)
    expect(holds).toMatch(/Run\s+held\s+From\s+2026-05-04T09:00:00Z/)
    const goes = dialog.getByRole('region', { name: 'Where it goes' })
    await goes.getByText('A new project.').waitFor()
    expect(await goes.innerText()).toMatch(/Project\s+chat\s+Suite\s+smoke/)

    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(`${empty.url}/api/v1/runs`, async (route) => {
      await held
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Import 1 run, 3 cases' }).click()
    await dialog.getByRole('heading', { name: 'Importing 1 run' }).waitFor()
    const progress = dialog.getByRole('group', { name: 'Progress' })
    await progress.getByText('0 of 1 run').waitFor()
    expect(await progress.getByRole('progressbar', { name: 'Sent' }).count()).toBe(1)
    const steps = progress.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    expect(await steps.count()).toBe(3)
    expect(await steps.first().textContent()).toMatch(/^Recognised, done\s*Run document, version 3$/)
    expect(await progress.locator('[aria-current=step]').count()).toBe(1)
    await progress.getByText('Nothing is stored until the last step.').waitFor()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect([await axe(page), await isTooWide(page)]).toEqual([[], false])
    }
    release()
    await dialog.getByRole('heading', { name: '1 run imported' }).waitFor()
    expect(await progress.count()).toBe(0)
    await close()
    await clear('held')
  })

  it('imports files by keyboard alone, and shows what the server rejects', async () => {
    const { page, close } = await openEmpty()
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
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await close()
    await clear('good')
  })

  it('describes the format of documents', async () => {
    const { page, context } = await openEmpty()
    await page.goto(`${empty.url}/document-format`)
    await page.locator('tr[data-path="cases[].asserts[].reason"]').waitFor()
    await page.getByLabel('Only those that a document must have').check()
    expect(await page.locator('tr[data-path="project"]').count()).toBe(0)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByTitle('Copy example').click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^\{/)
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as { run_id: string }
    expect(copied.run_id).toMatch(/^example-\d+$/)
    await page.getByRole('button', { name: 'Upload it…' }).click()
    await page.getByRole('button', { name: 'Import 1 run, 1 case' }).click()
    await page.getByRole('link', { name: 'Open run' }).click()
    await page.waitForURL(`**/runs/${copied.run_id}`)
    await clear(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  })
})
