import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin } from 'vite'
import { oneFile } from './check-receipt/one-file-plugin.ts'
import { labellingPage } from './labelling/labelling-plugin.ts'
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
 * Every page loads all of `shared`, so what four parts use is one file, and what only runs and cases use is in another.
 * `FactList` and `upload` stay out of `shared`: several pages use them, but none of those of runs and cases.
 * `pair-names` too. `FindBar` is loaded when text is searched for.
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
    test: /domain\/(?:plain\/is-object|statistics\/statistics|lists\/assertion-name)|webapp\/(?:(?:cases|components\/states|composables|suites)\/|components\/(?:(?!Modal|Form|Confirm|FactList)\w+\.vue|lists\/(?!ColumnItems)|share\/ShareMenu|drawer\/(?!ItemDrawer))|frame\/use-actions|text\/[a-z-]+\.ts|runs\/(?!pair-names)|reviews\/review-address|api\/(?!upload)|pages\/run\/use-distribution)/,
    minShareCount: 4,
    includeDependenciesRecursively: false,
  },
  // The result of a run, which the page of a suite shows only if it has one run.
  {
    name: 'result',
    test: /webapp\/pages\/run\/(?:result\/|leaderboard\/load-)/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'case-texts',
    test: /webapp\/pages\/case\/(?:[a-z-]+\.ts|assertions\/[A-Z]\w+\.vue|(?:calls|history|assertions)\/[a-z-]+\.ts|conversation\/(?:turns|exchange|ToolCall))/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'texts',
    test: /webapp\/(?:components\/text\/(?!FindBar)|evidence\/case-parts\.ts|text\/(?:stored-blocks|code\/use-highlighter|markdown\/(?:has-markdown|markdown-view|media-view))\.ts|composables\/use-rendered\.ts)/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: 'cases',
    test: /webapp\/(?:cases\/|components\/(?:export\/ExportMenu|StatusBar)|composables\/(?:rows\/|use-)|runs\/(?:sample-load|added-words|use-may-add)|live\/refetch|pages\/run\/(?:[\w-]+\.(?:vue|ts)|cases\/)|text\/safe-link|comments\/CommentsButton)/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
]

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [vue(), ...stylePlugins, firstPaint, oneFile, sharePage, labellingPage, precompress()],
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
    // What a release contains of others (packaging/third-party.ts).
    license: { fileName: 'licenses.json' },
    // Files of parts have no names, and short digests: each page loads the names of all of them.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: GROUPS },
        chunkFileNames: ({ name }) => `assets/${name === 'first-paint' ? '[name]-' : ''}[hash:7].js`,
        assetFileNames: ({ names }) =>
          `assets/${names[0]?.startsWith('index.') === true ? '[name]-' : ''}[hash:7][extname]`,
      },
      checks: { bundlerTimings: false },
    },
  },
  // `npm run web` serves the sources and forwards API requests to a server started with `npm start`.
  server: { port: 5173, proxy: { '/api': 'http://localhost:8321' } },
})
