import { createHash } from 'node:crypto'
import type { PartsFolder } from '../../../engine/evidence/parts-folder.ts'
import { partsRoom } from '../../../engine/evidence/parts-room.ts'

/** A folder of parts in memory. */
export const memoryParts = (): PartsFolder & { readonly parts: ReadonlyMap<string, Uint8Array> } => {
  const parts = new Map<string, Uint8Array>()
  return {
    parts,
    directory: '/no-folder',
    room: partsRoom(),
    put: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      parts.set(sha256, bytes)
      return sha256
    },
    read: (sha256) => {
      const bytes = parts.get(sha256)
      if (bytes === undefined) throw new Error(`there is no part ${sha256}`)
      return bytes
    },
    remove: () => parts.clear(),
  }
}
