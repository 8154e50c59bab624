import type { CommandName, Commit } from '../../commands/commit.ts'
import * as commands from '../../commands/index.ts'
import type { TreeStore } from '../../maintenance/rebuild/tree.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { AnyCommand, Fetched, Recorded, Storage } from '../../storage/command.ts'
import { objectsWithBucket } from '../../storage/open/objects.ts'
import type { BucketLocation } from '../../storage/open/reader.ts'
import type { PartAway } from '../../storage/objects/part-away.ts'
import { pieceBytes } from '../../storage/objects/read-part.ts'
import { groupCommit } from '../../storage/commit/group-commit.ts'
import type { MissingTables } from '../../storage/missing-tables.ts'
import type { Head } from '../../storage/storage.ts'
import { callsByName } from '../calls-by-name.ts'
import type { BatchReader, BuildAccess, Rebuilt } from './build-models.ts'

export type WriterOptions = {
  readonly instance: string
  readonly now: () => number
  readonly onCommitted: (head: Head, recorded: readonly Recorded[]) => void
  /** Called when the schema is current: the store can then be read, but responses must still wait. */
  readonly onMigrated?: () => void
  /**
   * Builds outdated read models in the background, with a reader of the log in another thread. Without it, opening waits
   * until all are built.
   */
  readonly openBatchReader?: () => BatchReader
  /** Keeps which read models have no tables that can be read; none without builds in the background. */
  readonly missing?: MissingTables
  /** Logs what a start does before it is ready. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly checkRows?: boolean
  /** The bucket of large parts, if there is one. */
  readonly bucket?: BucketLocation | null | undefined
  /** Whether a state directory gets a reserve for a full disk. */
  readonly hasReserve?: boolean
  /** Whether this build has just created the store: then its schema is neither compared nor migrated. */
  readonly isNew?: boolean
}

export type Writer = {
  readonly commit: Commit
  readonly head: () => Head | Promise<Head>
  readonly schema: number
  /**
   * Overwrites what erasures deleted and is still in the files of the store; does nothing if no erasure is pending. Throws
   * `Unavailable` if reads prevent it.
   */
  readonly wipe: () => Promise<void>
  /** Waits for queued commits, then closes the store. */
  readonly close: () => Promise<void>
}

/** A writer, and the read models that were rebuilt while it opened. The caller records these. */
export type OpenedWriter = Writer & {
  readonly rebuilt: Rebuilt
  readonly tree: TreeAccess
  readonly builds: BuildAccess
}

/** How an open writer reaches the nodes of the log's tree. */
export type TreeAccess = {
  readonly read: TreeStore['read']
  /** Works on the store while no other replica fills its nodes. Does not work if the signal comes first. */
  readonly withTree: (signal: AbortSignal, work: (store: TreeStore) => Promise<void>) => Promise<void>
}

/** The commands, as one whose name and arguments come from another thread is made. */
const byName: Readonly<Record<CommandName, (viewer: Viewer, args: never) => AnyCommand>> = { ...commands }

/** Reads a part of a bucket, all of it. */
const partReader = (storage: Pick<Storage, 'read' | 'partsFolder'>, bucket: BucketLocation) => {
  const readObject = objectsWithBucket(storage, bucket)
  return async ({ part_no, pieces }: PartAway): Promise<Fetched> => {
    try {
      const chunks: Buffer[] = []
      for (const piece of pieces)
        for await (const raw of pieceBytes(piece, 0, piece.bytes, readObject)) chunks.push(raw)
      return { part_no, bytes: Buffer.concat(chunks) }
    } catch (error) {
      return { part_no, error }
    }
  }
}

/** Commits commands by name, in groups. `close` waits for queued commits, then calls `closeStorage`. */
export const withGroupCommit = (
  storage: Pick<Storage, 'dialect' | 'read' | 'partsFolder' | 'commitGroup'>,
  closeStorage: () => void | Promise<void>,
  { bucket, now }: Pick<WriterOptions, 'bucket' | 'now'>,
): Pick<Writer, 'commit' | 'close'> => {
  const { commit, drained } = groupCommit({
    storage: { ...storage, moves: bucket?.movesDocuments ? { now } : null },
    clock: () => performance.now(),
    yielded: () => new Promise((resolve) => setImmediate(resolve)),
    readAway: bucket ? partReader(storage, bucket) : undefined,
  })
  return {
    commit: callsByName<Commit>((name, [viewer, args]: readonly [Viewer, never]) => commit(byName[name](viewer, args))),
    close: async () => {
      await drained()
      await closeStorage()
    },
  }
}
