import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Build, Swapped } from '../../maintenance/rebuild/build.ts'
import { RebuildVoid } from '../../maintenance/rebuild/progress.ts'
import { throttled } from '../../maintenance/throttled.ts'
import {
  missingModels,
  needDocuments,
  outdatedModels,
  withRelated,
  type StoredModel,
} from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import type { ReadBatch, ReplayPosition } from '../../projections/replay.ts'
import { SchemaMismatch, Superseded, Unavailable } from '../../storage/errors.ts'

/** How the builds of an open writer reach its store. */
export type BuildAccess = {
  readonly listStored: () => Promise<readonly StoredModel[]>
  /** Begins a build, or resumes it, for some work, which may leave it unfinished. Does nothing if another replica builds. */
  readonly withBuild: (
    models: readonly Projection[],
    signal: AbortSignal,
    work: (build: Build) => Promise<void>,
  ) => Promise<void>
  /** Removes a part of the tables that an interrupted process has replaced; false if nothing is left. */
  readonly removeReplaced: () => boolean
}

/** Reads a batch of the log and prepares its documents, in a thread of its own. */
export type BatchReader = {
  readonly read: (position: number, models: readonly string[]) => Promise<ReadBatch>
  readonly close: () => Promise<void>
}

/** Read models that were built, and the record up to which their tables contained the log then. */
export type Rebuilt = Array<{ name: string; version: number; position: number }>

/**
 * The read models to build before a writer is open. With builds in the background, only those that a start itself may
 * read: they need no document, so they take seconds.
 */
export const modelsToBuild = (stored: readonly StoredModel[], inBackground: boolean): Projection[] => {
  if (!inBackground) return withRelated(outdatedModels(stored))
  return withRelated(missingModels(stored).filter((model) => !needDocuments(withRelated([model]))))
}

type Options = {
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly openReader: () => BatchReader
  /** Learns which read models have no tables that can be read. */
  readonly onMissing: (missing: readonly Projection[]) => void
  readonly record: (rebuilt: Rebuilt) => Promise<unknown>
}

/** The pause after a failure, for example of a full disk; and between two looks at the build of another replica. */
const RETRY_MS = 30_000
const POLL_MS = 1_000

/**
 * The pause after a batch, as a multiple of its time: commits and reads get most of the time. There is none near the end of
 * the log, or while the build has read fewer records than this multiple of what was recorded meanwhile: otherwise it would
 * never reach the end of a busy log.
 */
const PAUSE = 1.5
const NEAR = 200
const GAIN = 1.5

/** The pause before another attempt to swap. */
const SWAP_PAUSE_MS = 50

/**
 * Builds the read models that are outdated in the background. Commits go on meanwhile, and write to the tables that
 * exist. Returns a function that stops it and waits for the transaction under way; the next start resumes.
 */
export const startBuilding = (
  { listStored, withBuild, removeReplaced }: BuildAccess,
  { log, openReader, onMissing, record }: Options,
): (() => Promise<void>) => {
  const stop = new AbortController()
  const { signal } = stop
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  /** Returns null if the build was stopped. */
  const run = async (build: Build, reader: BatchReader): Promise<Swapped | null> => {
    const names = build.models.map(({ name }) => name)
    const progress = throttled(
      () => performance.now(),
      ({ position: done, size: of }: ReplayPosition) => log('building read models', { models: names, done, of }),
    )
    const from = build.position()
    let sizeAtStart: number | null = null
    for (let isIndexed = false; !signal.aborted;) {
      const batch = await reader.read(build.position(), names)
      if (signal.aborted) return null
      if (batch.position > build.position()) {
        const started = performance.now()
        const reached = await build.replay(batch)
        progress(reached)
        sizeAtStart ??= reached.size
        const isGaining = reached.position - from >= GAIN * (reached.size - sizeAtStart)
        if (isGaining && reached.size - reached.position > NEAR) await pause(PAUSE * (performance.now() - started))
        else await turn()
        if (reached.position < reached.size) continue
      }
      if (!isIndexed) {
        await build.index()
        isIndexed = true
        continue
      }
      const swapped = await build.swap()
      if (swapped !== null) return swapped
      await pause(SWAP_PAUSE_MS)
    }
    return null
  }

  /** Builds what is outdated. Returns false if nothing is. */
  const buildOnce = async (): Promise<boolean> => {
    const stored = await listStored()
    onMissing(missingModels(stored))
    const models = withRelated(outdatedModels(stored))
    if (models.length === 0) return false
    let swapped = null as Swapped | null
    await withBuild(models, signal, async (build) => {
      const reader = openReader()
      try {
        log('building read models of another version', { models: models.map(({ name }) => name) })
        swapped = await run(build, reader)
      } finally {
        await reader.close()
      }
    })
    if (swapped === null) await pause(POLL_MS)
    else {
      const { position, longestWaitMs } = swapped
      onMissing(missingModels(await listStored()))
      const names = models.map(({ name }) => name)
      log('the read models are built', { models: names, position, commits_waited_ms: Math.ceil(longestWaitMs) })
      await record(models.map(({ name, version }) => ({ name, version, position })))
    }
    return true
  }

  let lastError = ''
  const buildAll = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!(await buildOnce())) break
      } catch (error) {
        if (error instanceof RebuildVoid) continue
        if (String(error) !== lastError) log('the read models cannot be built', { error: String(error) })
        lastError = String(error)
        // A role that may not build waits until another one has. Any other failure would come again: of a damaged log,
        // or of another holder of the store.
        const mayEnd = error instanceof Unavailable || error instanceof SchemaMismatch
        if (!mayEnd || error instanceof Superseded) return
        await pause(RETRY_MS)
      }
    }
    while (!signal.aborted && removeReplaced()) await pause(POLL_MS / 50)
  }
  const ended = buildAll().catch((error: unknown) => log('the read models cannot be built', { error: String(error) }))
  return () => {
    stop.abort()
    return ended
  }
}
