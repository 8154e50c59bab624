import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path/posix'
import { apiPages } from './api-pages.ts'

// The pages of the site as Markdown: those of `docs/`, a few from elsewhere in the repository, and the reference of the API.

/** Pages that are not in `docs/`, by their path in the repository, with the path of their page. */
export const OTHER_PAGES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'clients/python/README.md': 'clients/python.md',
  'clients/typescript/README.md': 'clients/typescript.md',
  'plugin/README.md': 'plugin.md',
}

/** The document of the API that the service serves, which its reference is made from. */
export const API_DOCUMENT = 'clients/openapi.json'
const API_DOCUMENT_ADDRESS = '/api/v1/openapi.json'

/** The address of the site below that of the service. */
export const BASE = '/docs/'

/** The page of a file of the repository; null if the site has none. */
export const pageOf = (file: string): string | null => {
  const other = OTHER_PAGES[file]
  if (other !== undefined) return other
  if (file === 'docs/README.md') return 'index.md'
  return /^docs\/.*\.md$/.test(file) ? file.slice('docs/'.length) : null
}

/** Returns all pages of a checkout by their paths, such as `evaluations/providers.md`. */
export const sitePages = (checkout: string): ReadonlyMap<string, string> => {
  const files = [...globSync('docs/**/*.md', { cwd: checkout }).toSorted(), ...Object.keys(OTHER_PAGES)]
  const pages = files.map((file) => {
    const text = readFileSync(join(checkout, file), 'utf8')
    return [pageOf(file) ?? '', forSite(text, file, checkout)] as const
  })
  return new Map([...pages, ...apiPages(JSON.parse(readFileSync(join(checkout, API_DOCUMENT), 'utf8')))])
}

/** Applies `change` to the parts of a page that are neither code blocks nor code in a line. */
const changeProse = (markdown: string, change: (prose: string) => string): string =>
  markdown
    .split(/(^ *```[^]*?^ *```|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')

/** A page as the site has it: links lead to pages of the site, and pictures are there for both themes. */
const forSite = (markdown: string, file: string, checkout: string): string => {
  const pictures = markdown.replace(/<picture>[^]*?<\/picture>/g, (text) => pictureOf(text, checkout))
  // The text of a link may be code, so links are found by their ends.
  return changeProse(pictures, (prose) =>
    prose.replace(/\]\(([^)\s]+)\)/g, (_link, target: string) => `](${targetOf(target, file, checkout)})`),
  )
    .replace(/\[([^[\]]*)\]\(repository:([^)]*)\)/g, (_link, text: string, path: string) =>
      text.replaceAll('`', '').endsWith(path.split('/').at(-1) ?? '')
        ? text
        : `${text} (\`${path}\` in the repository)`,
    )
    .replace(/\[([^[\]]*)\]\(service:([^)]*)\)/g, (_link, text: string, path: string) => linkToService(text, path))
}

/** A link to an address of the service outside the site. VitePress would take it for one of a page. */
const linkToService = (text: string, path: string): string =>
  `<a href="${path}" target="_self">${text.replaceAll('`', '')}</a>`

/**
 * Where a link of a file leads on the site. `repository:PATH` stands for a file that the site does not have, and
 * `service:PATH` for an address of the service.
 */
const targetOf = (link: string, file: string, checkout: string): string => {
  if (/^[a-z][a-z+.-]*:/i.test(link) || link.startsWith('#')) return link
  const [path = '', anchor] = link.split('#', 2)
  const target = normalize(join(dirname(file), path))
  if (target === API_DOCUMENT) return `service:${API_DOCUMENT_ADDRESS}`
  const page = pageOf(target)
  if (page === null) return `repository:${target}`
  if (!existsSync(join(checkout, target))) throw new Error(`${file}: ${link}: no such file`)
  const from = dirname(pageOf(file) ?? '')
  return `${relative(from, page)}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The size of a PNG in pixels, which its header has at the bytes 16 to 23 (PNG, 11.2.2). */
const sizeOf = (png: Buffer): { width: number; height: number } => ({
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20),
})

/** A picture in both themes. The theme of the site shows one, which may be another than that of the system. */
const pictureOf = (picture: string, checkout: string): string => {
  const dark = /srcset="([^"]+)"/.exec(picture)?.[1]
  const light = /src="([^"]+)"/.exec(picture)?.[1]
  const alt = /alt="([^"]+)"/.exec(picture)?.[1]
  if (dark === undefined || light === undefined || alt === undefined)
    throw new Error(`a picture has no source for each theme, or no text: ${picture}`)
  const image = (path: string, theme: string): string => {
    const { width, height } = sizeOf(readFileSync(join(checkout, 'docs', path)))
    return `<img class="in-${theme}" src="${BASE}${path}" width="${width}" height="${height}" loading="lazy" alt="${alt}">`
  }
  return `<p class="picture">${image(light, 'light')}${image(dark, 'dark')}</p>`
}
