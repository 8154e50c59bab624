import { setTimeout as wait } from 'node:timers/promises'
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { findCheckpoint, findNewestCheckpoint } from '../../queries/log/checkpoints.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import { readSigningGuard, signingGuardOf } from '../../storage/sqlite/signing-guard.ts'
import { checkpointAnchor, type Anchor } from './anchors.ts'
import type { Finding } from './finding.ts'
import { hasTable } from './stored-tables.ts'

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
    return note === null ? null : { ...checkpointAnchor(parseCheckpoint(parseNote(note).text), file), note }
  } catch (error) {
    if (error instanceof ProofFailed || (error instanceof Error && 'code' in error))
      throw new GuardUnreadable(
        `${file} cannot be read: ${error.message}. It prevents the service from signing two histories: restore it with the store`,
        { cause: error },
      )
    throw error
  }
}

/** A running service may just be storing a checkpoint, so it is searched this often, with this time between. */
const TRIES = 5
const BETWEEN_TRIES_MS = 200

/**
 * Checks that the store holds the checkpoint of its guard as it was signed: the service writes the guard first, and deletes
 * only checkpoints before the newest. The guard may be older than the store, because a backup copies it first. Reads the store
 * as it is now, so read the guard before.
 */
export const findingInKept = async (serviceFile: string, guard: Anchor): Promise<Finding | null> => {
  for (let attempt = 1; ; attempt++) {
    const { size, note, by = '' } = guard
    const { kept, newest } = readKept(serviceFile, size)
    if (kept !== null && kept !== note)
      return { kind: 'altered', message: `the checkpoint of size ${size} is not the one that ${by} notes as signed` }
    if (kept !== null || newest > size) return null
    if (attempt === TRIES)
      return {
        kind: 'missing',
        message: `the checkpoint of size ${size}, which ${by} notes as signed, is not stored. If the service was killed while it signed, its next start stores a newer one`,
      }
    await wait(BETWEEN_TRIES_MS)
  }
}

/** The note of the checkpoint of a size, or null, and the size of the newest checkpoint. */
const readKept = (serviceFile: string, size: number): { readonly kept: string | null; readonly newest: number } => {
  const connection = connect(serviceFile, { readonly: true })
  try {
    if (!connection.read(hasTable('checkpoints'))) return { kept: null, newest: 0 }
    return {
      kept: connection.read(findCheckpoint(size))?.note ?? null,
      newest: connection.read(findNewestCheckpoint)?.size ?? 0,
    }
  } finally {
    connection.close()
  }
}
