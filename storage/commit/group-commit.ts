import type { AnyCommand, Outcome, Ready, Storage } from '../command.ts'
import { Busy, Stale, Unavailable } from '../errors.ts'

/** The limits of one group, and of the queue. */
export type Bounds = {
  readonly commands: number
  readonly bytes: number
  readonly preparationMs: number
  readonly queuedBytes: number
  readonly queuedCommands: number
  /**
   * When the store fails, a command that has waited this long fails at once. Otherwise each waiting command would be
   * tried in turn, and each attempt may take long to fail.
   */
  readonly overdueMs: number
}

export const BOUNDS: Bounds = {
  commands: 16,
  bytes: 4 * 1024 * 1024,
  preparationMs: 20,
  queuedBytes: 256 * 1024 * 1024,
  queuedCommands: 10_000,
  overdueMs: 10_000,
}

type Member = { readonly queued: QueuedCommand; readonly ready: Ready }

type QueuedCommand = {
  readonly command: AnyCommand
  readonly since: number
  readonly settle: (outcome: Outcome) => void
}

export type GroupCommit = {
  /** Queues a command. Settles after the COMMIT that contains it, or with the error that made this command fail. */
  readonly commit: (command: AnyCommand) => Promise<unknown>
  /** Settles when the queue is empty. */
  readonly drained: () => Promise<void>
}

type Dependencies = {
  readonly storage: Pick<Storage, 'read' | 'commitGroup'>
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number
  /** Lets commands that arrived meanwhile join the queue before the next group. */
  readonly yielded: () => Promise<void>
  readonly bounds?: Bounds
}

/**
 * Drains the queue in groups: commands without a document first, then documents up to the limits of count, bytes and
 * time. A document over the byte limit forms a group of its own. Only one group is prepared and committed at a time.
 * After a large document, the next group takes the smallest waiting documents first, so that none of them waits for two
 * large ones. The group after that takes the oldest first again. One function, because its parts share the state of the
 * queue. `p-queue` does not fit: it starts one piece of work at a time, by priority, and forms no groups.
 */
export const groupCommit = ({ storage, clock, yielded, bounds = BOUNDS }: Dependencies): GroupCommit => {
  const withoutDocument: QueuedCommand[] = []
  const documents: QueuedCommand[] = []
  let queuedBytes = 0
  let running: Promise<void> | null = null
  let smallestFirst = false

  /**
   * The index of the next document. Sizes are upload sizes: a document that is large after inflation is also larger as
   * an upload than a small one.
   */
  const nextIndex = (): number => {
    if (!smallestFirst) return 0
    let index = 0
    for (const [i, { command }] of documents.entries())
      if (command.bytes < (documents[index]?.command.bytes ?? 0)) index = i
    return index
  }

  const takeNext = (memberCount: number, bytes: number): QueuedCommand | undefined => {
    if (withoutDocument.length > 0) return withoutDocument.shift()
    const index = nextIndex()
    const next = documents[index]
    if (!next || (memberCount > 0 && bytes + next.command.bytes > bounds.bytes)) return undefined
    documents.splice(index, 1)
    return next
  }

  const prepareMember = async ({ command, settle }: QueuedCommand): Promise<Ready | null> => {
    try {
      return { command, prepared: await command.prepare(storage) }
    } catch (error) {
      settle({ ok: false, error })
      if (error instanceof Unavailable) failOverdue(error)
      return null
    }
  }

  const failOverdue = (error: Unavailable): void => {
    const oldestAllowed = clock() - bounds.overdueMs
    for (const queue of [withoutDocument, documents]) {
      for (const queued of queue.splice(0)) {
        if (queued.since > oldestAllowed) queue.push(queued)
        else {
          queuedBytes -= queued.command.bytes
          queued.settle({ ok: false, error })
        }
      }
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
    if (failure && !failure.ok) failOverdue(failure.error as Unavailable)
  }

  const runGroup = async (): Promise<void> => {
    const members: Member[] = []
    const startedAt = clock()
    let bytes = 0
    while (members.length < bounds.commands && clock() - startedAt < bounds.preparationMs) {
      const queued = takeNext(members.length, bytes)
      if (!queued) break
      queuedBytes -= queued.command.bytes
      const ready = await prepareMember(queued)
      if (!ready) continue
      const size = sizeOf(ready)
      // The size of a compressed document is only known after inflation. One that does not fit forms a group of its
      // own.
      if (bytes + size > bounds.bytes && members.length > 0) {
        await commitAndSettle(members.splice(0))
        await commitAndSettle([{ queued, ready }])
        updateOrder(size)
        return
      }
      members.push({ queued, ready })
      bytes += size
      if (bytes >= bounds.bytes) break
    }
    await commitAndSettle(members)
    updateOrder(bytes)
  }

  const updateOrder = (size: number): void => {
    smallestFirst = !smallestFirst && size > bounds.bytes
  }

  const drain = async (): Promise<void> => {
    while (withoutDocument.length + documents.length > 0) {
      await runGroup()
      await yielded()
    }
    running = null
  }

  const enqueue = (queued: QueuedCommand): void => {
    queuedBytes += queued.command.bytes
    if (queued.command.bytes > 0) documents.push(queued)
    else withoutDocument.push(queued)
    running ??= yielded().then(drain)
  }

  return {
    commit: (command) =>
      new Promise((resolve, reject) => {
        const isFull =
          queuedBytes + command.bytes > bounds.queuedBytes ||
          withoutDocument.length + documents.length >= bounds.queuedCommands
        if (isFull && withoutDocument.length + documents.length > 0) {
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
      while (running) await running
    },
  }
}

/**
 * What a prepared command may report: the size after inflation, and work that continues while the next command is
 * prepared.
 */
export type UploadSize = { readonly raw_bytes?: number; readonly pending?: Promise<unknown> }

const reportOf = ({ prepared }: Ready): UploadSize => (prepared as UploadSize | null) ?? {}
const sizeOf = (ready: Ready): number => reportOf(ready).raw_bytes ?? ready.command.bytes

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
