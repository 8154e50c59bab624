import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { LongReadName, LongReads } from '../../../queries/long-reads.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { listComparedCases, type ComparedCases } from '../../../queries/statistics/compared-cases.ts'
import { findComparedOrder } from '../../../queries/statistics/compared-order.ts'
import type { Reader } from '../../../storage/storage.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

/** The long reads that the app ran. */
const reads: LongReadName[] = []
const noted = (longReads: LongReads): LongReads =>
  wrapCalls(longReads, ({ name, run }) => {
    reads.push(name)
    return run()
  })
afterAll(() => spec.close())

type Line = readonly [name: string, status: CaseStatus, score: number, verdict?: 'pass' | 'fail']
const ingest = async (run_id: string, provider_id: string, lines: readonly Line[]): Promise<void> => {
  const cases = lines.map(([name, status, score, verdict = status === 'pass' ? 'pass' : 'fail']) =>
    aCase({
      name,
      status,
      score,
      output: `${name} ${status}`,
      tags: name.includes('down') ? ['steep', 'slope'] : [],
      cell: { provider_id, test_id: name },
      asserts: [{ kind: 'contains', status: verdict, score, weight: 1, reason: '', cached: false }],
    }),
  )
  const answer = await spec.ingest(aDocument({ run_id, cases }))
  expect(answer.statusCode, answer.body).toBe(201)
}

const list = (query = '', path = '/runs/base/compare/head/cases') => spec.getJson<ComparedCases>(`${path}${query}`)
const names = ({ cases }: ComparedCases) => cases.map(({ name }) => name)
const spec = await openApp({ parts: ({ longReads }) => ({ longReads: noted(longReads) }) })
// Two runs of two models: their cases are joined by test.
await ingest('base', 'a', [
  ['same', 'pass', 1],
  ['down', 'pass', 0.9],
  ['far down', 'pass', 1],
  ['up', 'error', 0],
  ['skipped', 'pass', 1],
  ['never', 'skip', 0],
  ['stuck', 'fail', 0.2],
  ['flipped', 'fail', 0.5, 'pass'],
  ['left', 'pass', 1],
])
await ingest('head', 'b', [
  ['arrived', 'fail', 0],
  ['same', 'pass', 1],
  ['down', 'fail', 0.8],
  ['far down', 'fail', 0.1],
  ['up', 'pass', 1],
  ['skipped', 'skip', 0],
  ['never', 'skip', 0],
  ['stuck', 'fail', 0.2],
  ['flipped', 'fail', 0.5, 'fail'],
])

