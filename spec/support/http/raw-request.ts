import { connect } from 'node:net'

/**
 * Sends bytes on a connection of their own, each character one byte, and resolves with all that came back until the
 * server closed it; once it heard `enough`, it leaves.
 */
export const rawRequest = (port: number, text: string, enough?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      if (enough?.test(heard)) socket.destroy()
    })
    socket.on('close', () => resolve(heard)).on('error', reject)
  })
