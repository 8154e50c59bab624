import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { fileInMemory } from '../../../interchange/read/source-file.ts'
import { lookAt } from '../../../interchange/read/look.ts'
import { guessTable } from '../../../interchange/importers/table/guess.ts'
import { SAMPLES, countsOf, importBytes, importFile } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const createdAt = '2026-01-01T00:00:00Z'
const read = (content: string | Uint8Array, map: string, name = 'table.csv') =>
  importBytes(name, content, { from: 'table', map, createdAt })
const only = async (content: string | Uint8Array, map: string, name?: string) => {
  const results = await read(content, map, name)
  expect(results).toHaveLength(1)
  const [result] = results
  if (!result || !('run' in result)) throw new Error(countsOf(results)[0])
  return { ...result.run, cases: result.document!.cases, document: result.document! }
}

/** Two cases with two assertions each, by judge and metric, as graders write them. */
const LONG = `metric,score,weighted_score,is_confident,category,experiment,model
accuracy,4,3.9,False,a_high,migration,judge-1
completeness,5,5.0,True,a_high,migration,judge-1
accuracy,4,4.0,True,b_low,migration,judge-1
completeness,5,5.0,True,b_low,migration,judge-1
`
const LONG_MAP = `
format: csv
run: { by: [], started_at: { const: 2025-04-14T00:00:00Z }, suite: { const: frontend } }
case:
  provider: { const: gpt-4.1 }
  test: { column: category }
  tags: { columns: [experiment] }
asserts:
  - { name: { columns: [model, metric], join: / }, kind: llm-rubric, score: { column: weighted_score, min: 0, max: 5 }, threshold: 0.8 }
`
const STATUS_MAP = `
format: csv
case: { test: { column: id } }
status: { column: outcome, pass: [PASS, "1"], fail: [FAIL], error: [ERR], skip: [""] }
`

