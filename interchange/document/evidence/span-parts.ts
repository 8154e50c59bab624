import { hasZone, readTimeMs } from '../time/times.ts'
import { objectAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { TranscriptLine } from './case-evidence.ts'
import { membersOf, takeTime, type Members } from './transcript-members.ts'

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
  const { name, attributes, ...rest } = members
  const { 'exception.message': message, 'exception.stacktrace': trace, ...others } = objectAt(event, 'attributes') ?? {}
  const left = isObject(attributes) ? others : { attributes }
  if (name === 'exception' && typeof message === 'string')
    return {
      type: 'error',
      ...at,
      error: { message, ...(typeof trace === 'string' && { trace }) },
      source: { ...rest, ...(isObject(attributes) ? { attributes: left } : left) },
    }
  return { type: 'log', ...at, name: typeof name === 'string' ? name : undefined, source: { ...members } }
}
