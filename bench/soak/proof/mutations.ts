import { HARMLESS, MUTATIONS, type Mutation } from '../../../spec/support/proof/mutated-history.ts'
import { ALL_MUTATIONS, openMutatedStores, type MutatedStores } from '../../../spec/support/proof/mutated-stores.ts'
import { drawFrom, type Draw } from '../../../spec/support/verifier/mutations.ts'
import { setting, type Soak, type SoakContext } from '../soak.ts'

const CHANGES = 10_000
const CLEAN_RUNS = 1_000
const PROGRESS_EVERY = 1_000

/**
 * Changes copies of a store in every way that `spec/maintenance/verify/mutations.sqlite.spec.ts` knows, and expects
 * `ers verify` to find each one with the right code, and nothing in copies that were changed as they may be.
 */
export const mutations: Soak = async (context) => {
  const stores = await openMutatedStores()
  try {
    await change(stores, context)
    await leave(stores, context)
  } finally {
    stores.remove()
  }
}

/** Draws of one kind until it changes something. */
const MAX_DRAWS = 500

/** Each kind once, then any. A room of kinds is drawn first, so that the many columns do not crowd out the others. */
const change = async (stores: MutatedStores, { print, fail, expect, seed }: SoakContext): Promise<void> => {
  const draw = drawFrom(seed)
  const kinds = Object.values(MUTATIONS)
  const wanted = setting('SOAK_CHANGES', CHANGES)
  let made = 0
  let missed = 0
  const make = async (mutation: Mutation): Promise<boolean> => {
    const result = await stores.missed(mutation, draw)
    if (result === undefined) return false
    made++
    if (result !== null) {
      missed++
      fail(`${mutation.name}, change ${made}: ${JSON.stringify(result)}`)
    }
    if (made % PROGRESS_EVERY === 0) print(`${made} changes, ${missed} not found as they should be`)
    return true
  }
  for (const mutation of ALL_MUTATIONS) {
    let isMade = false
    for (let n = 0; n < MAX_DRAWS && !isMade; n++) isMade = await make(mutation)
    if (!isMade) fail(`${mutation.name} changed nothing in ${MAX_DRAWS} draws`)
  }
  while (made < wanted) {
    const kind = kinds[draw(kinds.length)]
    const mutation = kind?.[draw(kind.length)]
    if (mutation) await make(mutation)
  }
  expect(missed === 0, `${made} changes of ${ALL_MUTATIONS.length} kinds, ${missed} not found as they should be`)
}

const leave = async (stores: MutatedStores, { fail, expect, seed }: SoakContext): Promise<void> => {
  const draw = drawFrom(seed + 1)
  const wanted = Math.ceil((setting('SOAK_CHANGES', CHANGES) * CLEAN_RUNS) / CHANGES)
  let alarms = 0
  for (let n = 0; n < wanted; n++) {
    const acts = HARMLESS.filter(() => draw(2) === 0)
    const finding = await stores.alarm(acts, sizesUpTo(stores.anchor.size, draw), draw)
    if (finding === null) continue
    alarms++
    fail(`${acts.map(({ name }) => name).join(', ')}: ${JSON.stringify(finding)}`)
  }
  expect(alarms === 0, `${wanted} copies that were not changed, or as they may be: ${alarms} alarms`)
}

const sizesUpTo = (size: number, draw: Draw): number[] => Array.from({ length: draw(10) }, () => draw(size + 1))
