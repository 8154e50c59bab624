import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../engine/json.ts'
import { filters } from '../../../engine/templates/library/filters.ts'
import { functions } from '../../../engine/templates/library/functions.ts'
import { tests } from '../../../engine/templates/library/tests.ts'
import { expressionFault, templateFault } from '../../../engine/templates/template-fault.ts'
import { TemplateError, createTemplates } from '../../../engine/templates/templates.ts'

const { render, evaluate } = createTemplates({ now: () => 0, env: {} })

const CONTEXT: JsonObject = { s: 'text', xs: [1, 2], m: { a: 1 }, n: 1 }

const message = (template: string, context: JsonObject = CONTEXT): string => {
  try {
    render(template, context)
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
  throw new Error(`rendered: ${template.slice(0, 100)}`)
}

describe('a hostile template', () => {
  const names = [
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'length',
    'map',
    'call',
  ]

  it.each(names)('reaches no `%s` of a host value', (name) => {
    for (const target of ['s', 'xs', 'm', 'n', 'none', '(1.5)', '"a"', '[]', '{}', 'namespace()', 'range(2)', 'true']) {
      expect(render(`{{ ${target}.${name} is defined }}`, CONTEXT)).toBe('false')
      expect(render(`{{ ${target}["${name}"] is defined }}`, CONTEXT)).toBe('false')
      expect(message(`{{ ${target}.${name}() }}`)).toMatch(/has no method|undefined/)
      expect(render(`{{ ${target}|attr("${name}") is defined }}`, CONTEXT)).toBe('false')
    }
    expect(render(`{{ ${name} is defined }}`, CONTEXT)).toBe('false')
    expect(message(`{{ ${name} }}`)).toContain('undefined')
    if (name !== 'length' && name !== 'map') expect(message(`{{ 1|${name} }}`)).toContain('unknown filter')
    expect(message(`{{ 1 is ${name} }}`)).toContain('unknown test')
    expect(render(`{{ xs|map(attribute="${name}", default=0)|list }}`, CONTEXT)).toBe('[0, 0]')
  })

  it('reads an own key of any name, and changes no prototype', () => {
    const context = JSON.parse('{"__proto__": {"polluted": 1}, "m": {"__proto__": 2, "constructor": 3}}') as JsonObject
    expect(render('{{ __proto__.polluted }}{{ m.__proto__ }}{{ m.constructor }}', context)).toBe('123')
    expect(render('{% set ns = namespace() %}{% set ns.__proto__ = 5 %}{{ ns.__proto__ }}', {})).toBe('5')
    expect(evaluate('{"__proto__": {"polluted": 1}}', {})).toEqual(JSON.parse('{"__proto__": {"polluted": 1}}'))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    ['parentheses', '{{ ' + '('.repeat(100_000) + '1' + ')'.repeat(100_000) + ' }}'],
    ['lists', '{{ ' + '['.repeat(100_000) + ']'.repeat(100_000) + ' }}'],
    ['signs', '{{ ' + '-'.repeat(100_000) + '1 }}'],
    ['negations', '{{ ' + 'not '.repeat(100_000) + '1 }}'],
    ['a long sum', '{{ 1' + ' + 1'.repeat(100_000) + ' }}'],
    ['a long row of filters', '{{ "a"' + '|upper'.repeat(100_000) + ' }}'],
    ['choices', '{{ ' + '1 if 0 else '.repeat(100_000) + '1 }}'],
    ['statements', '{% if 1 %}'.repeat(100_000) + '{% endif %}'.repeat(100_000)],
    ['targets', '{% set ' + '('.repeat(100_000) + 'a' + ')'.repeat(100_000) + ' = 1 %}'],
  ])('with deep nesting of %s is refused', (_what, template) => {
    expect(message(template)).toContain('nested deeper than')
  })

  it('with endless recursion of a macro is stopped', () => {
    expect(message('{% macro f(x) %}{{ f(x + 1) }}{% endmacro %}{{ f(0) }}')).toContain('500 deep')
    expect(message('{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}')).toContain('500 deep')
    expect(message('{% macro f() %}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}')).toContain('500 deep')
  })

  it('may call a macro 400 deep', () => {
    const macro = '{% macro f(x) %}{% if x > 0 %}{{ f(x - 1) }}{% else %}end{% endif %}{% endmacro %}'
    expect(render(`${macro}{{ f(400) }}`, {})).toBe('end')
  })

  it.each([
    '{{ "a" * 1000000000 }}',
    '{{ ("a" * 17000000)|length }}',
    '{{ ("a" * 10000000) * 100 }}',
    '{% set ns = namespace(t="aaaaaaaaaa") %}{% for i in range(100) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}',
    '{% for i in range(100000) %}{{ "a" * 10000 }}{% endfor %}',
    '{{ "a"|indent(1000000000, true) }}',
    '{{ ("a" * 100000)|replace("", "b" * 100000) }}',
    '{{ ("a" * 100000)|regex_replace("", "b" * 100000) }}',
    '{{ (["a" * 1000000] * 1000)|join }}',
    '{{ "%99999999s"|format("a") }}',
  ])('that makes too much text is stopped: %s', (template) => {
    expect(message(template)).toMatch(/more text than allowed|too large/)
  })

  it.each([
    '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}',
    '{{ [1] * 1000000000 }}',
    '{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}',
    '{{ [1]|batch(2000000000, 0) }}',
    '{{ [1]|slice(2000000000) }}',
  ])('that takes too many steps is stopped: %s', (template) => {
    expect(message(template)).toContain('steps')
  })

  it('gets no range of more than 100,000 elements', () => {
    expect(render('{{ range(100000)|length }}', {})).toBe('100000')
    expect(message('{{ range(100001) }}')).toContain('100,000')
    expect(message('{{ range(-1000000000, 1000000000) }}')).toContain('100,000')
  })

  it('gets no integer of more than 128 bits', () => {
    expect(message('{{ 2 ** 100000 }}')).toContain('out of range')
    expect(message('{{ 10 ** 30 * 10 ** 30 }}')).toContain('out of range')
    expect(message('{{ ' + '9'.repeat(300) + ' }}')).toContain('out of range')
  })

  it('waits for no catastrophic regular expression', () => {
    expect(render('{{ ("a" * 50000)|regex_match("^(a+)+$b") }}', {})).toBe('false')
    expect(message('{{ "a"|regex_match("(?=a)") }}')).toContain('invalid regex /(?=a)/')
    expect(message('{{ "a"|regex_match("(a)\\\\1") }}')).toContain('invalid regex')
  })

  it('that prints a deeply nested value is stopped', () => {
    let nested: unknown = []
    for (let index = 0; index < 20_000; index++) nested = [nested]
    expect(message('{{ v }}', { v: nested } as JsonObject)).toContain('nested deeper than 500')
  })

  it.each(['{% include "x" %}', '{% import "x" as y %}', '{% from "x" import y %}', '{% extends "x" %}'])(
    'loads no other template: %s',
    (template) => expect(message(template)).toContain('cannot load another one'),
  )
})

/** Words of the language, whole and broken, in no order. */
const WORDS = [
  ...['{{', '}}', '{%', '%}', '{#', '#}', '{%-', '-%}', '(', ')', '[', ']', '{', '}', ',', '.', ':', '|', '=', '~'],
  ...['+', '-', '*', '/', '//', '**', '%', '==', '!=', '<', '<=', '"a"', '"', "'", '\\', '"\\u12"', '\n', '\0'],
  ...[
    '0x_',
    '0o_',
    '0b_',
    '0x',
    '0b12',
    '1_',
    '1__2',
    '09',
    '1.',
    '.5',
    '1.2.3',
    '1e',
    '1e400',
    '1abc',
    '9'.repeat(45),
  ],
  ...['if', 'elif', 'else', 'endif', 'for', 'in', 'endfor', 'set', 'endset', 'macro', 'endmacro', 'call', 'endcall'],
  ...['filter', 'endfilter', 'block', 'endblock', 'with', 'endwith', 'raw', 'endraw', 'is', 'not', 'and', 'or', 'do'],
  ...['none', 'true', 'recursive', 'include', 'import', 'loop', 'loop(', 'caller()', 's', 'xs', 'm', 'n', '__proto__'],
  ...['ü', '𝒳', '\u0301', '٣', '²', '\ud800'],
  ...[filters, tests, functions].flatMap((names) => [...names.keys()]),
]

it('words in any order are a template, or have a fault: nothing else is thrown', () => {
  const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 14 })
  const text = fc.tuple(words, fc.constantFrom('', ' ')).map(([parts, space]) => parts.join(space))
  fc.assert(
    fc.property(text, (source) => {
      for (const [fault, run] of [
        [templateFault(source), () => render(source, CONTEXT)],
        [templateFault(`{{ ${source} }}`), () => render(`{{ ${source} }}`, CONTEXT)],
        [expressionFault(source), () => evaluate(source, CONTEXT)],
      ] as const) {
        if (fault !== null) expect(run).toThrow(TemplateError)
        else
          try {
            run()
          } catch (error) {
            expect(error).toBeInstanceOf(TemplateError)
          }
      }
    }),
    { seed: 1, numRuns: 3000 },
  )
})
