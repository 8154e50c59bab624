import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndBody } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { addRubricVersion, judgedRun, labelRun, NOW, uploadJudged } from '../../../support/documents/labelled-queue.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { collectRuns, contentsIn, unpackedIn } from '../../../support/share/write-page.ts'
import { readTemplate } from '../../../../cli/share-html/page.ts'

const CANARY = 'canary-of-outputs'
const LONG = aCase({ output: `${CANARY} ${'o'.repeat(5_000)}` })
const HEAD = aDocument({ run_id: 'head/1', cases: [LONG, aCase({ cell: { test_id: 'other' }, status: 'fail' })] })
const BASE = aDocument({ run_id: 'base', cases: [aCase(), aCase({ cell: { test_id: 'other' } })] })
/** Texts that hardly become smaller: the file is sent in parts. */
const LARGE = aDocument({
  run_id: 'large',
  cases: Array.from({ length: 450 }, (_, n) =>
    aCase({
      cell: { test_id: `t${n}` },
      output: Array.from({ length: 800 }, (_char, i) => ((n * 800 + i) * 2654435761) % 4294967296).join('-'),
    }),
  ),
})

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp({ mode: 'closed' })
  for (const document of [HEAD, BASE, LARGE]) await spec.ingest(document)
  await spec.ingest(aDocument({ run_id: 'hidden', project: 'vault' }))
  await spec.sendAs('admin')('PUT', '/sets/vault/restriction')
})
afterAll(() => spec.close())

const get = (path: string) => spec.sendAs('read')('GET', path)

/** The elements of a page, without the page around them. */
const elementsIn = (page: string): string => {
  const [before = '', after = ''] = readTemplate().split('<!-- data -->')
  expect([page.startsWith(before), page.endsWith(after)]).toEqual([true, true])
  return page.slice(before.length, page.length - after.length)
}

