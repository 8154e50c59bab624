import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { callApi, openBrowser, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf } from '../../support/documents/parts.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'
import { dataIn } from '../../support/share/write-page.ts'

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const case_key = aCase().case_key
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)
const TRANSCRIPT = Buffer.from(
  '{"transcript": 1, "source": {"format": "x"}}\n{"type": "message", "role": "user", "content": "Begin."}\n',
)
const SCRIPT = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked = 1"><rect/></svg>')
const LARGE = Buffer.alloc(26 * 1024 * 1024, 'large ')
const entries = [
  { bytes: PICTURE, role: 'output', case_key, name: 'page.png', media_type: 'image/png' },
  { bytes: SCRIPT, role: 'output', case_key, name: 'icon.svg', media_type: 'image/svg+xml' },
  { bytes: TRANSCRIPT, role: 'transcript', case_key, name: 'solver' },
  { bytes: LARGE, role: 'input', case_key, name: 'large.bmp', media_type: 'image/bmp' },
  { bytes: Buffer.from('{}'), role: 'original', name: 'secret-source.json' },
]

const folder = mkdtempSync(join(tmpdir(), 'ers-shared-parts-'))
const server = await startServer()
const send = async (bytes: Buffer): Promise<string> => {
  const sha256 = digestOf(bytes)
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' }
  const path = `${server.url}/api/v1/parts/${sha256}`
  expect((await fetch(path, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status).toBe(200)
  return sha256
}
for (const { bytes } of entries) await send(bytes)
const evidence_manifest = await send(manifestOf(entries))
const document = { ...aDocument({ run_id: 'with-parts', cases: [aCase()] }), evidence_manifest }
expect((await callApi(server.url, server.token, 'POST', '/runs', document)).status).toBe(201)

const share = (...args: readonly string[]) =>
  runErs(['share-html', 'with-parts', '-o', 'page.html', ...args], {
    cwd: folder,
    env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token },
  })
const written = () => dataIn(readFileSync(join(folder, 'page.html'), 'utf8'))
const inPage = (bytes: Buffer): boolean => written().get(`part-${digestOf(bytes)}`) === bytes.toString('base64')

describe('ers share-html --parts', () => {
  it('writes no parts unless they are asked for', async () => {
    expect((await share()).code).toBe(0)
    expect([...written().keys()].filter((id) => id.startsWith('part'))).toEqual([])
  })

  it('writes the pictures that fit, and names the others', async () => {
    expect(await share('--parts', 'images')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/the 25 MiB of a page leave no room: large\.bmp\n/) as unknown,
    })
    expect([PICTURE, SCRIPT, TRANSCRIPT, LARGE].map(inPage)).toEqual([true, true, false, false])
    const listed = gunzipSync(Buffer.from(written().get('parts-0') ?? '', 'base64')).toString()
    expect(JSON.parse(listed)).toMatchObject([
      { sha256: digestOf(PICTURE), case_key, name: 'page.png', type: 'image/png' },
      { sha256: digestOf(SCRIPT), type: 'image/svg+xml' },
    ])
    expect(listed).not.toContain('secret-source')
  })

  it('writes transcripts, and a part by its digest', async () => {
    expect((await share('--parts', `transcripts,${digestOf(PICTURE)}`)).code).toBe(0)
    expect([PICTURE, SCRIPT, TRANSCRIPT].map(inPage)).toEqual([true, false, true])
  })

  it.each([
    ['a digest of no part', ['--parts', 'a'.repeat(64)], 'is no part of a case of these runs'],
    ['an unknown kind', ['--parts', 'sounds'], '"sounds" is none of images, transcripts, and no SHA-256'],
    ['cases without their outputs', ['--parts', 'images', '--without', 'outputs'], 'exclude each other'],
  ])('refuses %s', async (_, args, reason) => {
    expect(await share(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) as unknown })
  })

  it('shows a picture and a transcript without a server, and runs nothing', async () => {
    expect((await share('--parts', 'images,transcripts')).code).toBe(0)
    const browser = await openBrowser()
    const { page } = await visit(browser, 'file:///', 'about:blank')
    const requests: string[] = []
    page.on('request', (request) => {
      if (!/^(?:file|data):/.test(request.url())) requests.push(request.url())
    })
    await page.goto(pathToFileURL(join(folder, 'page.html')).href)
    await page.getByRole('region', { name: 'Cases' }).locator('table tbody tr').getByRole('link').first().click()
    await page.getByRole('link', { name: 'Attachments' }).click()
    const picture = page.getByRole('img', { name: 'page.png' })
    await expect.poll(() => picture.evaluate((image) => 'naturalWidth' in image && image.naturalWidth)).toBe(1)
    await page.getByRole('link', { name: 'icon.svg' }).click()
    await page.getByRole('img', { name: 'icon.svg' }).waitFor()
    await page.getByRole('link', { name: 'solver' }).click()
    await page.getByText('"Begin."').waitFor()
    expect(await page.evaluate('window.hacked')).toBe(undefined)
    expect(requests).toEqual([])
  })
})
