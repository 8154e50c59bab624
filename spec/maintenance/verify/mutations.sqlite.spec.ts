import { rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyDirectory } from '../../../cli/store/verify.ts'
import { readTables } from '../../../projections/index.ts'
import { EVENT_TYPES } from '../../../commands/invalidated.ts'
import { CHECKED, NOT_CHECKED, NOT_COVERED } from '../../support/proof/mutated-columns.ts'
import type { Draw } from '../../support/proof/mutated-columns.ts'
import { HARMLESS, MUTATIONS } from '../../support/proof/mutated-history.ts'
import type { Mutation } from '../../support/proof/mutated-history.ts'
import { rootIn } from '../../support/proof/tampered-store.ts'
import { filesBeside, readBeside, wholeStore } from '../../support/proof/whole-store.ts'
import type { WholeStore } from '../../support/proof/whole-store.ts'
import { runCount } from '../../support/random/runs.ts'
import { freshFolder, onFile, putCopy } from '../../support/stores/store.ts'

let made: ReturnType<typeof freshFolder>
let folder: ReturnType<typeof freshFolder>
let store: WholeStore
let beside: ReturnType<typeof readBeside>
let anchor: { readonly size: number; readonly root: string }

beforeAll(async () => {
  made = freshFolder()
  folder = freshFolder()
  store = await wholeStore(made.dir)
  beside = readBeside(store.file)
  const size = onFile(store.file, (database) => database.prepare('SELECT max(seq) FROM events').pluck().get() as number)
  anchor = { size, root: rootIn(store.file, size).toString('hex') }
})
afterAll(() => {
  made.remove()
  folder.remove()
})

const putStore = (): void => {
  putCopy(store.file, folder.file)
  const { head, guard } = filesBeside(folder.file)
  writeFileSync(head, beside.head)
  writeFileSync(guard, beside.guard)
}

const findingOf = async (anchors: readonly { readonly size: number; readonly root: string }[] = []) =>
  (await verifyDirectory(folder.dir, anchors, undefined, { trust: store.policy })).finding

/** Draws from numbers that fast-check has drawn. */
const drawFrom = (numbers: readonly number[]): Draw => {
  let at = 0
  return (below) => (numbers[at++ % numbers.length] ?? 0) % below
}

const isConstraint = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(String(error.code))

/** What was not found as it should be; null if all is well, undefined if nothing was changed. */
const missed = async ({ found, isHarmless = false, apply }: Mutation, draw: Draw): Promise<unknown> => {
  putStore()
  try {
    if (!(await apply({ file: folder.file, store, draw }))) return undefined
  } catch (error) {
    // A key that another row has. A constraint that was dropped is a finding about the schema.
    if (isConstraint(error)) return undefined
    throw error
  }
  const finding = await findingOf()
  if (finding !== null) return found.includes(finding.kind) ? null : finding
  if (isHarmless) return null
  if (!found.includes(null)) return 'no finding'
  return (await findingOf([anchor])) === null ? 'no finding, not even with an anchor' : null
}

const numbers = fc.array(fc.noBias(fc.nat(2 ** 31 - 1)), { minLength: 12, maxLength: 12 })

describe('the store', () => {
  it('has a record of every type', () => {
    const types = onFile(store.file, (database) => database.prepare('SELECT DISTINCT type FROM events').pluck().all())
    expect(new Set(types)).toEqual(new Set(EVENT_TYPES))
  })

  it('has no table and no column of which this file does not say whether it is checked', () => {
    const columnsOf = (table: string) =>
      onFile(store.file, (database) =>
        (database.pragma(`table_info(${table})`) as Array<{ name: string }>).map(({ name }) => name),
      )
    for (const [table, checked] of Object.entries(CHECKED))
      expect([...Object.keys(checked), ...(NOT_COVERED[table] ?? [])].toSorted(), table).toEqual(
        columnsOf(table).toSorted(),
      )
    const tables = onFile(
      store.file,
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
      const result = mutation && (await missed(mutation, drawFrom(rest)))
      if (result === undefined) continue
      changed++
      if (result !== null) failures.push([mutation?.name, result, rest])
    }
    expect(failures).toEqual([])
    expect(changed).toBe(wanted)
  })

  it('finds nothing in a store that was not changed, or only as it may be', { timeout: 3_600_000 }, async () => {
    const drawn = fc.sample(
      fc.record({ acts: fc.subarray([...HARMLESS]), sizes: fc.array(fc.nat(anchor.size)), numbers }),
      runCount(30),
    )
    for (const { acts, sizes, numbers: drawnNumbers } of drawn) {
      putStore()
      const draw = drawFrom(drawnNumbers)
      for (const { act } of acts) act({ file: folder.file, store, draw })
      const anchors = sizes.map((size) => ({ size, root: rootIn(store.file, size).toString('hex') }))
      const trust = { keys: [], policy: store.policy.policy && { ...store.policy.policy, quorum: null } }
      const { finding } = await verifyDirectory(folder.dir, anchors, undefined, { trust })
      expect(finding, acts.map(({ name }) => name).join(', ')).toBeNull()
    }
  })

  it('sees nothing, without an anchor, if an owner puts an older copy back and removes head and guard', async () => {
    for (const older of store.older) {
      putStore()
      putCopy(older, folder.file)
      expect(await findingOf()).toMatchObject({ kind: 'rolled_back' })
      for (const file of Object.values(filesBeside(folder.file))) rmSync(file)
      expect(await findingOf()).toBeNull()
      expect(await findingOf([anchor])).toMatchObject({ kind: 'rolled_back' })
    }
  })
})
