import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseFieldsView } from '../../../queries/cases/case-fields.ts'
import type { CaseRows } from '../../../queries/cases/case-rows.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'

const CITIES = ['Lima', 'Oslo "old"', 'Lima', 'São, Paulo'] as const
const anAssert = (name: string, score: number, judge?: string) => ({
  kind: 'llm-rubric',
  status: score < 0.5 ? 'fail' : 'pass',
  score,
  weight: 1,
  reason: '',
  criteria: { name, ...(judge === undefined ? {} : { judge }) },
})

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  const cases = Array.from({ length: 24 }, (_, n) =>
    aCase({
      cell: { test_id: `test-${n % 12}`, repeat: n < 12 ? 0 : 1 },
      status: n % 4 === 0 ? 'fail' : 'pass',
      tags: n % 2 === 0 ? ['even', 'all'] : ['all'],
      vars: { city: CITIES[n % 4], n, deep: { a: [1] }, 'a=b': 'left out' },
      output: n === 3 ? 'needle' : 'hay',
      asserts: [anAssert('accuracy', n % 4 === 0 ? 0.2 : 1, 'o3'), anAssert('tone', 1)],
    }),
  )
  await spec.ingest(aDocument({ run_id: 'fields', cases }))
  await spec.ingest(aDocument({ run_id: 'plain', cases: [aCase({ asserts: [] })] }))
})
afterAll(() => spec.close())

const get = async <T>(path: string): Promise<T> => {
  const answer = await spec.sendAs('read')('GET', path)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<T>()
}
const fieldsOf = (query: string) => get<CaseFieldsView>(`/runs/fields/case-fields?${query}`)

describe('the fields of the cases of a run', () => {
  it('are its columns, variables and assertions, with the number of their values', async () => {
    const { fields, groups, group_count } = await fieldsOf('')
    expect({ groups, group_count }).toEqual({ groups: null, group_count: 0 })
    expect(Object.fromEntries(fields.map(({ field, cases, values }) => [field, [cases, values]]))).toEqual({
      provider: [24, 1],
      prompt: [24, 1],
      tag: [36, 2],
      'var.city': [24, 3],
      'var.n': [24, 24],
      'var.deep': [24, 1],
      'assert.accuracy · o3': [24, 2],
      'assert.tone': [24, 1],
    })
    expect((await get<CaseFieldsView>('/runs/plain/case-fields')).fields.map(({ field }) => field)).toEqual([
      'provider',
      'prompt',
    ])
  })

  it('are in the rows on request', async () => {
    const rows = async (query: string) => (await get<CaseRows>(`/runs/fields/case-rows?limit=2&${query}`)).rows
    expect((await rows('')).map(({ fields }) => fields)).toEqual([undefined, undefined])
    expect((await rows('fields=true')).map(({ fields }) => fields)).toEqual([
      {
        'var.city': 'Lima',
        'var.n': '0',
        'var.deep': '{"a":[1]}',
        'assert.accuracy · o3': 'fail 0.2',
        'assert.tone': 'pass',
      },
      {
        'var.city': 'Oslo "old"',
        'var.n': '1',
        'var.deep': '{"a":[1]}',
        'assert.accuracy · o3': 'pass',
        'assert.tone': 'pass',
      },
    ])
  })

  it('group the cases, the lowest pass rate first, with intervals over tests', async () => {
    const { groups, group_count } = await fieldsOf('by=var.city')
    expect(group_count).toBe(3)
    // Of the tests of Lima, every second one failed in each of its two trials.
    expect(groups?.map(({ value, cases, tests, passes }) => [value, cases, tests, passes?.mean])).toEqual([
      ['Lima', 12, 6, 0.5],
      ['Oslo "old"', 6, 3, 1],
      ['São, Paulo', 6, 3, 1],
    ])
    const lima = groups?.[0]?.passes
    // Two trials of a test are one observation: Student's t over six tests is wider than an interval over twelve cases.
    expect(lima?.lower).toBeLessThan(0.06)
    expect(lima?.upper).toBeGreaterThan(0.94)
  })

  it('group by tags, of which a case may have several, and by the status of an assertion', async () => {
    const values = async (query: string) =>
      (await fieldsOf(query)).groups?.map(({ value, cases, passes }) => [value, cases, passes?.mean])
    expect(await values('by=tag')).toEqual([
      ['even', 12, 0.5],
      ['all', 24, 0.75],
    ])
    expect(await values('by=assert.accuracy%20%C2%B7%20o3')).toEqual([
      ['fail', 6, 0],
      ['pass', 18, 1],
    ])
    expect(await values('by=nothing')).toEqual([[null, 24, 0.75]])
    expect(await values('by=var.city&status=fail')).toEqual([['Lima', 6, 0]])
    expect(await values('by=var.city&q=needle')).toEqual([['São, Paulo', 1, 1]])
  })

  it('filter every list of the cases, by the whole value or by the status of an assertion', async () => {
    const total = async (field: string) =>
      (await get<CaseRows>(`/runs/fields/case-rows?${new URLSearchParams({ field }).toString()}`)).total
    expect(await total('var.city=Lima')).toBe(12)
    expect(await total('var.city=Lim')).toBe(0)
    expect(await total('var.city=lima')).toBe(0)
    expect(await total('var.city=Oslo "old"')).toBe(6)
    expect(await total('var.city=São, Paulo')).toBe(6)
    expect(await total('var.n=1')).toBe(1)
    expect(await total('assert.accuracy · o3=fail')).toBe(6)
    expect(await total('assert.accuracy · o3=pass')).toBe(18)
    expect(await total('var.city=Lima","var.n":"0')).toBe(0)
    expect(await total('var.city')).toBe(0)
    expect(await total('')).toBe(0)
  })

  it('are those of a visible run only', async () => {
    expect((await spec.sendAs('read')('GET', '/runs/none/case-fields')).statusCode).toBe(404)
  })
})
