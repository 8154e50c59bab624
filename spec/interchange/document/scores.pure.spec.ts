import { describe, expect, it } from 'vitest'
import { mayBeLowerBetter } from '../../../interchange/document/case/score-names.ts'
import { shareOf, type ScoreReport } from '../../../interchange/document/case/scores.ts'
import { parsePassThreshold, parseScoreRange } from '../../../interchange/document/import-options.ts'
import type { ImportOptions } from '../../../interchange/document/import-options.ts'
import { countsOf, importBytes, importFiles, lossesOf, targetWith } from '../../support/interchange/import-files.ts'
import type { Imported } from '../../support/interchange/import-files.ts'

type Options = Parameters<typeof importBytes>[2]

const START = '2026-03-02T09:00:01.000Z'
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

/** Experiments of Langfuse: the values of one score, by experiment. */
const langfuse = (experiments: Readonly<Record<string, readonly (number | boolean | null)[]>>, name = 'judge') =>
  lines(
    Object.entries(experiments).flatMap(([experimentId, values]) =>
      values.map((value, n) => ({
        id: `${experimentId}-${n}`,
        startTime: START,
        endTime: START,
        experimentId,
        experimentItemId: `item-${n}`,
        input: { n },
        output: 'o',
        scores:
          value === null
            ? []
            : [
                {
                  id: `s${n}`,
                  name,
                  dataType: typeof value === 'boolean' ? 'BOOLEAN' : 'NUMERIC',
                  value: Number(value),
                },
              ],
      })),
    ),
  )
const imported = (values: readonly (number | boolean | null)[], options: Options = {}, name = 'judge') =>
  importBytes('items.jsonl', langfuse({ x: values }, name), options)

const runOf = ([result]: readonly Imported[]) => (result && 'run' in result ? result.run : null)
const scoresOf = (results: readonly Imported[]): readonly ScoreReport[] => runOf(results)?.scores ?? []
const casesOf = (results: readonly Imported[]) =>
  results.flatMap(({ document }) => document?.cases.map(({ status, score }) => [status, score]) ?? [])

const inspect = (values: readonly unknown[]) =>
  JSON.stringify({
    version: 2,
    status: 'success',
    eval: {
      eval_id: 'e',
      run_id: 'r',
      task_id: 't',
      created: START,
      task: 'task',
      model: 'm',
      dataset: {},
      config: {},
    },
    plan: {},
    results: { scores: [{ name: 'judge', scorer: 'judge', metrics: {} }] },
    stats: { started_at: START, completed_at: START },
    samples: values.map((value, n) => ({
      ...{ id: n, epoch: 1, input: `q${n}`, target: 'a', messages: [] },
      output: { model: 'm', choices: [] },
      scores: { judge: { value } },
    })),
  })

const mlflowTraces = (values: readonly unknown[], name = 'judge', metadata?: object) =>
  JSON.stringify(
    values.map((value, n) => ({
      info: {
        trace_id: `t${n}`,
        request_time: START,
        state: 'OK',
        trace_metadata: { 'mlflow.sourceRun': 'run', 'mlflow.traceInputs': JSON.stringify({ n }) },
        assessments: [{ assessment_id: `a${n}`, assessment_name: name, feedback: { value }, valid: true, metadata }],
        tags: {},
      },
      data: { spans: [] },
    })),
  )

const mlflowTable = (column: string, values: readonly unknown[]) =>
  JSON.stringify({ columns: ['inputs', 'outputs', column], data: values.map((value, n) => [`q${n}`, 'p', value]) })

const langsmith = (values: readonly number[]) => ({
  'runs.jsonl': lines(
    values.map((_, n) => ({
      ...{ id: `r${n}`, session_id: 's', reference_example_id: `e${n}`, run_type: 'chain', parent_run_id: null },
      ...{ start_time: START, end_time: START, inputs: { n }, outputs: { output: 'o' } },
    })),
  ),
  'feedback.jsonl': lines(
    values.map((score, n) => ({
      id: `f${n}`,
      run_id: `r${n}`,
      session_id: 's',
      key: 'judge',
      score,
      feedback_source: { type: 'app' },
    })),
  ),
})

