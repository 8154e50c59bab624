import fc from 'fast-check'
import { expect, it } from 'vitest'
import { setAccess } from '../../../queries/access/set-access.ts'
import { findProjectSet, listProjectSets } from '../../../queries/sets/sets.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import type { Reader } from '../../../storage/storage.ts'
import { member } from '../../support/access/viewers.ts'

const project = fc.constantFrom('p', 'q')
const suite = fc.constantFrom('s', 't', null)
const scope = fc.record({ project, suite })
const nameOf = (row: { readonly project: string; readonly suite: string | null }) =>
  JSON.stringify([row.project, row.suite])

it('access to a set follows the rows of the set and its project; the higher level of both counts', () => {
  const rows = fc.record({
    restrictions: fc.uniqueArray(scope, { selector: nameOf }),
    grants: fc.uniqueArray(fc.record({ project, suite, level: fc.constantFrom(...LEVELS) }), { selector: nameOf }),
  })
  fc.assert(
    fc.property(rows, scope, ({ restrictions, grants }, of) => {
      const covers = (row: { readonly project: string; readonly suite: string | null }) =>
        row.project === of.project && (row.suite === null || row.suite === of.suite)
      const access = setAccess({ restrictions, grants })
      expect(access.isRestricted(of.project, of.suite)).toBe(restrictions.some(covers))
      const levels = grants.filter(covers).map(({ level }) => level)
      expect(access.myLevel(of.project, of.suite)).toBe(LEVELS.findLast((level) => levels.includes(level)) ?? null)
    }),
  )
})

/**
 * Lists `count` sets, with a restriction and a grant on each. Returns how many times the list reads a row of access.
 */
const looksAt = async (
  count: number,
  list: (reader: Reader) => Promise<unknown>,
  ofProjects: boolean,
): Promise<number> => {
  let looks = 0
  const scopes = Array.from({ length: count }, (_, n) =>
    ofProjects ? { project: `project ${n}`, suite: null } : { project: 'p', suite: `suite ${n}` },
  )
  const watched = scopes.map((of) => ({
    get project() {
      looks++
      return of.project
    },
    suite: of.suite,
    level: 'view',
  }))
  const totals = {
    run_count: 1,
    case_count: 1,
    pass_count: 1,
    fail_count: 0,
    error_count: 0,
    empty_count: 0,
    last_run_at: 0,
    latest_total: 1,
    latest_passed: 1,
    baseline_run_id: null,
  }
  const found: Readonly<Record<string, unknown>> = {
    rows: scopes.map(({ project: name, suite: named }, n) => ({
      ...totals,
      set_key: `key ${n}`,
      project: name,
      suite: named ?? 's',
    })),
    restrictions: watched,
    grants: watched,
  }
  const reader: Reader = {
    dialect: 'sqlite',
    read: async ({ shape }) => shape([]),
    readAll: async (queries) => Object.fromEntries(Object.keys(queries).map((name) => [name, found[name]])) as never,
  }
  await list(reader)
  return looks
}

it.each([
  ['the suites of a project', false, (reader: Reader) => findProjectSet(reader, member, 'p')],
  ['all projects', true, (reader: Reader) => listProjectSets(reader, member)],
] as const)(
  'a list of sets reads each restriction and grant a constant number of times: %s',
  async (_, ofProjects, list) => {
    const few = await looksAt(500, list, ofProjects)
    expect(few).toBeGreaterThan(0)
    expect(await looksAt(2_000, list, ofProjects)).toBeLessThanOrEqual(4 * few)
  },
)
