import { createHash } from 'node:crypto'
import { treeInDatabase } from '../../../maintenance/rebuild/tree-postgres.ts'
import { treeInFile } from '../../../maintenance/rebuild/tree-sqlite.ts'
import type { TreeStore } from '../../../maintenance/rebuild/tree.ts'
import { appendLeaf, emptyFrontier, encodeFrontier } from '../../../storage/log/merkle.ts'
import type { TreeNode } from '../../../storage/log/nodes.ts'
import { insertRows, sql, statement } from '../../../storage/sql.ts'
import type { Statement } from '../../../storage/storage.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import type { SpecStorage } from '../stores/open-storage.ts'

/** A leaf hash that depends on its index alone. */
export const leafAt = (index: number): Buffer => createHash('sha256').update(`leaf ${index}`).digest()

export const leavesTo = (size: number): Buffer[] => Array.from({ length: size }, (_, index) => leafAt(index))

const RECORDS_PER_STATEMENT = 5000

/** Writes leaves into an empty log as a version without nodes did: events without bodies, and the head of the log. */
export const leafStatements = (leaves: readonly Buffer[]): Statement[] => {
  const commitment = Buffer.alloc(32)
  const statements: Statement[] = []
  for (let from = 0; from < leaves.length; from += RECORDS_PER_STATEMENT)
    statements.push(
      insertRows(
        'events',
        ['seq', 'recorded_at', 'type', 'commitment', 'leaf'],
        leaves
          .slice(from, from + RECORDS_PER_STATEMENT)
          .map((leaf, at) => [from + at + 1, 1, 'Started', commitment, leaf]),
      ),
    )
  let frontier = emptyFrontier()
  for (const leaf of leaves) frontier = appendLeaf(frontier, leaf)
  return [
    ...statements,
    statement`INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, ${frontier.size}, ${sql.binary(encodeFrontier(frontier))}, 1)`,
  ]
}

/** Works on the nodes of a storage, as a start or a rebuild does. */
export const onTree = <T>(
  { writer, databaseUrl }: Pick<SpecStorage, 'writer' | 'databaseUrl'>,
  work: (store: TreeStore) => Promise<T>,
): Promise<T> => {
  if (writer) return work(treeInFile(writer))
  if (databaseUrl === null) throw new Error('a storage is a file or a database')
  return withSession(databaseUrl, (session) => work(treeInDatabase(session)))
}

/** Compares the nodes of a storage with those that its leaves give, as texts. Reads only the leaves that are new. */
export const nodeComparison = ({ sql: { rows, column } }: Pick<SpecStorage, 'sql'>) => {
  const expected: TreeNode[] = []
  let frontier = emptyFrontier()
  return async (): Promise<{ readonly expected: string[]; readonly stored: string[] }> => {
    for (const leaf of await column(`SELECT leaf FROM events WHERE seq > ${frontier.size} ORDER BY seq`))
      frontier = appendLeaf(frontier, leaf as Buffer, (node) => expected.push(node))
    const stored = await rows('SELECT level, n, hash FROM log_nodes ORDER BY level, n')
    return {
      expected: expected.toSorted((a, b) => a.level - b.level || a.n - b.n).map(textOf),
      stored: stored.map((node) => textOf(node as TreeNode)),
    }
  }
}

const textOf = ({ level, n, hash }: TreeNode): string => `${level}/${n} ${hash.toString('hex')}`

/** The tree of RFC 6962 2.1 by its definition, over leaf hashes. Remembers the roots of ranges. */
export const naiveTree = (leaves: readonly Buffer[]) => {
  const node = (left: Buffer, right: Buffer) =>
    createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
  const known = new Map<string, Buffer>()
  const splitAt = (from: number, to: number): number => {
    let k = 1
    while (k * 2 < to - from) k *= 2
    return from + k
  }
  /** MTH(D[from:to]). */
  const root = (from: number, to: number): Buffer => {
    const leaf = leaves[from]
    if (from === to || !leaf) return createHash('sha256').digest()
    if (to - from === 1) return leaf
    const key = `${from}-${to}`
    const found = known.get(key)
    if (found) return found
    const middle = splitAt(from, to)
    const hash = node(root(from, middle), root(middle, to))
    known.set(key, hash)
    return hash
  }
  /** PATH(index, D[from:to]). */
  const path = (index: number, from: number, to: number): Buffer[] => {
    if (to - from === 1) return []
    const middle = splitAt(from, to)
    return index < middle
      ? [...path(index, from, middle), root(middle, to)]
      : [...path(index, middle, to), root(from, middle)]
  }
  /** SUBPROOF(size, D[from:to], known). */
  const subproof = (size: number, from: number, to: number, isKnown: boolean): Buffer[] => {
    if (size === to) return isKnown ? [] : [root(from, to)]
    const middle = splitAt(from, to)
    return size <= middle
      ? [...subproof(size, from, middle, isKnown), root(middle, to)]
      : [...subproof(size, middle, to, false), root(from, middle)]
  }
  return {
    rootAt: (size: number) => root(0, size),
    /** The root of the leaves from index `from` to before `to`. */
    inner: (from: number, to: number) => root(from, to),
    inclusion: (index: number, size: number) => path(index, 0, size),
    consistency: (from: number, to: number) => subproof(from, 0, to, true),
  }
}
