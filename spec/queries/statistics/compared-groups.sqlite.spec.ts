import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { adjustForMany } from '../../../domain/statistics/many.ts'
import { pairedTest } from '../../../domain/statistics/paired-rates.ts'
import type { ComparedCases } from '../../../queries/statistics/compared-cases.ts'
import type { ComparedGroups } from '../../../queries/statistics/compared-groups.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

const spec = await openApp()
afterAll(() => spec.close())

type Test = { readonly tags?: readonly string[]; readonly city?: string; readonly statuses: readonly CaseStatus[] }
/** Uploads a run with a case for each status of a test, its trials. */
const upload = async (run_id: string, tests: ReadonlyArray<Test>, project = 'p'): Promise<void> => {
  const cases = tests.flatMap(({ tags = [], city, statuses }, test) =>
    statuses.map((status, repeat) =>
      aCase({
        cell: { test_id: `t${test}`, repeat },
        tags: [...tags],
        vars: city === undefined ? {} : { city },
        status,
      }),
    ),
  )
  const answer = await spec.ingest(aDocument({ run_id, project, cases }))
  expect(answer.statusCode, answer.body).toBe(201)
}
const many = (n: number, tags: readonly string[], from: CaseStatus, to: CaseStatus, city?: string) =>
  Array.from({ length: n }, () => ({ tags, from, to, ...(city === undefined ? {} : { city }) }))

// Of 30 cases of maths 10 are lost; of 20 of code one is won; one is of both, and two have no tag.
const TESTS = [
  ...many(10, ['maths'], 'pass', 'fail', 'Lima'),
  ...many(19, ['maths'], 'pass', 'pass', 'Lima'),
  ...many(1, ['maths', 'code'], 'pass', 'pass', 'Oslo'),
  ...many(1, ['code'], 'fail', 'pass', 'Oslo'),
  ...many(17, ['code'], 'fail', 'fail', 'Oslo'),
  ...many(1, ['code'], 'skip', 'pass', 'Oslo'),
  ...many(2, [], 'error', 'fail'),
]
const side = (of: 'from' | 'to') => TESTS.map((test) => ({ ...test, statuses: [test[of]] }))
await upload('base', side('from'))
await upload('head', [...side('to'), { tags: ['new'], statuses: ['fail'] }])

const read = (query = '', path = '/runs/base/compare/head/groups') => spec.getJson<ComparedGroups>(`${path}${query}`)
const groupOf = ({ groups }: ComparedGroups, value: string | null) => groups.find((group) => group.value === value)

describe('the cases that two runs share, by tag', () => {
  it('are counted in each group, the one that lost most first; a case of two tags is in both', async () => {
    const found = await read()
    expect(found).toMatchObject({ base: 'base', head: 'head', joined_by: 'case_key', group_count: 3 })
    expect(found.groups.map(({ value }) => value)).toEqual(['maths', null, 'code'])
    expect(groupOf(found, 'maths')).toMatchObject({
      ...{ shared: 30, cases: 30, base_passed: 30, head_passed: 20, cases_worse: 10, cases_better: 0 },
      verdict: 'worse',
    })
    // A skipped case is shared, and decides nothing.
    expect(groupOf(found, 'code')).toMatchObject({
      ...{ shared: 20, cases: 19, base_passed: 1, head_passed: 2, cases_worse: 0, cases_better: 1 },
      verdict: 'too_few',
    })
    expect(groupOf(found, null)).toMatchObject({ shared: 2, cases: 2, base_passed: 0, head_passed: 0 })
  })

  it('have the exact test and the interval of their own cases, with p adjusted for the number of groups', async () => {
    const found = await read()
    const [maths, code, untagged] = [pairedTest(10, 0, 30), pairedTest(0, 1, 19), pairedTest(0, 0, 2)]
    expect(groupOf(found, 'maths')).toMatchObject({ p_value: maths.p_value, difference: maths.difference })
    expect(
      [groupOf(found, 'maths'), groupOf(found, 'code'), groupOf(found, null)].map((group) => group?.adjusted_p),
    ).toEqual(adjustForMany([maths, code, untagged].map(({ p_value }) => p_value ?? NaN)))
  })

  it('do not take a group for worse that only the number of groups makes one', async () => {
    const tests = [
      ...many(6, ['lost'], 'pass', 'fail'),
      ...many(8, ['a'], 'pass', 'pass'),
      ...many(8, ['b'], 'pass', 'pass'),
    ]
    await upload(
      'few-base',
      tests.map((test) => ({ ...test, statuses: [test.from] })),
    )
    await upload(
      'few-head',
      tests.map((test) => ({ ...test, statuses: [test.to] })),
    )
    const found = await read('', '/runs/few-base/compare/few-head/groups')
    expect(groupOf(found, 'lost')).toMatchObject({
      ...{ p_value: expect.closeTo(1 / 32, 9) as number, adjusted_p: expect.closeTo(3 / 32, 9) as number },
      ...{ verdict: 'no_clear_change', removed_by_adjustment: true },
    })
  })

  it('count the trials of a test once in the test, and each in the numbers of cases', async () => {
    const statuses = (status: CaseStatus) => Array.from({ length: 12 }, () => status)
    await upload('trials-base', [{ tags: ['a'], statuses: statuses('pass') }])
    await upload('trials-head', [{ tags: ['a'], statuses: statuses('fail') }])
    const [group] = (await read('', '/runs/trials-base/compare/trials-head/groups')).groups
    expect(group).toMatchObject({ cases: 12, cases_worse: 12, pairs: 1, worse: 1, verdict: 'too_few' })
  })
})

