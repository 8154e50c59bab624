/**
 * The parts of a schema, each by its kind and name ("trigger events.events_dense"), with a definition that two ways of
 * writing the same thing share. Names of what belongs to a table begin with that table's.
 */
export type Parts = ReadonlyMap<string, string>

/** What is not as the migrations make it. A warning changes no answer: an index that somebody added. */
export type Difference = { readonly what: string; readonly isWarning: boolean }

/** What acts by itself comes first: it does the most harm, and a sentence names a few differences only. */
const KINDS = [
  'trigger',
  'rule',
  'policy',
  'function',
  'table',
  'child',
  'column',
  'constraint',
  'key',
  'index',
] as const
export type Kind = (typeof KINDS)[number]

export type Part = { readonly kind: Kind; readonly name: string; readonly definition: string }

/** Parts as they were read. */
export const partsOf = (rows: readonly Part[]): Parts =>
  new Map(rows.map(({ kind, name, definition }) => [`${kind} ${name}`, definition]))

const kindOf = (key: string): Kind => key.slice(0, key.indexOf(' ')) as Kind

/** What acts by itself reaches other tables than the one that it is on. */
const ACTS: readonly Kind[] = ['trigger', 'rule', 'function']

/**
 * How a schema differs from the one that was made, the most harmful first. Tables of others are no part of either. Of
 * disposable tables only what acts by itself counts.
 */
export const differencesOf = (
  made: Parts,
  found: Parts,
  isDisposable: (key: string) => boolean = () => false,
): Difference[] => {
  const all: Array<Difference & { readonly kind: Kind }> = []
  const note = (key: string, how: string): void => {
    const kind = kindOf(key)
    const isWarning = (kind === 'index' && how === 'was added') || (isDisposable(key) && !ACTS.includes(kind))
    // The arguments of a function say nothing to whoever is to mend it.
    all.push({ kind, what: `${kind === 'function' ? (key.split('(', 1)[0] ?? key) : key} ${how}`, isWarning })
  }
  for (const [key, definition] of made) {
    const there = found.get(key)
    if (there !== definition) note(key, there === undefined ? 'is missing' : 'was changed')
  }
  for (const key of found.keys()) if (!made.has(key)) note(key, 'was added')
  return all
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .map(({ what, isWarning }) => ({ what, isWarning }))
}