describe('the cases of two runs', () => {
  it('are counted by what happened to them, whatever the filter', async () => {
    const counts = {
      worse: 2,
      better: 1,
      undecided: 2,
      still_failing: 2,
      still_passing: 1,
      base_only: 1,
      head_only: 1,
      lost: 1,
      flipped: 1,
      all: 10,
    }
    expect(await list()).toMatchObject({ base: 'base', head: 'head', joined_by: 'test_prompt_repeat', counts })
    expect((await list('?filter=better')).counts).toEqual(counts)
  })

  it('are those that got worse or better, the largest change of the score first', async () => {
    const found = await list()
    expect(names(found)).toEqual(['far down', 'down', 'up'])
    expect(found.cases[0]).toMatchObject({
      change: 'worse',
      test_id: 'far down',
      provider_id: null,
      output_changed: true,
      base: { status: 'pass' },
      head: { status: 'fail' },
      flips: [{ kind: 'contains', base_passed: true }],
    })
  })

  it('name the criteria of the assertions that flipped, unless two have the same name', async () => {
    const judged = (name: string | null, judge: string | null, status: 'pass' | 'fail') => ({
      ...{ kind: 'llm-rubric', status, score: status === 'pass' ? 1 : 0, weight: 1, reason: '', cached: false },
      criteria: { ...(name === null ? {} : { name }), ...(judge === null ? {} : { judge }) },
    })
    const upload = async (run_id: string, status: 'pass' | 'fail') => {
      const asserts = [
        [judged('accuracy', 'opus', status), judged('accuracy', 'sonnet', 'pass'), judged('tone', null, status)],
        [judged(null, null, status), judged(null, null, 'pass')],
      ]
      const cases = asserts.map((of, i) => aCase({ cell: { test_id: `named-${i}` }, status, asserts: of }))
      expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
    }
    await upload('named-base', 'pass')
    await upload('named-head', 'fail')
    const found = await list('?filter=all&sort=name', '/runs/named-base/compare/named-head/cases')
    const flips = (test: string) => found.cases.find(({ test_id }) => test_id === test)?.flips.map(({ name }) => name)
    expect(flips('named-0')).toEqual(['accuracy · opus', 'tone'])
    expect(flips('named-1')).toEqual([null])
  })

  it.each([
    ['worse', ['far down', 'down']],
    ['better', ['up']],
    ['undecided', ['skipped', 'never']],
    ['lost', ['skipped']],
    ['still_failing', ['stuck', 'flipped']],
    ['still_passing', ['same']],
    ['base_only', ['left']],
    ['head_only', ['arrived']],
    ['flipped', ['flipped']],
    ['all', ['far down', 'down', 'up', 'skipped', 'never', 'stuck', 'flipped', 'same', 'left', 'arrived']],
  ])('are filtered by %s', async (filter, expected) => expect(names(await list(`?filter=${filter}`))).toEqual(expected))

  it.each([
    ['name', ['arrived', 'down', 'far down', 'flipped', 'left', 'never', 'same', 'skipped', 'stuck', 'up']],
    ['name&order=desc', ['up', 'stuck', 'skipped', 'same', 'never', 'left', 'flipped', 'far down', 'down', 'arrived']],
    ['head_score', ['skipped', 'never', 'arrived', 'far down', 'stuck', 'flipped', 'down', 'up', 'same', 'left']],
    ['score_change&limit=3', ['skipped', 'far down', 'down']],
    ['score_change&order=desc&limit=2', ['up', 'never']],
    ['flips&order=desc&limit=4', ['far down', 'down', 'up', 'skipped']],
    ['change&order=desc&limit=2', ['arrived', 'left']],
  ])(
    'are sorted by %s; cases without the value are last, and those with the same keep their order',
    async (sort, expected) => expect(names(await list(`?filter=all&sort=${sort}`))).toEqual(expected),
  )

  it('are filtered by a text, a tag and a provider, and counted', async () => {
    const found = await list('?filter=all&q=DOWN')
    expect([names(found), found.counts.all, found.counts.worse, found.counts.better]).toEqual([
      ['far down', 'down'],
      2,
      2,
      0,
    ])
    expect((await list('?filter=better&q=down')).cases).toEqual([])
    // A provider of either run; a case of one run has one.
    expect(names(await list('?filter=all&provider=a'))).not.toContain('arrived')
    expect((await list('?filter=all&provider=b')).counts).toMatchObject({ all: 9, head_only: 1, base_only: 0 })
    expect(names(await list('?filter=all&tag=steep'))).toEqual(['far down', 'down'])
    expect((await list('?filter=all&tag=none')).counts.all).toBe(0)
    // Pages go on in the order.
    const first = await list('?filter=all&sort=name&limit=4')
    expect(names(await list(`?filter=all&sort=name&limit=4&cursor=${first.next_cursor}`))).toEqual([
      'left',
      'never',
      'same',
      'skipped',
    ])
  })

  it('have no other side where a run does not have the case', async () => {
    expect((await list('?filter=base_only')).cases).toMatchObject([{ base: { status: 'pass' }, head: null, flips: [] }])
    expect((await list('?filter=head_only')).cases).toMatchObject([{ base: null, output_changed: null }])
  })

  it('are listed page by page', async () => {
    const seen: Array<string | null> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const found: ComparedCases = await list(`?filter=all&limit=4&cursor=${cursor}`)
      seen.push(...names(found))
      cursor = found.next_cursor
    }
    expect(seen).toEqual(names(await list('?filter=all')))
  })

  it('include a case that is asked for by its key in either run, even if the filter hides it', async () => {
    const [same] = (await list('?filter=still_passing')).cases
    for (const key of [same?.base?.case_key, same?.head?.case_key])
      expect((await list(`?case=${key}`)).linked).toEqual(same)
    expect((await list('?case=unknown')).linked).toBeNull()
  })

  it('are ordered once for all filters and pages', async () => {
    await list('?filter=all&limit=1')
    reads.length = 0
    await list('?filter=flipped&limit=1')
    await list('?filter=all&limit=2&cursor=3')
    expect(reads).toEqual(['comparedCases', 'comparedCases'])
  })

  it('are read page by page, however many there are', async () => {
    const { reader } = spec.service
    const [base, head] = [await reader.read(findRun(SYSTEM, 'base')), await reader.read(findRun(SYSTEM, 'head'))]
    const order = await findComparedOrder(reader, SYSTEM, { base: 'base', head: 'head' })
    if (!base || !head || !order) throw new Error('the runs are there')
    let cases = 0
    const counting: Reader = {
      ...reader,
      readAll: async (queries) => {
        const found = await reader.readAll(queries)
        for (const rows of Object.values<unknown>(found)) if (Array.isArray(rows)) cases += rows.length
        return found
      },
    }
    const asked = { base: 'base', head: 'head', base_no: base.run_no, head_no: head.run_no, order, limit: 2 }
    const found = await listComparedCases(counting, SYSTEM, { ...asked, filter: 'all' })
    expect(found?.cases.map(({ name }) => name)).toEqual(['far down', 'down'])
    expect(cases).toBe(4)
    // The order is that of other runs.
    expect(await listComparedCases(reader, SYSTEM, { ...asked, base_no: head.run_no, filter: 'all' })).toBeNull()
  })

  it('do not exist for a viewer who may not see one of the runs, although their order is known', async () => {
    const reader = await spec.addUser('reader', 'member')
    await spec.ingest(aDocument({ run_id: 'closed', project: 'closed', cases: [aCase()] }))
    await spec.restrict('closed')
    const path = (id: string) => `/runs/base/compare/${id}/cases`
    expect((await spec.sendAs('admin')('GET', path('closed'))).statusCode).toBe(200)
    const [hidden, absent] = [await reader.send('GET', path('closed')), await reader.send('GET', path('absent'))]
    expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
  })

  it('reject an unknown filter', async () => {
    const answer = await spec.sendAs('read')('GET', '/runs/base/compare/head/cases?filter=new')
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('filter')])
  })
})

it('the configurations of two runs are returned together', async () => {
  const both = (await spec.sendAs('read')('GET', '/runs/base/compare/head/config')).json<object>()
  const one = async (id: string) => (await spec.sendAs('read')('GET', `/runs/${id}/config`)).json<object>()
  expect(both).toEqual({ base: await one('base'), head: await one('head') })
})
