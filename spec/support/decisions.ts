import { expect } from 'vitest'
import { Refused, type Reason } from '../../commands/refused.ts'
import type { AnyCommand, NewEvent } from '../../storage/command.ts'

type Parts = Pick<AnyCommand, 'decide'>

/** The input of a decision in addition to its facts: the prepared value of the command, and the last run number. */
type Inputs = { readonly prepared?: unknown; readonly run_no?: number }

/**
 * Calls the decision of a command on facts, without a storage: `given({ run: null }).when(deleteRun(member, { run_id
 * })).refused('not_found')`. Events are compared by stream, type and data; the specs of the storage cover the rest.
 */
export const given = (facts: Readonly<Record<string, unknown>>, { prepared = null, run_no = 0 }: Inputs = {}) => ({
  when: (command: Parts) => {
    let lastRunNo = run_no
    // Safe: the caller passes the facts and the prepared value that this command needs.
    const decide = (): readonly NewEvent[] =>
      command.decide(facts as never, prepared as never, { nextRunNo: () => ++lastRunNo })
    return {
      then: (...events: readonly NewEvent[]): void => expect(decide().map(plain)).toEqual(events.map(plain)),
      refused: (reason: Reason, message?: string | RegExp): void => {
        const error = errorOf(decide)
        expect(error).toBeInstanceOf(Refused)
        expect((error as Refused).reason).toBe(reason)
        if (message !== undefined) expect((error as Refused).message).toMatch(message)
      },
      throws: (type: new (...args: never) => Error): void => expect(errorOf(decide)).toBeInstanceOf(type),
      decides: decide,
    }
  },
})

const plain = ({ stream, type, data }: NewEvent): NewEvent => ({ stream, type, data })

const errorOf = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was refused')
}
