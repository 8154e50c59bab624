import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../../storage/errors.ts'
import { standbyReader } from '../../../storage/postgres/standby-reader.ts'
import type { PostgresReader } from '../../../storage/postgres/storage.ts'
import type { Query } from '../../../storage/storage.ts'
import { headRow } from '../../support/stores/head-row.ts'

/** Returns the name of the reader that answered. */
const READER_NAME: Query<string> = { token: null, shape: ([who]) => String(who) }

const settled = () => new Promise((resolve) => setImmediate(resolve))

const aPair = () => {
  const state = { needed: 0, reached: 0, isAway: false, connections: 0, connects: false }
  const primary: PostgresReader = {
    dialect: 'postgres',
    read: async ({ shape }) => shape(['primary']),
    readAll: () => Promise.reject(new Error('asked')),
    close: async () => {},
  }
  const standby: PostgresReader = {
    ...primary,
    read: async ({ token, shape }) => {
      if (state.connects) state.connections++
      if (state.isAway) throw new Unavailable('away')
      return shape(token === null ? ['standby'] : [headRow(state.reached)])
    },
  }
  const reader = standbyReader(
    primary,
    standby,
    () => state.needed,
    () => state.connections,
  )
  return { state, who: () => reader.read(READER_NAME) }
}

describe('standbyReader', () => {
  it('uses the standby once it is known to have the needed position', async () => {
    const { who } = aPair()
    expect(await who()).toBe('primary')
    await settled()
    expect(await who()).toBe('standby')
  })

  it('uses the primary while the standby lags, and then the standby again', async () => {
    const { state, who } = aPair()
    await who()
    await settled()
    state.needed = 3
    for (let n = 0; n < 3; n++) {
      expect(await who()).toBe('primary')
      await settled()
    }
    state.reached = 3
    expect(await who()).toBe('primary')
    await settled()
    expect(await who()).toBe('standby')
  })

  it('uses the primary while the standby is unavailable, and then the standby again', async () => {
    const { state, who } = aPair()
    await who()
    await settled()
    state.isAway = true
    expect(await who()).toBe('primary')
    await settled()
    expect(await who()).toBe('primary')
    await settled()
    state.isAway = false
    expect(await who()).toBe('primary')
    await settled()
    expect(await who()).toBe('standby')
  })

  it('checks the position again after a new connection: a standby may have crashed', async () => {
    const { state, who } = aPair()
    await who()
    await settled()
    expect(await who()).toBe('standby')
    // During a read, for that very read.
    state.connects = true
    expect(await who()).toBe('primary')
    expect(await who()).toBe('primary')
    await settled()
    state.connects = false
    expect(await who()).toBe('primary')
    await settled()
    expect(await who()).toBe('standby')
  })
})
