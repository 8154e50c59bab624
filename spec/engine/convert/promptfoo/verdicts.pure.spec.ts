import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { convertPromptfoo } from '../../../../engine/convert/promptfoo/convert.ts'
import { expandTests } from '../../../../engine/data/expand-tests.ts'
import type { Json, JsonObject } from '../../../../engine/json.ts'
import { createTemplates } from '../../../../engine/templates/templates.ts'
import { programsInProcess, runInProcess } from '../../../support/engine/run-in-process.ts'
import { load } from '../../../support/suites/suite-folder.ts'

type Verdict = 'pass' | 'fail' | 'error'

type Case = {
  /** What the provider `echo` answers. */
  readonly out: string
  readonly assert: readonly JsonObject[]
  readonly threshold?: number
  readonly vars?: JsonObject
  /** The verdict of promptfoo 0.123.1 on this case. */
  readonly there: Verdict
  /** The verdict of the converted suite, if it is another one, and words of the note that names the difference. */
  readonly here?: { readonly verdict: Verdict; readonly note: string }
}

const same = (
  out: string,
  there: Verdict,
  assert: JsonObject | readonly JsonObject[],
  more: Partial<Case> = {},
): Case => ({
  out,
  there,
  assert: Array.isArray(assert) ? (assert as readonly JsonObject[]) : [assert as JsonObject],
  ...more,
})

const other = (
  out: string,
  [there, verdict]: readonly [there: Verdict, here: Verdict],
  note: string,
  assert: JsonObject | readonly JsonObject[],
  more: Partial<Case> = {},
): Case => same(out, there, assert, { ...more, here: { verdict, note } })

const json = (type: string, value?: Json): JsonObject => ({ type, ...(value === undefined ? {} : { value }) })
const text = (type: string, value: Json, more: JsonObject = {}): JsonObject => ({ type, value, ...more })
const WITH_ID = { type: 'object', required: ['id'] }
const member = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { day: schema } })
const HIT = text('contains', 'yes')
const MISS = text('contains', 'no')
const ANY_OBJECT = '`contains-json` checks the answer as a whole'
const EMPTY = 'can pass on an empty answer in promptfoo'
const NEGATED = 'a negated assertion passes on an empty answer in promptfoo'

