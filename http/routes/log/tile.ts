import { z } from 'zod'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { parseTilePath, TILE_WIDTH, type TilePath } from '../../../queries/log/tile-paths.ts'
import { notFound } from '../../errors.ts'

export const BYTES = 'application/octet-stream'

export const bytesContent = (description: string) => ({ description, content: { [BYTES]: { schema: z.unknown() } } })

export const TilePlace = z.string().meta({
  description:
    'Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width.',
})

/** The number and width in a path. Throws `BadParameter`. */
export const tileOf = (path: string): TilePath => {
  const tile = parseTilePath(path)
  if (!tile)
    throw new BadParameter(
      'the number of a tile must be in groups of three digits, x001/x234/067, with .p/1 to .p/255 for a partial tile',
    )
  return tile
}

/**
 * Refuses other spellings of an address: not_found. Paths of tiles need no escapes and no parameters, and shared caches keep
 * each spelling as an answer of its own.
 */
export const checkSpelling = ({ url }: { readonly url: string }): void => {
  if (/[%?#]/.test(url)) throw notFound('tile')
}

/** Whether a tree of a size has all nodes of a tile. */
export const isWithin = (size: number, level: number, { n, width }: TilePath): boolean =>
  (n * TILE_WIDTH + width) * TILE_WIDTH ** level <= size

/** A partial tile grows with the log. */
export const lifetimeOf = ({ width }: TilePath): 'immutable' | 'changing' =>
  width === TILE_WIDTH ? 'immutable' : 'changing'
