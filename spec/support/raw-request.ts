import { connect } from 'node:net'

/** Sends bytes on a connection of their own, each character one byte, and resolves with all that came back until the server closed it. */
export const rawRequest = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', (chunk) => void (heard += chunk.toString('latin1')))
    socket.on('close', () => resolve(heard)).on('error', reject)
  })