const CASES: Readonly<Record<string, Case>> = {
  // JSON inside of a text.
  'a fence around JSON': same('```json\n{"id":7}\n```', 'pass', json('contains-json')),
  'a fence, and all must be JSON': same('```json\n{"id":7}\n```', 'fail', json('is-json')),
  'a second object matches': other(
    '{"no":1} and {"id":7}',
    ['pass', 'fail'],
    ANY_OBJECT,
    json('contains-json', WITH_ID),
  ),
  'braces of a program come first': other(
    '```bash\nfor i in {1..3}; do [ -d a ]; done\n```\n{"id":7}',
    ['pass', 'fail'],
    ANY_OBJECT,
    json('contains-json', WITH_ID),
  ),
  'a citation comes first': other('As in [2]: {"id":7}', ['pass', 'fail'], ANY_OBJECT, json('contains-json', WITH_ID)),
  'a list is no object': other('[1, 2]', ['fail', 'pass'], ANY_OBJECT, json('contains-json')),
  'a word in braces': other('Dear {name}', ['pass', 'fail'], ANY_OBJECT, json('contains-json')),
  'a number is JSON': same('17', 'pass', json('is-json')),
  'a number in a text': same('around 17', 'fail', json('contains-json')),
  'a text is no JSON': same('plain', 'pass', json('not-is-json')),
  'a text contains no JSON': same('plain', 'pass', json('not-contains-json')),
  // Schemas.
  'a format': other(
    '{"day":"2023-02-31"}',
    ['fail', 'pass'],
    '`format` (date) is checked in promptfoo, but not here',
    json('is-json', member({ type: 'string', format: 'date' })),
  ),
  'a format, in contains-json': other(
    '{"day":"x"}',
    ['fail', 'pass'],
    '`format` (email) is checked in promptfoo, but not here',
    json('contains-json', member({ type: 'string', format: 'email' })),
  ),
  'a pattern with look-ahead': other(
    '{"day":"mon1"}',
    ['pass', 'error'],
    'the schema cannot be applied here',
    json('is-json', member({ type: 'string', pattern: '^(?=.*\\d).+$' })),
  ),
  'a tuple, as draft-07 writes it': same(
    '[1,2]',
    'fail',
    json('is-json', { type: 'array', items: [{ type: 'number' }, { type: 'string' }] }),
  ),
  'a keyword of a later draft': other(
    '[1,2]',
    ['error', 'fail'],
    'the schema is an error in promptfoo',
    json('is-json', { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }),
  ),
  'a schema in YAML': same('{"no":1}', 'fail', json('is-json', 'type: object\nrequired: [id]\n')),
  'a schema, and a threshold below half': other(
    '{"no":1} ',
    ['fail', 'pass'],
    'each with half its weight',
    [json('is-json', WITH_ID), text('contains', 'no')],
    { threshold: 0.6 },
  ),
  // Regular expressions.
  'look-ahead': other('yes two', ['pass', 'error'], 'no look-around', text('regex', '(?=.*yes).*two')),
  'a back-reference': other('aa', ['pass', 'error'], 'no look-around and no back-references', text('regex', '(a)\\1')),
  'a class that holds line breaks': same('c\nd', 'pass', text('regex', 'c[^x]d')),
  'an escaped slash': same('7/12', 'pass', text('regex', '\\d+\\/\\d+')),
  'a named group': same('1999', 'pass', text('regex', '(?<year>\\d{4})')),
  'a letter with an accent is no word character': same('ü', 'fail', text('regex', '^\\w$')),
  'a digit of another script': same('٣', 'fail', text('regex', '^\\d$')),
  'a class of all but word characters': same('ü', 'pass', text('regex', '^[^\\w]$')),
  'the border of a word next to an accent': other(
    'Zoë',
    ['fail', 'pass'],
    '`\\b` and `\\B`',
    text('not-regex', '\\bZo\\b'),
  ),
  'a Unicode class without the flag u': same('é', 'fail', text('regex', '^\\p{L}$')),
  'any character, as JavaScript writes it': same('a\nb', 'pass', text('regex', 'a[^]b')),
  'an inline flag': other('HELLO', ['fail', 'pass'], 'no regular expression of JavaScript', text('regex', '(?i)hello')),
  'a pattern that matches nothing': other('', ['pass', 'fail'], EMPTY, text('regex', '^$')),
  // Weights and thresholds.
  weights: same('yes', 'pass', [{ ...HIT, weight: 2 }, MISS], { threshold: 0.6 }),
  'a weight below 0': same(
    'yes',
    'pass',
    [
      { ...HIT, weight: 2 },
      { ...HIT, weight: -1 },
    ],
    { threshold: 0.6 },
  ),
  'a weight of 0': same('yes', 'pass', [HIT, { ...MISS, weight: 0 }]),
  'weights of 0 only': other(
    'yes',
    ['fail', 'pass'],
    'if all weights of a case are 0, its score is 0 in promptfoo',
    [{ ...MISS, weight: 0 }],
    { threshold: 0.5 },
  ),
  'a threshold of 0': same('yes', 'pass', MISS, { threshold: 0 }),
  // Empty answers.
  'nothing is avoided': other('', ['pass', 'fail'], NEGATED, text('not-contains', 'x')),
  'an empty text is expected': other('', ['pass', 'fail'], EMPTY, text('equals', '')),
  // Texts.
  'equal objects': same('{"x":1,"y":2}', 'pass', text('equals', { y: 2, x: 1 })),
  'an object with a template in it': same('{"x":"a"}', 'fail', text('equals', { x: '{{ v }}' }), { vars: { v: 'a' } }),
  'a list with a template in it': same('["a"]', 'pass', text('equals', ['{{ v }}']), { vars: { v: 'a' } }),
  'an equal number': same('17', 'pass', text('equals', 17)),
  'a number is compared as a text': same('17.0', 'fail', text('equals', 17)),
  'a truth value is a text': same('True', 'fail', text('equals', true)),
  'a line break at the end is expected': same('a', 'fail', text('equals', 'a\n')),
  'not equal': same('x', 'fail', text('not-equals', 'x')),
  'any case': same('GRUSS', 'pass', text('icontains', 'gruss')),
  'blanks in front': same('  yes', 'fail', text('starts-with', 'yes')),
  'one of a list': same('in Graz', 'pass', text('contains-any', ['Graz', 'Linz'])),
  'one of a list, in the wrong case': other(
    'in graz',
    ['fail', 'pass'],
    'upper and lower case are the same now',
    text('contains-any', ['Graz']),
  ),
  'one of a text with commas': same('q here', 'pass', text('contains-any', 'p,q')),
  'nothing between two commas': same('zzz', 'fail', text('icontains-any', 'p,,q,')),
  'a comma in quotes': same('x, y', 'pass', text('icontains-any', '"x, y",z')),
  'a template in a list': same('Graz!', 'pass', text('contains-any', ['{{ v }}', 'Linz']), { vars: { v: 'Graz' } }),
  'all of a list': same('p', 'fail', text('contains-all', ['p', 'q'])),
  'a template': same('Graz', 'pass', text('contains', '{{ v }}'), { vars: { v: 'Graz' } }),
  'a template of a number': same('a5', 'pass', text('contains', '{{ v }}'), { vars: { v: 5 } }),
  'a comment in a template': same('ab', 'pass', text('contains', 'a{# note #}b')),
  'an empty text to contain': other(
    'abc',
    ['error', 'pass'],
    'its text is empty, which is an error in promptfoo',
    text('contains', ''),
  ),
  'a name that no test sets': other(
    'b',
    ['pass', 'error'],
    'a name that no test sets is an error',
    text('icontains', 'b{{ v }}'),
  ),
  // Sets.
  'a set': same('a b', 'pass', { type: 'assert-set', assert: [text('contains', 'a'), text('contains', 'b')] }),
  'a set counts as one': same('yes', 'pass', [{ type: 'assert-set', assert: [HIT, MISS, MISS] }, HIT], {
    threshold: 0.6,
  }),
  'a set with a weight': same('yes', 'pass', [{ type: 'assert-set', weight: 3, assert: [HIT, MISS] }, HIT], {
    threshold: 0.6,
  }),
  'a set with a member of weight 0': same('yes', 'pass', { type: 'assert-set', assert: [HIT, { ...MISS, weight: 0 }] }),
  'a set with a threshold': other('no', ['fail', 'pass'], '`assert-set` with a threshold was dropped', {
    type: 'assert-set',
    threshold: 0.9,
    assert: [HIT, MISS],
  }),
  // Vars.
  'a var that uses another': other(
    'x {{ v }}',
    ['pass', 'error'],
    'a template in a var can use `env`, but no other vars',
    text('contains', 'x'),
  ),
  // Budgets.
  'a latency': same('yes', 'pass', { type: 'latency', threshold: 60_000 }),
}