const phoenix = (values: readonly number[], name = 'judge', more: object = {}) =>
  JSON.stringify(
    values.map((score, n) => ({
      ...{ example_id: `e${n}`, repetition_number: 1, input: { n }, output: 'o', start_time: START, end_time: START },
      annotations: [{ name, annotator_kind: 'LLM', score, label: null, ...more }],
    })),
  )

const openaiRecords = (values: readonly number[]) =>
  lines([
    { spec: { completion_fns: ['m'], eval_name: 'graded', run_id: 'run', created_at: '2026-03-02 09:00:01.000000' } },
    ...values.flatMap((score, n) => [
      { run_id: 'run', event_id: n, sample_id: `s.${n}`, type: 'metrics', data: { score }, created_at: START },
    ]),
  ])

const braintrust = (values: readonly number[]) =>
  lines(
    values.map((judge, n) => ({
      ...{ id: `r${n}`, span_id: `r${n}`, root_span_id: `r${n}`, is_root: true, _xact_id: '1', experiment_id: 'x' },
      ...{ input: { n }, output: 'o', scores: { judge }, created: START, metrics: {} },
    })),
  )

const ragas = (values: readonly number[]) =>
  `user_input,response,judge\n${values.map((value, n) => `q${n},a,${value}`).join('\n')}\n`

const eee = (values: readonly number[], metric: object = {}, more: object = {}) => ({
  'eval.json': JSON.stringify({
    schema_version: '0.3.0',
    evaluation_id: 'e',
    evaluation_timestamp: '1750000000',
    source_metadata: {},
    model_info: { id: 'm' },
    evaluation_results: [
      {
        evaluation_result_id: 'b',
        evaluation_name: 'b',
        metric_config: { metric_name: 'judge', ...metric },
        score_details: { score: 0.5 },
      },
    ],
    detailed_evaluation_results: { file_path: 'eval_samples.jsonl' },
  }),
  'eval_samples.jsonl': lines(
    values.map((score, n) => ({
      schema_version: '0.3.0',
      evaluation_id: 'e',
      evaluation_name: 'b',
      evaluation_result_id: 'b',
      sample_id: `s${n}`,
      input: { raw: 'q' },
      output: { raw: ['x'] },
      evaluation: { score, ...more },
    })),
  ),
})

const CREATED = { createdAt: START }
const TABLE = { ...CREATED, from: 'table' }
const GRADES = [5, 1, 3, 0]

const ALL: Readonly<
  Record<string, (values: readonly number[], options?: ImportOptions) => Promise<readonly Imported[]>>
> = {
  langfuse: (values, options) => imported(values, options),
  inspect: (values, options) => importBytes('log.json', inspect(values), options),
  'the traces of MLflow': (values, options) => importBytes('traces.json', mlflowTraces(values), options),
  'a table of MLflow': (values, options) =>
    importBytes('eval_results_table.json', mlflowTable('judge/v1/score', values), { ...CREATED, ...options }),
  langsmith: (values, options) => importFiles(langsmith(values), options),
  phoenix: (values, options) => importBytes('experiment.json', phoenix(values), options),
  'the records of oaieval': (values, options) =>
    importBytes('records.jsonl', openaiRecords(values), {
      ...options,
      ...(options?.scoreRanges && { scoreRanges: { score: [0, 5] } }),
    }),
  braintrust: (values, options) => importBytes('events.jsonl', braintrust(values), options),
  ragas: (values, options) => importBytes('evaluate.csv', ragas(values), { ...CREATED, ...options }),
  'every eval ever': (values, options) => importFiles(eee(values), options),
  'a table': (values, options) =>
    importBytes('t.csv', `id,judge\n${values.map((value, n) => `${n},${value}`).join('\n')}\n`, {
      ...TABLE,
      map: 'format: csv\ncase: { test: { column: id } }\nasserts: { columns: [judge] }\n',
      ...options,
    }),
}

