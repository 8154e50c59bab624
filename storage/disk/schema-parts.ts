/**
 * The parts of a schema by kind and name ("trigger events.events_dense"). A definition is normalised: two ways of
 * writing the same thing give the same text. The name of a part of a table starts with the table's name.
 */
export type Parts = ReadonlyMap<string, string>

/** A difference from what the migrations create. A warning affects no result, for example an additional index. */
export type Difference = { readonly what: string; readonly isWarning: boolean }

/**
 * The kinds of parts, the most harmful first, because an error message names only a few differences. Parts that run by
 * themselves do the most harm.
 */
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

/** Collects rows into parts. */
export const schemaParts = (rows: readonly Part[]): Parts =>
  new Map(rows.map(({ kind, name, definition }) => [`${kind} ${name}`, definition]))

const partKind = (key: string): Kind => key.slice(0, key.indexOf(' ')) as Kind

/** Kinds that run by themselves and can also change other tables. */
const ACTIVE_KINDS: readonly Kind[] = ['trigger', 'rule', 'function']

/**
 * The differences between the expected and the actual schema, the most harmful first. Both cover only the tables that
 * the migrations create. In disposable tables, every difference is only a warning, except in parts that run by
 * themselves.
 */
export const differencesOf = (
  expected: Parts,
  actualParts: Parts,
  isDisposable: (key: string) => boolean = () => false,
): Difference[] => {
  const all: Array<Difference & { readonly kind: Kind }> = []
  const note = (key: string, change: string): void => {
    const kind = partKind(key)
    const isWarning =
      (kind === 'index' && change === 'was added') || (isDisposable(key) && !ACTIVE_KINDS.includes(kind))
    // The arguments of a function are left out, because they do not help to repair it.
    all.push({ kind, what: `${kind === 'function' ? (key.split('(', 1)[0] ?? key) : key} ${change}`, isWarning })
  }
  for (const [key, definition] of expected) {
    const actual = actualParts.get(key)
    if (actual !== definition) note(key, actual === undefined ? 'is missing' : 'was changed')
  }
  for (const key of actualParts.keys()) if (!expected.has(key)) note(key, 'was added')
  return all
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .map(({ what, isWarning }) => ({ what, isWarning }))
}
