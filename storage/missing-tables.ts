import { BeingBuilt } from './errors.ts'
import type { Query, Reader, Token } from './storage.ts'

/** A read model of this build. At most 31 of them fit into the shared number. */
export type Model = {
  readonly name: string
  readonly version: number
  /** The earliest version whose rows this build can read; 0 by default. */
  readonly readableFrom?: number
  readonly tables: readonly string[]
  readonly views?: readonly string[]
}

/**
 * `current`: the tables are those of this build. `building`: an earlier version wrote them; they are read and written
 * until tables of this version replace them. `missing`: there are none that this build can read.
 */
export type ModelState = 'current' | 'building' | 'missing'

/** The state of a read model whose tables were written in a version; null if they were never written. */
export const modelState = (
  { version, readableFrom = 0 }: Pick<Model, 'version' | 'readableFrom'>,
  stored: number | null,
): ModelState => {
  if (stored === version) return 'current'
  return stored !== null && stored < version && stored >= readableFrom ? 'building' : 'missing'
}

/** The read models of a process whose tables cannot be read yet. Its threads share the buffer. */
export type MissingTables = {
  readonly buffer: SharedArrayBuffer
  readonly set: (missing: readonly Model[]) => void
  /** Throws `BeingBuilt` if a query reads a table of a missing read model. */
  readonly check: (query: Pick<Query<unknown>, 'token'>) => void
}

/** Shares the given buffer with the thread that created it. */
export const missingTables = (
  models: readonly Model[],
  buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
): MissingTables => {
  const shared = new Int32Array(buffer)
  const bits = new Map(
    models.flatMap(({ tables, views = [] }, at) => [...tables, ...views].map((name) => [name, 1 << at] as const)),
  )
  /** Per text, because the texts come from a fixed set; the values of a query are not in its text. */
  const bitsByText = new Map<string, number>()
  const bitsOf = ({ sql, postgres }: Token): number => {
    const text = postgres ? `${sql}\n${postgres.sql}` : sql
    const known = bitsByText.get(text)
    if (known !== undefined) return known
    let named = 0
    for (const [, name = ''] of text.matchAll(/\b(?:FROM|JOIN)\s+"?(\w+)/gi)) named |= bits.get(name.toLowerCase()) ?? 0
    bitsByText.set(text, named)
    return named
  }
  return {
    buffer,
    set: (missing) => {
      const names = new Set(missing.map(({ name }) => name))
      Atomics.store(
        shared,
        0,
        models.reduce((sum, { name }, at) => (names.has(name) ? sum | (1 << at) : sum), 0),
      )
    },
    check: ({ token }) => {
      const missing = Atomics.load(shared, 0)
      if (missing === 0 || token === null) return
      const read = bitsOf(token) & missing
      const model = models.find((_, at) => (read & (1 << at)) !== 0)
      if (model) throw new BeingBuilt(`the read model ${model.name} is being built; try again later`)
    },
  }
}

/** A reader whose reads fail with `BeingBuilt` if they need what is missing. */
export const withoutMissing = <R extends Reader>(reader: R, { check }: MissingTables): R => ({
  ...reader,
  read: async (query) => {
    check(query)
    return reader.read(query)
  },
  readAll: async (queries) => {
    for (const query of Object.values(queries)) check(query)
    return reader.readAll(queries)
  },
})
