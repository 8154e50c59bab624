import { describe, expect, it } from 'vitest'
import { exitWithEngine } from '../../../cli/terminal/engine-exit.ts'
import { HarnessError, UsageError } from '../../../engine/json.ts'
import { UserError } from '../../../maintenance/user-error.ts'

const ended = async (work: () => Promise<number>, argv: readonly string[] = ['run']) => {
  let said = ''
  const host = { argv, stderr: { write: (text: string) => (said += text) }, exitCode: undefined }
  await exitWithEngine(work, host)
  return { code: host.exitCode, said }
}
const failing = (error: Error) => () => Promise.reject(error)

describe('the end of a command of the engine', () => {
  it('has the code of its work', async () =>
    expect(await ended(() => Promise.resolve(1))).toEqual({ code: 1, said: '' }))

  it.each([
    [new UsageError('bad suite'), 2, 'bad suite\n'],
    [new UserError('bad option'), 2, 'bad option\n'],
    [new HarnessError('no program'), 3, 'no program\n'],
    [new TypeError('a bug'), 3, 'internal error: a bug\n'],
  ])('by %s', async (error, code, said) => expect(await ended(failing(error))).toEqual({ code, said }))

  it.each(['-v', '-vv', '--verbose'])('by a bug shows its stack with %s', async (option) => {
    const { code, said } = await ended(failing(new TypeError('a bug')), ['run', option])
    expect(code).toBe(3)
    expect(said).toMatch(/^internal error: TypeError: a bug\n +at /)
  })
})
