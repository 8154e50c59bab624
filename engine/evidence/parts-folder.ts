import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { partFile } from '../../domain/evidence/run-folder.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { partsRoom, type PartsRoom } from './parts-room.ts'

/** The bytes that a run keeps apart from its document, by their SHA-256. */
export type PartsFolder = {
  readonly directory: string
  /** What its run can still have. */
  readonly room: PartsRoom
  /** Stores bytes, and returns their digest. Null, with one warning, if the folder cannot be written. */
  readonly put: (bytes: Uint8Array) => string | null
  /** The bytes of a part that was put. */
  readonly read: (sha256: string) => Uint8Array
  /** Removes the folder with what is still in it. */
  readonly remove: () => void
}

/** A folder of parts. Nothing is created before the first part. */
export const partsFolder = (directory: string, warn: (message: string) => void): PartsFolder => {
  const stored = new Set<string>()
  let isUnwritable = false
  const pathOf = (sha256: string): string => join(directory, partFile(sha256))
  return {
    directory,
    room: partsRoom(),
    put: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      if (stored.has(sha256)) return sha256
      if (isUnwritable) return null
      try {
        mkdirSync(dirname(pathOf(sha256)), { recursive: true })
        writeFileSync(pathOf(sha256), bytes)
      } catch (error) {
        isUnwritable = true
        warn(`pictures, sounds and attachments are not kept: ${messageOf(error)}`)
        return null
      }
      stored.add(sha256)
      return sha256
    },
    read: (sha256) => readFileSync(pathOf(sha256)),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
