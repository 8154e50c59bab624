import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseWithPackage } from '../../../../engine/suite/source/parse-yaml.ts'
import { parsePlainYaml } from '../../../../engine/suite/source/plain-yaml.ts'
import type { Tree } from '../../../../engine/suite/source/tree.ts'

/** A tree as data, with the place of everything but empty values, whose place is only approximate. */
const dump = (tree: Tree): unknown => {
  if ('members' in tree)
    return {
      at: tree.at,
      members: [...tree.members].map(([key, { key: place, tree: value }]) => [key, place.at, dump(value)]),
    }
  if ('items' in tree) return { at: tree.at, items: tree.items.map(dump) }
  return tree.value === null ? null : { at: tree.at, value: JSON.stringify(tree.value) }
}

/** What the package makes of a text: its faults, or the tree. */
const byPackage = (text: string): unknown => {
  const faults: string[] = []
  const tree = parseWithPackage({ name: 'a.yaml', text }, (_, message) => faults.push(message))
  return faults.length > 0 || tree === null ? faults : dump(tree)
}

const plainly = (text: string): unknown => {
  const tree = parsePlainYaml({ name: 'a.yaml', text })
  return tree === undefined ? undefined : dump(tree)
}

const words = fc.constantFrom(
  ...['a', 'id', 'two words', '', ' ', '- x', 'a: b', 'x #y', 'x#y', '#', '1', '-1', '0x1F', '0o17', '1e3', '.5', '1.'],
  ...['null', 'True', '~', 'yes', '9007199254740993', '-0', 'http://x/y?z=1', '{{ a }}', '[x]', "it's", '"q"', '\\n'],
  ...[
    'a\nb',
    'a\n\n  b\n',
    '\n',
    'é😀',
    '!raw x',
    '!file p',
    '&a',
    '*a',
    '| x',
    '> x',
    '%',
    '@',
    '`',
    '? x',
    ': x',
    '<<',
  ],
  ...['---', '...', 'a,b', 'a]b', 'a}b', 'a[b', '-', '?', ':', 'a:', '::', "''", 'x: {y: 1}', 'tests', '007', '+12'],
)
const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.constantFrom(null, true, 0, 1.5, -3),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(
      words.filter((word) => !word.includes('__proto__')),
      tie('node'),
      { maxKeys: 3 },
    ),
  ),
})).node

const layout = fc.record({
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20),
  collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  flowCollectionPadding: fc.boolean(),
})

/** Small edits turn well-formed text into text at the edge of the format. */
const edits = fc.array(
  fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('', ' ', '\n', ': ', ' #', '- ', ',', '"', "'", '[', '}', '|', '!raw ', '  ', ':', '-'),
  ),
  { maxLength: 3 },
)
const edited = (text: string, changes: ReadonlyArray<readonly [number, number, string]>): string =>
  changes.reduce((before, [place, cut, insert]) => {
    const at = place % (before.length + 1)
    return before.slice(0, at) + insert + before.slice(at + cut)
  }, text)

const PLAIN_SUITE = `# a comment
version: 1
"quoted key": 'it''s'
providers:
  - {id: a, type: exec, command: [node, "x.mjs"]} # inline
  -   id: b
      type: http
prompts:
- id: p
  template: |
    Hello {{ name }}

      indented
  more: |-
    end
- - nested
  -
tests:
  - vars: {q: !raw "{{ x }}", n: 9007199254740993, url: http://a/b:c}
    policy: !file data/policy.json
    empty:
    "k": "a\\n\\u00e9"
`

describe('parsePlainYaml', () => {
  it('reads the usual layout of a suite', () => {
    expect(plainly(PLAIN_SUITE)).toBeDefined()
    expect(plainly(PLAIN_SUITE)).toEqual(byPackage(PLAIN_SUITE))
  })

  it('reads most of what is written without special constructs', () => {
    let read = 0
    const samples = fc.sample(value, { numRuns: 200, seed: 7 })
    for (const sample of samples) if (plainly(stringify({ tests: [sample] }, { lineWidth: 0 })) !== undefined) read++
    expect(read).toBeGreaterThan(80)
  })

  it('never differs from the package, values and places', () =>
    fc.assert(
      fc.property(value, layout, edits, (sample, options, changes) => {
        const text = edited(stringify({ a: sample, tests: [sample] }, options), changes)
        const plain = plainly(text)
        if (plain !== undefined) expect({ text, tree: plain }).toEqual({ text, tree: byPackage(text) })
      }),
      { numRuns: 1500, seed: 20 },
    ))

  it.each([
    ['a tab', 'a:\tb'],
    ['a carriage return', 'a: b\r\n'],
    ['a key twice', 'a: 1\na: 2'],
    ['the key __proto__', '__proto__: 1'],
    ['text in several lines', 'a: b\n  c'],
    ['an anchor', 'a: &x 1\nb: *x'],
    ['a folded block', 'a: >\n  x'],
    ['an unknown tag', 'a: !x 1'],
    ['a marker of documents', '---\na: 1'],
    ['brackets over several lines', 'a: [\n  1]'],
    ['an escape that JSON lacks', 'a: "\\x41"'],
    ['a number that JSON lacks', 'a: .inf'],
    ['bad indentation', 'a: 1\n b: 2'],
    ['a lone text', 'a'],
    ['nothing', ''],
  ])('leaves %s to the package', (_, text) => expect(plainly(text)).toBeUndefined())
})