describe('a score without a result', () => {
  it.each(Object.keys(ALL))('decides nothing if one of its values is not from 0 to 1: %s', async (name) => {
    const results = await ALL[name]!(GRADES)
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 4'])
    expect(scoresOf(results)).toMatchObject([{ values: 4, min: 0, max: 5, range: null, decides: false, asks: 'range' }])
    for (const { asserts } of results[0]!.document!.cases)
      expect(asserts).toMatchObject([{ status: 'skipped', score: 0, weight: 0 }])
  })

  it.each(Object.keys(ALL))('is graded in its range when it is given: %s', async (name) => {
    const results = await ALL[name]!(GRADES, { scoreRanges: { judge: [0, 5] } })
    expect(casesOf(results)).toEqual([
      ['pass', 1],
      ['fail', 0.2],
      ['pass', 0.6],
      ['fail', 0],
    ])
    expect(scoresOf(results)).toMatchObject([{ range: [0, 5], decides: true, passes_from: 2.5, asks: null }])
  })

  it.each(Object.keys(ALL))('takes values next to an end as that end: %s', async (name) => {
    const results = await ALL[name]!([1.0000000000000002, -1e-17, 1.0000005, 0.9999999])
    expect(casesOf(results)).toEqual([
      ['pass', 1],
      ['fail', 0],
      ['pass', 1],
      ['pass', 1],
    ])
  })

  it('is the same wherever the value outside the range is, also in another run of the file', async () => {
    expect(countsOf(await imported([1, 1, 5]))).toEqual(['0 / 0 / 0 / 3'])
    expect(countsOf(await imported([5, 1, 1]))).toEqual(['0 / 0 / 0 / 3'])
    expect(countsOf(await imported([1, 0, -1]))).toEqual(['0 / 0 / 0 / 3'])
    const both = await importBytes('items.jsonl', langfuse({ a: [1, 1], b: [5, 1] }))
    expect(countsOf(both)).toEqual(['0 / 0 / 0 / 2', '0 / 0 / 0 / 2'])
    const mixed = await importBytes('items.jsonl', langfuse({ a: [1, 0.2], b: [0.7, 0.9] }))
    expect(countsOf(mixed)).toEqual(['1 / 1 / 0 / 0', '2 / 0 / 0 / 0'])
  })

  it('leaves other scores alone', async () => {
    const rows = 'id,judge,exact\n0,5,1\n1,1,0\n'
    const map = 'format: csv\ncase: { test: { column: id } }\nasserts: { columns: [judge, exact] }\n'
    const results = await importBytes('t.csv', rows, { ...TABLE, map })
    expect(casesOf(results)).toEqual([
      ['pass', 1],
      ['fail', 0],
    ])
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({
        kind: 'changed',
        note: 'judge: has values out of its range, stored in details only',
        count: 2,
      }),
    )
    expect(scoresOf(results)).toMatchObject([
      { name: 'judge', asks: 'range' },
      { name: 'exact', decides: true, passes_from: 0.5 },
    ])
  })

  it('keeps the grade in the details of the assertion', async () => {
    const [result] = await imported([4], { scoreRanges: { judge: [1, 5] } })
    expect(result?.document?.cases[0]?.asserts).toMatchObject([{ score: 0.75, details: { score: 4 } }])
  })

  it('passes from a threshold in its own units', async () => {
    const scoreRanges = { judge: [1, 5] } as const
    const statuses = async (options: ImportOptions) =>
      countsOf(await imported([1, 3, 4, 5], { scoreRanges, ...options }))
    expect(await statuses({})).toEqual(['3 / 1 / 0 / 0'])
    expect(await statuses({ passThresholds: { judge: 4 } })).toEqual(['2 / 2 / 0 / 0'])
    expect(await statuses({ passThreshold: 5 })).toEqual(['1 / 3 / 0 / 0'])
    expect(await statuses({ passThreshold: 0.8 })).toEqual([
      'refused: --pass-threshold 0.8: the scores of judge are from 1 to 5: give a threshold in these units, with --pass-threshold judge=X',
    ])
    expect(countsOf(await imported([1, 5], { passThresholds: { judge: 4 } }))).toEqual([
      'refused: --pass-threshold judge=4: the values of judge are from 1 to 5, not from 0 to 1: give the range with --score judge=MIN..MAX',
    ])
  })

  it('with values out of the given range decides nothing', async () => {
    const results = await imported([1, 5, 7], { scoreRanges: { judge: [1, 5] } })
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 3'])
    expect(scoresOf(results)).toMatchObject([{ min: 1, max: 7, range: [1, 5], asks: 'range' }])
  })

  it('is not asked about if another one was chosen', async () => {
    const rows = 'id,judge,exact\n0,5,1\n1,1,0\n'
    const map = 'format: csv\ncase: { test: { column: id } }\nasserts: { columns: [judge, exact] }\n'
    const results = await importBytes('t.csv', rows, { ...TABLE, map, scorers: ['exact'] })
    expect(scoresOf(results)).toMatchObject([
      { name: 'exact', decides: true },
      { name: 'judge', decides: false, asks: null },
    ])
  })

  it('records an option for a score that is not there', async () => {
    const results = await imported([0.5], { scoreRanges: { jugde: [1, 5] }, lowerIsBetter: ['constructor'] })
    expect(lossesOf(results).map(({ note }) => note)).toEqual(
      expect.arrayContaining([
        'no score is named jugde; there are judge',
        'no score is named constructor; there are judge',
      ]),
    )
  })

  it('with a result of its tool keeps that, and no grade of it is a score from 0 to 1', async () => {
    const item = (n: number, score: number, passed: boolean) => ({
      ...{ id: `i${n}`, object: 'eval.run.output_item', run_id: 'run', eval_id: 'eval', created_at: 1_772_442_001 },
      ...{ datasource_item_id: n, datasource_item: { n }, status: passed ? 'pass' : 'fail', sample: {} },
      results: [{ name: 'grader', passed, score }],
    })
    const results = await importBytes('items.jsonl', lines([item(0, 1, false), item(1, 5, true), item(2, 3, true)]))
    expect(casesOf(results)).toEqual([
      ['fail', 0],
      ['pass', 1],
      ['pass', 1],
    ])
    expect(scoresOf(results)).toEqual([])
  })
})

