import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The part of a message that specs compare. */
export type ReceivedMessage = {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export const messageOf = ({ body }: Pick<Received, 'body'>): ReceivedMessage => JSON.parse(body) as ReceivedMessage

/**
 * A receiver on the loopback interface. `answer` decides what it answers to the n-th request (from 0); by default 204.
 */
export const openReceiver = async () => {
  const received: Received[] = []
  let answer: (n: number, response: ServerResponse, request: Received) => void = (_n, response) =>
    response.writeHead(204).end()
  let open = 0
  let mostOpen = 0
  const server = createServer((request, response) => {
    open++
    mostOpen = Math.max(mostOpen, open)
    response.once('close', () => open--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', headers } = request
      const got = { path: url, headers, body: Buffer.concat(chunks).toString('utf8') }
      answer(received.push(got) - 1, response, got)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    mostOpen: () => mostOpen,
    answer: (next: typeof answer) => void (answer = next),
    status: (status: number) => void (answer = (_n, response) => response.writeHead(status).end()),
    /** Throws unless the message was signed with the secret at that time, in epoch milliseconds. */
    verify: ({ headers, body }: Received, secret: string): unknown =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>
