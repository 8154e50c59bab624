import { Ajv } from 'ajv'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMPLETE_CASE } from '../../support/documents/complete-run.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { HOSTILE } from '../../support/documents/hostile-cases.ts'
import { exported } from '../../support/documents/exported.ts'
import { unzipped } from '../../support/documents/unzipped.ts'

const schema = (name: string) =>
  new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
    JSON.parse(readFileSync(`spec/fixtures/schemas/${name}.schema.json`, 'utf8')) as object,
  )
const isAggregate = schema('every-eval-ever')
const isSample = schema('every-eval-ever-samples')

type Json = Readonly<Record<string, unknown>>

/** The members of an archive by name. Checks each record against its schema, and each file of samples against its checksum. */
const checked = (archive: Buffer) => {
  const members = unzipped(archive)
  const aggregates: Json[] = []
  const samples: Json[] = []
  for (const [name, bytes] of members) {
    if (name.endsWith('_samples.jsonl')) continue
    const aggregate = JSON.parse(bytes.toString()) as Json
    expect([isAggregate(aggregate), isAggregate.errors]).toEqual([true, null])
    aggregates.push(aggregate)
    const details = aggregate['detailed_evaluation_results'] as {
      file_path: string
      checksum: string
      total_rows: number
    }
    const file = members.get(details.file_path)
    expect(details.file_path).toBe(name.replace(/\.json$/, '_samples.jsonl'))
    expect(
      createHash('sha256')
        .update(file ?? '')
        .digest('hex'),
    ).toBe(details.checksum)
    const rows = (file ?? '')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
    expect(rows).toHaveLength(details.total_rows)
    for (const row of rows) {
      expect([isSample(row), isSample.errors]).toEqual([true, null])
      expect(row['evaluation_id']).toBe(aggregate['evaluation_id'])
    }
    samples.push(...rows)
  }
  return { names: [...members.keys()], aggregates, samples }
}

describe('the Every Eval Ever archive of a run', () => {
  it('has samples and an aggregate for each provider', () => {
    const { names, aggregates, samples } = checked(
      exported(
        'every-eval-ever',
        aDocument({
          cases: [
            aCase({ cell: { provider_id: 'acme/m-1' }, prompt: { text: 'How long?' }, vars: { target: '30 days' } }),
            aCase({ cell: { provider_id: 'bot' } }),
            aCase({
              cell: { provider_id: 'acme/m-1', test_id: 'b' },
              status: 'fail',
              score: 0.25,
              usage: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3 },
            }),
          ],
        }),
      ),
    )
    expect(names.map((name) => name.replace(/[0-9a-f-]{36}/, 'UUID'))).toEqual([
      'data/smoke/acme/m-1/UUID_samples.jsonl',
      'data/smoke/acme/m-1/UUID.json',
      'data/smoke/unknown/bot/UUID_samples.jsonl',
      'data/smoke/unknown/bot/UUID.json',
    ])
    expect(aggregates[0]).toMatchObject({
      schema_version: '0.3.0',
      evaluation_id: 'smoke/acme_m-1/1777885201',
      model_info: { id: 'acme/m-1', developer: 'acme' },
      evaluation_results: [{ score_details: { score: 0.5, details: { pass: '1', fail: '1', mean_score: '0.625' } } }],
    })
    expect(samples.slice(0, 2)).toMatchObject([
      {
        sample_id: 'greeting',
        interaction_type: 'single_turn',
        input: { raw: 'How long?', reference: ['30 days'] },
        output: { raw: ['Hello there.'] },
        evaluation: { score: 1, is_correct: true },
        performance: { latency_ms: 10 },
        metadata: { status: 'pass' },
      },
      {
        evaluation: { score: 0.25, is_correct: false },
        token_usage: { input_tokens: 4, output_tokens: 2, total_tokens: 6 },
      },
    ])
  })

  it('has conversations as messages', () => {
    const { samples } = checked(
      exported(
        'every-eval-ever',
        aDocument({
          cases: [
            aCase({
              prompt: {
                messages: [
                  { role: 'user', content: 'Zürich?' },
                  {
                    role: 'assistant',
                    content: '',
                    tool_calls: [{ name: 'find', arguments: { city: 'Zürich', n: 2 } }],
                  },
                  { role: 'tool', content: '{}', tool_call_id: 'c1' },
                ],
              },
              output: 'Found.',
            }),
          ],
        }),
      ),
    )
    expect(samples[0]).toMatchObject({
      interaction_type: 'agentic',
      output: null,
      evaluation: { num_turns: 4, tool_calls_count: 1 },
      messages: [
        { role: 'user', content: 'Zürich?' },
        { role: 'assistant', content: null, tool_calls: [{ name: 'find', arguments: { city: 'Zürich', n: '2' } }] },
        { role: 'tool', tool_call_id: ['c1'] },
        { turn_idx: 3, role: 'assistant', content: 'Found.' },
      ],
    })
  })

  it('fits the published schemas for hostile, complete and missing content', () => {
    checked(exported('every-eval-ever', aDocument({ cases: [] })))
    checked(
      exported(
        'every-eval-ever',
        aDocument({ project: null, suite: null, cases: [...Object.values(HOSTILE), { ...COMPLETE_CASE }] }),
      ),
    )
  })

  it('has no name that leaves the folder of the archive', () => {
    const providers = ['../../etc/passwd', '..', '/root', String.raw`a\..\b`, 'x/../..', '']
    const { names } = checked(
      exported(
        'every-eval-ever',
        aDocument({ suite: '../..', cases: providers.map((provider_id) => aCase({ cell: { provider_id } })) }),
      ),
    )
    expect(
      names.filter((name) => !/^data\/[\w.-]+\/[\w.-]+\/[\w.-]+\/[0-9a-f-]{36}(?:\.json|_samples\.jsonl)$/.test(name)),
    ).toEqual([])
    expect(names.flatMap((name) => name.split('/')).filter((part) => part === '..' || part === '.')).toEqual([])
  })

  it('is the same each time', () => {
    const document = aDocument({ cases: [aCase(), aCase({ cell: { provider_id: 'b' } })] })
    expect(exported('every-eval-ever', document, { batch: 1 })).toEqual(
      exported('every-eval-ever', document, { batch: 9 }),
    )
  })
})
