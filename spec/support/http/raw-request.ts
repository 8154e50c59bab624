import { connect } from 'node:net'

/**
 * Sends a text on a separate connection, as one byte per character. Resolves with all received bytes when the server
 * closes the connection, or when the bytes match `until`.
 */
export const rawRequest = (port: number, text: string, until?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (until?.test(received)) socket.destroy()
    })
    socket.on('close', () => resolve(received)).on('error', reject)
  })
