import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countsOf, importFiles, lossesOf, SAMPLES } from '../../support/interchange/import-files.ts'

type Row = Readonly<Record<string, unknown>>

const linesOf = (path: string): readonly Row[] =>
  readFileSync(join(SAMPLES, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const langfuseItems = linesOf('langfuse/experiment-items.jsonl').flatMap(({ data }) => data as readonly Row[])

/** The rows of each sample, the list that their pages have them in, and what an import gives. */
const LISTS = {
  langfuse: { file: 'experiment-items', key: 'data', rows: langfuseItems, counts: '1 / 1 / 1 / 0' },
  langsmith: { file: 'runs', key: 'runs', rows: linesOf('langsmith/runs.jsonl'), counts: '4 / 0 / 1 / 0' },
  braintrust: {
    file: 'events',
    key: 'events',
    rows: linesOf('braintrust/experiment-events.jsonl'),
    counts: '2 / 0 / 1 / 0',
  },
} as const

type Name = keyof typeof LISTS
const NAMES = Object.keys(LISTS) as readonly Name[]

/** Pages of one row each; `change` may change each row. */
const pagesOf = (name: Name, change = (row: Row): Row => row, file: string = LISTS[name].file) =>
  Object.fromEntries(
    LISTS[name].rows.map((row, n) => [
      `${file}-${String(n + 1).padStart(6, '0')}.json`,
      JSON.stringify({ [LISTS[name].key]: [change(row)] }),
    ]),
  )

const feedback = (): Record<string, string> => ({
  'feedback.jsonl': readFileSync(join(SAMPLES, 'langsmith/feedback.jsonl'), 'utf8'),
})

describe.each(NAMES)('pages of an API of %s', (name) => {
  const { counts } = LISTS[name]
  const expected = name === 'langsmith' ? '2 / 2 / 1 / 0' : counts
  const more = name === 'langsmith' ? feedback() : {}

  it('are one run, in the order of their numbers', async () => {
    const results = await importFiles({ ...pagesOf(name), ...more })
    expect(countsOf(results)).toEqual([expected])
    const whole = await importFiles({
      'all.json': JSON.stringify({ [LISTS[name].key]: LISTS[name].rows }),
      ...more,
    })
    expect(results[0]?.document?.cases).toEqual(whole[0]?.document?.cases)
    expect(results[0]?.run_id).toBe(whole[0]?.run_id)
  })

  it('are imported next to a file that cannot be read', async () => {
    const notes = Buffer.from('{"notes": []}', 'utf16le')
    expect(countsOf(await importFiles({ ...pagesOf(name), ...more, 'notes.json': notes }))).toContain(expected)
  })

  it('are imported next to files of another tool that have the names of what describes the run', async () => {
    const others = ['{"notes": 1}\n{"notes": 2}', Buffer.from('{"notes": []}', 'utf16le')].map((content) =>
      Object.fromEntries(['experiment', 'project', 'session', 'dataset'].map((about) => [`${about}.json`, content])),
    )
    for (const files of others)
      expect(countsOf(await importFiles({ ...pagesOf(name), ...more, ...files }))).toContain(expected)
  })

  it('are recognised by their names if their first row is very large', async () => {
    const filler = 'x'.repeat(100_000)
    const large = await importFiles({ ...pagesOf(name, (row) => ({ aaa: filler, ...row })), ...more })
    expect(countsOf(large)).toEqual([expected])
  })

  it('are runs of their own if they are of different experiments', async () => {
    const key = name === 'langfuse' ? 'experimentId' : name === 'langsmith' ? 'session_id' : 'experiment_id'
    const first = pagesOf(name, (row) => row, 'page')
    const [, page] = Object.entries(pagesOf(name, (row) => ({ ...row, [key]: 'another' }), 'page'))[0]!
    const results = await importFiles({ ...first, 'page-000009.json': page })
    expect(results).toHaveLength(2)
    expect(results.filter(({ part }) => part === 'another')).toHaveLength(1)
  })
})

it('feedback on steps of runs is left out, and counted', async () => {
  const [first] = linesOf('langsmith/feedback.jsonl')
  const step = JSON.stringify({ ...first, id: 'f', run_id: 'a-step' })
  const results = await importFiles({
    ...pagesOf('langsmith'),
    'feedback.jsonl': `${feedback()['feedback.jsonl']}${step}\n`,
  })
  expect(countsOf(results)).toEqual(['2 / 2 / 1 / 0'])
  expect(lossesOf(results)).toContainEqual(
    expect.objectContaining({ path: '(feedback)', note: '1 on steps of runs, or on runs of no example' }),
  )
})
