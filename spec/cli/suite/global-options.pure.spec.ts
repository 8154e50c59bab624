import { describe, expect, it } from 'vitest'
import { logOf, type GlobalOptions } from '../../../cli/suite/global-options.ts'

const TIME = '2026-08-01T12:00:00.000Z'
const logged = (options: Partial<GlobalOptions>, env: Record<string, string> = {}, isTTY = false) => {
  const written: string[] = []
  const log = logOf(
    { verbose: 0, color: 'never', ...options },
    { stderr: { isTTY, write: (text) => written.push(text) }, env, now: () => Date.parse(TIME) },
  )
  for (const level of ['error', 'warn', 'info', 'debug', 'trace'] as const) log[level](`a ${level}`, { n: 1 })
  return written.join('')
}

describe('the log of a command', () => {
  it.each([
    [0, ['error', 'warn']],
    [1, ['error', 'warn', 'info']],
    [2, ['error', 'warn', 'info', 'debug']],
    [3, ['error', 'warn', 'info', 'debug', 'trace']],
    [9, ['error', 'warn', 'info', 'debug', 'trace']],
  ])('with %i times -v has the levels %j', (verbose, levels) => {
    expect(logged({ verbose, logFormat: 'pretty' })).toBe(levels.map((level) => `${level}: a ${level}\n`).join(''))
  })

  it('is for people on a terminal, and has times elsewhere', () => {
    expect(logged({}, {}, true)).toContain('warn: a warn\n')
    expect(logged({})).toContain(`${TIME} warn a warn\n`)
  })

  it('is JSON with its fields if asked by flag or variable', () => {
    const [line = ''] = logged({}, { SERVICE_LOG_FORMAT: 'json' }).split('\n')
    expect(JSON.parse(line)).toEqual({ time: TIME, level: 'error', message: 'a error', n: 1 })
    expect(logged({ logFormat: 'compact' }, { SERVICE_LOG_FORMAT: 'json' })).toContain(`${TIME} warn`)
  })

  it('notes a bad variable and ignores it', () => {
    expect(logged({}, { SERVICE_LOG_FORMAT: 'xml' }, true)).toContain('SERVICE_LOG_FORMAT is `xml`')
    expect(logged({}, { SERVICE_LOG_FORMAT: '' }, true)).not.toContain('SERVICE_LOG_FORMAT')
  })

  it('has colours if asked', () => expect(logged({ color: 'always' }, {}, true)).toContain('\x1b[33mwarn\x1b[0m'))
})