describe('tables by a map', () => {
  it('fold the rows of a cell into one case', async () => {
    const { cases, document, losses } = await only(LONG, LONG_MAP)
    expect(cases.map(({ cell, status }) => [cell.test_id, status])).toEqual([
      ['a_high', 'fail'],
      ['b_low', 'pass'],
    ])
    expect(cases[0]).toMatchObject({
      cell: { provider_id: 'gpt-4.1' },
      tags: ['migration'],
      asserts: [
        { kind: 'llm-rubric', score: 0.78, status: 'fail', criteria: { name: 'judge-1/accuracy' } },
        { score: 1, status: 'pass', criteria: { name: 'judge-1/completeness' } },
      ],
      raw: {
        rows: [
          { score: '4', is_confident: 'False' },
          { score: '5', is_confident: 'True' },
        ],
      },
    })
    expect(document.run).toMatchObject({ suite: 'frontend', started_at: '2025-04-14T00:00:00Z' })
    expect(losses).toEqual([])
  })

  it('bring rows together that do not stand together, say so, and delete the temporary file', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'table-'))
    vi.stubEnv('TMPDIR', scratch)
    const [header, a1, a2, b1, b2] = LONG.split('\n')
    const mixed = await only([header, a1, b1, a2, b2, ''].join('\n'), LONG_MAP)
    const sorted = await only(LONG, LONG_MAP)
    expect(mixed.cases).toEqual(sorted.cases)
    expect(mixed.losses.map(({ note }) => note)).toEqual(['rows of one run or case did not follow each other: sorted'])
    expect(await read(LONG, LONG_MAP.replace('category', 'nothing'))).toMatchObject([{ outcome: 'refused' }])
    expect(readdirSync(scratch)).toEqual([])
    vi.unstubAllEnvs()
    rmSync(scratch, { recursive: true })
  })

  it('make a run of each value of run.by, whose identity does not depend on the other runs', async () => {
    const map = `
format: csv
run: { by: [day], started_at: { column: day } }
case: { provider: { column: model }, test: { column: id } }
status: { column: ok }
`
    const rows = ['day,model,id,ok', '2026-01-02,m,a,true', '2026-01-01,m,a,false', '2026-01-02,m,b,false']
    const results = await read(rows.join('\n'), map)
    expect(results.map(({ part }) => part)).toEqual(['2026-01-02', '2026-01-01'])
    expect(countsOf(results)).toEqual(['1 / 1 / 0 / 0', '0 / 1 / 0 / 0'])
    expect(results[0]!.document!.run.started_at).toBe('2026-01-02T00:00:00Z')
    const more = await read([...rows, '2026-01-03,m,a,true'].join('\n'), map)
    expect(more.slice(0, 2).map(({ run_id }) => run_id)).toEqual(results.map(({ run_id }) => run_id))
  })

  it('take the id of a run from a column', async () => {
    const map = 'format: csv\nrun: { id: { column: run } }\ncase: { test: { column: id } }\nstatus: { column: ok }'
    const [first] = await read('run,id,ok\nr1,a,true', map)
    const [second] = await read('run,id,ok\nr1,a,true\nr1,b,true', map)
    expect(first).toMatchObject({ identity: 'r1', part: 'r1' })
    expect(second!.run_id).toBe(first!.run_id)
  })

  it('read a status by the lists of the map, and refuse other values by the number of the row', async () => {
    const { cases, losses } = await only('id,outcome\na,PASS\nb,1\nc,FAIL\nd,ERR\ne,\nf,MAYBE\n', STATUS_MAP)
    expect(cases.map(({ status }) => status)).toEqual(['pass', 'pass', 'fail', 'error', 'skip'])
    expect(losses.filter(({ path }) => path.startsWith('row'))).toMatchObject([
      { kind: 'left_out', path: 'row 7', note: 'outcome: "MAYBE" is in no list of the map' },
    ])
  })

  it('leave out rows that are no records, by their numbers', async () => {
    const { cases, losses } = await only('id,outcome\r\na,PASS\r\nb\r\n\r\nc,"FA"x\r\nd,FAIL\r\n', STATUS_MAP)
    expect(cases.map(({ cell }) => cell.test_id)).toEqual(['a', 'd'])
    expect(losses.filter(({ path }) => path.startsWith('row')).map(({ path, note }) => [path, note])).toEqual(
      expect.arrayContaining([
        ['row 3', 'has 1 field, and the header 2'],
        ['row 4', String.raw`outcome: "\"FA\"x" is in no list of the map`],
      ]),
    )
  })

  it('keep the rows before the place at which a file is cut off', async () => {
    const csv = await only('id,outcome\na,PASS\nb,"FA', STATUS_MAP)
    expect([csv.cases.length, csv.losses.map(({ note }) => note)]).toEqual([
      1,
      expect.arrayContaining(['cut off after 1 row: a quote is not closed in row 3']),
    ])
    const lines = await only(
      '{"id":"a","outcome":"PASS"}\n{"id":"b","out',
      STATUS_MAP.replace('csv', 'jsonl'),
      't.jsonl',
    )
    expect([lines.cases.length, lines.losses.map(({ note }) => note)]).toEqual([
      1,
      expect.arrayContaining(['cut off after 1 row']),
    ])
  })

  it('read wide tables, with a range', async () => {
    const map =
      'format: csv\ncase: { test: { column: id } }\nasserts: { columns: [a, b], min: 1, max: 5, threshold: 0.5 }'
    const { cases } = await only('id,a,b,note\nx,5,3,n\ny,1,True,\nz,,4,\n', map)
    expect(cases.map(({ status, score }) => [status, score])).toEqual([
      ['pass', 0.75],
      ['fail', 0.5],
      ['pass', 0.75],
    ])
    expect(cases[2]!.asserts.map(({ status }) => status)).toEqual(['skipped', 'pass'])
    expect(cases[0]!.raw).toEqual({ note: 'n' })
  })

  it('read scores at the paths that columns of assertions name', async () => {
    const map = 'format: json\ncase: { test: { column: id } }\nasserts: { columns: [scores.judge] }\n'
    const rows = [{ id: 'a', scores: { judge: 0.9, other: 1 } }]
    const { cases } = await only(JSON.stringify(rows), map, 't.json')
    expect(cases[0]).toMatchObject({ status: 'pass', score: 0.9, raw: { scores: { other: 1 } } })
  })

  it('read nested JSON by paths, rows at a path, and rows that are lists', async () => {
    const map = `
format: json
rows: data.items
case: { provider: { column: meta.model }, test: { inputs: [q] }, repeat: { column: trial, from: 1 }, vars: { columns: [q] } }
asserts: { members: scores }
output: { column: out.text }
tokens: { input: usage.in, output: usage.out }
latency: { column: seconds, unit: s }
cost_usd: { column: cost }
`
    const item = {
      ...{ meta: { model: 'm', seed: 1 }, q: 'Q', trial: 2, scores: { a: { ok: true }, b: 0.25, c: 'text' } },
      ...{ out: { text: 'A' }, usage: { in: 3, out: 4 }, seconds: 1.5, cost: 0.5 },
    }
    const { cases, document } = await only(JSON.stringify({ data: { items: [item], page: 1 } }), map, 't.json')
    expect(cases[0]).toMatchObject({
      cell: { provider_id: 'm', repeat: 1 },
      ...{
        output: 'A',
        latency_ms: 1500,
        cost_usd: 0.5,
        usage: { input_tokens: 3, output_tokens: 4 },
        vars: { q: 'Q' },
      },
      // Of the scores, `c` is no measurement, so they stay in `raw`.
      ...{ status: 'fail', raw: { meta: { seed: 1 }, scores: { c: 'text' } } },
    })
    expect(cases[0]!.asserts.map(({ criteria }) => (criteria as { name: string }).name)).toEqual(['a.ok', 'b'])
    expect(document.run.config_snapshot).toMatchObject({ data: { page: 1 } })
    const split = 'format: json\nrows: data\nheader: columns\ncase: { test: { column: id } }\nasserts: { columns: [s] }'
    const listed = await only('{"columns":["id","s"],"data":[["a",1],["b",0],["c"]]}', split, 't.json')
    expect(listed.statuses).toEqual({ pass: 1, fail: 1 })
    expect(listed.losses.map(({ path }) => path)).toContain('row 3')
  })

  it.each([
    ['formt: csv', '`formt`; did you mean `format`'],
    ['format: csv\ncase: { tests: { column: id } }', 'case has the unknown key `tests`; did you mean `test`'],
    ['format: xls', 'format must be one of `csv`, `tsv`, `jsonl`, `json`'],
    ['format: csv\ncase: { test: { column: id } }', 'must have one of `status`, `asserts` and `score`'],
    [
      'format: csv\ncase: { test: { column: id } }\nasserts: [{ name: { const: a }, score: { colum: b } }]',
      'asserts[0].score has the unknown key `colum`; did you mean `column`',
    ],
    [
      'format: csv\ncase: { test: { column: id } }\nasserts: [{ name: { const: a }, kind: exact }]',
      'asserts[0].kind must be one of',
    ],
    [
      'format: csv\ncase: { test: { column: nope } }\nstatus: { column: ok }',
      'the table has no column `nope`; there are id, ok',
    ],
    ['format: csv\nrows: a\ncase: { test: { column: id } }\nstatus: { column: ok }', 'rows is for the format json'],
    ['{ "format": "csv", "case": 3 }', 'case must be an object'],
    ['a: &a [x]\nb: [*a, *a]', 'is not valid YAML'],
    ['preset:raga', 'did you mean preset:ragas?'],
  ])('refuse the map %j', async (map, reason) => {
    const [result] = await read('id,ok\na,true\n', map)
    expect(result).toMatchObject({ outcome: 'refused' })
    expect('reason' in result! && result.reason).toContain(reason)
  })

  it('refuse UTF-16 and Latin-1 by name', async () => {
    expect(countsOf(await read(Buffer.from('id,outcome\n', 'utf16le'), STATUS_MAP))[0]).toMatch(/UTF-16/)
    expect(countsOf(await read(Buffer.from('id,outcome\né,PASS\n', 'latin1'), STATUS_MAP))[0]).toMatch(/Latin-1/)
    const late = Buffer.concat([
      Buffer.from(`id,outcome\n${'a,PASS\n'.repeat(20_000)}`),
      Buffer.from('é,PASS\n', 'latin1'),
    ])
    expect(countsOf(await read(late, STATUS_MAP))[0]).toMatch(/Latin-1/)
  })

  it('give another stamp for another map, and the same run id', async () => {
    const [a] = await read('id,outcome\na,PASS\n', STATUS_MAP)
    const [b] = await read('id,outcome\na,PASS\n', STATUS_MAP.replace('[PASS, "1"]', '[PASS]'))
    const stampOf = (result: typeof a) =>
      (result!.document!.run.config_snapshot as { import: { stamp: string } }).import.stamp
    expect(b!.run_id).toBe(a!.run_id)
    expect(stampOf(b)).not.toBe(stampOf(a))
  })
})

