import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  lossesOf,
  targetWith,
} from '../../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves, type Leaf } from '../../../support/interchange/leaves.ts'
import { promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

const sample = (name: string) => join(SAMPLES, 'promptfoo', name)
const read = (name: string) => readFileSync(sample(name), 'utf8')

/** The sum of the tokens of a call, which the document has one by one. */
const IS_SUM = /response\.tokenUsage\.total$/

/** `not-contains` is the kind `contains` with `negate`. */
const isNegation = ({ path, value }: Leaf): boolean => /assert.*\.type$/.test(path) && String(value).startsWith('not-')

describe('the importer of promptfoo', () => {
  it.each([
    ['v3-capitals.json', '24 / 16 / 8 / 0'],
    ['v3-capitals.jsonl', '24 / 16 / 8 / 0'],
    ['v1-js-config.json', '8 / 0 / 0 / 0'],
    ['v2-replicate.json', '10 / 0 / 0 / 0'],
    ['v3-simple-cli.json', '8 / 0 / 0 / 0'],
    ['v3-simple-cli.yaml', '8 / 0 / 0 / 0'],
    ['v3-sample-export.json', '0 / 4 / 0 / 0'],
  ])('gives the counts of %s', async (name, counts) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([counts])
  })

  it.each(['v2-replicate.csv', 'v3-capitals.csv', 'v3-simple-cli.csv'])('refuses %s', async (name) =>
    expect(countsOf(await importFile(sample(name)))[0]).toContain('a CSV of promptfoo has no assertions: export JSON'),
  )

  it('refuses XML and pages', async () => {
    expect(countsOf(await importBytes('a.xml', '<promptfoo><evalId>a</evalId></promptfoo>'))[0]).toContain(
      'export JSON',
    )
    const page = '<!DOCTYPE html><html><head><title>promptfoo results</title></head></html>'
    expect(countsOf(await importBytes('a.html', page))[0]).toContain('export JSON')
  })

  it('does not take the configuration of a suite for results', async () => {
    expect(countsOf(await importFile(sample('capitals.promptfooconfig.yaml')))[0]).toMatch(
      /^refused: a text in an unknown format/,
    )
  })

  it.each([
    ['v3-capitals.json', JSON.parse],
    [
      'v3-capitals.jsonl',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
    ],
    ['v1-js-config.json', JSON.parse],
    ['v2-replicate.json', JSON.parse],
    ['v3-simple-cli.json', JSON.parse],
    ['v3-simple-cli.yaml', parse],
    ['v3-sample-export.json', JSON.parse],
  ])('loses no leaf of %s silently', async (name, parsed: (text: string) => unknown) => {
    const results = await importFile(sample(name))
    const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
    const leaves = leavesOf(parsed(read(name))).filter((leaf) => !IS_SUM.test(leaf.path) && !isNegation(leaf))
    expect(missingLeaves(leaves, documents, lossesOf(results))).toEqual([])
  })

  it('takes the id of the evaluation as identity, so that JSON and YAML are one run', async () => {
    const json = await importFile(sample('v3-simple-cli.json'))
    const yaml = await importFile(sample('v3-simple-cli.yaml'), { target: targetWith(json) })
    expect(yaml.map(({ outcome, run_id }) => [outcome, run_id])).toEqual([['already_there', json[0]?.run_id]])
  })

  it('takes the content as identity where there is no id', async () => {
    const first = await importBytes('a.json', promptfooExport([promptfooRow()], { evalId: null }))
    const other = await importBytes('a.json', promptfooExport([promptfooRow({ score: 0.5 })], { evalId: null }))
    expect(first[0]?.identity).toMatch(/^[0-9a-f]{64}$/)
    expect(other[0]?.run_id).not.toBe(first[0]?.run_id)
  })

  it('finds the id of the evaluation behind everything else', async () => {
    const { evalId, ...others } = JSON.parse(
      promptfooExport([promptfooRow({ response: { output: 'x'.repeat(1e5) } })]),
    ) as {
      evalId: string
    }
    const [found] = await importBytes('a.json', JSON.stringify({ ...others, evalId }))
    expect(found?.identity).toBe('eval-1')
  })

  it('reads what the file says of the run', async () => {
    const config = { description: 'One\nand two', tags: { team: 'a', branch: 'main', n: 3 }, redteam: { plugins: [] } }
    const source = promptfooExport([promptfooRow()], {
      config,
      results: { stats: { durationMs: 1500, successes: 1 } },
      metadata: { promptfooVersion: '0.123.1', author: 'ada@example.com', platform: 'linux' },
    })
    const [found] = await importBytes('a.json', source)
    expect(found?.document?.run).toMatchObject({
      project: 'promptfoo',
      suite: 'One',
      started_at: '2026-01-02T03:04:05Z',
      finished_at: '2026-01-02T03:04:06.5Z',
      git: { branch: 'main', dirty: false },
      origin: { actor: 'ada@example.com', version: '0.123.1', note: 'One\nand two' },
      filters: { tags: ['team:a', 'n:3', 'redteam'] },
      config_snapshot: {
        description: 'One\nand two',
        import: { format: 'promptfoo', format_version: '3', id: 'eval-1', clock: 'content' },
      },
    })
  })

  it('has one digest for one configuration, whatever else the file says', async () => {
    const config = { prompts: ['a'] }
    const first = await importBytes(
      'a.json',
      promptfooExport([promptfooRow()], { config, metadata: { platform: 'a' } }),
    )
    const other = await importBytes(
      'a.json',
      promptfooExport([promptfooRow()], { config, metadata: { platform: 'b' } }),
    )
    const [a, b] = [first, other].map(([found]) => found?.document?.run)
    expect(a?.config_digest).toBe(b?.config_digest)
    expect(a?.config_snapshot).toMatchObject({ prompts: ['a'], import: { rest: { metadata: { platform: 'a' } } } })
  })

  it('keeps a configuration whose members have names of ours', async () => {
    const source = promptfooExport([promptfooRow()], { config: { import: { id: 'other' }, description: 7 } })
    const [found] = await importBytes('a.json', source)
    expect(found?.document?.run.config_snapshot).toMatchObject({
      import: { id: 'eval-1' },
      import_of_tool: { id: 'other' },
      description_of_tool: 7,
    })
  })

  it('reads the version that has the evaluation around its results', async () => {
    const { results } = JSON.parse(promptfooExport([promptfooRow()])) as { results: unknown }
    const source = { version: 4, createdAt: '2026-01-02T03:04:05Z', results, config: {}, author: 'ada', prompts: [] }
    expect(countsOf(await importBytes('a.json', JSON.stringify(source)))).toEqual(['1 / 0 / 0 / 0'])
    const bare = { version: 4, results: [promptfooRow()], stats: {} }
    expect(countsOf(await importBytes('b.json', JSON.stringify(bare), { createdAt: '2026-01-01T00:00:00Z' }))).toEqual([
      '1 / 0 / 0 / 0',
    ])
  })

  it('keeps the whole lines of a file that is cut off, and says so', async () => {
    const text = read('v3-capitals.jsonl')
    const results = await importBytes('a.jsonl', text.slice(0, 50_000), { createdAt: '2026-01-01T00:00:00Z' })
    expect(countsOf(results)).toEqual(['8 / 10 / 0 / 0'])
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ kind: 'cut', note: 'cut off after 18 rows' }))
    const torn = `${text.split('\n')[0]}\n{"promptIdx": \n${text.split('\n')[1]}\n`
    expect(countsOf(await importBytes('a.jsonl', torn))[0]).toMatch(/^refused: line 2: not valid JSON/)
  })

  it('refuses a file without rows', async () => {
    expect(countsOf(await importBytes('a.json', promptfooExport([])))).toEqual(['refused: holds no cases'])
    expect(countsOf(await importBytes('a.json', promptfooExport([1, 'a'])))).toEqual(['refused: holds no cases'])
  })

  it('gives a document for rows of any shape', async () => {
    const odd = [null, 1, 'a', [], {}, [{}], { a: [{}] }, true, -1, 1e300]
    const keys = Object.keys(promptfooRow({ gradingResult: 1, error: 1, cost: 1, tokenUsage: 1, metadata: 1 }))
    const rows = keys.flatMap((key) => odd.map((value) => promptfooRow({ [key]: value })))
    const nested = ['testCase', 'prompt', 'response', 'provider', 'gradingResult'].flatMap((key) =>
      ['vars', 'assert', 'raw', 'label', 'output', 'tokenUsage', 'componentResults', 'description', 'metadata'].flatMap(
        (member) => odd.map((value) => promptfooRow({ [key]: { [member]: value } })),
      ),
    )
    const components = odd.flatMap((value) => [
      value,
      ...['assertion', 'pass', 'score', 'reason', 'componentResults', 'metadata', 'tokensUsed'].map((key) => ({
        [key]: value,
      })),
    ])
    const results = await importBytes(
      'a.json',
      promptfooExport([...rows, ...nested, promptfooRow({ gradingResult: { componentResults: components } })]),
    )
    expect(results[0]?.document?.cases).toHaveLength(rows.length + nested.length + 1)
  })
})
