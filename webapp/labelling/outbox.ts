// Labels wait in the browser before they are sent: for a moment in which they can be undone, and for as long as the server cannot be
// reached. Each has an entry of its own in the storage, under the account that gave it, so that a reload loses none, two windows keep
// theirs, and no other account sends them.

/** A label that waits. */
export type Waiting = {
  readonly label_id: string
  readonly item: string
  readonly queue_id: string
  /** Whether an adjudicator decides with it. */
  readonly decides: boolean
  readonly answers: Readonly<Record<string, unknown>>
  readonly seconds: number
  readonly recognised: boolean
  readonly revises: string | null
  /** When it was given. */
  readonly at: number
  /** Whether its window was left: it may be on its way, so it cannot be undone any more. */
  readonly isLeft?: true
}

/** A label that the server refused, with its reason. */
export type RefusedLabel = { readonly label: Waiting; readonly reason: string }

/** How sending a label ended. It is sent again if the server could not be reached, or was busy. */
export type Sent = 'done' | 'offline' | 'busy' | { readonly refused: string }

/** How long a label can be undone. */
export const UNDO_MS = 4_000
/** How many labels wait at most. */
const MAX_WAITING = 20
/** How long it takes until the server is asked again. */
const RETRY_MS = 5_000

type Options = {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
  readonly user_id: string
  readonly send: (label: Waiting) => Promise<Sent>
  /** Runs after each change. `settled` is the label that was sent, or refused, if that was it. */
  readonly changed: (settled: Waiting | null) => void
}

/** Opens the outbox of an account. Labels of an earlier visit are sent at once. */
export const openOutbox = ({ storage, user_id, send, changed }: Options) => {
  const prefix = `label:${user_id}:`
  const refused: RefusedLabel[] = []
  let sending: string | null = null
  let isOffline = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** What waits, the oldest first. */
  const list = (): Waiting[] => {
    const names = Array.from({ length: storage.length }, (_, n) => storage.key(n) ?? '')
    return names
      .filter((name) => name.startsWith(prefix))
      .flatMap((name) => {
        const text = storage.getItem(name)
        return text === null ? [] : [JSON.parse(text) as Waiting]
      })
      .toSorted((a, b) => a.at - b.at || (a.label_id < b.label_id ? -1 : 1))
  }
  const write = (label: Waiting): void => storage.setItem(prefix + label.label_id, JSON.stringify(label))
  const remove = (label: Waiting): void => storage.removeItem(prefix + label.label_id)
  const dueAt = ({ at, isLeft }: Waiting): number => (isLeft ? 0 : at + UNDO_MS)

  const plan = (wait?: number): void => {
    clearTimeout(timer)
    const [first] = list()
    if (first) timer = setTimeout(() => void flush(), wait ?? Math.max(0, dueAt(first) - Date.now()))
  }

  /** Sends what can no longer be undone, in order. */
  const flush = async (): Promise<void> => {
    if (sending !== null) return
    for (;;) {
      const [first] = list()
      if (!first || dueAt(first) > Date.now()) return plan()
      sending = first.label_id
      const sent = await send(first).finally(() => (sending = null))
      isOffline = sent === 'offline'
      if (sent === 'offline' || sent === 'busy') {
        changed(null)
        return plan(RETRY_MS)
      }
      remove(first)
      if (typeof sent === 'object') refused.push({ label: first, reason: sent.refused })
      changed(first)
    }
  }

  plan()
  return {
    list,
    flush,
    isOffline: () => isOffline,
    /** The labels that the server refused, the oldest first; `forget` takes the first away. */
    refused: (): readonly RefusedLabel[] => refused,
    forget: (): void => {
      refused.shift()
      changed(null)
    },
    isFull: () => list().length >= MAX_WAITING,
    /** Adds a label, which replaces the one of the same item that still waits. */
    add: (label: Waiting): void => {
      const before = list().findLast(({ item }) => item === label.item)
      if (!before) write(label)
      else if (before.isLeft || before.label_id === sending) write({ ...label, revises: before.label_id })
      else {
        // The server never saw the earlier one, so there is nothing to revise but what that one did.
        remove(before)
        write({ ...label, revises: before.revises })
      }
      plan()
      changed(null)
    },
    /** Takes back the newest label, if it was not sent. */
    undo: (): Waiting | null => {
      const last = list().findLast(({ label_id, isLeft }) => label_id !== sending && !isLeft)
      if (!last) return null
      remove(last)
      plan()
      changed(null)
      return last
    },
    /** Marks what waits when its window is left, and returns it: the browser sends it on its own. */
    leave: (): Waiting[] => {
      clearTimeout(timer)
      const waiting = list()
      for (const label of waiting) write({ ...label, isLeft: true })
      return waiting
    },
    close: (): void => clearTimeout(timer),
  }
}