describe('the cases that two runs share, by a variable', () => {
  it('are grouped by its value, and the fields that can group them are named', async () => {
    const found = await read('?by=var.city')
    expect(found.fields).toEqual([
      { field: 'tag', values: 2 },
      { field: 'var.city', values: 2 },
    ])
    expect(found.groups.map(({ value, cases_worse }) => [value, cases_worse])).toEqual([
      ['Lima', 10],
      [null, 0],
      ['Oslo', 0],
    ])
  })

  it('are one group without a value for a field that none has', async () => {
    expect((await read('?by=var.none')).groups).toMatchObject([{ value: null, shared: 51 }])
  })

  it('are listed by it', async () => {
    const list = (query: string) => spec.getJson<ComparedCases>(`/runs/base/compare/head/cases?${query}`)
    expect((await list('filter=worse&field=var.city%3DLima')).counts).toMatchObject({ worse: 10, all: 29 })
    for (const none of ['var.city%3DRome', 'var.city', 'var.none%3DLima', '%3DLima', 'tag%3Dmaths'])
      expect((await list(`field=${none}`)).counts.all, none).toBe(0)
  })

  it('are not those with values of their own each', async () => {
    const tests = Array.from({ length: 6 }, (_, n) => ({ city: `c${n}`, statuses: ['pass' as const] }))
    await upload('own-base', tests)
    await upload('own-head', tests)
    expect((await read('', '/runs/own-base/compare/own-head/groups')).fields).toEqual([])
  })
})

it('the groups of a comparison do not exist for a viewer who may not see one of the runs', async () => {
  const reader = await spec.addUser('reader', 'member')
  await upload('closed', side('to'), 'closed')
  await spec.restrict('closed')
  const path = (id: string) => `/runs/base/compare/${id}/groups`
  expect((await spec.sendAs('admin')('GET', path('closed'))).statusCode).toBe(200)
  const [hidden, absent] = [await reader.send('GET', path('closed')), await reader.send('GET', path('absent'))]
  expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
})

it('the groups of columns of one run are those of their tests', async () => {
  const cases = TESTS.flatMap((test, n) =>
    (['from', 'to'] as const).map((of) =>
      aCase({ cell: { provider_id: of, test_id: `t${n}` }, tags: [...test.tags], status: test[of] }),
    ),
  )
  expect((await spec.ingest(aDocument({ run_id: 'columns', cases }))).statusCode).toBe(201)
  const path = '/runs/columns/compare/columns/groups?base_column=from&head_column=to'
  expect(groupOf(await read('', path), 'maths')).toMatchObject({ cases_worse: 10, verdict: 'worse' })
  expect((await spec.sendAs('read')('GET', `${path}x`)).statusCode).toBe(400)
})
