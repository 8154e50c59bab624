import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { precompress } from './precompress.ts'

/**
 * Delays the first paint until the app's script has run. The script applies the chosen theme; without the delay, the
 * page would first appear in the system's theme.
 */
const renderBlocking: Plugin = {
  name: 'render-blocking',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [vue(), renderBlocking, precompress()],
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
