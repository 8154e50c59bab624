import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads'
import { Refused } from '../../commands/refused.ts'
import type { Reason } from '../../commands/refused.ts'
import { BadParameter } from '../../queries/bad-parameter.ts'
import { Busy, DiskFull, Unavailable } from '../../storage/errors.ts'

// Calls between threads: plain arguments one way, a result or an error the other. Large bytes are transferred instead
// of copied.

type Call = { readonly id: number; readonly payload: unknown }
type Failure =
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly message: string
      readonly extra: Readonly<Record<string, string>>
    }
  | { readonly kind: 'disk_full' }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'busy'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly stack: string | undefined }
type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly failure: Failure }
type Notification = { readonly message: unknown }

const asFailure = (error: unknown): Failure => {
  if (error instanceof Refused)
    return { kind: 'refused', reason: error.reason, message: error.message, extra: error.extra }
  if (error instanceof BadParameter)
    return { kind: 'refused', reason: 'bad_request', message: error.message, extra: {} }
  if (error instanceof Busy) return { kind: 'busy', message: error.message }
  if (error instanceof DiskFull) return { kind: 'disk_full' }
  if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message }
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'error', message, stack: cause instanceof Error ? `${stack}\ncaused by ${cause.stack}` : stack }
}

const asError = (failure: Failure): Error => {
  if (failure.kind === 'refused') return new Refused(failure.reason, failure.message, failure.extra)
  if (failure.kind === 'busy') return new Busy(failure.message)
  if (failure.kind === 'disk_full') return new DiskFull()
  if (failure.kind === 'unavailable') return new Unavailable(failure.message)
  const error = new Error(failure.message)
  if (failure.stack !== undefined) error.stack = failure.stack
  return error
}

/**
 * In a thread: answers each call that arrives at a port, by default through the same port. The `body` of a result is
 * transferred if it is a Uint8Array that fills its buffer.
 */
export const answerCalls = (
  port: MessagePort,
  handle: (payload: never) => Promise<unknown>,
  answerPort = port,
): void => {
  let answers: Answer[] = []
  let transferred: TransferListItem[] = []
  // Waking the other thread costs as much as an answer, so answers that are ready together are sent together.
  const queue = (answer: Answer, transfer: TransferListItem[] = []): void => {
    if (answers.push(answer) === 1) process.nextTick(send)
    transferred.push(...transfer)
  }
  const send = (): void => {
    const [batch, transfer] = [answers, transferred]
    answers = []
    transferred = []
    answerPort.postMessage(batch, transfer)
  }
  port.on('message', ({ id, payload }: Call) => {
    handle(payload as never).then(
      (result) => queue({ id, result }, transferables(result)),
      (error: unknown) => queue({ id, failure: asFailure(error) }),
    )
  })
}

/**
 * In a thread: prepares each call and forwards it to another thread, which answers it. If preparing a call fails, this
 * thread answers it.
 */
export const forwardCalls = (
  port: MessagePort,
  prepare: (payload: never) => Promise<unknown>,
  target: MessagePort,
): void => {
  port.on('message', ({ id, payload }: Call) => {
    prepare(payload as never).then(
      (prepared) => target.postMessage({ id, payload: prepared } satisfies Call),
      (error: unknown) => port.postMessage([{ id, failure: asFailure(error) }] satisfies Answer[]),
    )
  })
}

/** In a thread: sends the owner a message that answers no call. */
export const notify = (port: MessagePort, message: unknown): void =>
  port.postMessage({ message } satisfies Notification)

const transferables = (result: unknown): TransferListItem[] => {
  const body = (result as { body?: unknown } | null | undefined)?.body
  const isWhole = body instanceof Uint8Array && body.byteOffset === 0 && body.byteLength === body.buffer.byteLength
  return isWhole && body.buffer instanceof ArrayBuffer ? [body.buffer] : []
}

export type Calls = {
  readonly call: (payload: unknown, transfer?: TransferListItem[]) => Promise<unknown>
  /**
   * Sends a call to another thread, which prepares it and forwards it to the called thread. Either of the two answers.
   */
  readonly callVia: (other: Worker, payload: unknown, transfer?: TransferListItem[]) => Promise<unknown>
  /** Also receives answers directly from such a forwarding thread, for calls that it did not forward. */
  readonly acceptAnswersFrom: (other: Worker) => void
  /** The number of calls that are not answered yet. */
  readonly pendingCalls: () => number
}

/** Calls a thread. When the thread ends, pending calls reject and `onExit` is called. */
export const callsTo = (
  worker: Worker,
  {
    onMessage,
    onExit,
  }: { readonly onMessage: (message: unknown) => void; readonly onExit: (error: Error | null, code: number) => void },
): Calls => {
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let failed: Error | null = null
  let ended = false
  const receive = (received: readonly Answer[] | Notification): void =>
    'message' in received ? onMessage(received.message) : received.forEach(settle)
  const settle = (answer: Answer): void => {
    const call = pending.get(answer.id)
    pending.delete(answer.id)
    if ('failure' in answer) call?.reject(asError(answer.failure))
    else call?.resolve(answer.result)
  }
  const callVia: Calls['callVia'] = (other, payload, transfer) =>
    new Promise((resolve, reject) => {
      // A thread that has ended answers nothing.
      if (ended) return reject(failed ?? new Unavailable('a worker thread ended'))
      const id = ++lastId
      // Throws if the payload cannot be sent: then the promise rejects and nothing is pending.
      other.postMessage({ id, payload } satisfies Call, transfer ?? [])
      pending.set(id, { resolve, reject })
    })
  worker.on('message', receive)
  worker.on('error', (error) => {
    failed = error instanceof Error ? error : new Error(String(error))
  })
  worker.on('exit', (code) => {
    ended = true
    for (const { reject } of pending.values()) reject(failed ?? new Unavailable('a worker thread ended'))
    pending.clear()
    onExit(failed, code)
  })
  return {
    call: (payload, transfer) => callVia(worker, payload, transfer),
    callVia,
    acceptAnswersFrom: (other) => void other.on('message', receive),
    pendingCalls: () => pending.size,
  }
}
