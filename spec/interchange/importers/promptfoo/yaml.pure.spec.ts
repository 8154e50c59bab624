import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { countsOf, importBytes, lossesOf, targetWith } from '../../../support/interchange/import-files.ts'
import { gradedRow, promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'
import { splitYaml } from '../../../../interchange/importers/promptfoo/yaml-parts.ts'

const texts = [
  'one\n\n  - results:\ntwo',
  '- results:\n  version: 3',
  'a: b # c',
  ' leading',
  '{{x}}',
  'é\t"\'',
  '---',
  '&a *b',
]
const ROWS = texts.map((output, testIdx) =>
  gradedRow([{ pass: true, score: 1, reason: output, assertion: { type: 'contains', value: output } }], {
    ...{ testIdx, response: { output }, testCase: { vars: { word: output } } },
  }),
)

describe('a YAML export of promptfoo', () => {
  it('gives the cases of the JSON output', async () => {
    const json = await importBytes('a.json', promptfooExport(ROWS))
    const yaml = stringify(JSON.parse(promptfooExport(ROWS)), { aliasDuplicateObjects: false })
    expect(splitYaml(yaml).rows).toHaveLength(ROWS.length)
    expect(countsOf(await importBytes('a.yaml', yaml, { target: targetWith(json) }))).toEqual(['already_there'])
  })

  it('leaves out the table of version 2, and records it', async () => {
    const content = {
      results: { version: 2, results: ROWS, stats: {}, table: { body: [{ outputs: ['x'] }] } },
      config: {},
    }
    const results = await importBytes('a.yaml', stringify(content), { createdAt: '2026-01-01T00:00:00Z' })
    expect(countsOf(results)).toEqual(['8 / 0 / 0 / 0'])
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ kind: 'left_out', path: 'results.table' }))
  })

  it('may have rows in a list that is not indented, or as flow', async () => {
    const content = JSON.parse(promptfooExport([promptfooRow(), promptfooRow({ testIdx: 1 })])) as object
    for (const yaml of [
      stringify(content, { indentSeq: false }),
      `evalId: eval-1\nresults:\n  version: 3\n  results: [${JSON.stringify(promptfooRow())}]\n`,
    ])
      expect(countsOf(await importBytes('a.yaml', yaml, { createdAt: '2026-01-01T00:00:00Z' }))[0]).toMatch(
        /^(2|1) \/ 0/,
      )
  })

  it('keeps all digits of long integers, and has numbers as keys', async () => {
    const row = stringify([promptfooRow({ testCase: { vars: { order: 'ORDER', 7: 'seven' } } })]).replaceAll(
      /^/gm,
      '    ',
    )
    const yaml = `evalId: eval-1\nresults:\n  version: 3\n  results:\n${row.replaceAll('ORDER', '12345678901234567890').replace('"7"', '7')}`
    const [result] = await importBytes('a.yaml', yaml, { createdAt: '2026-01-01T00:00:00Z' })
    expect(Buffer.from(result!.document!.bytes).toString()).toContain('"order":12345678901234567890')
    expect(result!.document!.cases[0]!.vars).toMatchObject({ 7: 'seven' })
  })

  it('of another layout records the table too', async () => {
    const results = `results: [${JSON.stringify(promptfooRow())}]\n  table: {body: []}`
    const imported = await importBytes('a.yaml', `evalId: eval-1\nresults:\n  version: 2\n  ${results}\n`, {
      createdAt: '2026-01-01T00:00:00Z',
    })
    expect(lossesOf(imported)).toContainEqual(expect.objectContaining({ kind: 'left_out', path: 'results.table' }))
  })

  it('may have aliases between rows', async () => {
    const shared = { vars: { word: 'a' }, assert: [] }
    const rows = [promptfooRow({ testCase: shared }), promptfooRow({ testCase: shared, testIdx: 1 })]
    const content = JSON.parse(promptfooExport([])) as { results: { results: unknown[] } }
    content.results.results = rows
    const yaml = stringify(content)
    expect(yaml).toContain('*')
    const results = await importBytes('a.yaml', yaml)
    expect(results[0]?.document?.cases.map(({ vars }) => vars)).toEqual([{ word: 'a' }, { word: 'a' }])
  })

  it('refuses aliases that stand for more than a document may have, and deep nesting', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, n) =>
        `a${n}: &a${n} [${Array(9)
          .fill(n === 0 ? 'x' : `*a${n - 1}`)
          .join(', ')}]`,
    )
    const bomb = `evalId: eval-1\n${levels.join('\n')}\nresults:\n  version: 3\n  results:\n    - response: {output: *a8}\n`
    expect(countsOf(await importBytes('a.yaml', bomb))).toEqual(['refused: more than 4000000 values, aliases included'])
    const deep = `evalId: eval-1\nresults:\n  version: 3\n  results:\n    - response: ${'['.repeat(3000)}\n`
    expect(countsOf(await importBytes('a.yaml', deep))[0]).toMatch(
      /^refused: (not valid YAML|the YAML is nested too deeply)/,
    )
  })

  it('refuses text that is not YAML', async () => {
    const unknown = 'evalId: eval-1\nresults:\n  version: 3\n  results:\n    - response: *missing\n'
    expect(countsOf(await importBytes('a.yaml', unknown))[0]).toMatch(/^refused: not valid YAML/)
    expect(countsOf(await importBytes('a.yaml', 'evalId: eval-1\nresults:\n  - "a\n'))[0]).toMatch(
      /^refused: not valid YAML/,
    )
  })

  it('reads an alias as the last anchor of its name before it, and refuses one without', async () => {
    const row = (vars: string) => `    - promptIdx: 0\n      testIdx: 0\n      vars: ${vars}`
    const file = (...rows: readonly string[]) =>
      `evalId: e\nconfig:\n  first: &a {n: 1}\nresults:\n  version: 3\n  timestamp: '2026-01-02T03:04:05Z'\n  results:\n${rows.join('\n')}\n`
    const results = await importBytes('a.yaml', file(row('*a'), row('&a {n: 2}'), row('*a')))
    expect(results[0]?.document?.cases.map(({ vars }) => vars)).toEqual([{ n: 1 }, { n: 2 }, { n: 2 }])
    expect(countsOf(await importBytes('a.yaml', file(row('*b'), row('&b {n: 2}'))))).toEqual([
      'refused: not valid YAML: the alias b has no anchor before it',
    ])
    // An anchor inside of itself has no end.
    expect(countsOf(await importBytes('a.yaml', file(row('&c {n: *c}'))))[0]).toMatch(/^refused: not valid YAML/)
  })
})
