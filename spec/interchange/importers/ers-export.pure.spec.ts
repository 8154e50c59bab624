import { describe, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'
import { countsOf, importBytes, importFiles, lossesOf, targetWith } from '../../support/interchange/import-files.ts'

// Literal samples of what the exporters write: one run with a pass, an expected failure and an error.

const RUN =
  '{"run":{"config_digest":"sha256:c","config_snapshot":{"seed":12345678901234567890},"filters":{},"finished_at":"2026-05-04T09:00:01Z","project":"chat","run_id":"run-1","schema_version":3,"started_at":"2026-05-04T09:00:00Z","suite":"smoke","summary":{"cache_hits":0,"cache_misses":3,"completion_tokens":0,"errored":1,"failed":0,"passed":1,"prompt_tokens":0,"retried_cases":0,"skipped":0,"total":3,"xfailed":1}}}'
const LINES = [
  '{"asserts":[{"cached":false,"criteria":{"name":"tone","type":"contains"},"kind":"contains","reason":"","score":0.75,"status":"pass","weight":1}],"attempts":1,"cached":false,"case_key":"6f1a","cell":{"provider_id":"model","prompt_id":"terse","repeat":0,"test_id":"t1"},"latency_ms":10,"output":{"n":12345678901234567890},"score":0.75,"status":"pass"}',
  '{"asserts":[],"attempts":1,"cached":false,"case_key":"6f1b","cell":{"provider_id":"model","repeat":1,"test_id":"t1"},"latency_ms":0,"score":0,"status":"xfail"}',
  '{"asserts":[],"attempts":1,"cached":false,"case_key":"6f1c","cell":{"provider_id":"model","repeat":0,"test_id":"t2"},"error":"boom","error_class":"provider_timeout","latency_ms":0,"score":0,"status":"error"}',
]
const JSONL = `${[RUN, ...LINES].join('\n')}\n`

const HEADER =
  'run_id,project,suite,created_at,case_key,provider,prompt,test,repeat,name,status,score,cost_usd,latency_ms,input_tokens,output_tokens,error_class,error,tags,output'
const START = 'run-1,chat,smoke,2026-05-04T09:00:01+00:00'
const CSV = [
  `${HEADER},'=tone,other_scores`,
  String.raw`${START},6f1a,model,terse,t1,0,first,pass,0.75,0.25,10,5,7,,,a\;b;c\\d;'=f,"two` +
    '\nlines",0.75,"{""z"":0.5}"',
  `${START},6f1b,model,,t1,1,,xfail,0,,,,,,,,"",,`,
  `${START},6f1c,model,,t2,0,,error,0,,,,,provider_timeout,boom,,'=1+1,,`,
  `${START},6f1d,model,,t3,0,,skip,0,,,,,,,,''quoted,,`,
  '',
].join('\r\n')

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="smoke" tests="3" failures="0" errors="1" timestamp="2026-05-04T09:00:00Z">
  <properties><property name="run_id" value="run-1"></property><property name="project" value="chat"></property><property name="branch" value="main"></property><property name="finished_at" value="2026-05-04T09:00:01Z"></property></properties>
  <testcase classname="model" name="t1" time="0.010"><properties><property name="provider_id" value="model"></property><property name="prompt_id" value="terse"></property><property name="test_id" value="t1"></property><property name="repeat" value="0"></property><property name="case_key" value="6f1a"></property><property name="status" value="pass"></property><property name="score" value="0.75"></property></properties><system-out> &lt;b&gt;&#13;
 </system-out></testcase>
  <testcase classname="model" name="first [2]" time="0.000"><properties><property name="provider_id" value="model"></property><property name="test_id" value="t1"></property><property name="repeat" value="1"></property><property name="case_key" value="6f1b"></property><property name="status" value="xfail"></property><property name="score" value="0"></property></properties><skipped message="expected failure: later"></skipped><system-out></system-out></testcase>
  <testcase classname="model" name="t2" time="0.000"><properties><property name="provider_id" value="model"></property><property name="test_id" value="t2"></property><property name="repeat" value="0"></property><property name="case_key" value="6f1c"></property><property name="status" value="error"></property><property name="score" value="0"></property></properties><error message="boom">tone: broken</error></testcase>
</testsuite>
`

const CTRF = JSON.stringify({
  ...{
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    timestamp: '2026-05-04T09:00:01Z',
    generatedBy: 'evaluation-results-service',
  },
  results: {
    tool: { name: 'evaluation-results-service' },
    environment: {
      reportName: 'smoke',
      appName: 'chat',
      branchName: 'main',
      extra: { run_id: 'run-1', project: 'chat' },
    },
    tests: [
      {
        ...{
          name: 't1',
          status: 'passed',
          duration: 10,
          suite: ['smoke', 'model', 'terse'],
          rawStatus: 'pass',
          tags: ['a'],
        },
        ...{ stdout: ['two', 'lines'], parameters: { q: 1 }, retries: 1 },
        extra: {
          ...{
            case_key: '6f1a',
            provider_id: 'model',
            prompt_id: 'terse',
            test_id: 't1',
            repeat: 0,
            score: 0.75,
            cost_usd: 0.5,
          },
          usage: { input_tokens: 5, output_tokens: 7 },
        },
      },
      {
        ...{ name: 'first [2]', status: 'passed', duration: 0, suite: ['smoke', 'model'], rawStatus: 'xfail' },
        extra: { case_key: '6f1b', provider_id: 'model', test_id: 't1', repeat: 1, score: 0 },
      },
      {
        ...{ name: 't2', status: 'other', duration: 0, suite: ['smoke', 'model'], rawStatus: 'error', message: 'boom' },
        extra: {
          case_key: '6f1c',
          provider_id: 'model',
          test_id: 't2',
          repeat: 0,
          score: 0,
          error_class: 'provider_timeout',
        },
      },
    ],
    summary: {
      tests: 3,
      passed: 2,
      failed: 0,
      skipped: 0,
      pending: 0,
      other: 1,
      flaky: 0,
      start: 1777885200000,
      stop: 1777885201000,
    },
  },
})

const only = async (name: string, content: string) => {
  const [result] = await importBytes(name, content)
  if (!result || !('run' in result)) throw new Error(countsOf([result!])[0])
  return { ...result, ...result.document!, losses: result.run.losses }
}

describe('the JSON Lines export, imported again', () => {
  it('is the same document under the same id, with all digits', async () => {
    const { run_id, run, cases, bytes } = await only('run.jsonl', JSONL)
    expect(run_id).toBe('run-1')
    expect(run).toMatchObject({ project: 'chat', suite: 'smoke' })
    expect(cases.map(({ status }) => status)).toEqual(['pass', 'xfail', 'error'])
    const text = Buffer.from(bytes).toString()
    expect(text).toBe(`${RUN.slice('{"run":'.length, -2)},"cases":[${LINES.join(',')}]}`)
    expect(text.match(/12345678901234567890/g)).toHaveLength(2)
  })

  it('is there already in a service that has the run, and changed if a case differs', async () => {
    const first = await importBytes('run.jsonl', JSONL)
    const target = targetWith(first)
    const known = { ...target, known: async (id: string) => (id === 'run-1' ? { import: null } : null) }
    expect(countsOf(await importBytes('run.jsonl', JSONL, { target: known }))).toEqual(['already_there'])
    const [other] = await importBytes('run.jsonl', JSONL.replace('"status":"xfail"', '"status":"xpass"'), {
      target: known,
    })
    expect(other).toMatchObject({ outcome: 'changed', difference: 'of 3 cases: 1 with other content' })
  })

  it.each([
    ['cut between lines', [RUN, LINES[0]].join('\n'), /has 1 case, but its summary says 3: it was cut off/],
    ['cut inside of a line', JSONL.slice(0, -40), /line 4/],
    ['a line that ends the list', [RUN, `${LINES[0]}],"cases":[${LINES[0]}`].join('\n'), /line 2/],
    [
      'followed by more on a long first line',
      JSONL.replace('"seed"', `"text":"${'x'.repeat(70_000)}","seed"`).replace('}}}\n', '}},"x":1}\n'),
      /line 1: has more than a run/,
    ],
    ['of another shape', JSONL.replace('"status":"xfail"', '"status":"maybe"'), /cases\[1\].*status/],
  ])('is refused if it is %s', async (_, content, reason) => {
    expect(countsOf(await importBytes('run.jsonl', content))[0]).toMatch(reason)
  })
})

it('a case of the JUnit export without a score has that of its status', async () => {
  const { cases } = await only('run.xml', JUNIT.replace('<property name="score" value="0.75"></property>', ''))
  expect(cases[0]).toMatchObject({ status: 'pass', score: 1 })
})

describe('the CSV export, imported again', () => {
  it('has the same statuses, scores and outputs', async () => {
    const { run, cases, identity, run_id } = await only('run.csv', CSV)
    expect(identity).toBe('run-1')
    expect(run_id).toMatch(/^ers-export-/)
    expect(run).toMatchObject({ project: 'chat', suite: 'smoke', finished_at: '2026-05-04T09:00:01Z' })
    expect(cases.map(({ cell, status, score, output }) => [cell.test_id, cell.repeat, status, score, output])).toEqual([
      ['t1', 0, 'pass', 0.75, 'two\nlines'],
      ['t1', 1, 'xfail', 0, ''],
      ['t2', 0, 'error', 0, '=1+1'],
      ['t3', 0, 'skip', 0, "'quoted"],
    ])
    expect(cases[0]).toMatchObject({
      ...{ cell: { provider_id: 'model', prompt_id: 'terse' }, name: 'first', tags: ['a;b', String.raw`c\d`, "'=f"] },
      ...{ cost_usd: 0.25, latency_ms: 10, usage: { input_tokens: 5, output_tokens: 7 } },
      asserts: [
        { score: 0.75, criteria: { name: '=tone' } },
        { score: 0.5, criteria: { name: 'z' } },
      ],
    })
    expect(cases[2]).toMatchObject({ error: 'boom', error_class: 'provider_timeout' })
  })

  it('leaves out cases that another one of the same key hides', async () => {
    const rows = [
      `${HEADER},hidden_by`,
      ...['', '0'].map((by) => `${START},6f1a,m,,t1,0,,${by ? 'fail' : 'pass'},1,,,,,,,,o,${by}`),
    ]
    const [result] = await importBytes('export.csv', rows.join('\n'))
    expect(countsOf([result!])).toEqual(['1 / 0 / 0 / 0'])
    expect(result && 'run' in result && result.run.losses).toContainEqual(
      expect.objectContaining({ kind: 'left_out', note: 'a case that another one of the same key hides' }),
    )
  })

  it('reads a byte order mark, several runs in one file, and an absent output', async () => {
    const second = CSV.replaceAll('run-1,', 'run-2,').split('\r\n').slice(2, 3).join('').replace('"",,', ',,')
    const results = await importBytes('runs.csv', `\ufeff${CSV}${second}\r\n`)
    expect(countsOf(results)).toEqual(['1 / 0 / 1 / 1', '0 / 0 / 0 / 0'])
    expect(results[1]!.document!.cases[0]).not.toHaveProperty('output')
  })

  it('records rows without a run, and what is no number, once for each', async () => {
    const rows = [
      `${HEADER},tone`,
      `${START},6f1a,m,,t1,0,,pass,1,,,,,,,,o,0.5`,
      `${START},6f1b,m,,t2,-1,,pass,1,,,,,,,,o,""`,
      `${START},6f1c,m,,t3,x,,pass,1,,,,,,,,o,high`,
      ...[',', '"",'].map((run) => `${run}${START.slice('run-1,'.length)},6f1d,m,,t4,0,,pass,1,,,,,,,,o,0.5`),
      'short',
      'short',
    ]
    const { cases, losses } = await only('run.csv', rows.join('\n'))
    expect(cases.map(({ cell, asserts }) => [cell.test_id, cell.repeat, asserts[0]?.status])).toEqual([
      ['t1', 0, 'pass'],
      ['t2', 0, 'skipped'],
      ['t3', 0, 'skipped'],
    ])
    expect(losses.flatMap(({ path, note }) => (path.startsWith('row') ? [`${path}: ${note}`] : [])).sort()).toEqual([
      'row 3: repeat is no number of a trial',
      'row 3: tone is no number',
      'row 4: repeat is no number',
      'row 4: tone is no number',
      'row 5: has no run_id',
      'row 6: has no run_id',
      'row 7: has 1 field, and the header 21',
      'row 8: has 1 field, and the header 21',
    ])
  })

  it('records a time that is none', async () => {
    const csv = CSV.replace('2026-05-04T09:00:01+00:00', 'soon')
    const results = await importBytes('run.csv', csv, { createdAt: '2026-05-04T09:00:00Z' })
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ path: 'row 2', note: 'created_at is no time' }))
  })

  it.each([
    ['a status that is none', CSV.replace(',xfail,', ',maybe,'), /row 3: the status "maybe"/],
    ['no case', `${HEADER}\r\n`, /holds no cases/],
  ])('is refused with %s', async (_, content, reason) => {
    expect(countsOf(await importBytes('run.csv', content))[0]).toMatch(reason)
  })

  it('says that it was cut off, and is refused inside of the first case', async () => {
    const start = CSV.slice(0, CSV.indexOf('lines"'))
    expect(countsOf(await importBytes('run.csv', start))).toEqual([
      'refused: a quote opens in line 2 and is never closed: close it, or write it twice inside of quotes',
    ])
    const cut = await only('run.csv', `${CSV}${START},6f1e,model,,t4,0,,pass,1,,,,,,,,"torn`)
    expect(cut.losses.map(({ note }) => note)).toContain('cut off after 4 cases: a quote is not closed')
  })
})

