import { hash } from 'node:crypto'
import { statement, sql } from '../sql.ts'
import type { Statement } from '../storage.ts'

// The tree of the log above its leaves is stored in tiles of height 8 (c2sp.org/tlog-tiles): a node of level L is the
// root of a full subtree of 256^L leaves. The levels between two stored ones are computed again from the stored one below.

/** The height of a tile, and the number of hashes of a full one. */
export const TILE_HEIGHT = 8
export const TILE_WIDTH = 256

/** A stored node: the root of the full subtree of the 256^level leaves from index n * 256^level. Its level is at least 1. */
export type TreeNode = { readonly level: number; readonly n: number; readonly hash: Buffer }

/**
 * The row of the tree among those of the read models. Its version is that of the nodes, its position is the number of
 * leaves whose nodes an upgrade or a rebuild has filled. A build that does not know the row must not commit, because its
 * commits would leave nodes out.
 */
export const TREE = { name: 'tree', version: 1 } as const

/** Adds the row of the tree to a store in which no build has written nodes yet. */
export const adoptTree: Statement = statement`
  INSERT INTO projections (name, version, position) VALUES (${TREE.name}, ${TREE.version}, 0) ON CONFLICT (name) DO NOTHING`

/** The number of leaves below a node of this level. */
export const leavesBelow = (level: number): number => TILE_WIDTH ** level

/**
 * Stores a node that a commit has completed. What the frontier gives replaces any other row: a node that should not be
 * there must not stop the log.
 */
export const storeNode = ({ level, n, hash: bytes }: TreeNode): Statement => statement`
  INSERT INTO log_nodes (level, n, hash) VALUES (${level}, ${n}, ${sql.binary(bytes)})
  ON CONFLICT (level, n) DO UPDATE SET hash = excluded.hash`

const HASH_BYTES = 32

/** SHA-256 reads its input before it returns, so one buffer serves all nodes. The first byte says that this is a node. */
const nodeInput = Buffer.alloc(1 + 2 * HASH_BYTES)
nodeInput[0] = 1

/** A tile with its inner nodes: the hashes of the tile, then the nodes above them, height by height. */
export type TileTree = { readonly width: number; readonly bytes: Buffer }

/** The size of the inner nodes of a full tile, the tile included, in bytes. */
export const TILE_TREE_BYTES = (2 * TILE_WIDTH - 1) * HASH_BYTES

/** The place of the first node of a height, in hashes: 256 of height 0, 128 of height 1, … */
const levelStart = (height: number): number => 2 * TILE_WIDTH - 2 ** (TILE_HEIGHT + 1 - height)

/**
 * Computes the nodes above the hashes of one tile, full or partial: each node of two children of equal size, as
 * SHA-256(0x01 ‖ left ‖ right) of RFC 6962. `hashes` is a multiple of 32 bytes and at most 256 hashes.
 */
export const tileTree = (hashes: Buffer): TileTree => {
  const width = hashes.length / HASH_BYTES
  if (!Number.isInteger(width) || width > TILE_WIDTH) throw new Error(`${hashes.length} bytes are not a tile`)
  const bytes = Buffer.alloc(TILE_TREE_BYTES)
  hashes.copy(bytes)
  for (let height = 1; height <= TILE_HEIGHT; height++) {
    const [from, to] = [levelStart(height - 1), levelStart(height)]
    for (let n = 0; n < Math.floor(width / 2 ** height); n++) {
      const left = (from + 2 * n) * HASH_BYTES
      bytes.copy(nodeInput, 1, left, left + 2 * HASH_BYTES)
      // Six times as fast as a hash that returns a buffer.
      bytes.write(hash('sha256', nodeInput, 'hex'), (to + n) * HASH_BYTES, 'hex')
    }
  }
  return { width, bytes }
}

/** The node n of a height, 0 to 8, in a tile. Throws if the tile is too narrow for it. */
export const nodeInTile = ({ width, bytes }: TileTree, height: number, n: number): Buffer => {
  if ((n + 1) * 2 ** height > width) throw new Error(`a tile of ${width} hashes has no node ${n} of height ${height}`)
  const at = (levelStart(height) + n) * HASH_BYTES
  return bytes.subarray(at, at + HASH_BYTES)
}
