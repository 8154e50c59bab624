import type { Viewer } from '../../queries/access/viewer.ts'
import type { LongReadAnswer, LongReadName, LongReads, LongReadStep } from '../../queries/long-reads.ts'
import type { AnswerPosition } from '../../queries/parts.ts'
import { callsByName } from '../calls-by-name.ts'

/** Runs one step of a long read. `resumed` is where it goes on, or null at its beginning. */
export type RunStep = (
  name: LongReadName,
  viewer: Viewer,
  args: never,
  signal: AbortSignal | undefined,
  resumed: AnswerPosition | null,
) => Promise<LongReadStep | null>

/** Runs reads in steps. Each step may run on another thread. */
export const runInSteps = (step: RunStep): LongReads => {
  const run = async (
    name: LongReadName,
    viewer: Viewer,
    args: never,
    signal: AbortSignal | undefined,
    from: AnswerPosition | null,
  ): Promise<LongReadAnswer | null> => {
    const result = await step(name, viewer, args, signal, from)
    if (!result) return null
    const { body, etag, resumed } = result
    return resumed
      ? { body, etag, rest: { memoryBytes: resumed.memoryBytes, next: () => run(name, viewer, args, signal, resumed) } }
      : { body, etag }
  }
  return callsByName<LongReads>((name, [viewer, args, signal]: readonly [Viewer, never, AbortSignal?]) =>
    run(name, viewer, args, signal, null),
  )
}