describe('GET /runs/{id}/share.html', () => {
  it('returns the bytes that `ers share-html` writes for the same documents', async () => {
    const alone = await get('/runs/head%2F1/share.html?full=true')
    expect(alone.statusCode).toBe(200)
    expect(alone.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': 'attachment; filename="smoke-2026-05-04T090001.html"',
    })
    expect(elementsIn(alone.body)).toBe((await collectRuns(HEAD)).join(''))
    const compared = await get('/runs/head%2F1/share.html?compare=base&full=true')
    expect(compared.headers['content-disposition']).toBe(
      'attachment; filename="smoke-2026-05-04T090001-and-2026-05-04T090001.html"',
    )
    expect(elementsIn(compared.body)).toBe((await collectRuns(HEAD, BASE)).join(''))
  })

  it('has nothing that the service got to know of a run: no annotation, no hold, no plan', async () => {
    const send = spec.sendAs('admin')
    const post = (method: 'POST' | 'PATCH', path: string, body: object) =>
      send(method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const known = aDocument({ run_id: 'known', cases: HEAD.cases })
    const plan = await post('POST', '/plans', { project: known.project, suite: known.suite, text: 'At least one.' })
    expect(plan.statusCode).toBe(201)
    expect((await post('POST', `/runs?plan=${plan.json<{ id: string }>().id}`, known)).statusCode).toBe(201)
    expect((await post('PATCH', '/runs/known/annotations', { title: CANARY, add_tags: ['x'] })).statusCode).toBe(200)
    expect((await post('POST', '/holds', { run_id: 'known', reference: 'LAW-1' })).statusCode).toBe(201)
    for (const [path, head, base] of [
      ['/runs/known/share.html?full=true', known, null],
      ['/runs/known/share.html?full=true&compare=base', known, BASE],
      ['/runs/base/share.html?full=true&compare=known', BASE, known],
    ] as const)
      expect(elementsIn((await get(path)).body)).toBe((await collectRuns(head, base)).join(''))
  })

  it('compares two columns of one run, in both directions', async () => {
    const models = aDocument({
      run_id: 'models',
      cases: ['small', 'large'].flatMap((provider_id) =>
        [0, 1].map((test) =>
          aCase({ cell: { provider_id, test_id: `t${test}` }, status: provider_id === 'small' ? 'fail' : 'pass' }),
        ),
      ),
    })
    await spec.ingest(models)
    const page = await get('/runs/models/share.html?compare=models&base_column=small&head_column=large')
    expect(page.headers['content-disposition']).toBe(
      'attachment; filename="smoke-2026-05-04T090001-small-and-large.html"',
    )
    const { runs, comparisons } = contentsIn(page.body)
    expect(runs.map(({ run }) => run.id)).toEqual(['models'])
    expect(
      comparisons.map(({ base_column, head_column, statistics: { worse, better }, cases }) => [
        ...[base_column, head_column, worse, better],
        ...[cases.cases.length, cases.cases[0]?.change],
      ]),
    ).toEqual([
      ['small', 'large', 0, 2, 2, 'better'],
      ['large', 'small', 2, 0, 2, 'worse'],
    ])
    for (const [query, status, error] of [
      ['compare=models', 422, 'compare names the run itself'],
      ['base_column=small', 422, 'base_column and head_column need compare'],
      ['compare=models&base_column=tiny', 400, 'base_column: the run has no case in the column "tiny"'],
      ['compare=base&head_column=tiny', 400, 'head_column: the run has no case in the column "tiny"'],
    ] as const)
      expect(statusAndBody(await get(`/runs/models/share.html?${query}`))).toEqual([
        status,
        { error: expect.stringContaining(error) as unknown },
      ])
  })

  it('sends a long file in parts, complete and in blocks', async () => {
    const { body } = await get('/runs/large/share.html?full=true')
    expect(body.length).toBeGreaterThan(2 * 1024 * 1024)
    expect(elementsIn(body)).toBe((await collectRuns(LARGE)).join(''))
    const [run] = contentsIn(body).runs
    expect([run?.rows.length, run?.blocks.reduce((sum, size) => sum + size)]).toEqual([450, 450])
    expect(run?.blocks.length).toBeGreaterThan(4)
  })

  it('cuts outputs and says so, leaves out parts, and opens with a case', async () => {
    const cut = contentsIn((await get('/runs/head%2F1/share.html')).body)
    expect(cut).toMatchObject({ max_output_bytes: 4096, is_cut: true, case_key: null })
    expect(contentsIn((await get('/runs/base/share.html')).body)).toMatchObject({ is_cut: false })
    const without = (await get('/runs/head%2F1/share.html?without=outputs,raw')).body
    expect([...unpackedIn(without).values()].join('\n')).not.toContain(CANARY)
    expect(contentsIn(without)).toMatchObject({ without: ['outputs', 'raw'], is_cut: false })
    const key = encodeURIComponent(LONG.case_key)
    const opened = contentsIn((await get(`/runs/head%2F1/share.html?case=${key}`)).body)
    expect(opened.case_key).toBe(LONG.case_key)
  })

  it.each([
    ['/runs/head%2F1/share.html?compare=head%2F1', 422],
    ['/runs/head%2F1/share.html?case=nowhere', 404],
    ['/runs/nowhere/share.html', 404],
  ])('refuses %s with %i', async (path, status) => {
    expect((await get(path)).statusCode).toBe(status)
  })

  it('has comments only if they are asked for, and refuses them where they may quote what is left out', async () => {
    const body = JSON.stringify({ text: CANARY })
    const headers = { 'content-type': 'application/json' }
    const before = await get('/runs/base/share.html')
    expect((await spec.sendAs('admin')('POST', '/runs/base/comments', { headers, body })).statusCode).toBe(201)
    const [after, asked] = [await get('/runs/base/share.html'), await get('/runs/base/share.html?with=comments')]
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
    expect(contentsIn(asked.body).runs[0]?.comments.map(({ text }) => text)).toEqual([CANARY])
    expect(contentsIn((await get('/runs/base/share.html?with=comments&without=raw')).body).runs[0]?.run.comments).toBe(
      1,
    )
    for (const part of ['outputs', 'vars', 'prompts'])
      expect(statusAndBody(await get(`/runs/base/share.html?with=comments&without=raw,${part}`)), part).toEqual([
        422,
        { error: expect.stringMatching(/^with and without exclude each other: comments may quote/) as unknown },
      ])
  })

  it('names the parts that can be left out', async () => {
    expect(statusAndBody(await get('/runs/head%2F1/share.html?without=outputs,secrets'))).toEqual([
      400,
      { error: expect.stringContaining('without: must be one or more of outputs, vars, prompts, raw') as unknown },
    ])
  })

  it('answers for a hidden run, alone or as the base, as for an unknown one', async () => {
    const answer = async (id: string) =>
      Promise.all(
        [`/runs/${id}/share.html`, `/runs/base/share.html?compare=${id}`].map(async (path) => {
          const { statusCode, body, headers } = await get(path)
          return { statusCode, body, names: Object.keys(headers) }
        }),
      )
    expect(await answer('hidden')).toEqual(await answer('absent'))
    expect((await answer('hidden')).map(({ statusCode }) => statusCode)).toEqual([404, 404])
  })

  it('refuses documents that are too large for a file, together', async () => {
    const [one, two] = ['a', 'b'].map((name) =>
      aDocument({ run_id: `wide-${name}`, cases: [aCase({ output: name.repeat(33 * 1024 * 1024) })] }),
    )
    for (const document of [one, two]) if (document) await spec.ingest(document)
    expect((await get('/runs/wide-a/share.html')).statusCode).toBe(200)
    const refused = await get('/runs/wide-a/share.html?compare=wide-b')
    expect(refused.statusCode).toBe(422)
    expect(refused.json()).toEqual({
      error: expect.stringMatching(/^the documents have \d+ bytes; a file covers at most 67108864\./) as unknown,
    })
  }, 60_000)

  it('has no body for HEAD', async () => {
    const { statusCode, body } = await spec.sendAs('read')('HEAD', '/runs/large/share.html')
    expect([statusCode, body]).toEqual([200, ''])
  })
})

it('a file has what people say of the judge of a run, numbers and a state, and no label', async () => {
  const app = await openApp({ mode: 'closed', now: () => NOW })
  try {
    await uploadJudged(app, 'judged', 80, 40)
    const share = () => app.sendAs('read')('GET', '/runs/judged/share.html')
    const before = await share()
    expect(contentsIn(before.body).runs[0]?.calibration).toBeNull()
    await addRubricVersion(app, 1, null)
    const queue = await labelRun(app, 'judged', 80, { ofPassed: [30, 10], ofFailed: [5, 25] })
    const after = await share()
    const [run] = contentsIn(after.body).runs
    const { state, sentence, rate } = await app.getJson<Record<string, unknown>>('/runs/judged/calibration')
    expect(run?.calibration).toMatchObject({ state, sentence, rate })
    expect(Object.keys(run?.calibration ?? {}).toSorted()).toEqual([
      'judge_alone',
      'labels',
      'rate',
      'reasons',
      'sentence',
      'state',
    ])
    expect(unpackedIn(after.body).get('run-0')).not.toMatch(new RegExp(`${queue}|user-0|reviewer`))
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    expect(run?.run.id).toBe(judgedRun('judged', 1, 0).run_id)
  } finally {
    await app.close()
  }
})
