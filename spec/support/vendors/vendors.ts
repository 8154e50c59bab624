import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { usualAnswer, type VendorAnswer } from './answers.ts'

/** A request as the stand-in received it. */
export type SentRequest = {
  readonly method: string
  /** With the query, byte for byte. */
  readonly path: string
  /** Names and values as they were sent, in order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/** A stand-in of the messages, chat completions and embeddings APIs on a loopback address. */
export type Vendors = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string
  /** The requests so far, in the order in which they were complete. */
  readonly requests: readonly SentRequest[]
  /** Answers of the next requests, in order. Requests after the last one get the usual answer. */
  readonly script: (...answers: readonly VendorAnswer[]) => void
  /** Answers all requests that have no scripted answer. */
  readonly answerWith: (answer: (request: SentRequest) => VendorAnswer) => void
  /** Resolves when so many requests were received in all. */
  readonly received: (count: number) => Promise<void>
  /** Sends the rest of all slow bodies. */
  readonly release: () => void
  /** How many connections ended before their response was complete. */
  readonly aborted: () => number
}

/** The value of a header of a request; undefined: it was not sent. */
export const headerOf = (request: SentRequest | undefined, name: string): string | undefined =>
  request?.headers.find(([sent]) => sent.toLowerCase() === name)?.[1]

export const startVendors = async (): Promise<Vendors> => {
  const requests: SentRequest[] = []
  const scripted: VendorAnswer[] = []
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const slow = new Set<() => void>()
  let answerOf = ({ path, body }: SentRequest): VendorAnswer => usualAnswer(path.split('?', 1)[0] ?? '', body)
  let aborted = 0

  const respond = (response: ServerResponse, answer: VendorAnswer) => {
    if (answer === 'never') return
    if (answer === 'cut') {
      response.socket?.destroy()
      return
    }
    if ('rawBytes' in answer) {
      response.socket?.end(answer.rawBytes)
      return
    }
    const status = answer.status ?? 200
    if ('body' in answer) {
      const isWritten = typeof answer.body === 'string' || answer.body instanceof Uint8Array
      const body = isWritten ? answer.body : JSON.stringify(answer.body)
      response.writeHead(status, { 'content-type': 'application/json', ...answer.headers }).end(body)
    } else if ('cutAfter' in answer) {
      response.writeHead(status, { 'content-length': answer.cutAfter.length + 1000 })
      response.write(answer.cutAfter, () => response.socket?.destroy())
    } else if ('endless' in answer) {
      response.writeHead(status)
      const chunk = answer.endless.repeat(Math.ceil((1024 * 1024) / answer.endless.length))
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    } else {
      response.writeHead(status).write(answer.start)
      slow.add(() => response.end(answer.rest))
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('close', () => {
      if (!response.writableFinished) aborted++
    })
    const body = await text(request)
    const raw = request.rawHeaders
    const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
    const sent = { method: request.method ?? '', path: request.url ?? '', headers, body }
    requests.push(sent)
    for (const wait of waiting) if (requests.length >= wait.count) wait.resolve()
    respond(response, scripted.shift() ?? answerOf(sent))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...answers) => {
      scripted.push(...answers)
    },
    answerWith: (answer) => {
      answerOf = answer
    },
    received: (count) => {
      if (requests.length >= count) return Promise.resolve()
      return new Promise((resolve) => {
        const wait = {
          count,
          resolve: () => {
            waiting.delete(wait)
            resolve()
          },
        }
        waiting.add(wait)
      })
    },
    release: () => {
      for (const end of slow) end()
      slow.clear()
    },
    aborted: () => aborted,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
