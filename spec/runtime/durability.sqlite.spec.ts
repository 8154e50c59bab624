import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyLog } from '../../maintenance/verify/log.ts'
import { acknowledgedWrites } from '../support/http/acknowledged.ts'
import { startServer } from '../support/servers/server.ts'

const CYCLES = 10

describe('a server killed at random moments', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-kill-'))
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
  const expectIntactLog = async () => expect((await verifyLog(join(dataDir, 'service.db'), null)).finding).toBeNull()

  it(`keeps every acknowledged write over ${CYCLES} kills under concurrent writes`, async () => {
    const writes = acknowledgedWrites()
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const server = await startServer({ dataDir })
      // The kill comes after a different number of acknowledged writes each time, while the other lanes are writing.
      let left = 3 + ((cycle * 7) % 11)
      const died = Promise.withResolvers<void>()
      const lanes = [0, 1, 2, 3].map((lane) =>
        writes.lane(server, lane, () => {
          if (--left === 0) died.resolve(server.kill())
        }),
      )
      // Each lane ends with the connection error that the kill causes.
      await Promise.allSettled([...lanes, died.promise])
      await expectIntactLog()
    }

    const server = await startServer({ dataDir })
    await writes.compareAll(server)
    expect(await server.stop({ keep: true })).toBe(0)
    await expectIntactLog()
    expect(writes.count()).toBeGreaterThan(CYCLES)
  })
})
