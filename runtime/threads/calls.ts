import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads'
import { Refused } from '../../commands/refused.ts'
import type { Reason } from '../../commands/refused.ts'
import { Busy, Unavailable } from '../../storage/errors.ts'

// Calls between threads: plain arguments one way, an answer or an error the other. Large bytes are transferred, never
// copied.

type Call = { readonly id: number; readonly payload: unknown }
type Failure =
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly message: string
      readonly extra: Readonly<Record<string, string>>
    }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'busy'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly stack: string | undefined }
type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly failure: Failure }
type Notification = { readonly told: unknown }

const asFailure = (error: unknown): Failure => {
  if (error instanceof Refused)
    return { kind: 'refused', reason: error.reason, message: error.message, extra: error.extra }
  if (error instanceof Busy) return { kind: 'busy', message: error.message }
  if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message }
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'error', message, stack: cause instanceof Error ? `${stack}\ncaused by ${cause.stack}` : stack }
}

const asError = (failure: Failure): Error => {
  if (failure.kind === 'refused') return new Refused(failure.reason, failure.message, failure.extra)
  if (failure.kind === 'busy') return new Busy(failure.message)
  if (failure.kind === 'unavailable') return new Unavailable(failure.message)
  const error = new Error(failure.message)
  if (failure.stack !== undefined) error.stack = failure.stack
  return error
}

/**
 * In a thread: answers each call, to where it came from unless told otherwise. The `body` of a result is transferred
 * where it is a Uint8Array of its own buffer.
 */
export const answerCalls = (port: MessagePort, handle: (payload: never) => Promise<unknown>, to = port): void => {
  let answers: Answer[] = []
  let transferred: TransferListItem[] = []
  // Waking the other thread costs as much as an answer: those that are there at once go together.
  const answer = (one: Answer, transfer: TransferListItem[] = []): void => {
    if (answers.push(one) === 1) process.nextTick(send)
    transferred.push(...transfer)
  }
  const send = (): void => {
    const [all, transfer] = [answers, transferred]
    answers = []
    transferred = []
    to.postMessage(all, transfer)
  }
  port.on('message', ({ id, payload }: Call) => {
    handle(payload as never).then(
      (result) => answer({ id, result }, transferables(result)),
      (error: unknown) => answer({ id, failure: asFailure(error) }),
    )
  })
}

/**
 * In a thread: prepares each call for another thread, which answers it; a call that cannot be prepared is answered
 * here.
 */
export const passCallsOn = (
  port: MessagePort,
  prepare: (payload: never) => Promise<unknown>,
  to: MessagePort,
): void => {
  port.on('message', ({ id, payload }: Call) => {
    prepare(payload as never).then(
      (prepared) => to.postMessage({ id, payload: prepared } satisfies Call),
      (error: unknown) => port.postMessage([{ id, failure: asFailure(error) }] satisfies Answer[]),
    )
  })
}

/** In a thread: tells the owner something that answers no call. */
export const notify = (port: MessagePort, told: unknown): void => port.postMessage({ told } satisfies Notification)

const transferables = (result: unknown): TransferListItem[] => {
  const body = (result as { body?: unknown } | null | undefined)?.body
  const isWhole = body instanceof Uint8Array && body.byteOffset === 0 && body.byteLength === body.buffer.byteLength
  return isWhole && body.buffer instanceof ArrayBuffer ? [body.buffer] : []
}

export type Calls = {
  readonly call: (payload: unknown, transfer?: TransferListItem[]) => Promise<unknown>
  /** A call that another thread prepares: sent to it, and answered by either. */
  readonly callBy: (other: Worker, payload: unknown, transfer?: TransferListItem[]) => Promise<unknown>
  /** Hears what such a thread answers by itself. */
  readonly hear: (other: Worker) => void
  /** Calls not answered yet. */
  readonly open: () => number
}

/** The owner's side of a thread. When the thread ends, what is open fails and `onExit` is told. */
export const callsTo = (
  worker: Worker,
  {
    onTold,
    onExit,
  }: { readonly onTold: (told: unknown) => void; readonly onExit: (error: Error | null, code: number) => void },
): Calls => {
  const open = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0
  let failed: Error | null = null
  let ended = false
  const hear = (message: readonly Answer[] | Notification): void =>
    'told' in message ? onTold(message.told) : message.forEach(settle)
  const settle = (message: Answer): void => {
    const waiting = open.get(message.id)
    open.delete(message.id)
    if ('failure' in message) waiting?.reject(asError(message.failure))
    else waiting?.resolve(message.result)
  }
  const callBy: Calls['callBy'] = (other, payload, transfer) =>
    new Promise((resolve, reject) => {
      // Nobody would answer it.
      if (ended) return reject(failed ?? new Unavailable('a worker thread ended'))
      const id = ++last
      // Throws where it cannot be sent: then nothing is waited for.
      other.postMessage({ id, payload } satisfies Call, transfer ?? [])
      open.set(id, { resolve, reject })
    })
  worker.on('message', hear)
  worker.on('error', (error) => {
    failed = error instanceof Error ? error : new Error(String(error))
  })
  worker.on('exit', (code) => {
    ended = true
    for (const { reject } of open.values()) reject(failed ?? new Unavailable('a worker thread ended'))
    open.clear()
    onExit(failed, code)
  })
  return {
    call: (payload, transfer) => callBy(worker, payload, transfer),
    callBy,
    hear: (other) => void other.on('message', hear),
    open: () => open.size,
  }
}
