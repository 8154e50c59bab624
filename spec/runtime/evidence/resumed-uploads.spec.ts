import { expect, it } from 'vitest'
import { PIECE } from '../../support/documents/parts.ts'
import { partOnServer, threePieces } from '../../support/parts/on-server.ts'
import { startServer } from '../../support/servers/server.ts'

it('an upload goes on after a kill between any two of its pieces: what is missing is named, and only that is sent', async () => {
  const bytes = threePieces()
  const states = []
  let server = await startServer()
  const { dataDir } = server
  for (const n of [2, 0]) {
    await partOnServer(server, bytes).putPiece(n)
    await server.kill()
    server = await startServer({ dataDir })
    states.push(await partOnServer(server, bytes).upload())
  }
  try {
    expect(states).toEqual([
      { bytes: bytes.length, received: 5, missing: [[0, 2 * PIECE - 1]], complete: false },
      { bytes: bytes.length, received: PIECE + 5, missing: [[PIECE, 2 * PIECE - 1]], complete: false },
    ])
    const part = partOnServer(server, bytes)
    expect(await part.putPiece(1)).toMatchObject({ received: bytes.length, complete: true })
    expect(await part.upload()).toEqual({ bytes: bytes.length, received: bytes.length, missing: [], complete: true })
    expect(await part.nameByRun('resumed')).toEqual([200, 201])
    expect(await part.isOfRun('resumed')).toBe(true)
  } finally {
    await server.stop()
  }
})
