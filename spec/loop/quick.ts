// `npm run quick [BASE]`: types, lint and format of what changed since a commit, the nearest specs that the change
// touches, and a core of specs. By default the commit is where this branch left `main`.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { referencesIn, selectSpecs, touchedBy } from './touched-specs.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
process.chdir(ROOT)

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** The commit to compare with: on `main` itself the current one, or the one before it if nothing was changed since. */
const defaultBase = (): string => {
  const hasMain = git('branch', '--list', 'main') !== ''
  const base = git('merge-base', 'HEAD', hasMain ? 'main' : 'origin/main')
  if (base !== git('rev-parse', 'HEAD')) return base
  return git('status', '--porcelain') === '' ? 'HEAD~1' : 'HEAD'
}

const base = process.argv[2] ?? defaultBase()
const untracked = lines(git('ls-files', '--others', '--exclude-standard'))
const changed = [...lines(git('diff', '--name-only', '--no-renames', base)), ...untracked]
const files = [...lines(git('ls-files')), ...untracked].filter((file) => existsSync(file))
const references = new Map(
  files
    .filter((file) => /\.(?:ts|vue|mjs)$/.test(file))
    .map((file) => [file, referencesIn(file, readFileSync(file, 'utf8'))]),
)
const touched = touchedBy(changed, references)
const { specs, onPostgres, left } = selectSpecs(
  files.filter((file) => file.endsWith('.spec.ts')),
  touched,
)
const present = changed.filter((file) => existsSync(file))
const ending = (pattern: RegExp): string[] => present.filter((file) => pattern.test(file))

const incremental = (name: string): string[] => [
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/quick/${name}.tsbuildinfo`,
]
const touchesWeb = [...touched.keys()].some((file) => /^(?:webapp|spec\/webapp)\//.test(file))
const VITEST = 'node_modules/vitest/vitest.mjs'
const ofChanged = (name: string, program: string, pattern: RegExp) => {
  const selected = ending(pattern)
  return selected.length === 0 ? [] : [{ name, command: [...program.split(' '), ...selected] }]
}
const CHECKS = [
  { name: 'types', command: ['node_modules/typescript7/bin/tsc', ...incremental('types')] },
  ...(touchesWeb
    ? [
        {
          name: 'types of the web app',
          command: ['node_modules/vue-tsc/bin/vue-tsc.js', '-p', 'spec/webapp', ...incremental('web')],
        },
      ]
    : []),
  ...ofChanged('lint', 'node_modules/oxlint/bin/oxlint', /(?<!\.d)\.ts$/),
  ...ofChanged('lint of Vue and JavaScript', 'node_modules/eslint/bin/eslint.js', /\.(?:vue|mjs)$/),
  ...ofChanged(
    'format',
    'node_modules/oxfmt/bin/oxfmt --list-different --no-error-on-unmatched-pattern',
    /\.(?:ts|vue|mjs)$/,
  ),
]
/** One after the other, because both make the builds that are not current. */
const SPECS = [
  {
    name: 'specs',
    command: [VITEST, 'run', '--project', 'sqlite', '--project', 'webapp', '--reporter', 'minimal', ...specs],
  },
  ...(onPostgres.length === 0
    ? []
    : [{ name: 'specs on PostgreSQL', command: [VITEST, 'run', '--project', 'postgres', ...onPostgres] }]),
]

/** Runs a step and prints its output in one piece at its end. Returns whether it passed. */
const run = async ({ name, command }: { readonly name: string; readonly command: readonly string[] }) => {
  const began = Date.now()
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  const seconds = Math.round((Date.now() - began) / 1000)
  if (code !== 0 || name.startsWith('specs')) process.stdout.write(Buffer.concat(output))
  console.log(`${code === 0 ? 'Passed' : 'Failed'}: ${name} (${seconds} s)`)
  return code === 0
}

console.log(`${changed.length} changed files since ${base}; ${specs.length + onPostgres.length} spec files are run.`)
const runSpecs = async (): Promise<boolean> => {
  for (const step of SPECS) if (!(await run(step))) return false
  return true
}
const results = await Promise.all([...CHECKS.map(run), runSpecs()])
if (left > 0) console.log(`The change touches ${left} more spec files; \`npm test\` runs them.`)
process.exit(results.every(Boolean) ? 0 : 1)
