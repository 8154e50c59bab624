import { expect, it } from 'vitest'
import { PIECE } from '../../support/documents/parts.ts'
import { partOnServer, threePieces } from '../../support/parts/on-server.ts'
import { startServer } from '../../support/servers/server.ts'

// Kills at every step of a piece: spec/runtime/evidence/kills.sqlite.spec.ts.
it('an upload goes on after a kill between two of its pieces: what is missing is named, and only that is sent', async () => {
  const bytes = threePieces()
  const killed = await startServer()
  for (const n of [2, 0]) await partOnServer(killed, bytes).putPiece(n)
  await killed.kill()
  const server = await startServer({ dataDir: killed.dataDir })
  try {
    const part = partOnServer(server, bytes)
    const missing = [[PIECE, 2 * PIECE - 1]]
    expect(await part.upload()).toEqual({ bytes: bytes.length, received: PIECE + 5, missing, complete: false })
    expect(await part.putPiece(1)).toMatchObject({ received: bytes.length, complete: true })
    expect(await part.upload()).toEqual({ bytes: bytes.length, received: bytes.length, missing: [], complete: true })
    expect(await part.nameByRun('resumed')).toEqual([200, 201])
    expect(await part.isOfRun('resumed')).toBe(true)
  } finally {
    await server.stop()
  }
})
