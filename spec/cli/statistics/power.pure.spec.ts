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

  it('prints the labels that a half width needs, and how well labels show a pass rate', () => {
    const run = ['--cases', '500', '--pass-rate', '70%']
    // Answer 95 of the reference: before any label.
    expect(power('--labels', '--half-width', '5%', ...run)).toEqual({
      status: 0,
      stdout: '±5.0 points needs about 385 labels: 270 of cases that the judge passed, 115 of cases that it failed\n',
      stderr: '',
    })
    // Answer 93: 261 labels, 64.6 % of them of passed cases.
    const known = [...run, '--labelled-passed', '45/50', '--labelled-failed', '10/50', '--half-width', '0.05']
    expect(power('--labels', ...known).stdout).toBe(
      '±5.0 points needs about 261 labels: 169 of cases that the judge passed, 92 of cases that it failed\n',
    )
    expect(power('--labels', '261', ...known)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('261 labels show the pass rate to about ±5.0 points: 169 of') as string,
    })
    expect(power('--labels', '100', ...known)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('100 labels show the pass rate to about ±7.3 points: 65 of') as string,
    })
  })

  it('says what a run cannot show', () => {
    const known = ['--labelled-passed', '45/50', '--labelled-failed', '10/50', '--cases', '500', '--pass-rate', '70%']
    expect(power('--labels', '--half-width', '2.5%', ...known).stdout).toBe(
      '±2.5 points cannot be reached in this run: its 500 cases alone leave ±2.7 points\n',
    )
    expect(power('--labels', '--half-width', '3%', ...known).stdout).toBe(
      '±3.0 points cannot be reached in this run: it needs more labels than there are cases\n',
    )
  })

  it.each([
    [['--labels'], 'give --half-width, or a number with --labels'],
    [['--labels', '50', '--pass-rate', '70%'], '--labels needs --cases'],
    [['--labels', '50', '--cases', '100'], '--labels needs --pass-rate'],
    [['--labels', '50', '--cases', '40', '--pass-rate', '70%'], '--labels is more than --cases: 50'],
    [['--labels', '0', '--cases', '40', '--pass-rate', '70%'], '--labels must be a whole number from 1: 0'],
    [
      ['--labels', '5', '--cases', '9', '--pass-rate', '1', '--labelled-passed', '6/5'],
      '--labelled-passed must be two whole numbers, such as 45/50: 6/5',
    ],
    [['--labels', '5', '--cases', '9', '--discordance', '0.1'], '--discordance cannot be used with --labels'],
    [['--discordance', '0.1', '--pairs', '5', '--half-width', '5%'], '--half-width needs --labels'],
  ])('rejects %j', (args, message) => {
    const { status, stdout, stderr } = power(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})
