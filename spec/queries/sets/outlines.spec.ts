import { afterAll, describe, expect, it } from 'vitest'
import { setKey } from '../../../domain/sets.ts'
import { project } from '../../../projections/index.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { findFlakiness } from '../../../queries/cases/flakiness.ts'
import { findGrid, GRID_ORDERS } from '../../../queries/cases/grid.ts'
import { findTimeline } from '../../../queries/cases/timeline.ts'
import { listSetVersions } from '../../../queries/sets/overview.ts'
import { readSuiteStates } from '../../../queries/sets/suite-states.ts'
import type { Reader, Token } from '../../../storage/storage.ts'
import { member } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage } from '../../support/stores/open-storage.ts'
import { queryPlan } from '../../support/stores/query-plan.ts'
import { uploadEvent } from '../../support/stores/recorded-before.ts'
import { aCommand } from '../../support/stores/store.ts'

const SUITE = { project: 'chat', suite: 'smoke' }
const KEY = setKey(SUITE) ?? ''
afterAll(() => store.close())

/** Matches a line of a plan that reads a whole table, or that sorts rows in order to read few of them. */
const COSTLY = onPostgres
  ? /Seq Scan on (?:runs|run_outlines|cases|suite_series)/
  : /SCAN (?:runs|run_outlines|o|cases|suite_series)\b|TEMP B-TREE FOR (?:RIGHT PART OF )?ORDER BY/

/** The texts of all queries of a read, and their plans. */
const plansOf = async (read: (reader: Reader) => Promise<unknown>): Promise<string[]> => {
  const tokens: Token[] = []
  const note = ({ token }: Parameters<Reader['read']>[0]) => {
    if (token) tokens.push(token)
  }
  const { reader } = store
  const found = await read({
    dialect: reader.dialect,
    read: (query) => {
      note(query)
      return reader.read(query)
    },
    readAll: (queries) => {
      for (const query of Object.values(queries)) note(query)
      return reader.readAll(queries)
    },
  })
  expect(found).not.toBeNull()
  const plans: string[] = []
  for (const token of tokens) plans.push(...(await queryPlan(store, token)))
  return plans
}
const store = await openStorage({ project })
for (let n = 0; n < 30; n++) {
  const finished_at = new Date(Date.UTC(2026, 4, 5) + n * 1000).toISOString()
  const cases = [aCase({ status: n % 2 === 0 ? 'pass' : 'fail' })]
  const document = aDocument({ run_id: `run-${n}`, finished_at, cases, git: { branch: 'main' } })
  const [outcome] = await store.commitAll(
    aCommand([], { decide: (_facts, _prepared, numbers) => [uploadEvent(document, numbers)] }),
  )
  expect(outcome?.ok).toBe(true)
}

describe('reads over many runs', () => {
  it.each([undefined, 'main'])('read outlines by an index: branch %s', async (branch) => {
    for (const order of GRID_ORDERS)
      for (const plan of await plansOf((reader) =>
        findGrid(reader, SYSTEM, SUITE, { runs: 5, branch, order }, { limit: 10 }),
      ))
        expect(plan).not.toMatch(COSTLY)
    for (const plan of await plansOf((reader) => findFlakiness(reader, SYSTEM, { ...SUITE, window: 5, branch })))
      expect(plan).not.toMatch(COSTLY)
  })

  it('read the states of suites by an index', async () => {
    for (const viewer of [SYSTEM, member]) {
      for (const plan of await plansOf((reader) => readSuiteStates(reader, viewer, [KEY])))
        expect(plan).not.toMatch(COSTLY)
      for (const plan of await plansOf((reader) => reader.read(listSetVersions(viewer))))
        expect(plan).not.toMatch(COSTLY)
    }
  })

  it('read no case of a run that has no such case', async () => {
    for (const plan of await plansOf((reader) =>
      findTimeline(reader, SYSTEM, { ...SUITE, case_key: aCase().case_key }, { limit: 5 }),
    ))
      // The cases of one history key are sorted by run after the index gives them in order of time.
      expect(plan).not.toMatch(onPostgres ? COSTLY : /SCAN (?:runs|cases)\b/)
  })

  it('take a window of the newest runs, however many there are', async () => {
    const [state] = await readSuiteStates(store.reader, SYSTEM, [KEY])
    expect(state).toMatchObject({ run_count: 30, facts: { like_run_count: 20, flaky: 1, usual_gap_ms: 1000 } })
    expect(state?.facts?.pass_rates).toHaveLength(20)
    expect(state?.latest).toHaveLength(6)
  })

  it('have no state of an unknown set', async () =>
    expect(await readSuiteStates(store.reader, SYSTEM, ['unknown'])).toEqual([]))
})
