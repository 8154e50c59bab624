import { parentPort, workerData, type MessagePort, type TransferListItem, type Worker } from 'node:worker_threads'
import { Unavailable } from '../../storage/errors.ts'
import { callsByName } from '../calls-by-name.ts'
import { asError, asFailure, type Failure } from './failure.ts'
import { transferredBy, wholeBody } from './transfers.ts'

// Calls between threads: a name and plain arguments one way, a result or an error the other. Large bytes are transferred
// instead of copied. A thread exports the type of the functions that it answers with; its owner calls them by that type.

/** The functions with which a thread answers, by name. */
type Answers<Result> = Readonly<Record<string, (...args: never) => Result | Promise<Result>>>

/** Such functions, as another thread calls them. */
export type Remote<A> = {
  readonly [N in keyof A]: A[N] extends (...args: infer Args) => infer R
    ? (...args: Args) => Promise<Awaited<R>>
    : never
}

/** A call of one of such functions. */
export type CallOf<A> = {
  [N in keyof A & string]: A[N] extends (...args: infer Args) => unknown
    ? { readonly name: N; readonly args: Args }
    : never
}[keyof A & string]

type Call = { readonly id: number; readonly name: string; readonly args: never }
type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly failure: Failure }
type Notification = { readonly message: unknown }

/** In a thread: the port to its owner, and the data with which it was started. */
export const threadOwner = <Data>(): { readonly port: MessagePort; readonly data: Data } => {
  if (!parentPort) throw new Error('this file runs as a worker thread')
  return { port: parentPort, data: workerData as Data }
}

/** The result of a call. A failure of any kind is a rejection. */
const answered = async <Result>(answers: Answers<Result>, { name, args }: Call): Promise<Result> => {
  const answer = answers[name]
  if (!answer) throw new Error(`this thread has no function ${name}`)
  return answer(...args)
}

/**
 * In a thread: answers each call that arrives at a port, by default through the same port. The `body` of a result is
 * transferred if it is a Uint8Array that fills its buffer.
 */
export const answerCalls = (port: MessagePort, answers: Answers<unknown>, answerPort = port): void => {
  let ready: Answer[] = []
  let transferred: TransferListItem[] = []
  // Waking the other thread costs as much as an answer, so answers that are ready together are sent together.
  const queue = (answer: Answer, transfer: TransferListItem[] = []): void => {
    if (ready.push(answer) === 1) process.nextTick(send)
    transferred.push(...transfer)
  }
  const send = (): void => {
    const [batch, transfer] = [ready, transferred]
    ready = []
    transferred = []
    answerPort.postMessage(batch, transfer)
  }
  port.on('message', (call: Call) => {
    answered(answers, call).then(
      (result) => queue({ id: call.id, result }, wholeBody(result)),
      (error: unknown) => queue({ id: call.id, failure: asFailure(error) }),
    )
  })
}

/**
 * In a thread: turns each call into one of another thread, which answers it. If that fails, this thread answers.
 */
export const forwardCalls = <Target>(
  port: MessagePort,
  prepare: Answers<CallOf<Target>>,
  target: MessagePort,
): void => {
  port.on('message', (call: Call) => {
    answered(prepare, call).then(
      (prepared) => target.postMessage({ id: call.id, ...prepared }),
      (error: unknown) => port.postMessage([{ id: call.id, failure: asFailure(error) }] satisfies Answer[]),
    )
  })
}

/** In a thread: sends the owner a message that answers no call. */
export const notify = (port: MessagePort, message: unknown): void =>
  port.postMessage({ message } satisfies Notification)

export type Calls<A> = {
  /** The functions of the thread. The caller must not use large bytes that it passes, or ports, any more. */
  readonly calls: Remote<A>
  /** The functions of another thread, which prepares each call and forwards it to this one. Either of the two answers. */
  readonly callsVia: <B>(other: Worker) => Remote<B>
  /** The number of calls that are not answered yet. */
  readonly pendingCalls: () => number
}

/** Calls a thread. When the thread ends, pending calls reject and `onExit` is called. */
export const callsTo = <A, Message = never>(
  worker: Worker,
  {
    onMessage,
    onExit,
  }: { readonly onMessage: (message: Message) => void; readonly onExit: (error: Error | null, code: number) => void },
): Calls<A> => {
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let failed: Error | null = null
  let ended = false
  const receive = (received: readonly Answer[] | { readonly message: Message }): void =>
    'message' in received ? onMessage(received.message) : received.forEach(settle)
  const settle = (answer: Answer): void => {
    const call = pending.get(answer.id)
    pending.delete(answer.id)
    if ('failure' in answer) call?.reject(asError(answer.failure))
    else call?.resolve(answer.result)
  }
  const callsOf = <B>(other: Worker): Remote<B> =>
    callsByName<Remote<B>>(
      (name, args: never) =>
        new Promise((resolve, reject) => {
          // A thread that has ended answers nothing.
          if (ended) return reject(failed ?? new Unavailable('a worker thread ended'))
          const id = ++lastId
          // Throws if the arguments cannot be sent: then the promise rejects and nothing is pending.
          other.postMessage({ id, name, args } satisfies Call, transferredBy(args))
          pending.set(id, { resolve, reject })
        }),
    )
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
    calls: callsOf<A>(worker),
    callsVia: (other) => {
      other.on('message', receive)
      return callsOf(other)
    },
    pendingCalls: () => pending.size,
  }
}
