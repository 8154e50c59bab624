import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'vitepress'
import { LICENCES } from './licences.ts'
import { sitePages } from './pages.ts'
import { FIRST_PAINT } from './strict-html.ts'

// Builds the site and packs it into one file (`npm run docs` and `npm run release`). A page, its script and the other pages
// have most of their text in common, so compressed together they need a tenth of what single files need.

const SITE = fileURLToPath(new URL('.', import.meta.url))
const CHECKOUT = join(SITE, '..')
const OUTPUT = join(SITE, 'dist')

/** Only text is packed. Pictures are served from `docs/images`. */
const TEXTS = new Set(['.html', '.js', '.css', '.svg'])

const read = (path: string): string => readFileSync(path, 'utf8')
const write = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** What VitePress builds: pages, files that it copies, and where its configuration and theme are. */
const writeSources = (folder: string): void => {
  for (const [path, text] of sitePages(CHECKOUT)) write(join(folder, 'pages', path), text)
  write(join(folder, 'pages/public/icon.svg'), read(join(CHECKOUT, 'webapp/icon.svg')))
  write(join(folder, 'pages/public', FIRST_PAINT), read(join(SITE, FIRST_PAINT)))
  const uses = (path: string): string => `export { default } from ${JSON.stringify(join(SITE, path))}\n`
  write(join(folder, '.vitepress/config.js'), uses('config.ts'))
  write(join(folder, '.vitepress/theme/index.js'), uses('theme/index.js'))
}

/** The built files by their paths. Throws if one is not text. */
const builtIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !['hashmap.json', LICENCES].includes(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((path) => {
        if (!TEXTS.has(extname(path))) throw new Error(`${path} is no text, so the site cannot contain it`)
        return [path.slice(folder.length + 1).replaceAll('\\', '/'), read(path)]
      }),
  )

mkdirSync(OUTPUT, { recursive: true })
// A folder of its own: several builds may run at the same time, and one may be stopped.
const folder = mkdtempSync(join(OUTPUT, 'work-'))
try {
  writeSources(folder)
  const built = join(folder, 'built')
  await build(folder, { outDir: built })
  const packed = brotliCompressSync(JSON.stringify(builtIn(built)), {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  })
  writeFileSync(join(folder, 'pages.json.br'), packed)
  for (const [from, to] of [
    ['pages.json.br', 'pages.json.br'],
    [`built/${LICENCES}`, LICENCES],
  ] as const)
    renameSync(join(folder, from), join(OUTPUT, to))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