it('the Parquet export is refused with a time that no run can have', async () => {
  const at = '2026-05-04T09:00:00Z'
  const file = exported('parquet', aDocument({ started_at: at, finished_at: at }))
  const stored = Buffer.alloc(8)
  stored.writeBigInt64LE(BigInt(Date.parse(at)))
  for (let place = file.indexOf(stored); place >= 0; place = file.indexOf(stored)) file.fill(0x7f, place, place + 8)
  expect(countsOf(await importFiles({ 'run.parquet': file }))).toEqual([
    'refused: a column has times that no run can have',
  ])
})

it.each([
  ['run.xml', JUNIT, ' <b>\r\n ', ''],
  ['run.json', CTRF, 'two\nlines', undefined],
])(
  'the JUnit and CTRF exports, imported again have the same cells, statuses, scores and outputs: %s',
  async (name, content, output, empty) => {
    const { run, cases } = await only(name, content)
    expect(run).toMatchObject({
      ...{ project: 'chat', suite: 'smoke', started_at: '2026-05-04T09:00:00Z', finished_at: '2026-05-04T09:00:01Z' },
      git: { branch: 'main' },
    })
    expect(cases.map(({ cell, status, score, latency_ms }) => [cell, status, score, latency_ms])).toEqual([
      [{ provider_id: 'model', prompt_id: 'terse', test_id: 't1', repeat: 0 }, 'pass', 0.75, 10],
      [{ provider_id: 'model', test_id: 't1', repeat: 1 }, 'xfail', 0, 0],
      [{ provider_id: 'model', test_id: 't2', repeat: 0 }, 'error', 0, 0],
    ])
    expect(cases.map((item) => item.output)).toEqual([output, empty, undefined])
    expect([cases.map((item) => item.name), cases[2]!.error]).toEqual([[undefined, 'first', undefined], 'boom'])
  },
)