describe('a configuration of promptfoo and the suite that it becomes', () => {
  const config: JsonObject = {
    prompts: ['{{ out }}'],
    providers: ['exec:echo'],
    tests: Object.entries(CASES).map(([description, { out, assert, threshold, vars }]) => ({
      description,
      vars: { out, ...vars },
      assert,
      ...(threshold === undefined ? {} : { threshold }),
    })),
  }
  const { suite, notes } = convertPromptfoo(config)

  const verdicts = async (): Promise<ReadonlyMap<string, Verdict>> => {
    const loaded = await load(stringify(suite))
    const programs = programsInProcess((_request, { stdin }) => ({
      output: (JSON.parse(stdin) as { prompt: { text: string } }).prompt.text,
    }))
    const { tests } = await expandTests(loaded, {
      templates: createTemplates({ now: () => 0, env: {} }),
      programs,
      env: {},
      generators: true,
      signal: new AbortController().signal,
    })
    const { document } = await runInProcess({ loaded, tests, programs })
    return new Map(document.cases.map(({ name, status }) => [name ?? '', status as Verdict]))
  }

  it('give every case the same verdict, or a note names the difference', async () => {
    const found = await verdicts()
    const expected = Object.entries(CASES).map(([name, { there, here }]) => [name, here?.verdict ?? there])
    expect([...found]).toEqual(expected)
  })

  it.each(Object.entries(CASES).filter(([, { here }]) => here !== undefined))(
    'have a note that names the difference of: %s',
    (name, { here }) => {
      const place = `tests[${Object.keys(CASES).indexOf(name)}]`
      const about = notes.filter((note) => note.startsWith(place) || !/^\w+\[\d/.test(note))
      expect(about.join('\n')).toContain(here!.note)
    },
  )
})
