import { posix } from 'node:path'

/** Files by their paths in the checkout, each with the files that it names: imports, and what it starts or reads by address. */
export type References = ReadonlyMap<string, readonly string[]>

const RELATIVE = /\b(?:from|import|URL)(?: |\(|\n +)'(\.{1,2}\/[^']+)'/g

/** Returns the paths that a text names relative to its own path. */
export const referencesIn = (file: string, text: string): string[] =>
  [...text.matchAll(RELATIVE)].map(([, target = '']) => posix.join(posix.dirname(file), target))

/**
 * Returns every file that a change can touch, with its distance from the change: 0 for a changed file, 1 for one that
 * names it, and so on.
 */
export const touchedBy = (changed: readonly string[], references: References): Map<string, number> => {
  const namedBy = new Map<string, string[]>()
  for (const [file, targets] of references)
    for (const target of targets) namedBy.set(target, [...(namedBy.get(target) ?? []), file])
  const distances = new Map(changed.map((file) => [file, 0]))
  for (const [file, distance] of distances)
    for (const next of namedBy.get(file) ?? []) if (!distances.has(next)) distances.set(next, distance + 1)
  return distances
}

/** Specs that run after each change: quick ones, of the rules that most of the service rests on. */
const CORE =
  /^spec\/(?:architecture\.|commands\/|domain\/(?!run\/scan|text\/|report\/)|engine\/assertions\/|queries\/(?:access|runs|sets|statistics)\/|storage\/(?:disk|documents|log|sqlite)\/).*\.spec\.ts$/

/** What a spec file costs, in seconds of one idle core. A rough figure: most files of its kind cost less. */
const secondsOf = (spec: string): number => {
  if (spec.startsWith('spec/browser/')) return 25
  return spec.endsWith('.pure.spec.ts') || spec.startsWith('spec/webapp/') ? 0.5 : 2
}

/** How many seconds the touched specs may cost together. */
const MAX_SECONDS = 20

const isSpec = (file: string): boolean => /^spec\/.*\.spec\.ts$/.test(file)

export type Selection = {
  /** Specs for SQLite and the web app. */
  readonly specs: readonly string[]
  /** Changed specs that run on PostgreSQL only. */
  readonly onPostgres: readonly string[]
  /** How many specs the change touches that are left to `npm test`. */
  readonly left: number
}

/**
 * Selects specs by the distance of a change: the changed ones, then the nearest ones as far as the time allows, and the
 * core. `specs` are all specs of the checkout.
 */
export const selectSpecs = (specs: readonly string[], distances: ReadonlyMap<string, number>): Selection => {
  const existing = new Set(specs)
  const touched = [...distances]
    .filter(([file]) => isSpec(file) && existing.has(file))
    .sort(([a, near], [b, far]) => near - far || secondsOf(a) - secondsOf(b) || (a < b ? -1 : 1))
  const selected = new Set<string>()
  const onPostgres: string[] = []
  let seconds = 0
  for (const [spec, distance] of touched) {
    const isPostgres = spec.endsWith('.postgres.spec.ts')
    if (distance > 0 && (isPostgres || seconds + secondsOf(spec) > MAX_SECONDS)) continue
    if (isPostgres) onPostgres.push(spec)
    else selected.add(spec)
    seconds += secondsOf(spec)
  }
  const left = touched.length - selected.size - onPostgres.length
  for (const spec of specs) if (CORE.test(spec) && !spec.endsWith('.postgres.spec.ts')) selected.add(spec)
  return { specs: [...selected], onPostgres, left }
}
