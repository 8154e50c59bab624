import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Follows the connections of a server, so that a close waits for requests in flight and for nothing else: a client that
 * connected and says nothing would hold it back until its deadline.
 */
export const connectionsOf = (server: Server): { readonly endIdle: () => void } => {
  const requests = new Map<Socket, number>()
  let closing = false

  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1
      if (requests.has(socket)) requests.set(socket, left)
      // Not only ended: a peer that keeps its own side open would hold the close back.
      if (closing && left === 0) socket.destroySoon()
    })
  })

  return {
    endIdle: () => {
      closing = true
      for (const [socket, open] of requests) if (open === 0) socket.destroy()
    },
  }
}
