import { z } from 'zod'
import { ask, write, type Steps } from '../../storage/commit/steps.ts'
import { findHead } from '../../storage/log/head.ts'
import { TILE_HEIGHT, TILE_WIDTH, TREE, adoptTree, leavesBelow, nodeInTile, tileTree } from '../../storage/log/nodes.ts'
import { any, insertRows, maybeOne, perDialect, sql, statement } from '../../storage/sql.ts'
import type { Query, Statement } from '../../storage/storage.ts'
import { listHashes } from '../../queries/log/hashes.ts'
import type { ReplayPosition } from '../../projections/replay.ts'

/** A store whose nodes are filled. Other connections may commit meanwhile. */
export type TreeStore = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Runs work in one transaction. */
  readonly transact: (work: () => Steps<void>) => Promise<void>
  /** Runs work in one transaction during which no other connection commits records. */
  readonly exclusively: (work: () => Steps<void>) => Promise<void>
}

type Options = {
  /** Computes all nodes from the first leaf on, and replaces those that are stored. */
  readonly fromStart?: boolean
  /** The number of leaves of the log, if its head is not stored yet. */
  readonly size?: number
  readonly progress?: (reached: ReplayPosition) => void
  /** Stops after the batch under way; the next fill resumes. */
  readonly signal?: AbortSignal
  /** Called between reads, to let other work proceed. */
  readonly pause?: () => Promise<void>
  /** The number of leaves in one transaction, a multiple of 256; specs make it smaller. */
  readonly batch?: number
  /** Called on the open transaction of each batch, for fault injection. */
  readonly observe?: () => void
}

const LEAVES_PER_BATCH = 65_536
const TILES_PER_READ = 16
const TILE_HEX_DIGITS = TILE_WIDTH * 64

/**
 * Fills the nodes of the log's tree from its leaves, in transactions of bounded size, without the lock of the log:
 * commits go on, and write the nodes of their own records. Resumes where the last fill ended. Returns the number of
 * leaves that have their nodes: all but those of the last tile, unless it was stopped.
 */
export const fillTree = async (
  store: Pick<TreeStore, 'read' | 'transact'>,
  {
    fromStart = false,
    size: fixedSize,
    progress = () => {},
    signal,
    pause = async () => {},
    batch = LEAVES_PER_BATCH,
    observe = () => {},
  }: Options = {},
): Promise<number> => {
  await store.transact(() => write(adoptTree))
  let position = fromStart ? 0 : toTiles((await store.read(findTreePosition))?.position ?? 0)
  while (!signal?.aborted) {
    const size = fixedSize ?? (await store.read(findHead)).size
    const end = Math.min(position + batch, toTiles(size))
    if (end <= position) break
    const levels = await nodesBetween(store, position, end, pause)
    await store.transact(function* () {
      for (const { level, from, hashes } of levels) yield* writeAll(replaceNodes(level, from, hashes))
      yield* write(notePosition(end))
      observe()
    })
    position = end
    progress({ position, size })
  }
  return position
}

/**
 * Computes all nodes of the log's tree again, in place of those that are stored. Commits go on, and so do proofs.
 * Returns the number of leaves that got their nodes.
 */
export const rebuildTree = async (
  store: TreeStore,
  options: Pick<Options, 'progress' | 'batch' | 'observe'> = {},
): Promise<number> => {
  const position = await fillTree(store, { ...options, fromStart: true })
  await store.exclusively(function* () {
    const { size } = yield* ask(findHead)
    yield* writeAll(removeStrayNodes(size))
  })
  return position
}

/** Removes nodes that a log of this size does not have. */
const removeStrayNodes = (size: number): Statement[] => {
  const levels = levelsOf(size)
  return [
    statement`DELETE FROM log_nodes WHERE level < 1 OR level > ${levels} OR n < 0`,
    ...Array.from({ length: levels }, (_, at) => at + 1).map(
      (level) => statement`DELETE FROM log_nodes WHERE level = ${level} AND n >= ${nodesAt(level, size)}`,
    ),
  ]
}

function* writeAll(statements: readonly Statement[]): Steps<void> {
  for (const each of statements) yield* write(each)
}

