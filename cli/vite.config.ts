import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite'

// The build of the program: JavaScript without types, in few files instead of a thousand. The output is one folder below
// the checkout, like the sources, so that relative paths to the migrations and the web app remain valid.
//
// The service and each thread are built alone, as CommonJS: a thread then loads one file with nothing that it does not
// need, together with its code as V8 compiled it at an earlier start (`code-cache.cjs`). The commands share their modules.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = join(ROOT, 'dist')

/** What of the service the other commands import, and the name under which they find it in the build. */
const SERVICE = { source: join(ROOT, 'cli/serve/entry.ts'), name: 'service' }

const THREADS = ['writer', 'reader', 'preparer', 'cache', 'replay', 'directory', 'importer']

const COMMANDS = {
  ers: 'cli/ers.ts',
  'range-thread': 'maintenance/verify/records/range-thread.ts',
}

/** Packages that load a native library by its path. */
const NATIVE = ['better-sqlite3', '@node-rs/argon2']

export const common = {
  root: ROOT,
  publicDir: false,
  // Resolves packages as Node does.
  resolve: { mainFields: ['main', 'module'] },
  ssr: { noExternal: true, external: NATIVE, resolve: { conditions: ['node', 'module-sync'] } },
} satisfies InlineConfig

const buildOptions = {
  ssr: true,
  outDir: OUTPUT,
  emptyOutDir: false,
  target: 'node24',
  sourcemap: true,
  reportCompressedSize: false,
} as const

// Some modules are imported dynamically in one place and statically in another.
const checks = { ineffectiveDynamicImport: false, bundlerTimings: false } as const

/** Notes the names of the files that a build writes. */
const noteFiles = (names: Set<string>): Plugin => ({
  name: 'note-files',
  writeBundle: (_options, bundle) => Object.keys(bundle).forEach((name) => names.add(name)),
})

/** A node of a syntax tree, as far as `asciiOnly` looks. */
type SyntaxNode = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>
const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The ranges of the literals below a node in which a character may be escaped: a tag could read the text as written. */
const literals = (node: SyntaxNode): Array<readonly [start: number, end: number]> => {
  if (node.type === 'Literal' || node.type === 'TemplateElement') return [[node.start, node.end]]
  const inner = Object.entries(node).filter(([key]) => node.type !== 'TaggedTemplateExpression' || key !== 'quasi')
  return inner.flatMap(([, value]) => (Array.isArray(value) ? value : [value]).filter(isNode).flatMap(literals))
}

/**
 * Escapes what is not ASCII in literals. V8 holds a source in two bytes for each character if one of them needs them, and
 * reads it more slowly.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  // At the end, because what prints a chunk prints literals without escapes.
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = asciiCode(file.code, this.parse(file.code))
  },
}

/** A character as an escape. A backslash before it, which has no meaning, becomes a part of the escape. */
const escaped = (code: string, start: number, at: number): string => {
  let backslashes = 0
  while (at - backslashes > start && code[at - backslashes - 1] === '\\') backslashes++
  return `${backslashes % 2 === 1 ? '' : '\\'}u${code.charCodeAt(at).toString(16).padStart(4, '0')}`
}

const asciiCode = (code: string, program: unknown): string => {
  const ranges = isNode(program) ? literals(program).sort(([a], [b]) => a - b) : []
  let text = ''
  let copied = 0
  for (const [start, end] of ranges) {
    text += code.slice(copied, start)
    for (let at = start; at < end; at++) text += code.charCodeAt(at) <= 0x7f ? code[at] : escaped(code, start, at)
    copied = end
  }
  return text + code.slice(copied)
}

/** Builds an entry alone, and a file of a stable name that runs it. */
const buildAlone = async (name: string, source: string, names: Set<string>): Promise<void> => {
  const starter: Plugin = {
    name: 'starter',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.isEntry) continue
        const run = `.runEntry('${name}', '${file.fileName}')`
        const [fileName, text] =
          name === SERVICE.name
            ? [
                `${name}.js`,
                `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
export const { ${file.exports.join(', ')} } = require('./code-cache.cjs')${run}
`,
              ]
            : [`${name}.cjs`, `require('./code-cache.cjs')${run}\n`]
        this.emitFile({ type: 'asset', fileName, source: text })
      }
    },
  }
  await build({
    ...common,
    configFile: false,
    logLevel: 'warn',
    plugins: [asciiOnly, starter, noteFiles(names)],
    build: {
      ...buildOptions,
      license: { fileName: `${name}.licenses.json` },
      rolldownOptions: {
        input: { [name]: source },
        output: {
          format: 'cjs',
          // As modules are.
          strict: true,
          // Less to read and to hold in memory, in every thread.
          comments: false,
          // What `code-cache.cjs` calls.
          postBanner: '(function (exports, require, module, __filename, __dirname) {',
          postFooter: '})',
          // The sources are next to the build.
          sourcemapExcludeSources: true,
          entryFileNames: '[name].[hash].code.cjs',
          chunkFileNames: `${name}-[name].[hash].code.cjs`,
        },
        checks,
      },
    },
  })
}

const files = new Set(['code-cache.cjs'])

/** Builds the service and its threads next to the commands, which import the service from its file of a stable name. */
const serviceAlone: Plugin = {
  name: 'service-alone',
  enforce: 'pre',
  async resolveId(source, importer) {
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found?.id === SERVICE.source ? { id: `./${SERVICE.name}.js`, external: 'relative' } : null
  },
  async closeBundle() {
    copyFileSync(join(ROOT, 'cli/code-cache.cjs'), join(OUTPUT, 'code-cache.cjs'))
    await buildAlone(SERVICE.name, SERVICE.source, files)
    for (const thread of THREADS)
      await buildAlone(`${thread}-thread`, join(ROOT, `runtime/threads/${thread}-thread.ts`), files)
    // Files of earlier builds are kept until here, because a running server may start threads from them.
    for (const name of readdirSync(OUTPUT)) if (!files.has(name)) rmSync(join(OUTPUT, name), { recursive: true })
  },
}

export default defineConfig({
  ...common,
  plugins: [serviceAlone, noteFiles(files)],
  build: {
    ...buildOptions,
    // What a release contains of others (packaging/third-party.ts).
    license: { fileName: 'commands.licenses.json' },
    rolldownOptions: {
      input: COMMANDS,
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
      checks,
    },
  },
})
