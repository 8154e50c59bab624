import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin } from 'vite'
import { oneFile } from './check-receipt/one-file-plugin.ts'
import { precompress } from './precompress.ts'
import { sharePage } from './share/share-plugin.ts'
import { stylePlugins } from './styles/style-plugins.ts'

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

/**
 * Small modules that many pages use, and those of a run and its cases, are grouped: alone, each would be a file of its own,
 * which is compressed worse and costs a request. Modules that are loaded when they are used stay in files of their own.
 * `FactList` and `upload` stay out of the group of all pages: several pages use them, but none of those of runs and cases.
 * `FindBar` is loaded when somebody finds.
 */
const GROUPS = [
  // Without the script of the first paint, which must arrive before the app.
  { name: 'index', tags: ['$initial' as const], priority: 3, test: /^(?!.*first-paint)/ },
  // Lists that are read page by page, which runs and cases do not need.
  {
    name: 'pages',
    priority: 3,
    test: /webapp\/api\/use-list\.ts|webapp\/components\/list-page|useInfiniteQuery|infiniteQueryObserver/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'shared',
    priority: 2,
    test: /webapp\/(?:components\/(?!Modal|Form|Confirm|FactList)\w+\.vue|components\/states\/|composables\/use-[a-z-]+\.ts|text\/[a-z-]+\.ts|runs\/|suites\/|api\/(?!upload))/,
    minShareCount: 4,
    includeDependenciesRecursively: false,
  },
  {
    name: 'lists',
    test: /webapp\/(?:components\/(?:lists\/(?!ColumnItems)|export\/ExportMenu|menu\/use-)|composables\/(?:rows\/|lazy\/|use-columns|use-case-order|use-typed-filter))/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'case-texts',
    test: /webapp\/pages\/case\/(?:[a-z-]+\.ts|(?:calls|history|assertions)\/[a-z-]+\.ts|conversation\/(?:turns|ToolCall))/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'texts',
    test: /webapp\/(?:components\/text\/(?!FindBar)|text\/(?:stored-blocks|code\/use-highlighter)\.ts)/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'cases',
    test: /webapp\/(?:pages\/run\/cases\/|cases\/|pages\/run\/[\w-]+\.(?:vue|ts)|pages\/run\/result\/|components\/drawer\/(?!ItemDrawer))/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
]

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [vue(), ...stylePlugins, firstPaint, oneFile, sharePage, precompress()],
  define: { __VUE_OPTIONS_API__: false },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content policy allows fonts and styles from this server only, so no asset is inlined.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A browser that does not know these hints loads the files all the same, when they are imported.
    modulePreload: { polyfill: false },
    // Read by a spec, which adds up what each page loads.
    manifest: true,
    // Files of parts have no names: each page would load the names of all of them.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: GROUPS },
        chunkFileNames: ({ name }) => `assets/${name === 'first-paint' ? '[name]-' : ''}[hash].js`,
      },
      checks: { bundlerTimings: false },
    },
  },
  // `npm run web` serves the sources and forwards API requests to a server started with `npm start`.
  server: { port: 5173, proxy: { '/api': 'http://localhost:8321' } },
})
