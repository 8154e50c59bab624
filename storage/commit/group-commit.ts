import type { AnyCommand, Outcome, Ready, Storage } from '../command.ts'
import { Busy, Stale, Unavailable } from '../errors.ts'

/** The limits of one group, and of the queue. */
export type Bounds = {
  readonly commands: number
  readonly bytes: number
  readonly milliseconds: number
  readonly waitingBytes: number
  readonly waitingCommands: number
  /**
   * When the store fails, a command that has waited this long fails at once. Otherwise each one would be tried in turn,
   * and each failure takes its time.
   */
  readonly overdueMilliseconds: number
}

export const BOUNDS: Bounds = {
  commands: 16,
  bytes: 4 * 1024 * 1024,
  milliseconds: 20,
  waitingBytes: 256 * 1024 * 1024,
  waitingCommands: 10_000,
  overdueMilliseconds: 10_000,
}

type Member = { readonly waiting: Waiting; readonly ready: Ready }

type Waiting = { readonly command: AnyCommand; readonly since: number; readonly settle: (outcome: Outcome) => void }

export type GroupCommit = {
  /** Queues a command. Settles after the COMMIT that contains it, or with the error that made this command fail. */
  readonly commit: (command: AnyCommand) => Promise<unknown>
  /** Settles when the queue is empty. */
  readonly drained: () => Promise<void>
}

type Engine = {
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
 * After a large document the smallest waiting ones are taken first, so that none of them waits for two large ones. Then
 * the oldest document is next.
 */
export const groupCommit = ({ storage, clock, yielded, bounds = BOUNDS }: Engine): GroupCommit => {
  const light: Waiting[] = []
  const documents: Waiting[] = []
  let waitingBytes = 0
  let running: Promise<void> | null = null
  let smallestFirst = false

  /**
   * The index of the next document. Sizes are upload sizes: a document that is large after inflation was also uploaded
   * larger than a small one.
   */
  const nextPlace = (): number => {
    if (!smallestFirst) return 0
    let place = 0
    for (const [i, { command }] of documents.entries())
      if (command.bytes < (documents[place]?.command.bytes ?? 0)) place = i
    return place
  }

  const takeNext = (taken: number, bytes: number): Waiting | undefined => {
    if (light.length > 0) return light.shift()
    const place = nextPlace()
    const next = documents[place]
    if (!next || (taken > 0 && bytes + next.command.bytes > bounds.bytes)) return undefined
    documents.splice(place, 1)
    return next
  }

  const prepared = async ({ command, settle }: Waiting): Promise<Ready | null> => {
    try {
      return { command, prepared: await command.prepare(storage) }
    } catch (error) {
      settle({ ok: false, error })
      if (error instanceof Unavailable) giveUpOverdue(error)
      return null
    }
  }

  const giveUpOverdue = (error: Unavailable): void => {
    const before = clock() - bounds.overdueMilliseconds
    for (const queue of [light, documents]) {
      for (const waiting of queue.splice(0)) {
        if (waiting.since > before) queue.push(waiting)
        else {
          waitingBytes -= waiting.command.bytes
          waiting.settle({ ok: false, error })
        }
      }
    }
  }

  /** Waits for work that a member's preparation left running. If that work fails, only this member fails. */
  const whole = async ({ waiting, ready }: Member): Promise<boolean> => {
    try {
      await besideOf(ready).pending
      return true
    } catch (error) {
      waiting.settle({ ok: false, error })
      return false
    }
  }

  const commitAndSettle = async (gathered: readonly Member[]): Promise<void> => {
    const members: Member[] = []
    for (const member of gathered) if (await whole(member)) members.push(member)
    if (members.length === 0) return
    let outcomes: readonly Outcome[]
    try {
      outcomes = await storage.commitGroup(members.map(({ ready }) => ready))
    } catch (error) {
      outcomes = members.map(() => ({ ok: false, error }))
    }
    for (const [i, { waiting }] of members.entries()) {
      const outcome = outcomes[i] ?? { ok: false, error: new Error('a command was lost from its group') }
      // Its preparation is outdated because of a concurrent deletion: it is prepared again in a later group.
      if (!outcome.ok && outcome.error instanceof Stale) enqueue(waiting)
      else waiting.settle(outcome)
    }
    const failure = outcomes.find((outcome) => !outcome.ok && outcome.error instanceof Unavailable)
    if (failure && !failure.ok) giveUpOverdue(failure.error as Unavailable)
  }

  const runGroup = async (): Promise<void> => {
    const members: Member[] = []
    const from = clock()
    let bytes = 0
    while (members.length < bounds.commands && clock() - from < bounds.milliseconds) {
      const waiting = takeNext(members.length, bytes)
      if (!waiting) break
      waitingBytes -= waiting.command.bytes
      const ready = await prepared(waiting)
      if (!ready) continue
      const size = sizeOf(ready)
      // The size of a compressed document is only known after inflation. One that does not fit forms a group of its
      // own.
      if (bytes + size > bounds.bytes && members.length > 0) {
        await commitAndSettle(members.splice(0))
        await commitAndSettle([{ waiting, ready }])
        turnAfter(size)
        return
      }
      members.push({ waiting, ready })
      bytes += size
      if (bytes >= bounds.bytes) break
    }
    await commitAndSettle(members)
    turnAfter(bytes)
  }

  const turnAfter = (size: number): void => {
    smallestFirst = !smallestFirst && size > bounds.bytes
  }

  const drain = async (): Promise<void> => {
    while (light.length + documents.length > 0) {
      await runGroup()
      await yielded()
    }
    running = null
  }

  const enqueue = (waiting: Waiting): void => {
    waitingBytes += waiting.command.bytes
    if (waiting.command.bytes > 0) documents.push(waiting)
    else light.push(waiting)
    running ??= yielded().then(drain)
  }

  return {
    commit: (command) =>
      new Promise((resolve, reject) => {
        const full =
          waitingBytes + command.bytes > bounds.waitingBytes ||
          light.length + documents.length >= bounds.waitingCommands
        if (full && light.length + documents.length > 0) {
          reject(new Busy('too many writes are waiting'))
          return
        }
        enqueue({
          command,
          since: clock(),
          settle: (outcome) => (outcome.ok ? resolve(outcome.result) : reject(asThrown(outcome.error))),
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

const besideOf = ({ prepared }: Ready): UploadSize => (prepared as UploadSize | null) ?? {}
const sizeOf = (ready: Ready): number => besideOf(ready).raw_bytes ?? ready.command.bytes

const asThrown = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
