import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { anchorOf } from './anchors.ts'
import type { Anchor } from './anchors.ts'

/** The signing guard exists, but has no checkpoint. */
export class GuardUnreadable extends Error {
  override readonly name = 'GuardUnreadable'
}

/**
 * The signing guard of a state directory: the last checkpoint that was signed, written before its signature left the
 * process. Null if there is none. Throws `GuardUnreadable`.
 */
export const readGuard = (dataDir: string): Anchor | null => {
  const file = join(dataDir, 'checkpoint')
  try {
    return anchorOf(parseCheckpoint(parseNote(readFileSync(file, 'utf8')).text), file)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (error instanceof ProofFailed || typeof code === 'string')
      throw new GuardUnreadable(
        `${file} cannot be read: ${(error as Error).message}. It guards against signing two histories: restore it with the store`,
        { cause: error },
      )
    throw error
  }
}
