import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSite, SITE_SOURCES } from '../../cli/bootstrap/builds.mjs'
import { openDocsSite } from '../../http/docs-site.ts'
import { apiPages } from '../../site/api-pages.ts'
import { API_DOCUMENT, BASE, OTHER_PAGES, pageOf, sitePages } from '../../site/pages.ts'
import { strictHtml } from '../../site/strict-html.ts'
import { treeOf } from '../../site/tree.ts'
import { HELP, helpOf } from '../../webapp/frame/help.ts'
import { openApp } from '../support/servers/app.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const document: unknown = JSON.parse(read('clients/openapi.json'))
const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }

await buildSite(process.execPath)
const site = openDocsSite()
const spec = await openApp()
afterAll(() => spec.close())

const textOf = (path: string): string => site.find(path)?.plain.toString() ?? ''
/** The pages of the site by their addresses. */
const HTML: ReadonlyMap<string, string> = new Map(
  [...sitePages(ROOT).keys()].map((page) => {
    const path = page.replace(/\.md$/, '.html')
    return [BASE + path.replace(/(?:^|(?<=\/))index\.html$|\.html$/, ''), textOf(path)]
  }),
)
const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
const attributesOf = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<[a-z][^>]* ${name}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  )

/** Why a link of a page leads nowhere, or null. */
const faultOf = (page: string, href: string): string | null => {
  if (/^https?:/.test(href) && !href.startsWith('http://localhost')) return null
  const { pathname, hash } = new URL(href, `http://service${page}`)
  if (pathname === '/' || Object.hasOwn(paths, pathname)) return null
  const html = HTML.get(pathname)
  if (html === undefined) return site.find(pathname.slice(BASE.length)) ? null : `${page}: no page ${href}`
  return hash === '' || idsOf(html).has(decodeURIComponent(hash.slice(1))) ? null : `${page}: no heading ${href}`
}

describe('the pages of the site', () => {
  it('are those of docs, each with its text', () => {
    expect(HTML.size).toBeGreaterThan(70)
    expect([...HTML].flatMap(([page, html]) => (/<h1 /.test(html) ? [] : [page]))).toEqual([])
  })

  it('have links to pages, headings and files that exist', () => {
    const links = [...HTML].flatMap(([page, html]) => attributesOf(html, 'href').map((href) => [page, href] as const))
    expect(links.length).toBeGreaterThan(3_000)
    expect([...new Set(links.flatMap(([page, href]) => faultOf(page, href) ?? []))]).toEqual([])
    expect(faultOf('/docs/ci', './no-such')).toContain('no page')
    expect(faultOf('/docs/ci', './importing#no-such')).toContain('no heading')
  })

  it('load nothing from another host, and pictures that exist in both themes', () => {
    const sources = [...HTML.values()].flatMap((html) => attributesOf(html, 'src'))
    expect(sources.filter((source) => !source.startsWith(BASE) || !site.find(source.slice(BASE.length)))).toEqual([])
    const light = sources.filter((source) => source.endsWith('-light.png'))
    expect(light.length).toBeGreaterThan(10)
    expect(light.filter((source) => !sources.includes(source.replace('-light', '-dark')))).toEqual([])
    for (const html of HTML.values())
      for (const [link = ''] of html.matchAll(/<link [^>]*>/g)) expect(link).toMatch(/ href="\/docs\//)
  })

  it('have no inline scripts and styles', () => {
    for (const html of HTML.values()) expect(strictHtml(html)).toBe(html)
    expect(() => strictHtml('<script>alert(1)</script>')).toThrow('<script>')
    expect(() => strictHtml('<p style="color:red">')).toThrow('style=')
  })
})

it('is built from all files that its pages are of', () => {
  const files = [...Object.keys(OTHER_PAGES), API_DOCUMENT, 'site/build.ts', 'docs/README.md', 'docs/images']
  expect(files.filter((file) => !SITE_SOURCES.some((path) => `${file}/`.startsWith(`${path}/`)))).toEqual([])
})

describe('the tree of the site', () => {
  const tree = treeOf(read('docs/README.md'), (link) => pageOf(join('docs', link)) ?? '')

  it('has the sections in their order, and each page of docs once', () => {
    expect(tree.map(({ text }) => text)).toEqual([
      'Start',
      'Use',
      'Import',
      'Evaluate',
      'Operate',
      'Prove',
      'Reference',
    ])
    const links = tree.flatMap(({ items }) => items.map(({ link }) => link))
    const pages = globSync('**/*.md', { cwd: join(ROOT, 'docs') })
      .filter((page) => page !== 'README.md')
      .map((page) => `/${page.replace(/\.md$/, '')}`)
    expect(links.filter((link, index) => links.indexOf(link) !== index)).toEqual([])
    expect(pages.filter((page) => !links.includes(page))).toEqual([])
  })

  it.each(['coming-from/promptfoo', 'ci', 'maintenance#backup-and-restore', 'statistics#is-it-better'])(
    'has %s one click away from its first page',
    (target) => expect(attributesOf(HTML.get(BASE) ?? '', 'href')).toContain(`./${target}`),
  )
})

describe('the reference of the API', () => {
  const pages = apiPages(document)
  const all = [...pages.values()].join('\n')

  it('has every route with its parameters, and every type', () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `\n\`${method.toUpperCase()} ${path}\`\n`),
    )
    expect(operations.length).toBeGreaterThan(150)
    expect(operations.filter((operation) => !all.includes(operation))).toEqual([])
    const { schemas } = (document as { components: { schemas: Record<string, unknown> } }).components
    const types = pages.get('api/types.md') ?? ''
    expect(Object.keys(schemas).filter((name) => !types.includes(`\n## ${name}\n`))).toEqual([])
    expect(pages.get('api/runs.md')).toContain('| `branch` | query | string | Only runs of this branch. |')
  })
})

