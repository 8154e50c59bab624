import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { bundle } from '../one-file/bundle.ts'

const ENTRY = fileURLToPath(new URL('main.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('../review.html', import.meta.url))
const SCRIPT = '<script type="module" src="./labelling/main.ts"></script>'

/**
 * Adds the pages for those who label, `review.html`, with a script and a style of their own: they load no script of the other
 * pages, and those load none of theirs.
 */
export const labellingPage: Plugin = {
  name: 'labelling-page',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      if (/^\/review(?:[/?]|$)/.test(request.url ?? '')) request.url = '/review.html'
      next()
    })
  },
  async generateBundle(_options, built) {
    const { script, style } = await bundle(ENTRY)
    const pathOf = (name: string, source: string): string =>
      `/${this.getFileName(this.emitFile({ type: 'asset', name, source }))}`
    const first = Object.values(built).find(({ name }) => name === 'first-paint')
    const icon = Object.values(built).find((file) => file.type === 'asset' && file.names.includes('icon.svg'))
    if (!first || !icon) throw new Error('the build has no script of the first paint, or no icon')
    const source = readFileSync(PAGE, 'utf8')
      .replace(
        SCRIPT,
        () =>
          `<script type="module" blocking="render" crossorigin src="/${first.fileName}"></script>\n<script type="module" crossorigin src="${pathOf('labelling.js', script)}"></script>\n<link rel="stylesheet" crossorigin href="${pathOf('labelling.css', style)}">`,
      )
      .replace('./icon.svg', `/${icon.fileName}`)
    this.emitFile({ type: 'asset', fileName: 'review.html', source })
  },
}
