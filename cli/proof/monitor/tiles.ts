import { tilePath as pathOfTile } from '../../../queries/log/tile-paths.ts'
import { consistencyParts, nodeHash, type Range } from '../../../storage/log/merkle.ts'
import { nodeInTile, TILE_HEIGHT, TILE_WIDTH, tileTree, type TileTree } from '../../../storage/log/nodes.ts'

/** The first `width` hashes of the tile n of a level, 32 bytes each. Rejects if the log does not serve them. */
export type FetchTile = (level: number, n: number, width: number) => Promise<Buffer>

/** The path of a tile below the address of a log (c2sp.org/tlog-tiles): `tile/<level>/<n>[.p/<width>]`. */
export const tilePath = (level: number, n: number, width: number): string => `tile/${level}/${pathOfTile({ n, width })}`

/**
 * Computes the consistency proof between the trees of the first `from` and the first `to` leaves (RFC 6962 2.1.2) from tiles.
 * The tiles are not trusted: if they are wrong, the proof does not verify.
 */
export const consistencyFromTiles = async (fetchTile: FetchTile, from: number, to: number): Promise<Buffer[]> => {
  const tiles = new Map<string, Promise<TileTree>>()
  const proof: Buffer[] = []
  for (const part of consistencyParts(from, to)) proof.push(await rangeRoot(part, to, fetchTile, tiles))
  return proof
}

const rangeRoot = async (
  { from, to }: Range,
  size: number,
  fetchTile: FetchTile,
  tiles: Map<string, Promise<TileTree>>,
): Promise<Buffer> => {
  const roots: Buffer[] = []
  for (let start = from; start < to;) {
    let height = 0
    while (2 ** (height + 1) <= to - start) height++
    roots.push(await subtree(height, start / 2 ** height, size, fetchTile, tiles))
    start += 2 ** height
  }
  return roots.reduceRight((right, left) => nodeHash(left, right))
}

const subtree = async (
  height: number,
  n: number,
  size: number,
  fetchTile: FetchTile,
  tiles: Map<string, Promise<TileTree>>,
): Promise<Buffer> => {
  const level = Math.floor(height / TILE_HEIGHT)
  const within = height % TILE_HEIGHT
  const perTile = 2 ** (TILE_HEIGHT - within)
  const tile = Math.floor(n / perTile)
  const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - tile * TILE_WIDTH)
  const key = `${level}/${tile}`
  const tree = tiles.get(key) ?? fetchTile(level, tile, width).then(tileTree)
  tiles.set(key, tree)
  return nodeInTile(await tree, within, n % perTile)
}
