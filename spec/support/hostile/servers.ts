import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

// What may be at an address in place of the service.

const SPACES = Buffer.alloc(256 * 1024, ' ')
/** The beginning of an object that never ends. */
const BEGINNING = Buffer.from('{"runs":["')
const MEMBER = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
const BOMB_MEMBERS = 16

/** Sends parts for as long as the client takes them. */
const endlessly = (response: ServerResponse, part: Buffer, count = Infinity): void => {
  let sent = 0
  const send = (): void => {
    while (!response.destroyed && sent++ < count) if (!response.write(part)) return void response.once('drain', send)
    if (!response.destroyed) response.end()
  }
  send()
}

const PAGE = '<!doctype html><title>Sign in</title><script>alert(1)</script>'

/** A text that would set the title of a terminal, forge a line, and colour the rest. */
export const FORGED = 'x\u001B]0;owned\u0007\r\nforged line\u001B[31m\u009B32m\u202Ey'

const answering =
  (status: number, headers: Readonly<Record<string, string>>, body: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  }

/** Where the redirect goes. */
export const TARGET = 'https://elsewhere.example/login'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Every kind by its name. None is a service, so that no command may succeed with it. */
export const HOSTILE: Readonly<Record<string, RequestListener>> = {
  'endless spaces': (request, response) => {
    request.resume()
    response.writeHead(200, JSON_TYPE)
    endlessly(response, SPACES)
  },
  'an endless text': (request, response) => {
    request.resume()
    response.writeHead(200, JSON_TYPE).write(BEGINNING)
    endlessly(response, Buffer.alloc(256 * 1024, 'a'))
  },
  'an endless error': (request, response) => {
    request.resume()
    response.writeHead(400, JSON_TYPE).write('{"error":"')
    endlessly(response, Buffer.alloc(256 * 1024, 'a'))
  },
  '1 GiB of gzipped spaces': (request, response) => {
    request.resume()
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
    endlessly(response, MEMBER, BOMB_MEMBERS)
  },
  'a login page': answering(200, { 'content-type': 'text/html' }, PAGE),
  'a page that says it is JSON': answering(200, JSON_TYPE, PAGE),
  'a page for what is not found': answering(404, { 'content-type': 'text/html' }, PAGE),
  'other JSON': answering(200, JSON_TYPE, '{"ok":true}'),
  'nothing with 200': answering(200, JSON_TYPE, ''),
  'a redirect': answering(301, { location: TARGET }, PAGE),
  'an error with control characters': answering(422, JSON_TYPE, JSON.stringify({ error: FORGED, message: FORGED })),
  'not found, with control characters': answering(404, JSON_TYPE, JSON.stringify({ error: FORGED, message: FORGED })),
}

/** Starts a server for the time of a spec. */
export const hostileServer = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
