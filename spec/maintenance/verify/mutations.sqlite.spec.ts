import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { readTables } from '../../../projections/index.ts'
import { EVENT_NAMES } from '../../../commands/events.ts'
import { CHECKED, NOT_CHECKED, NOT_COVERED, type Draw } from '../../support/proof/mutated-columns.ts'
import { HARMLESS, MUTATIONS } from '../../support/proof/mutated-history.ts'
import { ALL_MUTATIONS, openMutatedStores } from '../../support/proof/mutated-stores.ts'
import { filesBeside } from '../../support/proof/whole-store.ts'
import { runCount } from '../../support/random/runs.ts'
import { onFile, putCopy } from '../../support/stores/store.ts'
import { drawFrom as seededDraw } from '../../support/verifier/mutations.ts'

// `npm run soak -- mutations` makes 10,000 changes of the same kinds, and 1,000 harmless ones.

afterAll(() => stores.remove())

/** Draws from numbers that fast-check has drawn. */
const drawFrom = (numbers: readonly number[]): Draw => {
  let at = 0
  return (below) => (numbers[at++ % numbers.length] ?? 0) % below
}

const numbers = fc.array(fc.noBias(fc.nat(2 ** 31 - 1)), { minLength: 12, maxLength: 12 })
const stores = await openMutatedStores()

describe('the store', () => {
  it('has a record of every type', () => {
    const types = onFile(stores.store.file, (database) =>
      database.prepare('SELECT DISTINCT type FROM events').pluck().all(),
    )
    expect(new Set(types)).toEqual(new Set(EVENT_NAMES))
  })

  it('has no table and no column of which this file does not say whether it is checked', () => {
    const columnsOf = (table: string) =>
      onFile(stores.store.file, (database) =>
        (database.pragma(`table_info(${table})`) as Array<{ name: string }>).map(({ name }) => name),
      )
    for (const [table, checked] of Object.entries(CHECKED))
      expect([...Object.keys(checked), ...(NOT_COVERED[table] ?? [])].toSorted(), table).toEqual(
        columnsOf(table).toSorted(),
      )
    const tables = onFile(
      stores.store.file,
      (database) =>
        database
          .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'",
          )
          .pluck()
          .all() as string[],
    )
    const own = tables.filter((table) => !readTables.some((name) => name === table))
    expect(own.toSorted()).toEqual([...Object.keys(CHECKED), ...Object.keys(NOT_CHECKED)].toSorted())
  })
})

/** Most draws of a kind change something; the rarest need some twenty. */
const DRAWS_PER_KIND = 200

it('each kind of change can be made', async () => {
  const draw = seededDraw(1)
  const never: string[] = []
  for (const mutation of ALL_MUTATIONS) {
    let isMade = false
    for (let n = 0; n < DRAWS_PER_KIND && !isMade; n++) isMade = await stores.apply(mutation, draw)
    if (!isMade) never.push(mutation.name)
  }
  expect(never).toEqual([])
})

/** Draws that change nothing, such as two equal values exchanged, are drawn again. */
const DRAWS_PER_CHANGE = 2

describe('ers verify', () => {
  it('finds every change of a store', { timeout: 3_600_000 }, async () => {
    const wanted = runCount(300)
    const drawn = fc.sample(
      fc.record({ kind: fc.constantFrom(...Object.values(MUTATIONS)), numbers }),
      DRAWS_PER_CHANGE * wanted,
    )
    const failures: unknown[] = []
    let changed = 0
    for (const {
      kind,
      numbers: [at = 0, ...rest],
    } of drawn) {
      if (changed === wanted) break
      const mutation = kind[at % kind.length]
      const result = mutation && (await stores.missed(mutation, drawFrom(rest)))
      if (result === undefined) continue
      changed++
      if (result !== null) failures.push([mutation?.name, result, rest])
    }
    expect(failures).toEqual([])
    expect(changed).toBe(wanted)
  })

  it('finds nothing in a store that was not changed, or only as it may be', { timeout: 3_600_000 }, async () => {
    const drawn = fc.sample(
      fc.record({ acts: fc.subarray([...HARMLESS]), sizes: fc.array(fc.nat(stores.anchor.size)), numbers }),
      runCount(30),
    )
    for (const { acts, sizes, numbers: drawnNumbers } of drawn)
      expect(
        await stores.alarm(acts, sizes, drawFrom(drawnNumbers)),
        acts.map(({ name }) => name).join(', '),
      ).toBeNull()
  })

  it('sees nothing, without an anchor, if an owner puts an older copy back and removes head and guard', async () => {
    const { store, file, anchor } = stores
    for (const older of store.older) {
      stores.putStore()
      putCopy(older, file)
      expect(await stores.findingOf()).toMatchObject({ kind: 'rolled_back' })
      for (const beside of Object.values(filesBeside(file))) rmSync(beside)
      expect(await stores.findingOf()).toBeNull()
      expect(await stores.findingOf([anchor])).toMatchObject({ kind: 'rolled_back' })
    }
  })
})
