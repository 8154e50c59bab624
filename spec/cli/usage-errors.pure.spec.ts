import type { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'
import { runErs } from '../support/servers/run-ers.ts'

/** Thrown in place of an exit. */
class Exited extends Error {
  readonly code: unknown

  constructor(code: unknown) {
    super(`exit code ${String(code)}`)
    this.code = code
  }
}

/** The exit code that a command ends with when it is parsed. */
const exitOf = async (command: Command, words: readonly string[]): Promise<unknown> => {
  try {
    await command.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof Exited) return error.code
    throw error
  }
}

/** The words that lead to a command and to each of its own commands. */
const pathsOf = (command: Command): string[][] => [
  [],
  ...command.commands.flatMap((inner) => pathsOf(inner).map((path) => [inner.name(), ...path])),
]

describe('ers', () => {
  it.each([
    [['nosuch']],
    [['--nosuch']],
    [['help', 'nosuch']],
    [[]],
    // The store of these commands is named wrongly: their own errors end with the same code.
    [['rebuild', '--data-dir', '/nonexistent/never-made']],
    [['verify', '--database-url', 'nonsense']],
    [['serve', '--port', 'many']],
    [['healthcheck', '--url', 'nonsense']],
  ])('ends with 2 and a reason on stderr for %j', async (words) => {
    const { code, stdout, stderr } = await runErs(words, { cwd: '/' })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
  })

  it.each([[['help']], [['--help']], [['--version']], [['help', 'runs']]])('ends with 0 for %j', async (words) =>
    expect(await runErs(words, { cwd: '/' })).toMatchObject({ code: 0, stderr: '' }),
  )
})

describe('each command', () => {
  beforeEach(() => {
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exited(code)
    })
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  describe.each(COMMANDS)('$name', ({ load }) => {
    it('ends with 2 for an option that it does not know, and with 0 for its help', async () => {
      for (const path of pathsOf(await load())) {
        expect(await exitOf(await load(), [...path, '--no-such-option']), path.join(' ')).toBe(2)
        expect(await exitOf(await load(), [...path, '--help']), path.join(' ')).toBe(0)
      }
    })

    it('ends with 2 for too many words, or a command of its own that it does not know', async () => {
      const command = await load()
      if (command.commands.length === 0 && command.registeredArguments.some(({ variadic }) => variadic)) return
      expect(
        await exitOf(
          command,
          Array.from({ length: 9 }, () => 'no-such-word'),
        ),
      ).toBe(2)
    })
  })
})
