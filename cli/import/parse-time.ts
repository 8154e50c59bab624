import { InvalidArgumentError } from 'commander'
import { parseInstant } from '../../domain/instants.ts'
import { readTime, timeOfMs } from '../../interchange/document/time/times.ts'

/** Parses `--since` and `--until`: an RFC 3339 time, a day, or epoch ms. Returns epoch ms. */
export const parseTime = (text: string): number => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? readTime(text) : null
  const ms = parseInstant(day ?? text)
  if (ms === null || timeOfMs(ms) === null)
    throw new InvalidArgumentError('It must be a time such as 2026-11-22T05:08:43Z, or a day.')
  return ms
}
