import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import reference from '../../domain/statistics/statistics-reference.json' with { type: 'json' }

const power = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'power', ...args], {
    env: bareEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('ers power', () => {
  it('prints the smallest difference that pairs show', () => {
    const [, known] = reference.planning.smallest_difference
    expect(known).toMatchObject({ pairs: 300, discordance: 0.1 })
    expect(power('--pairs', '300', '--discordance', '10%')).toEqual({
      status: 0,
      stdout: '300 pairs show a difference of about 5.1 points or more\n',
      stderr: '',
    })
    expect(power('--pairs', '20', '--discordance', '0.1').stdout).toBe(
      '20 pairs are too few to show any difference, even if all changed cases change the same way\n',
    )
  })

  it('prints the pairs that a difference needs, and exits with 1 if there are fewer', () => {
    expect(power('--delta', '0.05', '--discordance', '.1')).toMatchObject({
      status: 0,
      stdout: 'a difference of 5.0 points needs about 312 pairs\n',
    })
    const both = ['--delta', '5%', '--discordance', '10%', '--pairs']
    expect(power(...both, '400')).toMatchObject({
      status: 0,
      stdout:
        '400 pairs show a difference of about 4.4 points or more\na difference of 5.0 points needs about 312 pairs\n',
    })
    expect(power(...both, '100').status).toBe(1)
  })

  it.each([
    [['--pairs', '10'], "required option '--discordance <share>' not specified"],
    [['--discordance', '0.1'], 'give --pairs or --delta'],
    [['--discordance', '0', '--pairs', '5'], '--discordance must be more than 0 and at most 1 (or 100%): 0'],
    [['--discordance', '1.2', '--pairs', '5'], '--discordance must be more than 0 and at most 1 (or 100%): 1.2'],
    [['--discordance', '0.1', '--pairs', '1.5'], '--pairs must be a whole number from 1: 1.5'],
    [['--discordance', '0.1', '--delta', '0.2'], '--delta is more than --discordance'],
  ])('rejects %j', (args, message) => {
    const { status, stdout, stderr } = power(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})