describe('help', () => {
  it.each(Object.entries(HELP))('for the page %s is there: %s', (route) =>
    expect(faultOf('/', helpOf(route))).toBeNull(),
  )
  it('for other pages is the first page', () => expect(helpOf(undefined)).toBe('/docs/'))
})

describe('the service', () => {
  it('serves the site to everyone, with the policy of the web app', async () => {
    const { statusCode, headers, body } = await spec.app.inject('/docs/importing')
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': (await spec.app.inject('/')).headers['content-security-policy'],
    })
    expect(body).toContain('<h1 id="importing-results-of-other-tools"')
    const again = await spec.app.inject({
      url: '/docs/importing',
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again.statusCode).toBe(304)
  })

  it('compresses what it sends, and lets a browser keep what has a digest in its name', async () => {
    const [script = ''] = attributesOf(textOf('index.html'), 'src').filter((source) => source.includes('/assets/'))
    const { headers, rawPayload } = await spec.app.inject({ url: script, headers: { 'accept-encoding': 'gzip' } })
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(gunzipSync(rawPayload).toString()).toBe(textOf(script.slice(BASE.length)))
  })

  it('serves pictures, first pages of folders, and 404 for what is not there', async () => {
    const picture = await spec.app.inject('/docs/images/run-dark.png')
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png'])
    for (const [url, location] of [
      ['/docs', '/docs/'],
      ['/docs/api', '/docs/api/'],
    ])
      expect(await spec.app.inject(url ?? '')).toMatchObject({ statusCode: 308, headers: { location } })
    expect((await spec.app.inject('/docs/api/')).body).toContain('<h1 id="api"')
    for (const url of [
      '/docs/no-such',
      '/docs/assets/no-such.js',
      '/docs/../package.json',
      '/docs/images/..%2fREADME.md',
    ])
      expect((await spec.app.inject(url)).body).not.toContain('evaluation-results-service')
    expect((await spec.app.inject('/docs/no-such')).statusCode).toBe(404)
  })

  it('says how to build a site that was not built, and serves it once it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-no-site-'))
    const unbuilt = await openApp({ parts: () => ({ docs: openDocsSite(folder) }) })
    const { statusCode, headers, body } = await unbuilt.app.inject('/docs/importing')
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('<code>npm run docs</code>')
    for (const path of ['site/dist/pages.json.br', 'docs/images'])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    expect((await unbuilt.app.inject('/docs/importing')).statusCode).toBe(200)
    await unbuilt.close()
    rmSync(folder, { recursive: true })
  })
})
