import { describe, expect, it } from 'vitest'
import { load, MINIMAL } from '../../../support/suites/suite-folder.ts'

const warningsOf = async (yaml: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  (await load(MINIMAL + yaml, { files })).warnings.map(({ path, message }) => `${path}: ${message}`)

const NO_END = 'the template does not compile: syntax error: a tag has no end `}}` (line 1)'

describe('loading warns of a template that does not compile', () => {
  it.each([
    ['a prompt', 'prompts: [{id: p, template: "{{ a "}]', 'prompts[0].template'],
    ['a turn', 'prompts: [{id: p, messages: [{role: user, content: "{{ a "}]}]', 'prompts[0].messages[0].content'],
    [
      'a block of a turn',
      'prompts: [{id: p, messages: [{role: user, content: [{type: text, text: "{{ a "}]}]}]',
      'prompts[0].messages[0].content[0].text',
    ],
    [
      'the arguments of a call',
      'tests: [{history: [{role: user, content: q}, {role: assistant, tool_calls: [{name: f, arguments: {x: ["{{ a "]}}]}]}]',
      'tests[0].history[1].tool_calls[0].arguments.x[0]',
    ],
    ['a var', 'tests: [{vars: {v: {w: "{{ a "}}}]', 'tests[0].vars.v.w'],
    ['a value of a matrix', 'tests: [{matrix: {m: ["{{ a "]}}]', 'tests[0].matrix.m[0]'],
    ['an id of a matrix', 'tests: [{matrix: {m: [1]}, matrix_id: "{{ a "}]', 'tests[0].matrix_id'],
    ['a default', 'defaults: {vars: {v: "{{ a "}}', 'defaults.vars.v'],
    ['equals', 'tests: [{assert: [{type: equals, value: {k: "{{ a "}}]}]', 'tests[0].assert[0].value.k'],
    ['tool-call', 'tests: [{assert: [{type: tool-call, name: f, args: {k: "{{ a "}}]}]', 'tests[0].assert[0].args.k'],
    [
      'llm-rubric and its grader',
      'tests: [{assert: [{type: llm-rubric, value: "{{ a ", grader: {provider: {type: openai, model: m, request: {body: {k: "{{ b "}}}}}]}]',
      'tests[0].assert[0].value',
      'tests[0].assert[0].grader.provider.request.body.k',
    ],
    [
      'the request of the grader',
      'grader: {provider: {type: openai, model: m, request: {path: "/{{ a "}}}',
      'grader.provider.request.path',
    ],
  ])('in %s', async (_, yaml, ...paths) =>
    expect(await warningsOf(yaml)).toEqual(paths.map((path) => `${path}: ${NO_END}`)),
  )

  it('in the request of a provider', async () => {
    const { warnings } = await load(`version: 1
providers:
  - {id: h, type: http, url: "{{ a ", headers: {x: "{{ b "}, body: {k: "{{ c "}}
  - {id: o, type: openai, model: m, request: {query: {q: "{{ d "}, headers: {x: "{{ e "}}}
  - {id: e, type: embeddings, model: m, request: {body: "{{ f "}}
`)
    expect(warnings.map(({ path, message, line }) => `${line} ${path}: ${message}`)).toEqual([
      `3 providers[0].url: ${NO_END}`,
      `3 providers[0].headers.x: ${NO_END}`,
      `3 providers[0].body.k: ${NO_END}`,
      `4 providers[1].request.query.q: ${NO_END}`,
      `4 providers[1].request.headers.x: ${NO_END}`,
      `5 providers[2].request.body: ${NO_END}`,
    ])
  })

  it('for a filter or a test that does not exist, wherever it is in the template', async () =>
    expect(
      await warningsOf(
        'prompts: [{id: p, template: "{{ a | uper }}"}, {id: q, template: "{% if x %}\\n{% for y in z if y is od %}{% endfor %}{% endif %}"}]',
      ),
    ).toEqual([
      'prompts[0].template: the template does not compile: unknown filter `uper` (line 1)',
      'prompts[1].template: the template does not compile: unknown test `od` (line 2)',
    ]))

  it('but not of texts that are never rendered, nor of one that compiles', async () =>
    expect(
      await warningsOf(
        'prompts: [{id: p, template: "{{ a | upper }} {% if b is defined %}x{% endif %}"}]\n' +
          'tests: [{vars: {r: {$raw: "{{ a "}}, assert: [{type: contains, value: "{{ a "}]}]',
      ),
    ).toEqual([]))

  it('once for each text, and of at most 20 texts', async () => {
    const tests = (text: (index: number) => string) =>
      `tests:\n${Array.from({ length: 30 }, (_, index) => `  - {vars: {v: "${text(index)}"}}\n`).join('')}`
    expect(await warningsOf(tests(() => '{{ a '))).toEqual([`tests[0].vars.v: ${NO_END}`])
    const distinct = await warningsOf(tests((index) => `{{ a${index} `))
    expect(distinct).toHaveLength(21)
    expect(distinct.at(-1)).toBe(': 10 more warnings of this kind: template')
  })
})

describe('loading warns of', () => {
  it('a number without digits, with its place in the file', async () => {
    const { warnings } = await load(`${MINIMAL}prompts: [{id: p, template: "{{ 0x_ }}"}]
tests:
  - {vars: {v: "{{ 0o_ }}"}, assert: [{type: jinja, value: "0b_ == 1"}]}
`)
    const reason = (number: string) =>
      `does not compile: syntax error: the number \`${number}\` ends with \`_\` (line 1)`
    expect(warnings.map(({ path, message, line, column }) => ({ path, message, line, column }))).toEqual([
      { path: 'prompts[0].template', message: `the template ${reason('0x_')}`, line: 3, column: 29 },
      { path: 'tests[0].vars.v', message: `the template ${reason('0o_')}`, line: 5, column: 16 },
      { path: 'tests[0].assert[0].value', message: `the expression ${reason('0b_')}`, line: 5, column: 60 },
    ])
  })

  it('an expression that does not compile', async () => {
    const { warnings } = await load(
      'version: 1\nproviders: [{id: h, type: http, url: u, output_expr: "response."}]\n' +
        'tests: [{assert: [{type: jinja, value: "output == "}, {type: not-jinja, value: "output | uper"}]}]',
    )
    expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^providers\[0\]\.output_expr: the expression does not compile: syntax error: /),
      expect.stringMatching(/^tests\[0\]\.assert\[0\]\.value: the expression does not compile: syntax error: /),
      'tests[0].assert[1].value: the expression does not compile: unknown filter `uper` (line 1)',
    ])
  })

  it('a regular expression that does not compile', async () =>
    expect(await warningsOf('defaults: {assert: [{type: regex, value: "(?=a)"}]}')).toEqual([
      'defaults.assert[0].value: the regular expression does not compile: invalid or unsupported Perl syntax: `(?=`',
    ]))

  it.each(['a**', '[z-a]', '[', 'a|*', '\\\\8', '(a'])('the regular expression %s', async (pattern) =>
    expect(await warningsOf(`defaults: {assert: [{type: regex, value: "${pattern}"}]}`)).toHaveLength(1),
  )

  it.each(['a|b+', '^[a-z0-9 .]+?$', '', '\\\\d*x', '(a|b){2}'])('no regular expression like %s', async (pattern) =>
    expect(await warningsOf(`defaults: {assert: [{type: regex, value: "${pattern}"}]}`)).toEqual([]),
  )

  it('files that cannot be read, and of templates in files', async () =>
    expect(
      await warningsOf(
        `prompts: [{id: p, template: file://no.txt}, {id: q, messages: [{role: user, content: file://bad.txt}]}]
tests: [{history: file://no.yaml}, {history: file://../up.yaml}]
grader: {provider: {type: openai, model: m}, template: file://judge.txt}`,
        { 'bad.txt': 'x\n{{ a ' },
      ),
    ).toEqual([
      'prompts[0].template: no.txt does not exist',
      'prompts[1].messages[0].content: the template in bad.txt does not compile: syntax error: a tag has no end `}}` (line 2)',
      'grader.template: judge.txt does not exist',
      'tests[0].history: no.yaml does not exist',
      expect.stringMatching(/^tests\[1\]\.history: \.\.\/up\.yaml has a `\.\.`/),
    ]))

  it('graded assertions without a grader, once each', async () => {
    const assertions = 'assert: [{type: llm-rubric, value: a}, {type: not-similar, value: b}]'
    const missing = `tests: [{${assertions}}, {${assertions}}]\n`
    expect(await warningsOf(missing)).toEqual([
      'tests[0].assert[0]: no grader is configured: `llm-rubric` needs a `grader` block, in the suite or of its own',
      'tests[0].assert[1]: no provider of type `embeddings` is configured: `similar` needs one',
    ])
    const grader = 'grader: {provider: {type: openai, model: m}}\n'
    expect(
      (await load(`version: 1\nproviders: [{id: e, type: embeddings, model: m}]\n${grader}${missing}`)).warnings,
    ).toEqual([])
  })

  it('unknown ids of providers, with the nearest known one', async () =>
    expect(
      await warningsOf('tests: [{only_providers: [bott]}, {skip_providers: [bot, zz]}, {skip_providers: [zz]}]'),
    ).toEqual([
      'tests[0].only_providers[0]: no provider has the id `bott`; configured: `bot`; did you mean `bot`?',
      'tests[1].skip_providers[1]: no provider has the id `zz`; configured: `bot`',
    ]))
})
