import { readTime } from '../time/times.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

// Reading the members of an event. What is taken is removed, so that what remains has no place in a transcript.

export type Members = Record<string, Json | undefined>

/** The members of an object, to be taken. Its prototype is none, so that no name is found that is not there. */
export const membersOf = (value: JsonObject): Members =>
  Object.assign(Object.create(null) as Members, Object.fromEntries(Object.entries(value)))

/** Gives the lines of a transcript their ids: the wanted one, or it with the next number if a line has it. */
export const lineIds = (): ((wanted: string) => string) => {
  const isUsed = new Set<string>()
  const numbers = new Map<string, number>()
  return (wanted) => {
    let id = wanted
    let number = numbers.get(wanted) ?? 1
    while (isUsed.has(id)) id = `${wanted}~${++number}`
    numbers.set(wanted, number)
    isUsed.add(id)
    return id
  }
}

export const take = (members: Members, key: string): Json | undefined => {
  const value = members[key]
  delete members[key]
  return value
}

/** Takes a text; undefined if the member is none, which then stays. */
export const takeText = (members: Members, key: string): string | undefined => {
  const value = members[key]
  if (typeof value !== 'string') return undefined
  delete members[key]
  return value
}

/** Takes a list; undefined if the member is none, which then stays. */
export const takeList = (members: Members, key: string): readonly Json[] | undefined => {
  const value = members[key]
  if (!Array.isArray(value)) return undefined
  delete members[key]
  return value as Json[]
}

export const takeAll = (members: Members, keys: readonly string[]): Json | undefined => {
  const taken = withoutNulls(Object.fromEntries(keys.map((key) => [key, members[key]])))
  for (const key of keys) delete members[key]
  return taken ?? undefined
}

/** Takes the time of an event as RFC 3339 with the digits of the source; null, and left where it is, if it is none. */
export const takeTime = (members: Members): string | null => {
  const text = members['timestamp']
  if (typeof text !== 'string' || readTime(text) === null || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text)) return null
  delete members['timestamp']
  return text
}

/** The milliseconds from the start of an event to its end, if both are known. */
export const durationOf = (at: string | null, completed: Json | undefined): { readonly ms?: number } => {
  if (at === null || typeof completed !== 'string') return {}
  const ms = Date.parse(completed) - Date.parse(at)
  return ms >= 0 ? { ms } : {}
}

/** Takes an error, which is a text next to its trace, or an object. */
export const takeError = (rest: Members, line: Members): void => {
  const { error } = rest
  if (typeof error === 'string') {
    line['error'] = defined({ message: error, trace: takeText(rest, 'traceback') })
    delete rest['error']
  } else if (isObject(error) && typeof error['message'] === 'string') {
    const { message, traceback, ...more } = error as JsonObject
    line['error'] = defined({ message, trace: traceback ?? undefined })
    delete rest['error']
    const left = withoutNulls(more)
    if (left !== null) rest['error'] = left
  }
}

export const defined = (members: Members): Json =>
  Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null),
  )

/** What is left of some members, without those that are null; null if nothing is. */
export const withoutNulls = (members: Members): Json | null => {
  const left = defined(members)
  return Object.keys(left as JsonObject).length === 0 ? null : left
}
