import type { AnyCommand, Fetched, Outcome, Ready, Storage } from '../command.ts'
import { Busy, ObjectsUnavailable, Stale, Unavailable } from '../errors.ts'
import { PartAway } from '../objects/part-away.ts'
import { commitQueue, type QueueBounds, type QueuedCommand } from './commit-queue.ts'

/** The limits of one group, and of the queue. */
export type Bounds = QueueBounds & {
  readonly commands: number
  readonly bytes: number
  readonly preparationMs: number
}

export const BOUNDS: Bounds = {
  commands: 16,
  bytes: 4 * 1024 * 1024,
  preparationMs: 20,
  queuedBytes: 256 * 1024 * 1024,
  queuedCommands: 10_000,
  overtaking: 64,
  overdueMs: 10_000,
}

type Member = { readonly queued: QueuedCommand; readonly ready: Ready }

export type GroupCommit = {
  /** Queues a command. Settles after the COMMIT that contains it, or with the error that made this command fail. */
  readonly commit: (command: AnyCommand) => Promise<unknown>
  /** Settles when the queue is empty. */
  readonly drained: () => Promise<void>
}

type Dependencies = {
  readonly storage: Pick<Storage, 'dialect' | 'read' | 'partsFolder' | 'moves' | 'commitGroup'>
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number
  /** Lets commands that arrived meanwhile join the queue before the next group. */
  readonly yielded: () => Promise<void>
  /** Reads a part of a bucket. Never rejects. */
  readonly readAway?: ((part: PartAway) => Promise<Fetched>) | undefined
  readonly bounds?: Bounds
}

/**
 * Drains the queue in groups: commands without a document first, with a turn for documents, then documents up to the
 * limits of count, bytes and time. A document over the byte limit forms a group of its own. Only one group is prepared and committed at a time.
 * One function, because its parts share the queue.
 */
export const groupCommit = ({ storage, clock, yielded, readAway, bounds = BOUNDS }: Dependencies): GroupCommit => {
  const queue = commitQueue(clock, bounds)
  let running: Promise<void> | null = null
  /**
   * How many groups commit each document alone after the store failed. A document that does not fit must not fail a deletion
   * that would make room, or another document that fits.
   */
  let carefulGroups = 0

  /** Commands that wait for a part of a bucket. */
  const waiting = new Set<Promise<void>>()
  const prepareLater = (queued: QueuedCommand, fetching: Promise<Fetched>): void => {
    const done = fetching.then((fetched) => {
      waiting.delete(done)
      enqueue({ ...queued, fetched })
    })
    waiting.add(done)
  }

  const prepareMember = async (queued: QueuedCommand): Promise<Ready | null> => {
    const { command, settle, fetched } = queued
    try {
      return { command, prepared: await command.prepare(fetched ? { ...storage, fetched } : storage) }
    } catch (error) {
      if (error instanceof PartAway && readAway) {
        prepareLater(queued, readAway(error))
        return null
      }
      settle({ ok: false, error })
      if (error instanceof Unavailable && !(error instanceof ObjectsUnavailable)) queue.failOverdue(error)
      return null
    }
  }

  /** Waits for work that a member's preparation left running. If that work fails, only this member fails. */
  const finishPreparation = async ({ queued, ready }: Member): Promise<boolean> => {
    try {
      await reportOf(ready).pending
      return true
    } catch (error) {
      queued.settle({ ok: false, error })
      return false
    }
  }

  const commitAndSettle = async (gathered: readonly Member[]): Promise<void> => {
    const members: Member[] = []
    for (const member of gathered) if (await finishPreparation(member)) members.push(member)
    if (members.length === 0) return
    let outcomes: readonly Outcome[]
    try {
      outcomes = await storage.commitGroup(members.map(({ ready }) => ready))
    } catch (error) {
      outcomes = members.map(() => ({ ok: false, error }))
    }
    for (const [i, { queued }] of members.entries()) {
      const outcome = outcomes[i] ?? { ok: false, error: new Error('a command of the group has no outcome') }
      // Its preparation is outdated because of a concurrent deletion: it is prepared again in a later group.
      if (!outcome.ok && outcome.error instanceof Stale) enqueue(queued)
      else queued.settle(outcome)
    }
    const failure = outcomes.find((outcome) => !outcome.ok && outcome.error instanceof Unavailable)
    carefulGroups = failure ? bounds.commands : Math.max(0, carefulGroups - 1)
    if (failure && !failure.ok) queue.failOverdue(failure.error as Unavailable)
  }

  const runGroup = async (): Promise<void> => {
    const members: Member[] = []
    const startedAt = clock()
    let bytes = 0
    while (members.length < bounds.commands && clock() - startedAt < bounds.preparationMs) {
      const room = members.length === 0 ? Infinity : carefulGroups > 0 ? 0 : bounds.bytes - bytes
      const queued = queue.takeNext(room)
      if (!queued) break
      const ready = await prepareMember(queued)
      if (!ready) continue
      const size = commandSize(ready)
      // The size of a compressed document is only known after inflation. One that does not fit forms a group of its
      // own.
      if (bytes + size > bounds.bytes && members.length > 0) {
        await commitAndSettle(members.splice(0))
        await commitAndSettle([{ queued, ready }])
        queue.updateOrder(size > bounds.bytes)
        return
      }
      members.push({ queued, ready })
      bytes += size
      if (bytes >= bounds.bytes || (carefulGroups > 0 && queued.command.bytes > 0)) break
    }
    await commitAndSettle(members)
    queue.updateOrder(bytes > bounds.bytes)
  }

  const drain = async (): Promise<void> => {
    while (!queue.isEmpty()) {
      await runGroup()
      await yielded()
    }
    running = null
  }

  const enqueue = (queued: QueuedCommand): void => {
    queue.add(queued)
    running ??= yielded().then(drain)
  }

  return {
    commit: (command) =>
      new Promise((resolve, reject) => {
        if (queue.isFullFor(command, waiting.size)) {
          reject(new Busy('too many writes are waiting'))
          return
        }
        enqueue({
          command,
          since: clock(),
          settle: (outcome) => (outcome.ok ? resolve(outcome.result) : reject(asError(outcome.error))),
        })
      }),
    drained: async () => {
      while (running || waiting.size > 0) await (running ?? Promise.all(waiting))
    },
  }
}

/**
 * What a prepared command may report: the size after inflation, and work that continues while the next command is
 * prepared.
 */
export type UploadSize = { readonly raw_bytes?: number; readonly pending?: Promise<unknown> }

const reportOf = ({ prepared }: Ready): UploadSize => (prepared as UploadSize | null) ?? {}
const commandSize = (ready: Ready): number => reportOf(ready).raw_bytes ?? ready.command.bytes

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
