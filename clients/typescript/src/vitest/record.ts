import type { TestContext } from 'vitest'

export type Turn = { readonly role: 'system' | 'user' | 'assistant' | 'tool'; readonly content: string }

/** What a test records about its case. Everything is optional, and what is recorded last counts. */
export type Recorded = {
  /** The system under test. */
  readonly provider?: string
  /** The name of the test in the history of its suite, if the title of the test is not the same for all providers. */
  readonly test?: string
  readonly prompt?: string | readonly Turn[]
  /** A text, or a value that JSON can say. */
  readonly output?: unknown
  /** The score of the case, from 0 to 1. */
  readonly score?: number
  /** Scores of measures by name, from 0 to 1. They do not fail the test. */
  readonly scores?: Readonly<Record<string, number>>
  /** `input` is without the tokens that were read from or written to the provider's cache. */
  readonly tokens?: {
    readonly input?: number
    readonly output?: number
    readonly cache_read?: number
    readonly cache_write?: number
  }
  /** In US dollars, without grading. */
  readonly cost_usd?: number
  /** The time of the system under test; without it, the time of the test counts. */
  readonly latency_ms?: number
  readonly vars?: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
}

declare module 'vitest' {
  interface TaskMeta {
    ers?: Recorded
  }
}

const isFrom0 = (value: unknown, most = Infinity): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= most

const check = (holds: boolean, message: string): void => {
  if (!holds) throw new RangeError(message)
}

/**
 * Records something about the case of a test: `record(context, { output })`. Throws RangeError for a number out of range,
 * whose message names the field.
 */
export const record = ({ task }: Pick<TestContext, 'task'>, recorded: Recorded): void => {
  const { score, scores = {}, tokens = {}, cost_usd = 0, latency_ms = 0 } = recorded
  check(score === undefined || isFrom0(score, 1), 'score must be a number from 0 to 1')
  for (const [name, value] of Object.entries(scores))
    check(isFrom0(value, 1), `scores.${name} must be a number from 0 to 1`)
  for (const [name, value] of Object.entries(tokens))
    check(Number.isSafeInteger(value) && value >= 0, `tokens.${name} must be a whole number from 0`)
  check(isFrom0(cost_usd), 'cost_usd must be a number from 0')
  check(isFrom0(latency_ms), 'latency_ms must be a number from 0')
  // The reporter runs in another process, so this is JSON from here on.
  const plain = JSON.parse(JSON.stringify(recorded)) as Recorded
  task.meta.ers = { ...task.meta.ers, ...plain, scores: { ...task.meta.ers?.scores, ...plain.scores } }
}