describe('presets', () => {
  it.each([
    ['evaluate.csv', '1 / 2 / 0 / 0'],
    ['evaluate.jsonl', '1 / 2 / 0 / 0'],
    ['experiment-base.jsonl', '2 / 0 / 0 / 0'],
  ])('read %s of Ragas without a map, and lose nothing silently', async (name, counts) => {
    const path = join(SAMPLES, 'ragas', name)
    const results = await importFile(path)
    expect(countsOf(results)).toEqual([counts])
    expect(countsOf(await importFile(path, { from: 'table', map: 'preset:ragas' }))).toEqual([counts])
    const [result] = results
    if (!result || !('run' in result)) throw new Error('not converted')
    expect(result.run.project).toBe('ragas')
    if (!name.endsWith('.csv')) {
      const leaves = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .flatMap((line) => leavesOf(JSON.parse(line)))
      expect(missingLeaves(leaves, [result.document!.bytes], result.run.losses)).toEqual([])
    }
    if (name.startsWith('evaluate'))
      expect(result.run.losses.filter(({ kind }) => kind === 'assumed').map(({ note }) => note)).toContain(
        'exact_match: passes from a score of 0.5 on',
      )
  })

  it('read tau-bench: trials, the conversation, and the reward', async () => {
    const trial = (task_id: number, n: number, reward: number, info: object) => ({
      ...{ task_id, trial: n, reward, info },
      traj: [
        { role: 'system', content: 'policy' },
        { role: 'user', content: 'book' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] },
        { role: 'tool', content: '{}', tool_call_id: 'c1' },
        { role: 'assistant', content: 'done' },
        { role: 'user', content: '###STOP###' },
      ],
    })
    const file = JSON.stringify([
      trial(3, 0, 1, { task: { user_id: 'u' } }),
      trial(3, 1, 0, {}),
      trial(4, 0, 0, { error: 'boom' }),
    ])
    const [result] = await importBytes('results.json', file, { createdAt, provider: 'gpt-4o' })
    expect(countsOf([result!])).toEqual(['1 / 1 / 1 / 0'])
    const [first] = result!.document!.cases
    expect(first).toMatchObject({ cell: { provider_id: 'gpt-4o', test_id: '3', repeat: 0 }, output: 'done' })
    expect(first!.prompt && 'messages' in first!.prompt && first!.prompt.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool'],
    ])
    expect(first!.raw).toMatchObject({ info: { task: { user_id: 'u' } } })
  })

  it('read AlpacaEval: a tie is no win', async () => {
    const row = (instruction: string, preference: number) => ({
      ...{
        instruction,
        output_1: 'r',
        generator_1: 'ref',
        output_2: 'o',
        generator_2: 'm',
        dataset: 'helpful',
        preference,
      },
      ...{ annotator: 'weighted', price_per_example: 0.01 },
    })
    const [result] = await importBytes('annotations.json', JSON.stringify([row('a', 2), row('b', 1), row('c', 1.5)]), {
      createdAt,
    })
    expect(countsOf([result!])).toEqual(['1 / 2 / 0 / 0'])
    expect(result!.document!.cases.map(({ score }) => score)).toEqual([1, 0, 0.5])
    expect(result!.document!.cases[0]).toMatchObject({ cell: { provider_id: 'm' }, output: 'o', tags: ['helpful'] })
  })

  it('read Weave: a run for each evaluation', async () => {
    const call = (parent_id: string, city: string, ok: boolean | null, exception: string | null = null) => ({
      ...{
        id: `${parent_id}-${city}`,
        op_name: 'weave:///e/p/op/Evaluation.predict_and_score:v1',
        parent_id,
        exception,
      },
      ...{ started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:02Z' },
      inputs: { model: 'weave:///e/p/object/M:v1', example: { city } },
      output: ok === null ? null : { output: 'x', scores: { match: { correct: ok, score: 0.75 } }, model_latency: 0.5 },
    })
    const calls = [call('e1', 'Paris', true), call('e1', 'Bonn', null, 'boom'), call('e2', 'Paris', false)]
    const results = await importBytes('calls.jsonl', calls.map((item) => JSON.stringify(item)).join('\n'))
    expect(countsOf(results)).toEqual(['1 / 0 / 1 / 0', '0 / 1 / 0 / 0'])
    expect(results.map(({ identity }) => identity)).toEqual(['e1', 'e2'])
    expect(results[0]!.document!.cases[0]).toMatchObject({
      latency_ms: 500,
      output: 'x',
      vars: { 'inputs.example': { city: 'Paris' } },
    })
  })

  it('read the table of MLflow', async () => {
    const file = {
      columns: ['inputs', 'ground_truth', 'outputs', 'exact/v1/score', 'grade/v1/score', 'grade/v1/justification'],
      data: [
        ['q1', 'a', 'a', 1, 4, 'good'],
        ['q2', 'b', 'c', 0, 1, 'bad'],
      ],
    }
    const [result] = await importBytes('eval_results_table.json', JSON.stringify(file), { createdAt })
    expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
    expect(result!.document!.cases[0]).toMatchObject({
      vars: { inputs: 'q1' },
      raw: { 'grade/v1/justification': 'good' },
      asserts: [{ weight: 1 }, { weight: 0, details: { score: 4 } }],
    })
  })
})

