import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../../../engine/json.ts'
import { parseFloats } from '../../../engine/numbers.ts'
import { TemplateError, createTemplates } from '../../../engine/templates/templates.ts'

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const { render, evaluate } = createTemplates({ now: () => NOW, env: {} })
const at = (serviceNow: string) => createTemplates({ now: () => NOW, env: { SERVICE_NOW: serviceNow } })

const failure = (work: () => unknown): TemplateError => {
  try {
    work()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('no error')
}

describe('an undefined value', () => {
  it.each([
    '{{ a }}',
    '{{ m.a }}',
    '{{ m["a"] }}',
    '{{ m.a.b is defined }}',
    '{{ m.a.b|default(1) }}',
    '{% for x in a %}{% endfor %}',
    '{% if a %}{% endif %}',
    '{{ not a }}',
    '{{ a and 1 }}',
    '{{ a or 1 }}',
    '{{ a == 1 }}',
    '{{ 1 != a }}',
    '{{ a < 1 }}',
    '{{ a ~ "x" }}',
    '{{ a in [1] }}',
    '{{ 1 in a }}',
    '{{ a is none }}',
    '{{ 1 is eq(a) }}',
    '{{ 1|default(a) }}',
    '{{ a|upper }}',
    '{{ a|string }}',
    '{{ range(a) }}',
    '{{ dict(x=a) }}',
    '{{ [a] }}',
    '{{ {"x": a} }}',
    '{{ 1 if a else 2 }}',
    '{{ (1 if false) ~ "x" }}',
    '{{ -a }}',
    '{{ [1][a] }}',
  ])('is refused: %s', (template) => {
    expect(failure(() => render(template, { m: {} })).message).toContain('undefined')
  })

  it('is accepted by `is defined`, `is undefined` and `default`', () => {
    expect(render('{{ a is defined }}{{ a is undefined }}{{ a|default("x") }}{{ m.a|d }}|', { m: {} })).toBe(
      'falsetruex|',
    )
    expect(render('[{{ 1 if false }}]', {})).toBe('[]')
  })

  it('is named with its path', () => {
    expect(failure(() => render('a\n{{ m.user["name"] }}', { m: { user: {} } })).message).toBe(
      '`m.user["name"]` is undefined (line 2)',
    )
  })
})

describe('what the language has', () => {
  it.each<[string, string]>([
    ['{{ 1 < n < 9 }}{{ 3 > 2 > 1 }}{{ 1 < 2 < 2 }}{{ 1 < 5 > 2 != 3 }}', 'truetruefalsetrue'],
    ['{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, d) = (3, 4) %}{{ c }}{{ d }}', '1234'],
    ['{% set t|upper %}x{{ n }}{% endset %}{{ t }}', 'X3'],
    ['{% for k, v in {"b": 1, "a": 2}|items %}{{ k }}{{ v }}{% endfor %}', 'a2b1'],
    ['{% for x in [] %}a{% else %}e{% endfor %}', 'e'],
    ['{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{{ loop.cycle("a", "b") }};{% endfor %}', 'truea;falseb;truea;'],
    [
      '{% for x in [1, 2] %}{{ loop.previtem|default("-") }}{{ loop.nextitem|default("-") }}{{ loop.depth }}{% endfor %}',
      '-211-1',
    ],
    [
      '{% for i in t recursive %}{{ i.n }}{% if i.c is defined %}({{ loop(i.c) }}){% endif %}{{ loop.depth }}{% endfor %}',
      'a(b2c2)1d1',
    ],
    ['{% macro f(a, b="y") %}{{ a }}{{ b }}{% endmacro %}{{ f("x") }}{{ f(b=1, a=2) }}', 'xy21'],
    ['{% macro f() %}[{{ caller("c") }}]{% endmacro %}{% call(x) f() %}{{ x }}{{ n }}{% endcall %}', '[c3]'],
    ['{% set ns = namespace(s=0) %}{% for x in [1, 2] %}{% set ns.s = ns.s + x %}{% endfor %}{{ ns.s }}', '3'],
    ['{% set v = 1 %}{% for x in [2] %}{% set v = x %}{% endfor %}{{ v }}', '1'],
    ['{% with v = 2 %}{{ v }}{% endwith %}{{ v is defined }}', '2false'],
    ['{% filter upper|replace("A", "b") %}a{% endfilter %}', 'b'],
    ['{% block x %}in place{% endblock %}', 'in place'],
    ["{{ '{{' }}{% raw %}{% if %}{% endraw %}", '{{{% if %}'],
    ['{{ "%s|%5.2f|%-4d|%04d|%x|%%|%r"|format("a", 2.345, 3, -7, 255, "q") }}', 'a| 2.35|3   |-007|ff|%|"q"'],
    ['{{ "%(who)s is %(age)d"|format(who="Ada", age=36) }}', 'Ada is 36'],
    ['{{ [1, 2]|zip(["a", "b", "c"])|list }}', '[[1, "a"], [2, "b"]]'],
    ['{{ xs|sort(reverse=true) }}{{ xs|batch(2, "-") }}', '[3, 2, 1][[3, 1], [2, "-"]]'],
    // Equal items stay in their order, in both directions.
    ['{{ rows|sort(attribute="k")|map(attribute="v")|join }}', '132'],
    ['{{ rows|sort(attribute="k", reverse=true)|map(attribute="v")|join }}', '213'],
    ['{{ ["b", "A", "a"]|sort(reverse=true)|join }}', 'bAa'],
    ['{{ {"b": 1, "a": 1, "c": 2}|dictsort(by="value", reverse=true)|map("first")|join }}', 'cab'],
    ['{{ {"b": 1, "a": 1, "c": 2}|dictsort(by="value")|map("first")|join }}', 'abc'],
    ['{{ t|map(attribute="n")|join }}{{ t|selectattr("c")|map(attribute="n")|list }}', 'ad["a"]'],
    ['{% for g in rows|groupby("k") %}{{ g.grouper }}{{ g.list|length }}{% endfor %}', '1221'],
    ['{{ "äöü-Straße 7!"|slugify }}{{ "äbc"|truncate(2) }}', 'stra-e-7äb'],
    ['{{ "a b/ü&=+(~)" | urlencode }}', 'a%20b/%C3%BC%26%3D%2B%28~%29'],
    ['{{ "ä"|b64encode }}{{ "w6Q="|b64decode }}', 'w6Q=ä'],
    ['{{ "abc"|md5 }}', '900150983cd24fb0d6963f7d28e17f72'],
    ['{{ "abc"|sha256 }}', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['{{ "abc"|blake3 }}', '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
    ['{{ "<b>"|to_json }}{{ {"b": 1.0, "a": [none]}|json_encode }}', '"<b>"{"a":[null],"b":1.0}'],
    [`{{ '{"a": [1, 2.5]}'|from_json }}`, '{"a": [1, 2.5]}'],
    ['{{ "Order A-77"|regex_match("[A-Z]-\\\\d+") }}{{ "x"|regex_match("(?i)X") }}', 'truetrue'],
    ['{{ "a1b2"|regex_replace("([a-z])(?P<d>\\\\d)", "${d}$1-$2$$") }}', '1a-1$2b-2$'],
    ['a\r\n', 'a'],
  ])('%s renders %j', (template, text) => {
    const context: JsonObject = {
      n: 3,
      xs: [3, 1, 2],
      t: [{ n: 'a', c: [{ n: 'b' }, { n: 'c' }] }, { n: 'd' }],
      rows: [
        { k: 1, v: 1 },
        { k: 2, v: 2 },
        { k: 1, v: 3 },
      ],
    }
    // Without `c` a row is left out by `selectattr`.
    expect(render(template, context)).toBe(text)
  })

  it.each<[string, string]>([
    ['{{ "a"|from_json }}', 'not JSON'],
    ['{{ "w6Q"|b64decode }}', 'not base64'],
    ['{{ "/w=="|b64decode }}', 'not UTF-8'],
    ['{{ uuid() }}', 'seed is required'],
    ['{{ rand() }}', 'seed is required'],
    ['{{ randint(1, 2) }}', 'seed is required'],
    ['{{ randint(2, 1, "a") }}', 'below `lo`'],
    ['{{ 1|round(digits=1) }}', 'unknown argument `digits`; accepted: precision'],
    ['{{ 1|abs(1) }}', 'too many arguments'],
    ['{{ 1|nofilter }}', 'unknown filter `nofilter`'],
    ['{{ 1 is notest }}', 'unknown test `notest`'],
    ['{{ nofunction() }}', 'unknown function `nofunction`'],
    ['{% break %}', 'unknown statement `break`'],
    ['{% if 1 %}', 'endif'],
    ['{{ 1 2 }}', 'more than one expression'],
    ['{{ "a }}', 'string has no end'],
    ['{# a', 'comment'],
    ['{% set m.a = 1 %}', 'namespace'],
    ['{{ now("%Q") }}', '%Q'],
  ])('%s fails: %s', (template, message) => {
    expect(failure(() => render(template, { m: {} })).message).toContain(message)
  })
})

it.each<[string, number]>([
  ['a\n\n{{ missing }}', 3],
  ['{# \n #}\n{% raw %}\n{% endraw %}{{ "\n"|upper }}{{ missing }}', 5],
  ['{% macro f() %}\n\n{{ missing }}{% endmacro %}\n{{ f() }}', 3],
  ['{{ 1 }}\n{{ 1 +\n\n "a" }}', 2],
  ['a\n{% nothing %}', 2],
  ['{{ [\n1,\n2\n] }}\n{{ 1|nofilter }}', 5],
])('an error of %j carries the line %i', (template, line) => {
  const error = failure(() => render(template, {}))
  expect(error.line).toBe(line)
  expect(error.message).toContain(`(line ${line})`)
})

it('numbers of the host are integers where they are integral, and exact where no double holds them', () => {
  const context = { n: parseExact('[1, 1.0, 1.5, 9007199254740993, 1e300]') as Json }
  expect(render('{{ n[0] }} {{ n[1] }} {{ n[2] }} {{ n[3] + 1 }} {{ n[4] is float }}', context)).toBe(
    '1 1 1.5 9007199254740994 true',
  )
})

describe('evaluate', () => {
  it('returns JSON', () => {
    expect(evaluate('{"a": [1, 2.5, none, "x", true]}', {})).toEqual({ a: [1, 2.5, null, 'x', true] })
    expect(JSON.stringify(evaluate('9007199254740993', {}))).toBe('9007199254740993')
    expect(evaluate('1 / 0', {})).toBeNull()
  })

  it('returns undefined for an undefined result', () => {
    expect(evaluate('m.missing', { m: {} })).toBeUndefined()
    expect(evaluate('1 if false', {})).toBeUndefined()
    expect(() => evaluate('m.missing.x', { m: {} })).toThrow(TemplateError)
  })

  it('refuses a function as a result, and text after the expression', () => {
    expect(() => evaluate('range', {})).toThrow('no data')
    expect(() => evaluate('1 1', {})).toThrow('unexpected `1`')
  })
})

describe('now', () => {
  it('reads the clock in UTC', () => {
    expect(render('{{ now() }}', {})).toBe('2026-01-02T03:04:05+00:00')
    expect(render('{{ now("%A %d. %B %Y, %j, %H:%M:%S.%3f %Z %G-W%V %-") }}'.replace(' %-', ''), {})).toBe(
      'Friday 02. January 2026, 002, 03:04:05.678 UTC 2026-W01',
    )
  })

  it('stands still at SERVICE_NOW', () => {
    expect(at('2024-02-29T23:30:00-02:00').render('{{ now() }} {{ now("%F %T") }}', {})).toBe(
      '2024-03-01T01:30:00+00:00 2024-03-01 01:30:00',
    )
    expect(() => at('yesterday').render('{{ now() }}', {})).toThrow('SERVICE_NOW is `yesterday`')
    expect(() => at('2024-02-29').render('{{ now() }}', {})).toThrow('SERVICE_NOW')
    expect(at('yesterday').render('no clock{{ 1 }}', {})).toBe('no clock1')
  })
})

describe('details of the language', () => {
  const vars = parseFloats('{"t":1.0,"e":1e3,"n":1,"xs":[3,[7]],"m":{"0":"z"}}') as JsonObject
  it.each([
    [
      '{{ t }} {{ t is float }} {{ n is float }} {{ [t] }} {{ t|tojson }} {{ e }} {{ t == n }}',
      '1.0 true false [1.0] 1.0 1000.0 true',
    ],
    ["{{ '[1.0, 2]'|from_json }} {{ 5|from_json }} {{ true|from_json }} {{ [1]|from_json }}", '[1.0, 2] 5 true [1]'],
    ['{{ 1e16|tojson }} {{ 1.5e20|to_json }} {{ 1e-7|tojson }} {{ [1e16] }}', '1e+16 1.5e+20 1e-7 [1e16]'],
    ['{{ xs.0 }} {{ xs.9 is defined }} {{ (xs.1).0 }} {{ m.0 is defined }}', '3 false 7 false'],
    ['{{ [1, 2]|join(0) }}', '102'],
    ['{{ "\\d+\\.\\w" }} {{ "a\\x41\\n"|length }}', '\\d+\\.\\w 3'],
    ['{{ "%.1f %.1f %.0f %.0f %.2f"|format(0.25, 0.35, 2.5, 3.5, -0.125) }}', '0.2 0.3 2 4 -0.12'],
    ['{{ "%.1e %.2g %.1e"|format(1.25, 1.25, 1.35) }}', '1.2e+00 1.2 1.4e+00'],
  ])('%s', (template, text) => expect(render(template, vars)).toBe(text))

  it.each(['{{ "\\u12" }}', '{{ "\\xg1" }}', '{{ xs.0x1 }}', '{{ xs.0.1 }}'])('refuses %s', (template) =>
    expect(failure(() => render(template, vars)).message).toContain('syntax error'),
  )

  it.each([
    ['0x_1f 0X1F', '31 31'],
    ['0b1_0 0o1_7', '2 15'],
    ['1__2 1_.5 1.5_0 1e1_0', '12 1.5 1.5 10000000000.0'],
    ['007 1. 1E2', '7 1.0 100.0'],
  ])('reads the numbers %s', (numbers, text) => expect(render(numbers.replace(/\S+/g, '{{ $& }}'), {})).toBe(text))

  it.each(['0x_', '0X__', '0o_', '0b_', '-0b_', '1_', '0x1_', '1.5_', '1e5_'])('refuses the number %s', (number) => {
    expect(failure(() => render(`a\n{{ ${number} }}`, {})).message).toMatch(
      /^syntax error: the number `\w[\w.]*_` ends with `_` \(line 2\)$/,
    )
  })

  it('counts a text of any length as one step', () => {
    const text = '😀x'.repeat(100_000)
    expect(render('{% for i in range(100) %}{% if text|length != 200000 %}!{% endif %}{% endfor %}', { text })).toBe('')
  })

  it('changes the padding of times by flags', () => {
    const { render: frozen } = at('2026-03-04T05:06:07Z')
    expect(frozen('{{ now("%-d|%_d|%0e|%-H|%_m|%-j|%-S") }}', {})).toBe('4| 4|04|5| 3|63|7')
    expect(failure(() => frozen('{{ now("%-B") }}', {})).message).toContain('`%-B` is no specifier')
  })
})
