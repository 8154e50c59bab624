import { expect } from 'vitest'
import { Refused } from '../../commands/refused.ts'
import type { Reason } from '../../commands/refused.ts'
import type { AnyCommand, NewEvent } from '../../storage/command.ts'

type Parts = Pick<AnyCommand, 'decide'>

/** What a decision is told besides its facts: what the command prepared, and the last run number given out. */
type Given = { readonly prepared?: unknown; readonly run_no?: number }

/**
 * Calls a command's decision on facts, purely: `given({ run: null }).when(deleteRun(member, { run_id
 * })).refused('not_found')`. Events are compared by stream, type and data; what goes along with them is for the specs
 * of the storage.
 */
export const given = (facts: Readonly<Record<string, unknown>>, { prepared = null, run_no = 0 }: Given = {}) => ({
  when: (command: Parts) => {
    let last = run_no
    // Safe: the caller gives the facts and the prepared value that this command asks for.
    const decide = (): readonly NewEvent[] =>
      command.decide(facts as never, prepared as never, { nextRunNo: () => ++last })
    return {
      then: (...events: readonly NewEvent[]): void => expect(decide().map(plain)).toEqual(events.map(plain)),
      refused: (reason: Reason, message?: string | RegExp): void => {
        const error = thrownBy(decide)
        expect(error).toBeInstanceOf(Refused)
        expect((error as Refused).reason).toBe(reason)
        if (message !== undefined) expect((error as Refused).message).toMatch(message)
      },
      throws: (type: new (...args: never) => Error): void => expect(thrownBy(decide)).toBeInstanceOf(type),
      decides: decide,
    }
  },
})

const plain = ({ stream, type, data }: NewEvent): NewEvent => ({ stream, type, data })

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was refused')
}
