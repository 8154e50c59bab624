import { TILE_WIDTH } from '../../storage/log/nodes.ts'

/** The number of hashes in a full tile. */
export { TILE_WIDTH }

/** A tile of a level: its number, and how many hashes it has, 1 to 256. */
export type TilePath = { readonly n: number; readonly width: number }

const PATH = /^((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/**
 * The path of a tile below its level (c2sp.org/tlog-tiles): its number in groups of three digits, all but the last after
 * an `x`; the width after `.p/` if the tile is partial.
 */
export const tilePath = ({ n, width }: TilePath): string => {
  const digits = String(n)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const path = groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/')
  return width === TILE_WIDTH ? path : `${path}.p/${width}`
}

/** Reads such a path; null if it is not the one path of a tile. */
export const parseTilePath = (path: string): TilePath | null => {
  const [, groups, last, width] = PATH.exec(path) ?? []
  if (last === undefined) return null
  const tile = { n: Number(`${groups?.replace(/[x/]/g, '')}${last}`), width: width === undefined ? TILE_WIDTH : Number(width) }
  // Every tile has one path. Numbers that no log reaches are not exact, so they are refused too.
  if (!Number.isSafeInteger(tile.n) || tile.width > TILE_WIDTH) return null
  return tilePath(tile) === path ? tile : null
}
