import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isSigned } from '../s3/signature.ts'

/** A stand-in of S3 on a loopback address, which refuses requests whose signature or body hash is wrong. */
export const startS3 = async (secret: string) => {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  const state = { status: 0 }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push(`${request.method} ${request.url}`)
      const object = objects.get(request.url ?? '')
      if (state.status !== 0) response.writeHead(state.status).end('<Error><Code>SlowDown</Code></Error>')
      else if (!isSigned(request, body, secret))
        response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
      else if (request.method === 'PUT') {
        objects.set(request.url ?? '', body)
        response.writeHead(200).end()
      } else if (object === undefined) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
      else response.writeHead(200).end(object)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    state,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
