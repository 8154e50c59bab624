import { afterAll, describe, expect, it } from 'vitest'
import type { CaseRows } from '../../../queries/cases/case-rows.ts'
import type { CaseList } from '../../../queries/cases/cases.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

const SIZE = 450
const cases = Array.from({ length: SIZE }, (_, repeat) =>
  aCase({
    cell: { repeat },
    status: repeat % 3 === 0 ? 'fail' : 'pass',
    score: (repeat % 7) / 7,
    output: repeat % 5 === 0 ? null : 'text',
    tool_calls: repeat % 5 === 0 ? [{ name: 'find', arguments: { n: repeat } }] : [],
    asserts: [
      {
        kind: 'contains',
        status: repeat % 3 === 0 ? 'fail' : 'pass',
        score: 0,
        weight: 1,
        reason: `Case ${repeat} is wrong. Indeed.`,
      },
    ],
  }),
)
afterAll(() => spec.close())

const get = (query: string) => spec.sendAs('read')('GET', `/runs/rows/case-rows?${query}`)
const rowsOf = async (query: string): Promise<CaseRows> => {
  const answer = await get(query)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CaseRows>()
}
const spec = await openApp()
await spec.ingest(aDocument({ run_id: 'rows', cases }))

describe('a part of the case list', () => {
  it('has the fields of the case list, the call and the reason', async () => {
    const { cases: listed } = (await spec.sendAs('read')('GET', '/runs/rows/cases?limit=200')).json<CaseList>()
    const { rows, total, offset, place } = await rowsOf('')
    expect({ total, offset, place }).toEqual({ total: SIZE, offset: 0, place: null })
    expect(rows.map(({ call: _, reason: __, ...shared }) => shared)).toEqual(listed)
    expect(rows[0]).toMatchObject({ call: 'find(n: 0)', reason: 'Case 0 is wrong.' })
    expect(rows[1]).toMatchObject({ call: null, reason: null })
  })

  it('begins at a place, in the asked order, and ends with the list', async () => {
    for (const query of ['', 'status=fail', 'sort=score&order=desc', 'q=text&sort=score', 'status=pass&sort=name']) {
      const whole: number[] = []
      for (let offset = 0; ; offset += 200) {
        const { rows } = await rowsOf(`${query}&offset=${offset}`)
        if (rows.length === 0) break
        whole.push(...rows.map(({ idx }) => idx))
      }
      const { rows, total } = await rowsOf(`${query}&offset=37&limit=20`)
      expect(total).toBe(whole.length)
      expect(
        rows.map(({ idx }) => idx),
        query,
      ).toEqual(whole.slice(37, 57))
      expect((await rowsOf(`${query}&offset=100000`)).rows).toEqual([])
    }
  })

  it('is the page of a case, if the case matches', async () => {
    const key = cases[333]?.case_key
    expect(await rowsOf(`around=${key}&limit=50`)).toMatchObject({ place: 333, offset: 300, total: SIZE })
    const failed = await rowsOf(`around=${key}&limit=50&status=fail`)
    expect(failed).toMatchObject({ place: 111, offset: 100 })
    expect(failed.rows[11]?.idx).toBe(333)
    expect(await rowsOf(`around=${key}&status=pass`)).toMatchObject({ place: null, offset: 0 })
    expect(await rowsOf('around=none&offset=5')).toMatchObject({ place: null, offset: 5 })
    expect(await rowsOf(`around=${key}&limit=50&q=Hello`)).toMatchObject({ place: null, total: 0 })
  })

  it('rejects a place that is no place', async () => {
    for (const offset of ['-1', 'x', '1.5']) {
      const answer = await get(`offset=${offset}`)
      expect(answer.statusCode).toBe(400)
      expect(answer.json<{ error: string }>().error).toContain('offset')
    }
  })
})
