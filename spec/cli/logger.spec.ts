import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MODULE = fileURLToPath(new URL('../../cli/logger.ts', import.meta.url))

/** Logs one line of each level in a process of its own. */
const logged = (options: Readonly<Record<string, unknown>>): { stdout: string; stderr: string } => {
  const program = `
    const { createLogger } = await import(${JSON.stringify(MODULE)})
    const logger = await createLogger(${JSON.stringify(options)})
    for (const level of ['trace', 'debug', 'info', 'warn', 'error']) logger[level]({ field: level }, 'a message')
    logger.flush()`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
}

const levelsIn = (stderr: string): string[] => [...stderr.matchAll(/trace|debug|info|warn|error/gi)].map(([level]) => level.toLowerCase()).filter((level, i, all) => all.indexOf(level) === i)

describe('the log', () => {
  it('goes to stderr as JSON lines off a terminal', () => {
    const { stdout, stderr } = logged({ format: null, level: 'info', terminal: false })
    expect(stdout).toBe('')
    const lines = stderr.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
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

  it('is readable on a terminal unless JSON is asked for', () => {
    expect(logged({ format: null, level: 'info', terminal: true }).stderr).not.toContain('{"level"')
    expect(logged({ format: 'json', level: 'info', terminal: true }).stderr).toContain('{"level"')
  })

  it.each([
    ['trace', ['trace', 'debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['off', []],
  ])('at level %s holds %j', (level, levels) => expect(levelsIn(logged({ format: 'json', level, terminal: false }).stderr)).toEqual(levels))
})
