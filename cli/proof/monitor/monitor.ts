import { printable } from '../../../domain/text/printable.ts'
import { poll, type MonitorParts, type PollResult } from './poll.ts'
import { LogUnavailable, WrongTarget } from './log-client.ts'

/** How a monitor runs. `publish` sends the accepted notes elsewhere; it reports its own failures. */
export type MonitorOptions = MonitorParts & {
  readonly intervalMs: number
  readonly once: boolean
  readonly publish: (size: number) => Promise<void>
  readonly print: (line: string) => Promise<void> | void
  readonly warn: (line: string) => void
  readonly isStopped: () => boolean
}

/** Nothing could be done: the log did not answer. */
const UNAVAILABLE = 2
const POLICY = 15

/**
 * Polls a log until an alarm or a stop, or once. Returns the exit code: 0; 2 if the log did not answer the only poll, or the
 * first one shows that address or token are wrong; the code of the alarm. A log that answers nothing for `maxAgeMs` is an
 * alarm, too: it may hide what it has.
 */
export const runMonitor = async (options: MonitorOptions): Promise<number> => {
  const { intervalMs, once, publish, print, warn, isStopped, wait, now, maxAgeMs, notes } = options
  let lastAnswer = now()
  while (!isStopped()) {
    let polled: PollResult | null = null
    try {
      polled = await poll(options)
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      warn(error.message)
      if (once || (error instanceof WrongTarget && notes.last() === null)) return UNAVAILABLE
      if (now() - lastAnswer > maxAgeMs) {
        await print(asLine({ alarm: 'unavailable', code: POLICY, message: error.message }))
        return POLICY
      }
    }
    if (polled && 'alarm' in polled) {
      const { alarm, accepted, seen } = polled
      await print(asLine({ alarm: KINDS[alarm.code], ...alarm, accepted, seen }))
      return alarm.code
    }
    if (polled) {
      lastAnswer = now()
      const { size, root } = polled.accepted
      if (polled.isNew) {
        await print(asLine({ accepted: { size, root } }))
        await publish(size)
      } else if (once) warn(`size ${size}, unchanged`)
      if (once) return 0
    }
    await wait(intervalMs)
  }
  return 0
}

/** Messages quote what the log sent, and terminals obey control characters. */
const asLine = (value: object): string => printable(JSON.stringify(value))

const KINDS = { 11: 'another history', 14: 'signature', 15: 'policy', 20: 'unreadable' } as const
