import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { precompress } from './precompress.ts'

const FIRST_PAINT = fileURLToPath(new URL('first-paint.ts', import.meta.url))

/**
 * Adds the script that applies the chosen theme. It alone delays the first paint, so that the frame of the page appears
 * while the app is still loading.
 */
const firstPaint: Plugin = {
  name: 'first-paint',
  buildStart() {
    if (this.meta.watchMode || this.environment.mode !== 'build') return
    this.emitFile({ type: 'chunk', id: FIRST_PAINT, name: 'first-paint' })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle }) => {
      const built = Object.values(bundle ?? {}).find(({ name }) => name === 'first-paint')
      const src = built ? `/${built.fileName}` : '/first-paint.ts'
      return html.replace(
        '<script',
        `<script type="module" blocking="render" crossorigin src="${src}"></script>\n<script`,
      )
    },
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [vue(), firstPaint, precompress()],
  define: { __VUE_OPTIONS_API__: false },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content policy allows fonts and styles from this server only, so no asset is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // `npm run web` serves the sources and forwards API requests to a server started with `npm start`.
  server: { port: 5173, proxy: { '/api': 'http://localhost:8321' } },
})
