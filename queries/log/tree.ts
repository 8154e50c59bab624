import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { findHead } from '../../storage/log/head.ts'
import { consistencyParts, nodeHash, splitRange, type Range } from '../../storage/log/merkle.ts'
import {
  TILE_HEIGHT,
  TILE_TREE_BYTES,
  TILE_WIDTH,
  TREE,
  leavesBelow,
  nodeInTile,
  tileTree,
  type TileTree,
} from '../../storage/log/nodes.ts'
import { one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { joinHashes, listHashes } from './hashes.ts'

// Roots and proofs of the log's tree (RFC 6962 2.1), from its leaves and stored nodes. A proof reads a few tiles, no bodies
// and no documents. What a tree of some size contains never changes, so the reads need no common snapshot.

/** What reads the log. */
type TreeReader = Pick<Reader, 'read'>

/** A full subtree: the root of the 2^height leaves from index n * 2^height. */
type Subtree = { readonly height: number; readonly n: number }

/** The inner nodes of the tiles that a reader has used last, by their width too: they never change. */
const CACHED_BYTES = 16 * 1024 * 1024
const caches = new WeakMap<TreeReader, LRUCache<string, TileTree>>()

const tileCache = (reader: TreeReader): LRUCache<string, TileTree> => {
  const known = caches.get(reader)
  if (known) return known
  const cache = new LRUCache<string, TileTree>({ maxSize: CACHED_BYTES, sizeCalculation: () => TILE_TREE_BYTES })
  caches.set(reader, cache)
  return cache
}

/**
 * The hashes of a level from number `from` on, at most `count`; fewer at the end of the log. The level 0 holds the leaves,
 * the level L the roots of full subtrees of 256^L leaves. Throws if a hash between two others is missing.
 */
export const readHashes = async (reader: TreeReader, level: number, from: number, count: number): Promise<Buffer[]> => {
  const rows = await reader.read(listHashes(level, from, count))
  const gap = rows.findIndex(({ n }, at) => n !== from + at)
  if (gap >= 0) throw new MissingNode(level, from + gap)
  return rows.map(({ hash }) => hash)
}

/** The same hashes one after the other. */
const readJoined = async (reader: TreeReader, level: number, from: number, count: number): Promise<Buffer> => {
  const { bytes, count: found, first, last } = await reader.read(joinHashes(level, from, count))
  // Which hash is missing, only the rows say.
  if (found > 0 && (first !== from || last !== from + found - 1)) await readHashes(reader, level, from, count)
  if (bytes.length !== found * HASH_BYTES) throw new Error(`a hash of level ${level} has not ${HASH_BYTES} bytes`)
  return bytes
}

const HASH_BYTES = 32

/** The tree lacks a node that its size demands. */
class MissingNode extends Error {
  constructor(level: number, n: number) {
    super(`the tree of the log has no hash ${n} of level ${level}: run "ers verify"`)
  }
}

/**
 * The first `width` hashes of the tile n of a level (c2sp.org/tlog-tiles), 32 bytes each; null if the log has not so
 * many.
 */
export const readTile = async (reader: TreeReader, level: number, n: number, width: number): Promise<Buffer | null> => {
  const hashes = await readJoined(reader, level, n * TILE_WIDTH, width)
  return hashes.length === width * HASH_BYTES ? hashes : null
}

/** The root of the tree of the first `size` leaves: SHA-256 of nothing for the empty tree. Throws beyond the log. */
export const rootAt = async (reader: TreeReader, size: number): Promise<Buffer> => {
  if (size === 0) return createHash('sha256').digest()
  const [root] = await rootsOf(reader, [{ from: 0, to: size }], size)
  if (!root) throw new RangeError(`${size} is not the size of a tree`)
  return root
}

/**
 * The inclusion path of the leaf `index` in the tree of the first `size` leaves, from the leaf's sibling upwards: PATH(m, D[n])
 * of RFC 6962 2.1.1. Throws a `RangeError` unless 0 ≤ index < size, and throws beyond the log.
 */
export const inclusionPath = (reader: TreeReader, index: number, size: number): Promise<Buffer[]> => {
  if (!(index >= 0 && index < size)) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`)
  const siblings: Range[] = []
  let range: Range = { from: 0, to: size }
  while (range.to - range.from > 1) {
    const [left, right] = splitRange(range)
    const isLeft = index < right.from
    siblings.push(isLeft ? right : left)
    range = isLeft ? left : right
  }
  return rootsOf(reader, siblings.toReversed(), size)
}

/**
 * The consistency proof between the trees of the first `from` and the first `to` leaves: PROOF(m, D[n]) of RFC 6962 2.1.2,
 * empty for equal sizes. Throws a `RangeError` unless 1 ≤ from ≤ to, and throws beyond the log.
 */
export const consistencyPath = (reader: TreeReader, from: number, to: number): Promise<Buffer[]> => {
  if (!(from >= 1 && from <= to)) throw new RangeError(`no consistency proof leads from ${from} to ${to} leaves`)
  return rootsOf(reader, consistencyParts(from, to), to)
}

const TreeState = z.object({ position: z.number().nullable(), nodes: z.number() })

/**
 * The nodes above full tiles of leaves behind those that an upgrade has filled. Commits write these, so all are there
 * once the upgrade has reached the records that this version has written.
 */
const findTreeState: Query<z.infer<typeof TreeState>> = one(sql.type(TreeState)`
  SELECT tree.position, (SELECT count(*) FROM log_nodes WHERE level = 1 AND n >= tree.position / 256) AS nodes
  FROM (SELECT (SELECT position FROM projections WHERE name = ${TREE.name}) AS position) tree`)

const complete = new WeakSet<TreeReader>()

/**
 * Whether the tree has all nodes and they give the root of the log. It is false while an upgrade fills the nodes of a
 * store of an earlier version: there are no proofs until then. Once true it stays true, and is not read again.
 */
export const isTreeComplete = async (reader: TreeReader): Promise<boolean> => {
  if (complete.has(reader)) return true
  const { size, root } = await reader.read(findHead)
  const { position, nodes } = await reader.read(findTreeState)
  if (position === null || nodes < fullTiles(size) - fullTiles(position)) return false
  if (!(await rootAt(reader, size)).equals(root)) return false
  complete.add(reader)
  return true
}

const fullTiles = (size: number): number => Math.floor(size / TILE_WIDTH)

/** The full subtrees of a range, the largest first. */
const subtreesIn = ({ from, to }: Range): Subtree[] => {
  const subtrees: Subtree[] = []
  for (let start = from; start < to;) {
    let height = 0
    while (2 ** (height + 1) <= to - start) height++
    subtrees.push({ height, n: start / 2 ** height })
    start += 2 ** height
  }
  return subtrees
}

/** The tile that has a subtree's root among its inner nodes, and where. */
const tilePlace = ({ height, n }: Subtree) => {
  const level = Math.floor(height / TILE_HEIGHT)
  const heightInTile = height % TILE_HEIGHT
  const perTile = 2 ** (TILE_HEIGHT - heightInTile)
  return { level, tile: Math.floor(n / perTile), heightInTile, n: n % perTile }
}

/** The roots of ranges of the tree of the first `size` leaves. Reads each tile once. */
const rootsOf = async (reader: TreeReader, ranges: readonly Range[], size: number): Promise<Buffer[]> => {
  const tiles = new Map<string, TileTree>()
  const hashOf = async (subtree: Subtree): Promise<Buffer> => {
    const { level, tile, heightInTile, n } = tilePlace(subtree)
    const key = `${level}/${tile}`
    const tree = tiles.get(key) ?? (await readTileTree(reader, level, tile, size))
    tiles.set(key, tree)
    return nodeInTile(tree, heightInTile, n)
  }
  const roots: Buffer[] = []
  for (const range of ranges) {
    const hashes: Buffer[] = []
    for (const subtree of subtreesIn(range)) hashes.push(await hashOf(subtree))
    roots.push(hashes.reduceRight((right, left) => nodeHash(left, right)))
  }
  return roots
}

/** A tile with its inner nodes, as wide as the tree of the first `size` leaves has it. */
const readTileTree = async (reader: TreeReader, level: number, n: number, size: number): Promise<TileTree> => {
  const cache = tileCache(reader)
  const width = Math.min(TILE_WIDTH, Math.floor(size / leavesBelow(level)) - n * TILE_WIDTH)
  const key = `${level}/${n}/${width}`
  const cached = cache.get(key)
  if (cached) return cached
  const hashes = await readJoined(reader, level, n * TILE_WIDTH, width)
  const found = hashes.length / HASH_BYTES
  if (found < width) throw new MissingNode(level, n * TILE_WIDTH + found)
  const tree = tileTree(hashes)
  cache.set(key, tree)
  return tree
}
