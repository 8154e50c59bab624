import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { tagsIn } from '../../domain/run/tags.ts'
import {
  chooseJoin,
  countPairs,
  joinCases,
  JOINS,
  type CaseOutcome,
  type Join,
} from '../../domain/statistics/pairing.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { AgainstBase, compareGroups } from './against-base.ts'
import { readColumn, type ComparedPair, type OutcomeRow } from './outcomes.ts'

const count = z.number().int()

/** A part of the cases that two runs share: how many it lost, and whether that is more than chance. */
const Group = AgainstBase.extend({
  /** Null for the cases without a value. */
  value: z.string().nullable(),
  /** Cases that passed or failed in both runs, and how many of them passed in each. Trials are cases of their own. */
  cases: count,
  base_passed: count,
  head_passed: count,
  cases_worse: count,
  cases_better: count,
})

/** The cases that two runs share, grouped by a field: the group that lost most cases first. */
export const ComparedGroups = z
  .object({
    base: z.string(),
    head: z.string(),
    joined_by: z.enum(JOINS),
    /** By which the shared cases can be grouped: with 2 to 200 values, and variables with two cases or more for each. */
    fields: z.array(z.object({ field: z.string(), values: count })),
    /** 200 are listed; `group_count` counts up to 1,000, and p is adjusted for all of these. */
    groups: z.array(Group),
    group_count: count,
  })
  .meta({ id: 'ComparedGroups' })
export type ComparedGroups = z.infer<typeof ComparedGroups>

export type ComparedGroupsRequest = ComparedPair & { readonly by: string }

/** Maximum numbers of fields, of groups of a response, and of values that are distinguished. */
const [MAX_FIELDS, MAX_GROUPS, MAX_VALUES] = [50, 200, 1_000] as const

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

const Values = CaseRow.pick({ n: true, tags: true, fields: true })
type Values = z.infer<typeof Values>

const listValues = (run_no: number, after: number): Query<Values[]> =>
  any(sql.type(Values)`
    SELECT n, tags, fields FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${ROWS_PER_QUERY}`)

/** The tags and the variables of a case; assertions have a value in each run, so they are none. */
const valuesOf = ({ tags, fields }: Values): ReadonlyArray<readonly [field: string, value: string]> => [
  ...[...tagsIn(tags)].map((tag) => ['tag', tag] as const),
  ...Object.entries(JSON.parse(fields ?? '{}') as Readonly<Record<string, string>>).filter(([name]) =>
    name.startsWith('var.'),
  ),
]

type Pair = { readonly base: OutcomeRow; readonly head: OutcomeRow }

export type ComparedGroup = z.infer<typeof Group>

/**
 * What each group of pairs lost, by its value: the group that lost most cases first. The p-values of all groups are adjusted
 * together.
 */
export const groupsOf = <O extends CaseOutcome>(
  groups: ReadonlyMap<string | null, ReadonlyArray<{ readonly base: O; readonly head: O }>>,
  join: Join,
): ComparedGroup[] => {
  const tests = compareGroups([...groups.values()], join)
  const lost = ({ cases_worse, cases_better }: ComparedGroup): number => cases_worse - cases_better
  return [...groups]
    .flatMap(([value, pairs], i): ComparedGroup[] => {
      const test = tests[i]
      const { pairs: cases, worse, better, still_passing } = countPairs(pairs.map((pair) => ({ key: '', ...pair })))
      const counts = { cases, base_passed: still_passing + worse, head_passed: still_passing + better }
      return test ? [{ value, ...counts, cases_worse: worse, cases_better: better, ...test }] : []
    })
    .toSorted(
      (a, b) => lost(b) - lost(a) || (a.difference?.estimate ?? 2) - (b.difference?.estimate ?? 2) || b.cases - a.cases,
    )
}

/**
 * The cases that two runs, or columns of them, share, grouped by `tag` or a variable (`var.city`) of the base's case: a
 * case of several tags is in several groups. Null if a run is unknown, hidden or deleted. Reads all cases of both runs, so
 * it must run on a reader thread. Throws `BadParameter` for a column that no case has.
 */
export const findComparedGroups = async (
  reader: Reader,
  viewer: Viewer,
  asked: ComparedGroupsRequest,
): Promise<ComparedGroups | null> => {
  const sides = { base: findRun(viewer, asked.base), head: findRun(viewer, asked.head) }
  const { base, head } = await reader.readAll(sides)
  if (!base || !head) return null
  const before = await readColumn(reader, viewer, base, 'base_column', asked.base_column)
  const after = await readColumn(reader, viewer, head, 'head_column', asked.head_column)
  if (!before || !after) return null
  const join = chooseJoin([before, after])
  const shared = new Map<number, Pair>()
  for (const pair of joinCases(before, after, join))
    if (pair.base && pair.head) shared.set(pair.base.n, { base: pair.base, head: pair.head })

  const fields = new Map<string, Set<string>>()
  const groups = new Map<string | null, Pair[]>()
  for (let from = -1; ;) {
    const rows = await reader.read(listValues(base.run_no, from))
    for (const row of rows) {
      const pair = shared.get(row.n)
      if (!pair) continue
      const values = valuesOf(row)
      for (const [field, value] of values) {
        const known = fields.get(field) ?? new Set()
        fields.set(field, known)
        if (known.size <= MAX_GROUPS) known.add(value)
      }
      const own = values.flatMap(([field, value]) => (field === asked.by ? [value] : []))
      for (const value of own.length === 0 ? [null] : own) {
        const group = groups.get(value)
        if (group) group.push(pair)
        else if (groups.size < MAX_VALUES) groups.set(value, [pair])
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) break
    from = last.n
  }
  // The rows may be incomplete if a run was deleted, or replaced by another upload, while they were read.
  const still = await reader.readAll(sides)
  if (still.base?.run_no !== base.run_no || still.head?.run_no !== head.run_no) return null

  return {
    base: base.id,
    head: head.id,
    joined_by: join,
    fields: [...fields]
      .filter(([field, { size }]) => size >= 2 && size <= MAX_GROUPS && (field === 'tag' || 2 * size <= shared.size))
      .slice(0, MAX_FIELDS)
      .map(([field, { size }]) => ({ field, values: size })),
    groups: groupsOf(groups, join).slice(0, MAX_GROUPS),
    group_count: groups.size,
  }
}
