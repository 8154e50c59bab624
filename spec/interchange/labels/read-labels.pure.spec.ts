import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readLabels } from '../../../interchange/labels/read-labels.ts'

const sample = (name: string) => readFileSync(new URL(`samples/${name}`, import.meta.url))
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

// How the files of the tools become labels on a server: spec/http/routes/reviews/import-labels.spec.ts.
describe('labels in a file of another tool', () => {
  it('have their place, person, answer, comment and time', async () => {
    const { labels } = await readLabels('label-studio', sample('label-studio.json'), {
      ...{ question: 'correct', match: 'test_id' },
    })
    expect(labels[0]).toEqual({
      ...{ place: 'record 1 (task 1): annotations[0]', key: 'test-0', reviewer: '1', answer: 'Good' },
      ...{ comment: 'The amount is right.', seconds: 5.5, given_at: expect.any(Number) as number },
    })
  })

  it('of Langfuse are read from scores of version 2 too, where the number of a category is its place', async () => {
    const { labels } = await readLabels('langfuse', sample('langfuse-v2.jsonl'), {
      ...{ question: 'correct', match: 'traceId' },
    })
    expect(labels.map(({ key, answer }) => [key, answer])).toEqual([
      ['trace-0', 'Good'],
      ['trace-1', 'Good'],
      ['trace-2', 'Bad'],
      ['trace-3', 'Good'],
      ['trace-4', 'Bad'],
      ['trace-5', 'Unsure'],
    ])
  })

  it('of Langfuse keep numbers and truth values, and are matched by their metadata first', async () => {
    const score = { source: 'ANNOTATION', name: 'correct', traceId: 'trace', metadata: { traceId: 'meant' } }
    const { labels, left_out } = await readLabels(
      'langfuse',
      bytes([
        { ...score, dataType: 'BOOLEAN', value: false },
        { ...score, dataType: 'NUMERIC', value: 0 },
        { ...score, dataType: 'TEXT', value: 'prose' },
      ]),
      { question: 'correct', match: 'traceId' },
    )
    expect(labels.map(({ key, answer }) => [key, answer])).toEqual([
      ['meant', false],
      ['meant', 0],
    ])
    expect(left_out).toEqual([{ reason: 'no_answer', count: 1, first: ['record 3 (score without id)'] }])
  })

  it('of Argilla are read from pages of its API, where responses are listed by person', async () => {
    const response = (user_id: string, status: string) => ({
      ...{ user_id, status, values: { correct: { value: ['Good'] } }, updated_at: '2026-03-02T09:00:00' },
    })
    const responses = [response('ann', 'submitted'), response('ben', 'discarded')]
    const page = { items: [{ id: 'r', external_id: 'test-1', fields: {}, metadata: {}, responses }], total: 1 }
    const { labels, left_out } = await readLabels('argilla', bytes(page), { question: 'correct', match: 'test_id' })
    expect(labels).toEqual([
      {
        ...{ place: 'record 1 (r): responses[0].values.correct', key: 'test-1', reviewer: 'ann', answer: 'Good' },
        ...{ comment: null, seconds: null, given_at: Date.UTC(2026, 2, 2, 9) },
      },
    ])
    expect(left_out).toMatchObject([{ reason: 'not_submitted', count: 1 }])
  })

  it('are refused with several answers to one question', async () => {
    const result = [{ from_name: 'correct', type: 'choices', value: { choices: ['Good', 'Bad'] } }]
    const task = { id: 7, data: {}, annotations: [{ result }] }
    await expect(readLabels('label-studio', bytes([task]), { question: 'correct', match: 'test_id' })).rejects.toThrow(
      'record 1 (task 7): annotations[0].result[0]: has 2 answers',
    )
  })

  it.each([
    ['', 'is empty'],
    ['reviewer,answer\n', 'row 1: the column case is missing'],
    ['case,reviewer,answer,answer\n', 'row 1: the column answer is there twice'],
    ['case,reviewer,answer,seconds\na,ann,pass,soon\n', 'row 2: seconds: "soon" is no number of seconds'],
    ['case,reviewer,answer,given_at\na,ann,pass,soon\n', 'row 2: given_at: "soon" is no time'],
  ])('of a table are refused with the row and the column: %j', async (text, problem) => {
    await expect(readLabels('csv', bytes(text), { question: null, match: 'case_key' })).rejects.toThrow(problem)
  })

  it('of a table say which columns and rows are not read', async () => {
    const text = 'case,reviewer,answer,team\na,ann,pass,x\nb,ann,,x\n'
    const { labels, left_out } = await readLabels('csv', bytes(text), { question: null, match: 'case_key' })
    expect(labels).toHaveLength(1)
    expect(left_out).toEqual([
      { reason: 'no_answer', count: 1, first: ['row 3'] },
      { reason: 'column', count: 1, first: ['team'] },
    ])
  })
})
