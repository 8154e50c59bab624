import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoTime } from '../../../cli/serve/logger.ts'

const MODULE = fileURLToPath(new URL('../../../cli/serve/logger.ts', import.meta.url))

/** Logs one line of each level in a separate process. */
const logged = (options: Readonly<Record<string, unknown>>): { stdout: string; stderr: string } => {
  const program = `
    const { createLogger } = await import(${JSON.stringify(MODULE)})
    const logger = await createLogger(${JSON.stringify(options)})
    for (const level of ['trace', 'debug', 'info', 'warn', 'error']) logger[level]({ field: level }, 'a message')
    logger.flush()`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
}

/** Node's arguments for a program with a logger. */
const withLogger = (program: string): string[] => [
  '--input-type=module',
  '-e',
  `const { createLogger } = await import(${JSON.stringify(MODULE)}); const logger = await createLogger({ format: 'json', level: 'info', terminal: false }); ${program}`,
]

/** Runs a program with a logger in a separate process. Returns its log lines. */
const linesOf = (program: string): string[] =>
  spawnSync(process.execPath, withLogger(program), { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .stderr.trim()
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))

const levelsIn = (stderr: string): string[] =>
  [...stderr.matchAll(/trace|debug|info|warn|error/gi)]
    .map(([level]) => level.toLowerCase())
    .filter((level, i, all) => all.indexOf(level) === i)

describe('the log', () => {
  it('writes JSON lines to stderr without a terminal', () => {
    const { stdout, stderr } = logged({ format: null, level: 'info', terminal: false })
    expect(stdout).toBe('')
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ level, msg, field }) => [level, msg, field])).toEqual([
      [30, 'a message', 'info'],
      [40, 'a message', 'warn'],
      [50, 'a message', 'error'],
    ])
    expect(lines.every(({ time }) => /^\d{4}-\d\d-\d\dT.*Z$/.test(String(time)))).toBe(true)
  })

  it.each(['pretty', 'compact'])('is readable in the %s format', (format) => {
    const { stdout, stderr } = logged({ format, level: 'info', terminal: false })
    expect(stdout).toBe('')
    expect(stderr).toContain('a message')
    expect(stderr).not.toContain('{"level"')
  })

  it('is readable on a terminal, unless JSON is requested', () => {
    expect(logged({ format: null, level: 'info', terminal: true }).stderr).not.toContain('{"level"')
    expect(logged({ format: 'json', level: 'info', terminal: true }).stderr).toContain('{"level"')
  })

  it.each([
    ['trace', ['trace', 'debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['off', []],
  ])('at level %s logs %j', (level, levels) =>
    expect(levelsIn(logged({ format: 'json', level, terminal: false }).stderr)).toEqual(levels),
  )

  it.each([
    ['when the process comes to its end', ''],
    ['when the process exits', 'process.exit(3)'],
    ['when an error ends the process', 'setTimeout(() => { throw new Error("a bug") })'],
    ['when the process flushes and then exits', 'logger.flush(() => process.exit(0)); await new Promise(() => {})'],
  ])('buffers lines and loses none %s', (_, end) => {
    for (const count of [1, 5_000]) {
      const lines = linesOf(`for (let n = 1; n <= ${count}; n++) logger.info({ n }, 'a line'); ${end}`)
      expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
        Array.from({ length: count }, (_each, i) => i + 1),
      )
    }
  })

  it('is written soon, even if there is little of it', async () => {
    // The process never ends by itself: a line that waits for more lines, or for the end, never arrives.
    const child = spawn(process.execPath, withLogger("logger.info('a line'); setInterval(() => {}, 1000)"), {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string]
    child.kill('SIGKILL')
    expect(JSON.parse(line)).toMatchObject({ msg: 'a line' })
  })

  it('prints the time in milliseconds, for any sequence of times', () => {
    let at = 0
    const time = isoTime(() => at)
    fc.assert(
      fc.property(fc.nat({ max: 4_000_000_000_000 }), fc.nat({ max: 3_000 }), (from, later) => {
        for (at of [from, from + later, from]) expect(time()).toBe(`,"time":"${new Date(at).toISOString()}"`)
      }),
    )
  })
})
