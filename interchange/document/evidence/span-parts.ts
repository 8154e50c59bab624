import { hasZone, readTimeMs } from '../time/times.ts'
import { objectAt } from '../../read/members.ts'
import type { JsonObject } from '../../read/row.ts'
import type { TranscriptLine } from './case-evidence.ts'
import { membersOf, takeText, takeTime, type Members } from './transcript-members.ts'

/** Takes the start of a step, which is in UTC if it names no zone, and returns its duration too. The end stays: it has more digits. */
export const takeStepTimes = (
  members: Members,
  startKey: string,
  endKey: string,
): { readonly startMs: number; readonly at?: string; readonly ms?: number } => {
  const [start, end] = [members[startKey], members[endKey]]
  const text = typeof start === 'string' ? start : ''
  const startMs = readTimeMs(text)
  if (Number.isNaN(startMs)) return { startMs }
  delete members[startKey]
  const ms = typeof end === 'string' ? readTimeMs(end) - startMs : Number.NaN
  return { startMs, at: `${text.replace(' ', 'T')}${hasZone(text) ? '' : 'Z'}`, ...(ms >= 0 && { ms }) }
}

/** An event of a span in the way of OpenTelemetry: an exception with a message is an error, anything else a log entry. */
export const spanMoment = (event: JsonObject): TranscriptLine => {
  const members = membersOf(event)
  const time = takeTime(members)
  const at = time === null ? {} : { at: time }
  const { name, attributes: _, ...rest } = members
  const attributes = membersOf(objectAt(event, 'attributes') ?? {})
  const message = name === 'exception' ? takeText(attributes, 'exception.message') : undefined
  if (message !== undefined) {
    const trace = takeText(attributes, 'exception.stacktrace')
    const error = { message, ...(trace !== undefined && { trace }) }
    return { type: 'error', ...at, error, source: { ...rest, attributes: { ...attributes } } }
  }
  return { type: 'log', ...at, name: typeof name === 'string' ? name : undefined, source: { ...members } }
}
