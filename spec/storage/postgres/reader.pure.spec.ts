import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../../storage/errors.ts'
import { standbyReader, type PostgresReader } from '../../../storage/postgres/reader.ts'
import type { Query } from '../../../storage/storage.ts'
import { headRow } from '../../support/stores/head-row.ts'

/** Returns the name of the reader that answered. */
const READER_NAME: Query<string> = { token: null, shape: ([name]) => String(name) }

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

const openPair = () => {
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
  return { state, readerName: () => reader.read(READER_NAME) }
}

describe('standbyReader', () => {
  it('uses the standby once it is known to have the needed position', async () => {
    const { readerName } = openPair()
    expect(await readerName()).toBe('primary')
    await nextTurn()
    expect(await readerName()).toBe('standby')
  })

  it('uses the primary while the standby lags, and then the standby again', async () => {
    const { state, readerName } = openPair()
    await readerName()
    await nextTurn()
    state.needed = 3
    for (let n = 0; n < 3; n++) {
      expect(await readerName()).toBe('primary')
      await nextTurn()
    }
    state.reached = 3
    expect(await readerName()).toBe('primary')
    await nextTurn()
    expect(await readerName()).toBe('standby')
  })

  it('uses the primary while the standby is unavailable, and then the standby again', async () => {
    const { state, readerName } = openPair()
    await readerName()
    await nextTurn()
    state.isAway = true
    expect(await readerName()).toBe('primary')
    await nextTurn()
    expect(await readerName()).toBe('primary')
    await nextTurn()
    state.isAway = false
    expect(await readerName()).toBe('primary')
    await nextTurn()
    expect(await readerName()).toBe('standby')
  })

  it('checks the position again after a new connection: a standby may have crashed', async () => {
    const { state, readerName } = openPair()
    await readerName()
    await nextTurn()
    expect(await readerName()).toBe('standby')
    // From here on, each read of the standby opens a new connection.
    state.connects = true
    expect(await readerName()).toBe('primary')
    expect(await readerName()).toBe('primary')
    await nextTurn()
    state.connects = false
    expect(await readerName()).toBe('primary')
    await nextTurn()
    expect(await readerName()).toBe('standby')
  })
})
