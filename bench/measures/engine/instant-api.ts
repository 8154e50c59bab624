import { createServer, type Server } from 'node:http'

/** A chat completions API that answers at once with one text. */
const ANSWER = JSON.stringify({
  id: 'x',
  model: 'm-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello, 30 days.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 4 },
})

/** Starts it on a free port of the loopback interface. `calls` counts the requests. */
export const startInstantApi = async (): Promise<{
  readonly url: string
  readonly calls: () => number
  readonly close: () => Promise<void>
}> => {
  let calls = 0
  const server: Server = createServer((request, response) => {
    calls++
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) })
      response.end(ANSWER)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
