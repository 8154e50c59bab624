import { expect, it } from 'vitest'
import { parseYaml } from '../../../../engine/suite/source/parse-yaml.ts'
import { linePosition } from '../../../../engine/suite/source/tree.ts'

const faultsOf = (text: string): string[] => {
  const faults: string[] = []
  parseYaml({ name: 'service.yaml', text }, (place, message) => {
    const { line, column } = linePosition(place)
    faults.push(`${line}:${column} ${message}`)
  })
  return faults
}

const BRACES = 'a value that begins with `{{` needs quotes'
const COLON = 'a text with `: ` in it needs quotes'
const DEEPER = 'wrong indentation: this line is indented deeper than the one above, which has its value already'
const COLUMN = 'wrong indentation: the keys of a mapping, and the dashes of a list, start in the same column'

it.each([
  ['a template as value', 'prompts:\n  - id: p\n    template: {{ country }}\n', [`3:15 ${BRACES}`]],
  ['a template with text behind it', 'a:\n  template: {{ country }} and more\n', [`2:13 ${BRACES}`]],
  ['a template as entry of a list', 'a:\n  - {{ country }}\n', [`2:5 ${BRACES}`]],
  ['a template in braces', 'a: {id: p, template: {{ country }}}', [`1:22 ${BRACES}`]],
  ['a statement', 'a: {% if x %}y{% endif %}', ['1:4 a value that begins with `{%` needs quotes']],
  ['a colon in a text', 'a: 1\nb: Q: {{ x }}\nc: What is it: a text', [`2:4 ${COLON}`, `3:4 ${COLON}`]],
  ['a key that is too deep', 'a:\n  - id: a\n    type: exec\n\n     command: [x]\n', [`5:6 ${DEEPER}`]],
  ['a second key that is too deep', 'version: 1\n providers: []\ntests: []\n', [`2:2 ${DEEPER}`]],
  ['a key that is not deep enough', 'a:\n  - id: a\n    type: exec\n   command: [x]\n', [`4:4 ${COLUMN}`]],
  ['a key in the column of a dash', 'a:\n  - id: a\n  id: b\n  - id: c\n', [`3:3 ${COLUMN}`]],
  ['a dash that is not deep enough', 'a:\n  - id: a\n - id: b\n', [`3:2 ${COLUMN}`]],
  ['any other fault', 'a: "x', ['1:6 Missing closing "quote']],
  ['a mapping as key', 'a: {[b]: c}', ['1:5 a key must be a text']],
])('%s is reported once, in its line', (_, text, faults) => expect(faultsOf(text)).toEqual(faults))
