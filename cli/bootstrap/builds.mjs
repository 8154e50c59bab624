// The builds of the web app, the program and the documentation site. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
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
  'domain/evidence/manifest.ts',
  'domain/evidence/picture-size.ts',
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

/** Sources of the documentation site. */
export const SITE_SOURCES = [
  'site',
  'docs',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'clients/openapi.json',
  'clients/python/README.md',
  'clients/typescript/README.md',
  'plugin/README.md',
  'webapp/icon.svg',
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

const withVite = (config) => ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn']

const WEB = {
  name: 'web app',
  command: withVite('webapp/vite.config.ts'),
  output: 'webapp/dist',
  sources: WEB_SOURCES,
}
const PROGRAM = { name: 'program', command: withVite('cli/vite.config.ts'), output: 'dist', sources: PROGRAM_SOURCES }
const SITE = {
  name: 'documentation site',
  command: ['site/build.ts'],
  output: 'site/dist',
  sources: SITE_SOURCES,
}

/** Whether the web app of a checkout is built from its current sources. */
export const isWebBuilt = (checkout) => isCurrent(checkout, WEB)

/** Whether the program of a checkout is built from its current sources. */
export const isProgramBuilt = (checkout) => isCurrent(checkout, PROGRAM)

/** Whether the documentation site of a checkout is built from its current sources. */
export const isSiteBuilt = (checkout) => isCurrent(checkout, SITE)

const buildOne = async (node, { name, command, output, sources }) => {
  console.log(`Building the ${name}; this takes some seconds …`)
  // Of the start of the build: sources that are changed during it may not be in it.
  const began = new Date()
  const hash = sourcesHash(ROOT, sources)
  const code = await relay(node, command, {
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: ROOT,
  })
  if (code !== 0) throw new UserError(`the ${name} could not be built (exit code ${code})`)
  writeFileSync(join(ROOT, output, MARK), hash)
  utimesSync(join(ROOT, output, MARK), began, began)
}

const buildThose = async (node, builds) => {
  await Promise.all(builds.filter((each) => !isCurrent(ROOT, each)).map((each) => buildOne(node, each)))
}

/**
 * Makes the builds of this checkout that the service needs and that are not current, at the same time. Throws `UserError`
 * if one fails.
 */
export const build = (node) => buildThose(node, [WEB, PROGRAM])

/** Builds the documentation site of this checkout, unless it is current. Throws `UserError` if that fails. */
export const buildSite = (node) => buildThose(node, [SITE])

/**
 * Makes all builds of this checkout again, with the site: another Node may have made the current ones. Throws `UserError`
 * if one fails.
 */
export const buildAnew = async (node) => {
  const all = [WEB, PROGRAM, SITE]
  for (const { output } of all) rmSync(join(ROOT, output, MARK), { force: true })
  await buildThose(node, all)
}
