// `npm run check:data -- FOLDER` starts a real server, imports the folder and compares the API's counts with the table
// in the folder's README.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { addCounts } from '../domain/statistics/totals.ts'
import { errorText, readAnswer } from './client/answer.ts'

const fields = ['runs', 'cases', 'pass', 'fail', 'error', 'skip'] as const
export type Counts = Record<(typeof fields)[number], number>

const cli = fileURLToPath(new URL('./ers.ts', import.meta.url))
const Listening = z.looseObject({ msg: z.literal('listening'), port: z.number() })
const Projects = z.object({ projects: z.array(z.object({ project: z.string() })) })
const count = z.number().default(0)
const Suites = z.object({
  suites: z.array(
    z.object({
      suite: z.string(),
      run_count: count,
      case_count: count,
      pass_count: count,
      fail_count: count,
      error_count: count,
    }),
  ),
})

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
 * One sentence for each difference between the API and the README. A set that is missing on one side counts as zeros
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

/** Starts a server on a free port. Disposing of it stops the server and removes its state. */
const startServer = async (token: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'ers-check-data-'))
  const env = {
    ...process.env,
    SERVICE_TOKENS: `admin:${token}`,
    SERVICE_AUTH_MODE: 'closed',
    SERVICE_LOG_FORMAT: 'json',
    RUST_LOG: 'info',
  }
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data-dir', folder], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  const { promise: listening, resolve } = Promise.withResolvers<number>()
  const last: string[] = []
  // Read all output: a full pipe would block the server.
  createInterface(child.stderr).on('line', (line) => {
    if (last.push(line) > 20) last.shift()
    const port = loggedPort(line)
    if (port !== null) resolve(port)
  })
  const port = await Promise.race([listening, exited.then(() => null)])
  if (port === null) {
    await stop()
    throw new Error(`the server exited before it was ready:\n${last.join('\n')}`)
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop }
}

const loggedPort = (line: string) => {
  if (!line.includes('"listening"')) return null
  const parsed = Listening.safeParse(JSON.parse(line))
  return parsed.success ? parsed.data.port : null
}

const importAll = async (url: string, token: string, paths: readonly string[]) => {
  const env = { ...process.env, SERVICE_SERVER_URL: url, SERVICE_TOKEN: token }
  const [code] = (await once(
    spawn(process.execPath, [cli, 'import', ...paths], { env, stdio: 'inherit' }),
    'exit',
  )) as [number | null]
  return code
}

const countSets = async (url: string, token: string) => {
  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await errorText(response)}`)
    return readAnswer(response, schema)
  }
  const counted = new Map<string, Counts>()
  for (const { project } of (await get('/sets', Projects)).projects) {
    for (const row of (await get(`/sets/${encodeURIComponent(project)}`, Suites)).suites) {
      // The sample data has no cases with status `xfail` or `xpass`, so all remaining cases were skipped.
      const skip = row.case_count - row.pass_count - row.fail_count - row.error_count
      counted.set(
        `${project}/${row.suite}`,
        namedCounts([row.run_count, row.case_count, row.pass_count, row.fail_count, row.error_count, skip]),
      )
    }
  }
  return counted
}

const checkData = async (folder: string) => {
  const readme = join(folder, 'README.md')
  const promised = promisedCounts(existsSync(readme) ? readFileSync(readme, 'utf8') : '')
  const projects = [...new Set([...promised.sets.keys()].map((name) => name.slice(0, name.indexOf('/'))))]
  // A folder may also hold files of other tools, which are not run documents.
  const paths = projects.length > 0 ? projects.map((project) => join(folder, project)) : [folder]

  const token = randomBytes(32).toString('hex')
  await using server = await startServer(token)
  const began = Date.now()
  const code = await importAll(server.url, token, paths)
  const counted = await countSets(server.url, token)
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
