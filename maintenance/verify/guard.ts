import { parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { readSigningGuard, signingGuardOf } from '../../storage/sqlite/signing-guard.ts'
import { anchorOf } from './anchors.ts'
import type { Anchor } from './anchors.ts'

/** The signing guard cannot be read, or has no checkpoint. */
export class GuardUnreadable extends Error {
  override readonly name = 'GuardUnreadable'
}

/**
 * The last checkpoint that was signed, from the signing guard of a store, with its note. Null if there is none. Throws
 * `GuardUnreadable`.
 */
export const readGuard = (serviceFile: string): Anchor | null => {
  const file = signingGuardOf(serviceFile)
  try {
    const note = readSigningGuard(file)
    return note === null ? null : { ...anchorOf(parseCheckpoint(parseNote(note).text), file), note }
  } catch (error) {
    if (error instanceof ProofFailed || (error instanceof Error && 'code' in error))
      throw new GuardUnreadable(
        `${file} cannot be read: ${error.message}. It prevents the service from signing two histories: restore it with the store`,
        { cause: error },
      )
    throw error
  }
}
