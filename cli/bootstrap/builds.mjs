// The builds of the web app and of the program. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './node.mjs'
import { relay } from './relay.mjs'
import { UserError } from './user-error.mjs'

/** Sources of the web app: a change to them needs a new build. */
export const WEB_SOURCES = [
  'webapp',
  'domain/lists',
  'domain/run/matrix-values.ts',
  'domain/search/like.ts',
  'domain/statistics/statistics.ts',
  'domain/statistics/pair-asserts.ts',
  'domain/sso/return-to.ts',
  'domain/plain',
  'domain/proof',
  'domain/report/receipt.ts',
  'domain/report/export-formats.ts',
  'domain/report/shared-parts.ts',
  'domain/text/code-point-order.ts',
  'domain/text/cut-text.ts',
  'domain/text/markdown.ts',
  'domain/text/printable.ts',
  'queries/access/viewer.ts',
  'package-lock.json',
]

/** Sources of the program. */
export const PROGRAM_SOURCES = [
  'cli',
  'commands',
  'domain',
  'engine',
  'http',
  'interchange',
  'maintenance',
  'projections',
  'queries',
  'runtime',
  'storage',
  'package.json',
  'package-lock.json',
]

/** Returns the files and folders of sources, each with its path in the checkout, without the output of builds. */
const entriesIn = (checkout, path) => {
  const stats = statSync(join(checkout, path))
  const inner = stats.isDirectory() ? readdirSync(join(checkout, path)).filter((name) => name !== 'dist') : []
  return [
    { path, isFile: stats.isFile(), changedMs: stats.mtimeMs },
    ...inner.sort().flatMap((name) => entriesIn(checkout, `${path}/${name}`)),
  ]
}

const allEntries = (checkout, sources) => sources.flatMap((path) => entriesIn(checkout, path))

const hashEntries = (checkout, entries) => {
  const hash = createHash('sha256')
  for (const { path } of entries.filter(({ isFile }) => isFile)) {
    const content = readFileSync(join(checkout, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** Returns the SHA-256 of sources and their paths. */
export const sourcesHash = (checkout, sources) => hashEntries(checkout, allEntries(checkout, sources))

/** The file of a build that marks it as complete: it holds the hash of its sources, and has the time when the build began. */
const MARK = 'complete'

/**
 * Whether a build is complete and of the current sources. A build without a newer source needs no look at their content,
 * for which `ers` would start 40 ms later. A removed file makes its folder newer.
 */
const isCurrent = (checkout, { output, sources }) => {
  const mark = join(checkout, output, MARK)
  if (!existsSync(mark)) return false
  const entries = allEntries(checkout, sources)
  const { mtimeMs } = statSync(mark)
  return (
    entries.every(({ changedMs }) => changedMs <= mtimeMs) ||
    readFileSync(mark, 'utf8') === hashEntries(checkout, entries)
  )
}

const WEB = { name: 'web app', config: 'webapp/vite.config.ts', output: 'webapp/dist', sources: WEB_SOURCES }
const PROGRAM = { name: 'program', config: 'cli/vite.config.ts', output: 'dist', sources: PROGRAM_SOURCES }

/** Whether the web app of a checkout is built from its current sources. */
export const isWebBuilt = (checkout) => isCurrent(checkout, WEB)

/** Whether the program of a checkout is built from its current sources. */
export const isProgramBuilt = (checkout) => isCurrent(checkout, PROGRAM)

const buildOne = async (node, { name, config, output, sources }) => {
  console.log(`Building the ${name}; this takes some seconds …`)
  // Of the start of the build: sources that are changed during it may not be in it.
  const began = new Date()
  const hash = sourcesHash(ROOT, sources)
  const code = await relay(node, ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn'], {
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: ROOT,
  })
  if (code !== 0) throw new UserError(`the ${name} could not be built (exit code ${code})`)
  writeFileSync(join(ROOT, output, MARK), hash)
  utimesSync(join(ROOT, output, MARK), began, began)
}

/** Makes the builds of this checkout that are not current, at the same time. Throws `UserError` if one fails. */
export const build = async (node) => {
  await Promise.all([WEB, PROGRAM].filter((each) => !isCurrent(ROOT, each)).map((each) => buildOne(node, each)))
}
