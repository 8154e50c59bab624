import { crc32, deflateSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, callApi, isTooWide, openBrowser, setUp, THEMES, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { digestOf, manifestOf } from '../support/documents/parts.ts'
import { startServer } from '../support/servers/server.ts'

afterAll(() => server.stop())

/** A PNG of a width and height. */
function hugePicture(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.writeUInt8(1, 8)
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const KEY = aCase().case_key
const TRIAL = aCase({ cell: { repeat: 1 } })
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)
/** 40,000 × 40,000 pixels of one bit, all alike. */
const HUGE = hugePicture(40_000)
/** A PDF of a red and a blue page, with a script, a form, a link and a file that it would start. */
const PDF = Buffer.from(`%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R/OpenAction 5 0 R/AcroForm<</Fields[6 0 R]/NeedAppearances true>>/AA<</WC 5 0 R>>>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 9 0 R]/Count 2>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Annots[6 0 R 7 0 R 8 0 R]/AA<</O 5 0 R>>>> endobj
4 0 obj <</Length 30>> stream
1 0 0 rg 0 0 200 200 re f
endstream endobj
5 0 obj <</S/JavaScript/JS(app.alert\\(1\\); fetch\\('https://elsewhere.invalid/pdf'\\); globalThis.hacked = 1)>> endobj
6 0 obj <</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)/Rect[0 0 200 50]/AA<</K 5 0 R>>>> endobj
7 0 obj <</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<</S/URI/URI(https://elsewhere.invalid/link)>>>> endobj
8 0 obj <</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<</S/Launch/F(/bin/sh)>>>> endobj
9 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 10 0 R>> endobj
10 0 obj <</Length 30>> stream
0 0 1 rg 0 0 200 200 re f
endstream endobj
trailer <</Root 1 0 R/Size 11>>
%%EOF
`)
const DAMAGED_PDF = Buffer.from('%PDF-1.7\nnothing of a document')
const GIF_PAGE = Buffer.from(
  'GIF89a/*\u0001\u0000\u0001\u0000*/=1;</style><script>window.hacked=1;fetch("https://elsewhere.invalid/gif")</script>',
  'latin1',
)
const SOUND = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64')
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="window.hacked=1"><script>window.hacked=1</script><image href="https://elsewhere.invalid/a.png"/><rect width="40" height="30"/></svg>',
)
const HTML = Buffer.from('<!doctype html><script>window.hacked = 1</script><h1>A page</h1>')
const BYTES = Buffer.from([0, 1, 2, 255, 65, 66, 67])
const LONG = Buffer.from('line of a log\n'.repeat(3_000))
const ORIGINAL = Buffer.from('{"the": "source"}')
const NASTY = '../\u202Egnp.exe\r\nX: y'

const entries = [
  { bytes: PICTURE, role: 'output', case_key: KEY, name: 'page.png', media_type: 'image/jpeg' },
  { bytes: HUGE, role: 'output', case_key: KEY, name: 'huge.png', media_type: 'image/png' },
  { bytes: SVG, role: 'output', case_key: KEY, name: 'icon.svg', media_type: 'image/svg+xml' },
  { bytes: PDF, role: 'output', case_key: KEY, name: 'report.pdf', media_type: 'text/html' },
  { bytes: DAMAGED_PDF, role: 'output', case_key: KEY, name: 'damaged.pdf', media_type: 'application/pdf' },
  { bytes: GIF_PAGE, role: 'output', case_key: KEY, name: 'page.gif', media_type: 'text/html' },
  { bytes: hugePicture(2), role: 'output', case_key: TRIAL.case_key, name: 'page.png', media_type: 'image/png' },
  { bytes: SOUND, role: 'output', case_key: KEY, name: 'answer.wav', media_type: 'audio/wav' },
  { bytes: HTML, role: 'input', case_key: KEY, name: NASTY, media_type: 'text/html' },
  { bytes: LONG, role: 'grading', case_key: KEY, name: 'judge.log' },
  { bytes: BYTES, role: 'other', case_key: KEY, name: 'data.bin' },
  { bytes: ORIGINAL, role: 'original', name: 'results.json' },
]

