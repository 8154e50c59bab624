import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const WEBAPP = new URL('../../../webapp/', import.meta.url)
const DIST = new URL('dist/', WEBAPP)
/** The budget of a page, gzipped. */
const MAX_BYTES = 150 * 1024

/** A file of the build, as Vite describes it in its manifest (https://vite.dev/guide/backend-integration). */
type Chunk = {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}
const MANIFEST = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8')) as Readonly<
  Record<string, Chunk | undefined>
>

/** The components of a page that has more than one, and the parts that it may request right after it is shown. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['overview/OverviewPage'],
  '/login': ['login/LoginPage'],
  '/setup': ['setup/SetupPage'],
  '/runs': ['runs/RunsPage'],
  '/runs/:id': ['run/RunPage', 'run/cases/RunCases', 'run/plots/RunPlots'],
  '/runs/:id/cases/:case_key': ['run/RunPage', 'run/cases/RunCases', 'case/CaseDrawer'],
  '/runs/:id/matrix': ['run/RunPage', 'run/matrix/RunMatrix'],
  '/runs/:id/config': ['run/RunPage', 'run/config/RunConfig'],
  '/runs/:id/document': ['run/RunPage', 'run/document/RunDocument'],
  '/compare/outputs/:test_id': ['outputs/OutputsPage'],
  '/compare': ['compare/many/ManyPage'],
  '/compare/:base/:head': ['compare/ComparePage'],
  '/projects': ['suites/SuitesPage'],
  '/projects/:project': ['suites/ProjectPage'],
  '/projects/:project/suites/:suite': ['suite/SuitePage'],
  '/projects/:project/suites/:suite/cases/:case_key': ['history/HistoryPage'],
  '/cache': ['cache/CachePage', 'cache/CacheEntries'],
  '/cache/:key': ['cache/CachePage', 'cache/CacheEntries', 'cache/EntryDrawer'],
  '/settings': ['settings/SettingsPage'],
  '/admin/users': ['admin/AdminPage', 'admin/users/UsersPage'],
  '/admin/users/:user_id': ['admin/AdminPage', 'admin/users/UsersPage', 'admin/users/UserDrawer'],
  '/admin/keys': ['admin/AdminPage', 'admin/keys/KeysPage'],
  '/admin/access': ['admin/AdminPage', 'admin/access/AccessPage'],
  '/admin/holds': ['admin/AdminPage', 'admin/holds/HoldsPage'],
  '/admin/audit': ['admin/AdminPage', 'admin/audit/AuditPage'],
  '/admin/audit/:seq': ['admin/AdminPage', 'admin/audit/AuditPage', 'admin/audit/RecordDrawer'],
  '/admin/server': ['admin/AdminPage', 'admin/server/ServerPage'],
  '/document-format': ['document-format/DocumentFormatPage'],
  '/check-receipt': ['check-receipt/CheckReceiptPage'],
  '/search': ['search/SearchPage'],
  '/no/such/page': ['not-found/NotFoundPage'],
}

/** The files of a chunk, of its static imports, and their styles. */
const filesOf = (key: string, found = new Set<string>()): Set<string> => {
  const chunk = MANIFEST[key]
  if (!chunk) throw new Error(`${key} is not in the build`)
  if (found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const file of chunk.css ?? []) found.add(file)
  for (const imported of chunk.imports ?? []) filesOf(imported, found)
  return found
}
const sizeOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + readFileSync(new URL(`${file}.gz`, DIST)).byteLength, 0)

const ENTRIES = Object.entries(MANIFEST).flatMap(([key, chunk]) => (chunk?.isEntry ? [key] : []))
const firstLoad = (parts: readonly string[]): Set<string> =>
  new Set([
    'index.html',
    ...[...ENTRIES, ...parts.map((part) => `pages/${part}.vue`)].flatMap((key) => [...filesOf(key)]),
  ])

/** The pages of the router that are none of these: each loads its component alone. */
const ROUTED = [
  ...readFileSync(new URL('router.ts', WEBAPP), 'utf8').matchAll(/import\('\.\/pages\/(.+?)\.vue'\)/g),
].flatMap(([, part]) => part ?? [])
const OTHERS = ROUTED.filter((part) => !Object.values(PAGES).flat().includes(part)).map(
  (part) => [part, [part]] as const,
)

