import { connect } from 'node:net'

export type RawRequest = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connection?: 'close' | 'keep-alive'
}

/** Returns the length of the whole response, or null if its head has not arrived yet. */
const lengthOf = (received: string, method: string): number | null => {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = received.slice(0, end)
  const hasBody = method !== 'HEAD' && !/^HTTP\/1\.1 (?:204|304) /.test(head)
  return end + 4 + (hasBody ? Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? NaN) : 0)
}

/**
 * Sends a request on a separate connection and resolves with every byte of the response as one character, including
 * status line and headers. Only the date is removed. Rejects if the response is cut off or has no length.
 */
export const rawAnswer = (
  port: number,
  { method = 'GET', path, headers = {}, connection = 'close' }: RawRequest,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = Object.entries({ host: 'service.example', 'x-request-id': 'same', connection, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (connection === 'keep-alive' && received.length === lengthOf(received, method)) socket.end()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      if (received.length === lengthOf(received, method)) resolve(received.replace(/^Date: .*$/m, 'Date:'))
      else reject(new Error(`no whole answer to ${method} ${path}: ${JSON.stringify(received.slice(0, 500))}`))
    })
  })

/** Returns the value of a header of such a response, or null. */
export const rawHeader = (answer: string, name: string): string | null => {
  const line = answer
    .slice(0, answer.indexOf('\r\n\r\n'))
    .split('\r\n')
    .find((headerLine) => headerLine.toLowerCase().startsWith(`${name}: `))
  return line?.slice(name.length + 2) ?? null
}
