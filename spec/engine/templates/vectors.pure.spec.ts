import { expect, it } from 'vitest'
import { TemplateError, createTemplates } from '../../../engine/templates/templates.ts'

const { render } = createTemplates({ now: () => 0, env: {} })

const CONTEXT = { n: 3, f: 2.5, s: 'Grüße', xs: [3, 1, 2], m: { b: 1, a: 'x' }, no: null, empty: [] }

/** A template and its text; null: an error. */
const VECTORS: ReadonlyArray<readonly [string, string | null]> = [
  ['{{ no }}', 'none'],
  ['{{ xs }}', '[3, 1, 2]'],
  ['{{ m }}', '{"a": "x", "b": 1}'],
  ['{{ [1, {"z": none}] }}', '[1, {"z": none}]'],
  ['{{ m|tojson }}', '{"a":"x","b":1}'],
  [`{{ "<&>'"|tojson }}`, '"\\u003c\\u0026\\u003e\\u0027"'],
  ['{{ s|length }} {{ s|upper }}', '5 GRÜSSE'],
  ['{{ s[0] }} {{ s[::-1] }}', 'G eßürG'],
  ['{{ xs[-1] }} {{ xs[:2] }}', '2 [3, 1]'],
  ['{{ xs[9] }}', null],
  ['{{ xs[9]|default(0) }}', '0'],
  ['{{ no|default("d") }}', 'none'],
  ['{{ no|default("d", true) }}', 'd'],
  ['{{ m.zzz is defined }}', 'false'],
  ['{% if empty %}t{% else %}f{% endif %}', 'f'],
  ['{% if missing %}t{% endif %}', null],
  ['{% for k in m %}{{ k }};{% endfor %}', 'a;b;'],
  ['{% for x in xs if x > 1 %}{{ loop.index }}:{{ x }} {% endfor %}', '1:3 2:2 '],
  ['{{ s.upper() }}', null],
  ['{{ s.constructor }}', null],
  ['{{ xs|map("string")|join("-") }}', '3-1-2'],
  ['line1\nline2\n', 'line1\nline2'],
  ['{%- if true -%} a {%- endif -%}  b', 'ab'],
  ['{% raw %}{{ n }}{% endraw %}', '{{ n }}'],
  ['{{ "1|2"|split("|")|list }}', '["1", "2"]'],
  ['{{ 4 / 2 }}', '2.0'],
  ['{{ 7 // 2 }} {{ -7 // 2 }}', '3 -4'],
  ['{{ -7 % 3 }}', '2'],
  ['{{ 2 ** 3 }}', '8'],
  ['{{ 2 ** -1 }}', null],
  ['{{ 1 + 1.0 }}', '2.0'],
  ['{{ 3 / 0 }}', 'inf'],
  ['{{ 3 // 0 }}', null],
  ['{{ 10000000000 * 10000000000 }}', '100000000000000000000'],
  ['{{ 1e20 }} {{ 1e-7 }}', '100000000000000000000.0 0.0000001'],
  ['{{ 0.1 + 0.2 }}', '0.30000000000000004'],
  ['{{ 3|float }} {{ 2.5|round }} {{ 7|round }}', '3.0 3.0 7'],
  ['{{ "12"|int + 1 }}', '13'],
  ['{{ "x"|int }}', null],
  ['{{ "1.9"|int }}', '1'],
  ['{{ 1 == 1.0 }} {{ "1" == 1 }}', 'true false'],
  ['{{ true + 1 }}', '2'],
  ['{{ "a" + "b" }} {{ "a" * 3 }} {{ n ~ s }}', 'ab aaa 3Grüße'],
  ['{{ "a" + 1 }}', null],
  ['{{ 0 or "z" }} {{ n and 0 }} {{ not n }}', 'z 0 false'],
  ['{{ [1,2] + [3] }}', '[1, 2, 3]'],
  ['{{ -3|abs }}', '3'],
  ['{{ ["b","A"]|sort }}', '["A", "b"]'],
  ['a\n\n', 'a\n'],
  ['{% if n %}\nx\n{% endif %}\ny', '\nx\n\ny'],
  ['a{# c #}b', 'ab'],
  ['{{ range(200000)|list }}', null],
  ['{{ uuid("a") }}', '15fcee7b-0cf1-430d-a680-776da48bae1b'],
  ['{{ rand("a") }}', '0.05303865961826293'],
  ['{{ randint(1, 6, "a") }}', '4'],
]

it.each(VECTORS)('the vectors of the template language %j renders %j', (template, text) => {
  if (text === null) expect(() => render(template, CONTEXT)).toThrow(TemplateError)
  else expect(render(template, CONTEXT)).toBe(text)
})
