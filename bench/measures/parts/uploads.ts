import { Agent } from 'node:http'
import { PIECE_BYTES } from '../../../runtime/evidence/part-store.ts'
import { ask } from '../../load.ts'
import type { Server } from '../../servers.ts'
import { atOnce } from './yardsticks.ts'
import type { Body } from './bodies.ts'

/** Milliseconds in which a part is sent in pieces, four at a time, until it is complete. */
export const timeOfUpload = async (server: Server, { bytes, sha256, piece, pieces }: Body): Promise<number> => {
  const agent = new Agent({ keepAlive: true })
  const from = performance.now()
  await atOnce(4, pieces, async (n) => {
    const body = piece(n)
    const start = n * PIECE_BYTES
    const { status } = await ask(agent, server, `/api/v1/parts/${sha256}`, {
      ...{ method: 'PUT', body },
      extra: {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${start}-${start + body.length - 1}/${bytes}`,
      },
    })
    if (status !== 200) throw new Error(`a piece got ${status}`)
  })
  const ms = performance.now() - from
  agent.destroy()
  return ms
}