describe('a score of which a low value is good', () => {
  it('is turned around when the source says so', async () => {
    const lower = [
      ['pass', 0.95],
      ['fail', 1 - 0.95],
    ]
    const wer = { lower_is_better: true, min_score: 0, max_score: 1 }
    expect(casesOf(await importFiles(eee([0.05, 0.95], wer)))).toEqual(lower)
    expect(
      casesOf(await importBytes('e.json', phoenix([0.05, 0.95], 'judge', { metadata: { direction: 'minimize' } }))),
    ).toEqual(lower)
    const metadata = { greater_is_better: 'false' }
    expect(casesOf(await importBytes('t.json', mlflowTraces([0.05, 0.95], 'judge', metadata)))).toEqual(lower)
  })

  it('has the range and the direction of its source together', async () => {
    const metric = { lower_is_better: true, min_score: 0, max_score: 10 }
    const results = await importFiles(eee([1, 9, 5], metric))
    expect(casesOf(results)).toEqual([
      ['pass', 0.9],
      ['fail', expect.closeTo(0.1, 9)],
      ['pass', 0.5],
    ])
    expect(scoresOf(results)).toMatchObject([{ range: [0, 10], lower_is_better: true, passes_from: 5 }])
    // The verdict of the tool stands, and the score is turned around all the same.
    expect(casesOf(await importFiles(eee([1], metric, { is_correct: false })))).toEqual([['fail', 0.9]])
    const levels = { score_type: 'levels', level_names: ['bad', 'fair', 'good'] }
    expect(casesOf(await importFiles(eee([2, 1, 0], levels)))).toEqual([
      ['pass', 1],
      ['pass', 0.5],
      ['fail', 0],
    ])
  })

  it('decides nothing by its name alone, and asks', async () => {
    const results = await importBytes('t.json', mlflowTable('toxicity/v1/score', [0.01, 0.9]), CREATED)
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 2'])
    expect(scoresOf(results)).toMatchObject([{ min: 0.01, max: 0.9, decides: false, asks: 'direction' }])
    expect(countsOf(await importBytes('e.json', phoenix([1, 0], 'hallucination')))).toEqual(['0 / 0 / 0 / 2'])
    expect(countsOf(await imported([true, false], {}, 'is_toxic'))).toEqual(['0 / 0 / 0 / 2'])
    expect(countsOf(await imported([true, false], {}, 'non_toxic'))).toEqual(['1 / 1 / 0 / 0'])
  })

  it('decides when the user says whether a low value is good', async () => {
    const toxicity = (options: ImportOptions) =>
      importBytes('t.json', mlflowTable('toxicity/v1/score', [0.01, 0.9]), { ...CREATED, ...options })
    for (const name of ['toxicity/v1/score', 'toxicity/v1', 'toxicity']) {
      expect(casesOf(await toxicity({ lowerIsBetter: [name] }))).toEqual([
        ['pass', 0.99],
        ['fail', expect.closeTo(0.1, 9)],
      ])
      expect(casesOf(await toxicity({ higherIsBetter: [name] }))).toEqual([
        ['fail', 0.01],
        ['pass', 0.9],
      ])
    }
    expect(countsOf(await toxicity({ lowerIsBetter: ['toxicity'], passThresholds: { toxicity: 0.95 } }))).toEqual([
      '2 / 0 / 0 / 0',
    ])
    expect(countsOf(await imported([true, false], { lowerIsBetter: ['is_toxic'] }, 'is_toxic'))).toEqual([
      '1 / 1 / 0 / 0',
    ])
  })

  it('is recognised by its name', () => {
    for (const name of [
      ...[
        'toxicity',
        'Toxicity',
        'isToxic',
        'hallucination_rate',
        'Hallucination',
        'bias',
        'latency_ms',
        'p95 latency',
      ],
      ...['error_rate', 'word_perplexity,none', 'wer', 'CER', 'total_cost', 'brier_score', 'mean_squared_error'],
      ...['noise_sensitivity(mode=relevant)', 'hate speech', 'bits_per_byte', 'refusal rate', 'judge.toxicity'],
      ...['error', 'calibration_error', 'failed', 'unsafe', 'is_flagged', 'self-harm', 'refusals', 'incorrect'],
    ])
      expect([name, mayBeLowerBetter(name)]).toEqual([name, true])
    for (const name of [
      ...['accuracy', 'exact_match', 'judge', 'faithfulness', 'answer_relevancy', 'non_toxic', 'hallucination-free'],
      ...['no_hallucination', 'unbiased', 'power', 'error_handling', 'cost_effectiveness', 'token_f1', 'harmlessness'],
      ...['flower', 'closset', 'similarity', 'safety', 'bleu', 'pass@1', ''],
      ...['no_error', 'error_free', 'correctness', 'consistency', 'pass_or_fail_safety', 'terror'],
    ])
      expect([name, mayBeLowerBetter(name)]).toEqual([name, false])
  })
})

