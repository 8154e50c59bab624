import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'

/** Long texts of a sample, by the key after `attachment://`, or after `tc://` in older logs. */
export type Attachments = ReadonlyMap<string, string>

/** Why something is lost that only events have. */
export const IN_EVENTS_ALONE = 'in events alone'

/** The largest text that is put in the place of its reference. */
const MAX_RESOLVED_BYTES = 1024 * 1024

/** All texts that are put into one sample: each of them may be referenced many times. */
const MAX_RESOLVED_SAMPLE_BYTES = 16 * 1024 * 1024

const REFERENCE = /^(?:attachment|tc):\/\/([\w-]+)$/

/** The keys of all references in a value. */
export const referencesIn = (value: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (typeof value === 'string') {
    const key = REFERENCE.exec(value)?.[1]
    if (key !== undefined) found.add(key)
  } else if (Array.isArray(value)) for (const item of value) referencesIn(item, found)
  else if (isObject(value)) for (const member of Object.values(value)) referencesIn(member, found)
  return found
}

/** Returns the text that a reference names; undefined for any other text. */
export const resolverOf =
  (attachments: Attachments) =>
  (text: string): string | undefined => {
    const key = text.length < MAX_REFERENCE ? REFERENCE.exec(text)?.[1] : undefined
    return key === undefined ? undefined : attachments.get(key)
  }

const MAX_REFERENCE = 200

/**
 * Puts texts in the place of their references. Those that are too large, or neither used nor in events that are kept, are
 * recorded as lost.
 */
export const resolveAttachments = (
  value: Json,
  attachments: Attachments,
  losses: Losses,
  path: string,
  usedInEvents: ReadonlySet<string> | null,
): Json => {
  if (attachments.size === 0) return value
  const used = new Set<string>()
  let resolvedBytes = 0
  const resolve = (item: Json): Json => {
    if (typeof item === 'string') {
      const key = REFERENCE.exec(item)?.[1]
      const text = key === undefined ? undefined : attachments.get(key)
      if (key === undefined || text === undefined) return item
      const bytes = Buffer.byteLength(text)
      const isTooLarge = bytes > MAX_RESOLVED_BYTES || resolvedBytes + bytes > MAX_RESOLVED_SAMPLE_BYTES
      used.add(key)
      if (isTooLarge) {
        losses.add('left_out', path, text, 'too large for its place, where its reference is')
        return item
      }
      resolvedBytes += bytes
      return text
    }
    if (Array.isArray(item)) return item.map(resolve)
    if (isObject(item)) return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, resolve(member)]))
    return item
  }
  const resolved = resolve(value)
  for (const [key, text] of attachments)
    if (!used.has(key) && usedInEvents?.has(key) !== true) losses.add('left_out', path, text, IN_EVENTS_ALONE)
  return resolved
}

/** The attachments of a sample, from a map of texts. */
export const attachmentsOf = (value: unknown): Attachments =>
  new Map(isObject(value) ? Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1])) : [])

const isText = (value: unknown): value is string => typeof value === 'string'
