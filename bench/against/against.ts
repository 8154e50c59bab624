import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, quantile } from '../load.ts'
import type { Print } from '../measures.ts'
import { MEASURED, prepare, type Side, type Timed } from './measured.ts'

/** Each row is measured so often, on both servers in turns. */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)

/** The largest ratio of new to old that passes: of a median, of CPU time and memory, and of a 99th percentile. */
const LIMIT = 1.05
const LIMIT_P99 = 1.1

const ROOT = new URL('../../', import.meta.url).pathname

/** Builds a commit in a folder of its own, with the packages of this checkout if both need the same ones. */
const build = (commit: string, folder: string): string => {
  const run = (command: string, ...args: string[]): void =>
    void execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('git', ['worktree', 'add', '--detach', '--quiet', folder, commit], { cwd: ROOT })
  const packages = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (packages(folder) === packages(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else run('npm', 'ci', '--no-audit', '--no-fund')
  run('npm', 'run', 'build')
  return join(folder, 'dist/ers.js')
}

/** What was measured of one version: by the title of a row, one value per round. */
type Rows = ReadonlyMap<string, readonly Timed[]>

/**
 * Compares the program of this checkout (`npm run build` first) with that of another commit: rows in turns, on stores
 * with the same documents. Returns whether no row is slower than the limit.
 */
export const against = async (commit: string, print: Print): Promise<boolean> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-against-'))
  const folder = join(root, 'old')
  try {
    const programs = [build(commit, folder), join(ROOT, 'dist/ers.js')]
    if (!programs.every((program) => existsSync(program))) throw new Error('build this checkout first: npm run build')
    // What V8 compiled is kept from the first start of a build, and is less if no request came then: both begin without.
    rmSync(join(ROOT, 'node_modules/.cache/code'), { recursive: true, force: true })
    const sides: Side[] = []
    try {
      for (const [i, program] of programs.entries()) sides.push(await prepare(program, join(root, String(i))))
      return report(print, commit, await compare(sides))
    } finally {
      for (const { server } of sides) await server.stop()
    }
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT })
    rmSync(root, { recursive: true, force: true })
  }
}

const compare = async (sides: readonly Side[]): Promise<Rows[]> => {
  const results = sides.map((side) => ({ side, rows: new Map<string, Timed[]>() }))
  for (const { title, measure, rounds: count = ROUNDS } of MEASURED)
    for (let round = 0; round < count; round++)
      // The order changes every round: the second of two measurements finds a warmer machine.
      for (const { side, rows } of round % 2 === 0 ? results : results.toReversed())
        rows.set(title, [...(rows.get(title) ?? []), await measure(side)])
  return results.map(({ rows }) => rows)
}

const report = (print: Print, commit: string, [old = new Map(), now = new Map()]: readonly Rows[]): boolean => {
  const slower: string[] = []
  print(`| | ${commit} | this checkout | ratio |`)
  print('|---|---|---|---|')
  for (const { title } of MEASURED) {
    const [before = [], after = []] = [old.get(title), now.get(title)]
    const line = (unit: string, a: number, b: number, ratio: number, limit: number): void => {
      const text = `| ${title}, ${unit} | ${a.toPrecision(3)} | ${b.toPrecision(3)} | ${ratio.toFixed(2)} |`
      print(text)
      if (ratio > limit) slower.push(text)
    }
    const medians = (unit: string, pick: (timed: Timed) => number | undefined): void => {
      const [a, b] = [before.flatMap((timed) => pick(timed) ?? []), after.flatMap((timed) => pick(timed) ?? [])]
      if (a.length > 0)
        line(unit, median(a), median(b), median(a.map((value, round) => (b[round] ?? 0) / value)), LIMIT)
    }
    medians('p50 ms', ({ times }) => times && quantile(times, 0.5))
    medians('CPU ms', ({ cpu }) => cpu)
    medians('MiB', ({ mib }) => mib)
    // One round has too few requests for a 99th percentile.
    const [a, b] = [before, after].map((rounds) => rounds.flatMap(({ times }) => times ?? []).sort((x, y) => x - y))
    if (a && b && a.length >= 200)
      line('p99 ms', quantile(a, 0.99), quantile(b, 0.99), quantile(b, 0.99) / quantile(a, 0.99), LIMIT_P99)
  }
  if (slower.length > 0) print(`\nSlower than ${LIMIT} (99th percentile: ${LIMIT_P99}):\n${slower.join('\n')}`)
  return slower.length === 0
}
