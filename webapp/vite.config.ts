import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { precompress } from './precompress.ts'

/**
 * Nothing is painted before the app's script ran: it puts the chosen theme on the page, which would else flash in the
 * system's.
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
    // The content policy loads fonts and styles from this server alone: everything is a file of its own.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // `npm run web` serves the sources beside a server started with `npm start`.
  server: { port: 5173, proxy: { '/api': 'http://localhost:8321' } },
})