describe('the first load', () => {
  it.each([...Object.entries(PAGES), ...OTHERS])('of %s is at most 150 KiB', (_, parts) => {
    expect(ROUTED.length).toBeGreaterThan(20)
    expect(sizeOf(firstLoad(parts))).toBeLessThanOrEqual(MAX_BYTES)
  })

  it('of the pages for those who label is at most 90 KiB, and nothing more is loaded', () => {
    const html = readFileSync(new URL('review.html', DIST), 'utf8')
    const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].flatMap(([, file]) => file ?? [])
    expect(files.length).toBe(3)
    expect(sizeOf(['review.html', ...files])).toBeLessThanOrEqual(90 * 1024)
    const scripts = files
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(new URL(file, DIST), 'utf8'))
    expect(scripts.filter((script) => /\bimport\(/.test(script))).toEqual([])
  })

  it('of a case with JSON, expected calls and drawn Markdown, which load more, is at most 150 KiB', () => {
    const files = firstLoad(PAGES['/runs/:id/cases/:case_key'] ?? [])
    const loadedLater = [
      'text/code/highlighter.ts',
      'pages/case/calls/ExpectedCalls.vue',
      'components/markdown/MarkdownView.vue',
      'live/start-live.ts',
    ]
    expect(sizeOf(new Set([...files, ...loadedLater.flatMap((key) => [...filesOf(key)])]))).toBeLessThanOrEqual(
      MAX_BYTES,
    )
  })

  it('has the menus, dialogs, highlighter and charts of a run in other files', () => {
    const files = firstLoad(['run/RunPage', 'run/cases/RunCases'])
    for (const key of [
      'frame/AccountItems.vue',
      'frame/KeyList.vue',
      'frame/palette/CommandPalette.vue',
      'components/lists/ColumnItems.vue',
      'pages/run/DeleteRun.vue',
      'pages/run/plots/RunPlots.vue',
      'text/code/highlighter.ts',
      'live/start-live.ts',
    ])
      expect(files).not.toContain(MANIFEST[key]?.file)
  })

  it('delays the first paint by one script alone, which imports nothing', () => {
    const key = Object.keys(MANIFEST).find((name) => name.endsWith('first-paint.ts')) ?? ''
    expect(filesOf(key).size).toBe(1)
    expect(sizeOf(filesOf(key))).toBeLessThan(512)
  })

  it('paints the frame within 2.5 s on a slow network', () => {
    const html = readFileSync(new URL('index.html', DIST), 'utf8')
    // Module scripts are deferred, so they delay the first paint only if they are marked as blocking (HTML Standard,
    // "blocking attributes").
    const tags = html.match(/<(?:link|script)\b[^>]*>/g) ?? []
    const blocking = tags
      .filter((tag) => /rel="stylesheet"|blocking="render"/.test(tag) || !/rel=|type="module"/.test(tag))
      .map((tag) => /(?:href|src)="\/([^"]+)"/.exec(tag)?.[1] ?? tag)
    expect(blocking).toEqual([
      expect.stringMatching(/^assets\/first-paint-.*\.js$/),
      expect.stringMatching(/^assets\/index-.*\.css$/),
    ])
    expect(blocking.slice(1)).toEqual(MANIFEST[ENTRIES.find((key) => key.endsWith('.html')) ?? '']?.css)
    // Time = round trips × latency + bytes ÷ bandwidth, solved for the bytes. The round trips are those of the
    // connection, of the document, and of what it names.
    const [seconds, latency, roundTrips, bytesPerSecond] = [2.5, 0.4, 3, 50_000]
    const budget = (seconds - roundTrips * latency) * bytesPerSecond
    // The app is loaded at the same time. Connections share the bandwidth equally, so that as many bytes of it arrive.
    expect(sizeOf(['index.html']) + 2 * sizeOf(blocking)).toBeLessThanOrEqual(budget)
  })
})