const toTiles = (leaves: number): number => leaves - (leaves % TILE_WIDTH)
const nodesAt = (level: number, size: number): number => Math.floor(size / leavesBelow(level))

/** The highest level at which a log of this size has a node. */
const levelsOf = (size: number): number => {
  let level = 0
  while (nodesAt(level + 1, size) > 0) level++
  return level
}

type Nodes = { readonly level: number; readonly from: number; readonly hashes: readonly Buffer[] }

/** The nodes of all levels that the leaves from `from` to before `to` complete. Both are multiples of 256. */
const nodesBetween = async (
  { read }: Pick<TreeStore, 'read'>,
  from: number,
  to: number,
  pause: () => Promise<void>,
): Promise<Nodes[]> => {
  let hashes: Buffer[] = []
  for (let tile = from / TILE_WIDTH; tile < to / TILE_WIDTH; tile += TILES_PER_READ) {
    const end = Math.min(tile + TILES_PER_READ, to / TILE_WIDTH)
    const tiles = await read(listTilesOfLeaves(tile, end))
    if (tiles.length < end - tile || tiles.some((each) => each.hashes.length !== TILE_HEX_DIGITS))
      throw new Error(
        `records ${tile * TILE_WIDTH + 1} to ${end * TILE_WIDTH} of the log are not complete: run "ers verify"`,
      )
    for (const { hashes: hex } of tiles) hashes.push(rootOfTile(Buffer.from(hex, 'hex')))
    await pause()
  }
  const levels: Nodes[] = [{ level: 1, from: from / TILE_WIDTH, hashes }]
  for (let level = 2; nodesAt(level, to) > nodesAt(level, from); level++) {
    const [first, end] = [nodesAt(level, from), nodesAt(level, to)]
    // The first of these nodes may have children that an earlier batch has stored.
    const known = nodesAt(level - 1, from) - first * TILE_WIDTH
    const stored = await read(listHashes(level - 1, first * TILE_WIDTH, known))
    const children = [...stored.map(({ hash }) => hash), ...hashes]
    hashes = Array.from({ length: end - first }, (_, n) =>
      rootOfTile(Buffer.concat(children.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH))),
    )
    levels.push({ level, from: first, hashes })
  }
  return levels
}

const rootOfTile = (hashes: Buffer): Buffer => nodeInTile(tileTree(hashes), TILE_HEIGHT, 0)

/** Replaces the nodes of a level. Deletes them first, because a batch is inserted by one statement without conflicts. */
const replaceNodes = (level: number, from: number, hashes: readonly Buffer[]): Statement[] => [
  statement`DELETE FROM log_nodes WHERE level = ${level} AND n >= ${from} AND n < ${from + hashes.length}`,
  insertRows(
    'log_nodes',
    ['level', 'n', 'hash'],
    hashes.map((hash, at) => [level, from + at, hash]),
  ),
]

const Tile = z.object({ hashes: z.string() })

/** The leaf hashes of tiles, a row each, as hex digits: much faster to read than a row for each leaf. */
const listTilesOfLeaves = (from: number, to: number): Query<Array<z.infer<typeof Tile>>> => {
  const [after, last] = [from * TILE_WIDTH, to * TILE_WIDTH]
  return any(
    perDialect(
      sql.type(Tile)`
        SELECT group_concat(hex(leaf), '' ORDER BY seq) AS hashes FROM events
        WHERE seq > ${after} AND seq <= ${last} GROUP BY (seq - 1) / 256 ORDER BY (seq - 1) / 256`,
      sql.type(Tile)`
        SELECT string_agg(encode(leaf, 'hex'), '' ORDER BY seq) AS hashes FROM events
        WHERE seq > ${after} AND seq <= ${last} GROUP BY (seq - 1) / 256 ORDER BY (seq - 1) / 256`,
    ),
  )
}

const findTreePosition = maybeOne(
  sql.type(z.object({ position: z.number() }))`SELECT position FROM projections WHERE name = ${TREE.name}`,
)

/** A rebuild does not lower the position: the nodes behind it stay usable. */
const notePosition = (position: number): Statement =>
  statement`UPDATE projections SET position = ${position} WHERE name = ${TREE.name} AND position < ${position}`
