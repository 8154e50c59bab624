import { describe, expect, it } from 'vitest'
import { blocksOf, matches, stepsOf } from './read-page.ts'

const PAGE = `text

\`\`\`yaml
# a/service.yaml
version: 1
\`\`\`

<!-- file: b.json -->

\`\`\`json
{}
\`\`\`

\`\`\`sh
$ first
one
$ cat <<'END'
$ not a command
END
$ last \\
  line
\`\`\`
`

describe('the reader of pages', () => {
  it('finds blocks, their files, and commands with their output', () => {
    const blocks = blocksOf(PAGE)
    expect(blocks.map(({ language, file, line }) => [language, file, line])).toEqual([
      ['yaml', 'a/service.yaml', 3],
      ['json', 'b.json', 10],
      ['sh', null, 14],
    ])
    expect(stepsOf(blocks[2]!)).toEqual([
      { command: 'first', expected: 'one\n', line: 15 },
      { command: "cat <<'END'\n$ not a command\nEND", expected: '', line: 17 },
      { command: 'last \\\n  line', expected: '', line: 20 },
    ])
  })

  it('refuses a block without an end, and a line that is no command', () => {
    expect(() => blocksOf('```sh\n$ a\n')).toThrow('line 1')
    expect(() => stepsOf({ language: 'sh', text: 'a\n', line: 1, file: null })).toThrow('line 2')
  })

  it.each([
    ['a\n', 'a\n', true],
    ['a\n', 'a  \n', true],
    ['a\n', 'b\n', false],
    ['a\n', 'a\nb\n', false],
    ['', 'a\n', false],
    ['a … c\n', 'a b c\n', true],
    ['a … c\n', 'a b\nc\n', false],
    ['…\nb\n', 'a\na\nb\n', true],
    ['…\nb\n', 'b\n', true],
    ['…\nb\n', 'a\n', false],
    ['a.c\n', 'abc\n', false],
  ])('compares %j with %j: %j', (expected, printed, isEqual) => expect(matches(expected, printed)).toBe(isEqual))
})
