import { readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import hljs from 'highlight.js'
import { defineConfig } from 'vitepress'
import { listLicences } from './licences.ts'
import { apiPages } from './api-pages.ts'
import { API_DOCUMENT, BASE, pageOf } from './pages.ts'
import { slugOf } from './slug.ts'
import { strictHtml } from './strict-html.ts'
import { apiGroup, treeOf } from './tree.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const tree = treeOf(read('../docs/README.md'), (link) => pageOf(join('docs', link)) ?? '')
const api = apiGroup(apiPages(JSON.parse(read(`../${API_DOCUMENT}`))))

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A block of code. Colours are classes: the content policy allows no styles in elements. */
const highlight = (code: string, language: string): string => {
  const known = hljs.getLanguage(language) === undefined ? null : language
  const html = known === null ? escaped(code) : hljs.highlight(code, { language: known }).value
  return `<pre v-pre tabindex="0"><code>${html}</code></pre>`
}

export default defineConfig({
  title: 'Evaluation Results',
  titleTemplate: ':title · Evaluation Results docs',
  description: 'How to start, use and operate the Evaluation Results Service.',
  base: BASE,
  srcDir: 'pages',
  cacheDir: 'cache',
  cleanUrls: true,
  // Pages in parallel would enter the index of the search in another order with each build.
  buildConcurrency: 1,
  metaChunk: true,
  // The choice of the web app, which stores it under the same name.
  appearance: { storageKey: 'theme', disableTransition: false },
  head: [['link', { rel: 'icon', href: `${BASE}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: slugOf },
    attrs: { disable: true },
    highlight,
    config: (md) => {
      // Braces are text, which Vue would take for an expression.
      md.renderer.rules['code_inline'] = (tokens, index) =>
        `<code v-pre>${escaped(tokens[index]?.content ?? '')}</code>`
      md.renderer.rules['text'] = (tokens, index) =>
        escaped(tokens[index]?.content ?? '').replaceAll('{{', '&#123;&#123;')
      md.renderer.rules['code_block'] = (tokens, index) => highlight(tokens[index]?.content ?? '', '')
      md.renderer.rules['table_open'] = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>'
      md.renderer.rules['table_close'] = () => '</table></div>'
    },
  },
  themeConfig: {
    siteTitle: 'Evaluation Results',
    nav: [{ text: 'API', link: '/api/' }],
    // Without groups to open and close: their buttons would be inside of buttons.
    sidebar: { '/api/': [api], '/': tree },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: false, miniSearch: { searchOptions: { fuzzy: 0.1 } } } },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  transformHtml: strictHtml,
  vite: {
    logLevel: 'error',
    build: { reportCompressedSize: false, chunkSizeWarningLimit: 2_000 },
    plugins: [listLicences],
  },
  vue: { template: { transformAssetUrls: false } },
})
