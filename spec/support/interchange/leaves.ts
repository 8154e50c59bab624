import { openDocument } from '../../../domain/run/document.ts'
import type { Loss } from '../../../interchange/document/losses.ts'

/** A scalar of a source with its path, in which indexes are `*`. */
export type Leaf = { readonly path: string; readonly value: string | number | boolean }

/** All scalars of a JSON value but null and empty text, with their paths. */
export const leavesOf = (value: unknown, path = ''): readonly Leaf[] => {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, path === '' ? '*' : `${path}.*`))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, member]) => leavesOf(member, path === '' ? key : `${path}.${key}`))
  return [{ path, value: value as Leaf['value'] }]
}

/**
 * The leaves of a source that are in none of the documents and other values, nor under a path of the losses. A text is in a document
 * if a text of it contains it, or if it is a key, as the name of a property is. A number is in it as it is, rounded, as
 * text, or as ms instead of seconds; a time as the same instant. Booleans and
 * 0 are in every document.
 */
export const missingLeaves = (
  leaves: readonly Leaf[],
  documents: readonly Uint8Array[],
  losses: readonly Loss[],
  others: readonly unknown[] = [],
): readonly Leaf[] => {
  const texts: string[] = []
  const numbers = new Set<number>()
  const keys = new Set<string>()
  for (const bytes of documents) openDocument(bytes)
  for (const kept of [
    ...documents.map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown),
    ...others,
  ]) {
    for (const { path, value } of leavesOf(kept)) {
      for (const key of path.split('.')) keys.add(key)
      if (typeof value === 'number') numbers.add(value)
      else if (typeof value === 'string') texts.push(value)
    }
  }
  const all = texts.join('\u0001')
  const exact = new Set(texts)
  const instants = new Set(texts.map((text) => Date.parse(text)).filter((ms) => !Number.isNaN(ms)))
  const isInDocument = (value: Leaf['value']): boolean => {
    if (typeof value === 'boolean' || value === 0) return true
    if (typeof value === 'string')
      return (
        exact.has(value) ||
        all.includes(value) ||
        all.includes(value.trim()) ||
        instants.has(Date.parse(value)) ||
        keys.has(value) ||
        hasJson(value, all)
      )
    // Epoch milliseconds or seconds may be a time of the run.
    if (instants.has(value) || instants.has(value * 1000)) return true
    const rounded = [value, Math.round(value), Math.round(value * 1000)]
    return rounded.some((number) => numbers.has(number)) || all.includes(String(value))
  }
  const lost = losses.map(({ path }) => path)
  const isLost = (path: string) => lost.some((prefix) => path === prefix || path.startsWith(`${prefix}.`))
  // The search of a long document is slow, and values come again and again.
  const found = new Map<Leaf['value'], boolean>()
  const isFound = (value: Leaf['value']): boolean => {
    const known = found.get(value) ?? isInDocument(value)
    found.set(value, known)
    return known
  }
  return leaves.filter(({ path, value }) => !isLost(path) && !isFound(value))
}

/** A text that is JSON in the source may be a value in the document. */
const hasJson = (text: string, all: string): boolean => {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    return leavesOf(JSON.parse(text)).every(({ value }) => all.includes(String(value)))
  } catch {
    return false
  }
}
