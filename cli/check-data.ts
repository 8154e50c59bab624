// `npm run check:data -- FOLDER` imports the folder into a store of its own, and compares the counts of the store with the
// table in the folder's README.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addCounts } from '../domain/statistics/totals.ts'
import { CLI } from '../queries/access/viewer.ts'
import { findProjectSet, listProjectSets } from '../queries/sets/sets.ts'
import { namedStore } from './store/store-options.ts'
import { openStoreReader } from './store/store-reader.ts'

const fields = ['runs', 'cases', 'pass', 'fail', 'error', 'skip'] as const
export type Counts = Record<(typeof fields)[number], number>

const PROGRAM = fileURLToPath(new URL('./ers.ts', import.meta.url))

/**
 * Returns the counts in the README's table, keyed by `project/suite`, and the counts in its total row. Without such a
 * table, the map is empty and the total is null.
 */
export const promisedCounts = (readme: string): { sets: Map<string, Counts>; total: Counts | null } => {
  const sets = new Map<string, Counts>()
  let total: Counts | null = null
  let inside = false
  for (const line of readme.split('\n')) {
    const cells = line
      .split('|')
      .slice(1, 8)
      .map((cell) => cell.trim())
    const [name = '', ...numbers] = cells
    if (/^Project \/ suite$/i.test(name)) inside = true
    else if (!line.startsWith('|')) inside = false
    else if (inside && numbers.length === fields.length && numbers.every((number) => /^\d+$/.test(number))) {
      const row = namedCounts(numbers.map(Number))
      if (name.replaceAll('*', '') === 'Total') total = row
      else sets.set(name, row)
    }
  }
  return { sets, total }
}

/** The sum of all rows. */
export const sumCounts = (rows: Iterable<Counts>): Counts =>
  [...rows].reduce(
    (sum, row) => namedCounts(fields.map((field) => addCounts(sum[field], row[field]))),
    namedCounts(fields.map(() => 0)),
  )

/**
 * One sentence for each difference between the store and the README. A set that is missing on one side counts as zeros
 * there.
 */
export const differences = (promised: Map<string, Counts>, counted: Map<string, Counts>): string[] => {
  const none = sumCounts([])
  return [...new Set([...promised.keys(), ...counted.keys()])].sort().flatMap((name) => {
    const [want, have] = [promised.get(name) ?? none, counted.get(name) ?? none]
    const unequal = fields.filter((field) => want[field] !== have[field])
    return unequal.map((field) => `${name}: ${field} ${have[field]}, the README says ${want[field]}`)
  })
}

/** Formats the counts as a table for a terminal. */
export const countsTable = (rows: Map<string, Counts>) => {
  const width = Math.max(...[...rows.keys(), 'project/suite'].map((name) => name.length))
  type Cells = readonly (string | number)[]
  const line = (name: string, cells: Cells) =>
    name.padEnd(width) + cells.map((cell) => String(cell).padStart(8)).join('')
  return [
    line('project/suite', fields),
    ...[...rows].map(([name, row]) =>
      line(
        name,
        fields.map((field) => row[field]),
      ),
    ),
  ].join('\n')
}

const namedCounts = (numbers: readonly number[]): Counts => {
  const [runs = 0, cases = 0, pass = 0, fail = 0, error = 0, skip = 0] = numbers
  return { runs, cases, pass, fail, error, skip }
}

/** Imports with the real command, as a user would, and returns its exit code. */
const importAll = async (dataDir: string, paths: readonly string[]) => {
  const args = [PROGRAM, 'import', '--data-dir', dataDir, ...paths]
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')) as [number | null]
  return code
}

const countSets = async (dataDir: string) => {
  const reader = await openStoreReader(namedStore({ dataDir }, {}))
  const counted = new Map<string, Counts>()
  for (const { project } of (await listProjectSets(reader, CLI)).projects)
    for (const row of (await findProjectSet(reader, CLI, project))?.suites ?? []) {
      // The sample data has no cases with status `xfail` or `xpass`, so all remaining cases were skipped.
      const skip = row.case_count - row.pass_count - row.fail_count - row.error_count
      counted.set(
        `${project}/${row.suite}`,
        namedCounts([row.run_count, row.case_count, row.pass_count, row.fail_count, row.error_count, skip]),
      )
    }
  await reader.close()
  return counted
}

const checkData = async (folder: string) => {
  const readme = join(folder, 'README.md')
  const promised = promisedCounts(existsSync(readme) ? readFileSync(readme, 'utf8') : '')
  const projects = [...new Set([...promised.sets.keys()].map((name) => name.slice(0, name.indexOf('/'))))]
  // A folder may also hold files of other tools, which are not run documents.
  const paths = projects.length > 0 ? projects.map((project) => join(folder, project)) : [folder]

  using store = mkdtempDisposableSync(join(tmpdir(), 'ers-check-data-'))
  const began = Date.now()
  const code = await importAll(store.path, paths)
  const counted = await countSets(store.path)
  const sum = sumCounts(counted.values())
  console.log(`\n${countsTable(new Map([...counted, ['total', sum]]))}\n`)

  const problems = code === 0 ? [] : [`ers import ended with exit code ${code}`]
  if (projects.length > 0) problems.push(...differences(promised.sets, counted))
  if (promised.total) problems.push(...differences(new Map([['total', promised.total]]), new Map([['total', sum]])))
  const comparison = projects.length > 0 ? 'all counts equal' : 'no table of counts to compare with'
  const summary = `${sum.runs} runs, ${sum.cases} cases: ${comparison} (${Math.round((Date.now() - began) / 1000)} s)`
  console.log(problems.length > 0 ? problems.join('\n') : summary)
  return problems.length > 0 ? 1 : 0
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined || !existsSync(folder)) {
    console.error(folder === undefined ? 'usage: npm run check:data -- FOLDER' : `${folder} does not exist`)
    process.exitCode = 2
  } else process.exitCode = await checkData(folder)
}