describe('the guess of a map', () => {
  const guess = async (name: string, content: string) => {
    const file = fileInMemory(name, Buffer.from(content))
    return guessTable(file, await lookAt(file), {})
  }

  it('gives a map that reads the table, and its first three cases', async () => {
    const csv =
      'id;model;question;answer;outcome;note\n' +
      ['a;m;Q1;A1;PASS;x', 'b;m;Q2;A2;FAIL;y', 'c;m;Q3;A3;error;', 'd;m;Q4;A4;PASS;'].join('\n')
    const { map, cases } = await guess('t.csv', csv)
    expect(cases.map(({ status, cell, output }) => [status, cell.test_id, output])).toEqual([
      ['pass', 'a', 'A1'],
      ['fail', 'b', 'A2'],
      ['error', 'c', 'A3'],
    ])
    expect((await only(csv, map)).statuses).toEqual({ pass: 2, fail: 1, error: 1 })
  })

  it('recognises a long table, a wide one, and rows at a path', async () => {
    const long = await guess('t.csv', LONG)
    expect(long.map).toContain('column: metric')
    expect(long.cases.map(({ asserts }) => asserts.length)).toEqual([2, 2])
    const wide = await guess(
      't.jsonl',
      '{"input":"q","exact":1,"rouge":0.3,"tokens":12}\n{"input":"r","exact":0,"rouge":0.1,"tokens":9}',
    )
    expect(wide.map).toContain('- exact\n    - rouge\n')
    const nested = await guess('t.json', '{"name":"x","results":[{"id":"a","passed":true},{"id":"b","passed":false}]}')
    expect(nested.map).toContain('rows: results')
    expect(nested.cases.map(({ status }) => status)).toEqual(['pass', 'fail'])
  })

  it('refuses what has no result', async () => {
    await expect(guess('t.csv', 'a,b\nx,y\nz,w')).rejects.toThrow(/no column looks like a result.*a, b/)
    await expect(guess('t.txt', 'hello')).rejects.toThrow(/not a table/)
  })
})
