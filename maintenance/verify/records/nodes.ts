import { z } from 'zod'
import { any, maybeOne, sql } from '../../../storage/sql.ts'
import type { Query } from '../../../storage/storage.ts'
import { hasTable } from '../stored-tables.ts'

type Read = <T>(query: Query<T>) => Promise<T>

/** Whether a store has nodes of the tree: null if no version that stores them has opened it. */
export type NodesState = 'stored' | null

const Row = z.object({ n: z.number(), hash: z.instanceof(Buffer) })

/** Hashes per read. */
const NODES_PER_READ = 256

const listNodes = (level: number, from: number, to: number): Query<Array<z.infer<typeof Row>>> =>
  any(sql.type(Row)`SELECT n, hash FROM log_nodes WHERE level = ${level} AND n >= ${from} AND n < ${to} ORDER BY n`)

const Stray = z.object({ level: z.number(), n: z.number() })

/** Reads the state of the nodes. */
export const readNodesState = async (read: Read): Promise<NodesState> => {
  if (!(await read(hasTable('log_nodes')))) return null
  const tree = await read(
    maybeOne(sql.type(z.object({ position: z.number() }))`SELECT position FROM projections WHERE name = 'tree'`),
  )
  return tree ? 'stored' : null
}

const REPAIR = '"ers rebuild" computes the nodes again, and the next start adds those that an upgrade has not reached'

/** Compares stored nodes of a level, from number `from` on, with those that the leaves give. Returns the first difference. */
export const compareNodes = async (
  read: Read,
  state: NodesState,
  level: number,
  from: number,
  hashes: readonly string[],
): Promise<string | null> => {
  if (state === null) return null
  for (let start = 0; start < hashes.length; start += NODES_PER_READ) {
    const part = hashes.slice(start, start + NODES_PER_READ)
    const first = from + start
    const rows = await read(listNodes(level, first, first + part.length))
    // SQLite stores any type in a column.
    const stored = new Map(rows.map(({ n, hash }) => [n, Buffer.isBuffer(hash) ? hash.toString('hex') : '']))
    for (const [at, hash] of part.entries()) {
      const found = stored.get(first + at)
      if (found === undefined) return `node ${first + at} of level ${level} of the tree is missing. ${REPAIR}`
      if (found !== hash)
        return `node ${first + at} of level ${level} of the tree is not what the leaves give. ${REPAIR}`
    }
  }
  return null
}

/** Describes a node that a log of this size does not have; null if there is none. */
export const checkStrayNodes = async (read: Read, state: NodesState, size: number): Promise<string | null> => {
  if (state === null) return null
  for (let level = 1; ; level++) {
    const count = Math.floor(size / 256 ** level)
    const stray = await read(
      maybeOne(
        count === 0
          ? sql.type(
              Stray,
            )`SELECT level, n FROM log_nodes WHERE level >= ${level} OR level < 1 OR n < 0 ORDER BY level, n LIMIT 1`
          : sql.type(Stray)`SELECT level, n FROM log_nodes WHERE level = ${level} AND n >= ${count} ORDER BY n LIMIT 1`,
      ),
    )
    if (stray) return `node ${stray.n} of level ${stray.level} of the tree belongs to no records. ${REPAIR}`
    if (count === 0) return null
  }
}
