import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fileOf, FOR_EVER, RULES, sendFile, type File } from './web.ts'

/** The documentation site. A request for a path is only ever looked up in what was read before, never on the disk. */
export type DocsSite = {
  /** Returns a file by its path below `/docs/`, such as `importing.html`; null if there is none, or no site was built. */
  readonly find: (path: string) => File | null
  readonly isBuilt: () => boolean
}

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const SITE = 'site/dist/pages.json.br'
const PICTURES = 'docs/images'

/**
 * The site that `npm run docs` wrote: its files are in one compressed file, because together they need a tenth of the space.
 * Its pictures are those of the pages in Markdown. All is read with the first request for it, also if it is built later.
 */
export const openDocsSite = (checkout = CHECKOUT): DocsSite => {
  const readAll = (): Map<string, () => File> => {
    const texts = JSON.parse(brotliDecompressSync(readFileSync(join(checkout, SITE))).toString()) as Record<
      string,
      string
    >
    const pictures = readdirSync(join(checkout, PICTURES)).filter((name) => name.endsWith('.png'))
    return new Map([
      ...Object.entries(texts).map(([path, text]) => [path, () => compressed(path, text)] as const),
      ...pictures.map(
        (name) => [`images/${name}`, () => fileOf(name, readFileSync(join(checkout, PICTURES, name)))] as const,
      ),
    ])
  }
  let loaded: ReadonlyMap<string, () => File> | null = null
  const files = new Map<string, File>()
  const load = () => (loaded ??= existsSync(join(checkout, SITE)) ? readAll() : null)
  return {
    isBuilt: () => load() !== null,
    find: (path) => {
      const file = files.get(path) ?? load()?.get(path)?.() ?? null
      if (file) files.set(path, file)
      return file
    },
  }
}

/** A text as it is sent. Few pages are read in the life of a process, so each is compressed when it is. */
const compressed = (path: string, text: string): File => {
  const plain = Buffer.from(text)
  return fileOf(path, plain, null, gzipSync(plain))
}

const UNBUILT = fileOf(
  'unbuilt.html',
  Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Evaluation Results docs</title>
</head>
<body>
<h1>The documentation was not built</h1>
<p>Run <code>npm run docs</code> in the folder of the service, and load this page again. The same pages are there as Markdown: <code>docs/README.md</code> lists them.</p>
<p><a href="/">Evaluation Results</a></p>
</body>
</html>
`),
)

const PREFIX = '/docs/'

/** Whether a path is one of the documentation site. */
export const isOfDocs = (path: string): boolean => path.startsWith(PREFIX) || path === '/docs'

/** Sends a page or a file of the documentation site, to everyone: it has no data. The policy is that of the web app. */
export const sendDocs = (site: DocsSite, request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
  void reply.headers(RULES).header('cache-control', 'no-cache')
  const name = path.slice(PREFIX.length)
  if (path === '/docs' || (name !== '' && !name.endsWith('/') && site.find(`${name}/index.html`)))
    return reply.redirect(`${path}/`, 308)
  if (!site.isBuilt()) return sendFile(request, reply, UNBUILT, 404)
  if (name.startsWith('assets/')) {
    const asset = site.find(name)
    if (asset) return sendFile(request, reply.header('cache-control', FOR_EVER), asset)
  }
  const page = name === '' || name.endsWith('/') ? `${name}index.html` : name
  const found = site.find(page) ?? site.find(`${page}.html`)
  if (found) return sendFile(request, reply, found)
  return sendFile(request, reply, site.find('404.html') ?? UNBUILT, 404)
}
