import { describe, expect, it } from 'vitest'
import { parseYaml } from '../../../../engine/suite/source/parse-yaml.ts'
import { linePosition, treeValue } from '../../../../engine/suite/source/tree.ts'
import { errorsOf, expand, issuesOf, load, MINIMAL } from '../../../support/suites/suite-folder.ts'

const read = (text: string): { readonly value: unknown; readonly faults: readonly string[] } => {
  const faults: string[] = []
  const tree = parseYaml({ name: 'a.yaml', text }, (place, message) =>
    faults.push(`${linePosition(place).line}:${linePosition(place).column} ${message}`),
  )
  return { value: tree === null ? null : treeValue(tree), faults }
}

describe('a merge key', () => {
  it.each<[string, unknown]>([
    ['a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}', { x: 1, y: 3 }],
    // What is written in the mapping wins, also below it in the file.
    ['a: &a {x: 1}\nb:\n  x: 2\n  <<: *a', { x: 2 }],
    ['a: &a {x: 1}\nc: &c {x: 2, y: 2}\nb: {<<: [*a, *c], z: 3}', { x: 1, y: 2, z: 3 }],
    ['a: &a {x: 1}\nc: &c {<<: *a, y: 2}\nb: {<<: *c}', { x: 1, y: 2 }],
    ['b: {<<: {x: 1}, y: 2}', { x: 1, y: 2 }],
    ['b:\n  <<:\n    x: {y: 1}\n  z: 2', { x: { y: 1 }, z: 2 }],
    ['b: {<<: [], y: 2}', { y: 2 }],
    // In quotes it is a key like any other.
    ['b: {"<<": {x: 1}, y: 2}', { '<<': { x: 1 }, y: 2 }],
    ["b:\n  '<<': 1", { '<<': 1 }],
    ['b: {x: <<}', { x: '<<' }],
  ])('%j', (text, b) => expect(read(text)).toMatchObject({ value: { b }, faults: [] }))

  it.each([
    ['b: {<<: 1}', '1:5 the merge key `<<` takes a mapping, or a list of mappings'],
    ['b:\n  <<: [{x: 1}, 2]', '2:3 the merge key `<<` takes a mapping, or a list of mappings'],
    ['b: {<<: *a}', /no value before this place has the anchor &a|alias/],
    ['b: &b {<<: *b}', /the alias \*b is inside of the value that it names/],
  ])('is refused in %j', (text, fault) => expect(read(text).faults).toEqual([expect.stringMatching(fault)]))

  it('copies no more members than a bound, however often it names a mapping', () => {
    const members = Array.from({ length: 1000 }, (_, index) => `k${index}: 1`).join(', ')
    const copies = (count: number) =>
      read(`a: &a {${members}}\nb:\n${Array.from({ length: count }, () => '  - {<<: *a}\n').join('')}`)
    expect(copies(100).faults).toEqual([])
    expect(copies(101).faults[0]).toMatch(/the merge keys of this file copy more than 100000 members$/)
    expect(
      read(`a: &a {${members}}\nb: {<<: [${Array.from({ length: 101 }, () => '*a').join()}]}`).faults,
    ).toHaveLength(1)
  })
})

describe('merge keys of a suite', () => {
  it('merge into tests, vars and assertions', async () => {
    const { suite } = await load(`${MINIMAL}tests:
  - &base {id: base, tags: [smoke], vars: &v {a: hi, b: bee}}
  - {<<: *base, id: one, vars: {<<: *v, a: hey}, assert: [{<<: {type: contains}, value: x}]}
`)
    expect(suite.tests[1]).toMatchObject({
      test: { id: 'one', tags: ['smoke'], vars: { a: 'hey', b: 'bee' }, assert: [{ kind: 'contains' }] },
    })
  })

  it('merge in files of tests and in data', async () => {
    const { tests } = await expand('tests: ["file://a.yaml"]', {
      'a.yaml': '- &a {id: a, vars: {x: 1, d: {$file: d.yaml}}}\n- {<<: *a, id: b}\n',
      'd.yaml': 'a: &a {x: 1}\nb: {<<: *a, y: 2}\n',
    })
    expect(tests.map(({ id, vars }) => ({ id, vars }))).toEqual(
      ['a', 'b'].map((id) => ({ id, vars: { x: 1, d: { a: { x: 1 }, b: { x: 1, y: 2 } } } })),
    )
  })

  it('lead to findings at the merged member', async () => {
    const text = `${MINIMAL}tests:\n  - &a {id: x, tagz: [y]}\n  - {<<: *a, id: z}\n`
    expect(await errorsOf(load(text))).toEqual([
      expect.stringMatching(/^tests\[0\]\.tagz: unknown key/),
      expect.stringMatching(/^tests\[1\]\.tagz: unknown key/),
    ])
    expect((await issuesOf(load(text))).map(({ line, column }) => [line, column])).toEqual([
      [4, 16],
      [4, 16],
    ])
  })
})