const send = async (bytes: Buffer): Promise<string> => {
  const sha256 = digestOf(bytes)
  const { status } = await fetch(`${server.url}/api/v1/parts/${sha256}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
  expect(status).toBe(200)
  return sha256
}
const server = await startServer()
const session = await setUp(server.url)
const browser = await openBrowser()
for (const { bytes } of entries) await send(bytes)
const evidence_manifest = await send(manifestOf(entries))
const document = { ...aDocument({ run_id: 'with-files', cases: [aCase(), TRIAL] }), evidence_manifest }
expect((await callApi(server.url, server.token, 'POST', '/runs', document)).status).toBe(201)

const CASE = `/runs/with-files/cases/${KEY}`
const open = (path = `${CASE}?view=attachments`, look: object = {}) =>
  visit(browser, server.url, path, { session, ...look })

describe('the attachments of a case', () => {
  it.each(THEMES)('are listed by what they are of, the first one shown, without a fault: %s', async (theme) => {
    for (const width of [390, 1440]) {
      const { page } = await open(undefined, { theme, width, height: 900 })
      const picture = page.getByRole('img', { name: 'page.png' })
      await expect
        .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
        .toBe(1)
      await page.getByText('image/png, though the manifest says image/jpeg').waitFor()
      for (const group of ['Output', 'Input', 'Grading', 'Other'])
        await page.getByRole('navigation', { name: group, exact: true }).waitFor()
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      await page.context().close()
    }
  })

  it('opens from the tab, and goes with the case', async () => {
    const { page } = await open(CASE)
    await page.getByRole('link', { name: /^Attachments/ }).click()
    await page.getByRole('link', { name: /judge\.log/ }).click()
    await page.getByRole('region', { name: 'judge.log' }).getByText('line of a log').first().waitFor()
    expect(new URL(page.url()).searchParams.get('part')).toBe(digestOf(LONG))
    await page.getByText('The beginning, up to 20,000 characters').waitFor()
    await page.getByRole('link', { name: 'Result', exact: true }).click()
    await expect.poll(() => page.url()).not.toContain('part=')
  })

  it('runs nothing and asks no other server, whatever a file is', async () => {
    const { page } = await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    await page.getByRole('link', { name: /icon\.svg/ }).click()
    const icon = page.getByRole('img', { name: 'icon.svg' })
    await expect
      .poll(() => icon.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(40)
    await page.getByRole('link', { name: /gnp\.exe/ }).click()
    await page.getByText('<!doctype html>').waitFor()
    await page.getByRole('link', { name: /data\.bin/ }).click()
    await page.getByText('00000000  00 01 02 ff 41 42 43').waitFor()
    await page.getByRole('link', { name: /answer\.wav/ }).click()
    await page.locator('audio').waitFor()
    expect(await page.evaluate("'hacked' in window")).toBe(false)
    expect(new Set(asked)).toEqual(new Set([new URL(server.url).host]))
  })

  it('draws no picture of 1,600 megapixels, and does not fetch it, until it is asked for', async () => {
    const { page } = await open(`${CASE}?view=attachments&part=${digestOf(HUGE)}`)
    await page.getByRole('button', { name: /large picture, 40,000 × 40,000 pixels/ }).waitFor()
    await page.getByText('image/png, 40,000 × 40,000').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('link', { name: /page\.png/ }).click()
    await page.getByRole('img', { name: 'page.png' }).waitFor()
  })

  it('shows the same picture of another trial: side by side, under a slider, and what differs', async () => {
    const { page } = await open(`${CASE}?view=attachments&part=${digestOf(PICTURE)}&full=yes`)
    await page.getByRole('button', { name: 'Next to other runs and trials' }).click()
    const widthOf = (name: RegExp) => () =>
      page.getByRole('img', { name }).evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
    await expect.poll(widthOf(/^page\.png, .*trial 2/)).toBe(2)
    await expect.poll(widthOf(/^page\.png$/)).toBe(1)
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Slider' }).click()
    await page.getByRole('slider', { name: 'Where the pictures meet' }).press('ArrowLeft')
    await expect.poll(widthOf(/^page\.png, .*trial 2/)).toBe(2)
    expect(await page.locator('img.over').evaluate((image) => getComputedStyle(image).clipPath)).toContain('49%')
    await page.getByRole('button', { name: 'Differences' }).click()
    await page.getByText('75.0 % of the pixels differ (3 of 4).').waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('draws the pages of a PDF, and nothing of it can be pressed, runs or asks', async () => {
    const { page } = await open(CASE)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    await page.getByRole('link', { name: /^Attachments/ }).click()
    await page.getByRole('link', { name: /report\.pdf/ }).click()
    await page.locator('canvas[data-page="1"]').waitFor()
    const canvas = page.getByRole('img', { name: 'Page 1 of 2 of report.pdf' })
    // The middle of the page, where no annotation is drawn either.
    const colour = `(() => { const c = document.querySelector('canvas[data-page]'); return [...c.getContext('2d').getImageData(c.width / 2, c.height - 9, 1, 1).data] })()`
    expect(await page.evaluate(colour)).toEqual([255, 0, 0, 255])
    expect(await page.getByRole('button', { name: 'Previous page' }).isDisabled()).toBe(true)
    const pages = page.context().pages().length
    await canvas.click()
    expect(page.context().pages().length).toBe(pages)
    expect(await page.locator('main form, main iframe, main embed, main object').count()).toBe(0)
    expect(await page.evaluate("'hacked' in window")).toBe(false)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('img', { name: 'Page 2 of 2 of report.pdf' }).waitFor()
    await expect.poll(() => page.evaluate(colour)).toEqual([0, 0, 255, 255])
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
    expect(new Set(asked)).toEqual(new Set([new URL(server.url).host]))
    expect(await axe(page)).toEqual([])
  })

  it('says that a PDF is damaged', async () => {
    const { page } = await open(CASE)
    await page.getByRole('link', { name: /^Attachments/ }).click()
    await page.getByRole('link', { name: /damaged\.pdf/ }).click()
    await page.getByText('This PDF could not be shown: it is damaged, or needs a password.').waitFor()
  })

  it.each([
    ['icon.svg', SVG],
    ['page.html', HTML],
    ['report.pdf', PDF],
    ['page.gif', GIF_PAGE],
  ])('%s runs nothing and asks nothing where it is opened, framed and embedded', async (_, bytes) => {
    const context = await browser.newContext()
    await context.addCookies([{ name: 'service_session', value: session, url: server.url, httpOnly: true }])
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    const address = `${server.url}/api/v1/runs/with-files/parts/${digestOf(bytes)}`
    const opened = await context.newPage()
    // What is saved is no page: the browser stays where it was.
    await opened.goto(address).catch((error: unknown) => expect(String(error)).toMatch(/Download|ERR_ABORTED/))
    const other = await context.newPage()
    await other.route('http://other.invalid/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${address}"></iframe><embed src="${address}"><object data="${address}"></object><img src="${address}">`,
      }),
    )
    await other.goto('http://other.invalid/')
    const frames = [...opened.frames(), ...other.frames()]
    for (const frame of frames) expect(await frame.evaluate("'hacked' in globalThis")).toBe(false)
    expect(asked.filter((url) => !url.startsWith(address) && url !== 'http://other.invalid/')).toEqual([])
    await context.close()
  })

  it('says so if one cannot be loaded', async () => {
    const { page } = await visit(browser, server.url, CASE, { session, mayComplain: true })
    await page.route(`**/parts/${digestOf(PICTURE)}`, (route) =>
      route.fulfill({ status: 500, json: { error: 'damaged' } }),
    )
    await page.getByRole('link', { name: /^Attachments/ }).click()
    await page.getByText('This file could not be loaded').waitFor()
  })
})

it('a run shows the files that it was imported from', async () => {
  const { page } = await open('/runs/with-files/document')
  const link = page.getByRole('link', { name: 'results.json' })
  const [saved] = await Promise.all([page.waitForEvent('download'), link.click()])
  expect(saved.suggestedFilename()).toBe('results.json')
  expect(await axe(page)).toEqual([])
})