it('turns a total around of which the source says that less is better, and has no score of one that may be bad', async () => {
  const top = {
    results: {
      t: { 'brier,none': 0.25, 'acc,none': 0.7, 'toxicity,none': 0.1, 'acc_stderr,none': 0.01, 'ppl,none': 20 },
    },
    configs: { t: { metric_list: [{ metric: 'brier', higher_is_better: false }] } },
    'n-shot': { t: 0 },
    date: 1_772_442_001,
    model_name: 'm',
  }
  const results = await importBytes('results_2026-03-02T09-00-01.json', JSON.stringify(top), { aggregates: true })
  expect(results[0]?.document?.cases.map(({ cell, status, score }) => [cell.test_id, status, score])).toEqual([
    ['brier,none', 'skip', 0.75],
    ['acc,none', 'skip', 0.7],
    ['toxicity,none', 'skip', 0],
    ['ppl,none', 'skip', 0],
  ])
})

describe('a table map', () => {
  const cells = 'id,grade,toxic,noise\n0,5,0,-0.0000000001\n1,1,10,0.4\n'
  const withMap = (asserts: string, more = '') =>
    importBytes('t.csv', cells, { ...TABLE, map: `format: csv\ncase: { test: { column: id } }\n${asserts}\n${more}` })

  it('says ranges and directions', async () => {
    const listed = `asserts:
  - { name: { const: grade }, score: { column: grade, min: 1, max: 5 }, threshold: 0.75 }
  - { name: { const: toxic }, score: { column: toxic, max: 10, lower_is_better: true } }`
    const wide = `asserts: { columns: [grade, toxic] }`
    const named = 'scores: { grade: { min: 1, max: 5 }, toxic: { max: 10, lower_is_better: true } }'
    for (const results of [await withMap(listed), await withMap(wide, named)])
      expect(casesOf(results)).toEqual([
        ['pass', 1],
        ['fail', 0],
      ])
    expect(
      casesOf(await withMap('asserts: { columns: [toxic], max: 10, lower_is_better: true, threshold: 0.9 }')),
    ).toEqual([
      ['pass', 1],
      ['fail', 0],
    ])
  })

  it('is overruled by an option of the user', async () => {
    const map = 'asserts: { columns: [grade], max: 10 }'
    expect(casesOf(await withMap(map))).toEqual([
      ['pass', 0.5],
      ['fail', 0.1],
    ])
    const results = await importBytes('t.csv', cells, {
      ...TABLE,
      map: `format: csv\ncase: { test: { column: id } }\n${map}`,
      scoreRanges: { grade: [0, 5] },
    })
    expect(casesOf(results)).toEqual([
      ['pass', 1],
      ['fail', 0.2],
    ])
  })

  it('is refused if its range is not a range', async () => {
    for (const map of [
      'asserts: { columns: [grade], min: 5 }',
      'asserts: { columns: [grade] }\nscores: { grade: { min: 5, max: 1 } }',
      'asserts: { columns: [grade] }\nscores: { grade: { minimum: 5 } }',
      'asserts: { columns: [grade] }\nscores: [grade]',
    ])
      expect(countsOf(await withMap(map))[0]).toMatch(/^refused: --map:/)
  })

  it('takes the score of a case next to an end', async () => {
    const map = 'status: { column: toxic, pass: ["0"], fail: ["10"] }\nscore: { column: noise }'
    expect(casesOf(await withMap(map))).toEqual([
      ['pass', 0],
      ['fail', 0.4],
    ])
  })
})

describe('a second import with other options', () => {
  const values = [0.4, 0.6]

  it.each([
    ['a threshold', { passThreshold: 0.7 }],
    ['a threshold of one score', { passThresholds: { judge: 0.7 } }],
    ['a range', { scoreRanges: { judge: [0, 2] } }],
    ['a direction', { lowerIsBetter: ['judge'] }],
  ] as const)('shows that %s gives other results', async (_, options) => {
    const target = targetWith(await imported(values))
    expect(countsOf(await imported(values, { target }))).toEqual(['already_there'])
    const [again] = await imported(values, { target, ...options })
    expect(again).toMatchObject({ outcome: 'changed' })
    const withOptions = targetWith(await imported(values, options))
    expect((await imported(values, { target: withOptions, ...options }))[0]).toMatchObject({
      outcome: 'already_there',
    })
    expect((await imported(values, { target: withOptions }))[0]).toMatchObject({ outcome: 'changed' })
  })

  it('is already there if the options change nothing', async () => {
    const target = targetWith(await imported(values))
    const [again] = await imported(values, { target, passThreshold: 0.5 })
    expect(again).toMatchObject({ outcome: 'already_there' })
  })
})

it('reads ranges and thresholds', () => {
  expect(parseScoreRange('judge=1..5')).toEqual({ name: 'judge', range: [1, 5] })
  expect(parseScoreRange('a=b=-1.5..0.5')).toEqual({ name: 'a=b', range: [-1.5, 0.5] })
  for (const text of ['judge', 'judge=5..1', 'judge=1..1', '=1..5', 'judge=1..', 'judge=1...5', 'judge=a..b'])
    expect(parseScoreRange(text)).toBeNull()
  expect(parsePassThreshold('4')).toEqual({ name: null, value: 4 })
  expect(parsePassThreshold('a=b=-.5')).toEqual({ name: 'a=b', value: -0.5 })
  for (const text of ['', 'judge', 'judge=', '=1', 'NaN', '1e400']) expect(parsePassThreshold(text)).toBeNull()
  expect(shareOf(100.00005, [0, 100])).toBe(1)
  expect(shareOf(100.1, [0, 100])).toBeNull()
})
