import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { convertPromptfoo } from '../../../../engine/convert/promptfoo/convert.ts'
import { suiteText } from '../../../../engine/convert/suite-text.ts'
import { UsageError, type Json, type JsonObject } from '../../../../engine/json.ts'

/** The suite and the notes of a configuration that has one provider and one prompt unless it says otherwise. */
const convert = (
  yaml: string,
  files: Readonly<Record<string, string>> = {},
): { readonly suite: JsonObject; readonly notes: readonly string[] } =>
  convertPromptfoo(
    { providers: ['openai:chat:m'], prompts: ['Hi'], ...(parse(yaml) as JsonObject) },
    (path) => files[path] ?? null,
  )

/** What one assertion, written as YAML, becomes. */
const convertAssertion = (yaml: string): { readonly assertions: Json; readonly notes: readonly string[] } => {
  const { suite, notes } = convert(`tests: [{description: t, assert: [${yaml}]}]`)
  const [test] = suite['tests'] as readonly JsonObject[]
  return { assertions: test?.['assert'] ?? [], notes }
}

describe('the providers of a promptfoo configuration', () => {
  it.each([
    ['openai:chat:m-chat', { type: 'openai', model: 'm-chat' }],
    ['openai:m-chat', { type: 'openai', model: 'm-chat' }],
    ['openai:chat', { type: 'openai', model: 'gpt-4o' }],
    ['openai:', { type: 'openai', model: 'gpt-4o' }],
    ['openai:chat:ft:base:org::id', { type: 'openai', model: 'ft:base:org::id' }],
    ['openai:embedding:e-small', { type: 'embeddings', model: 'e-small' }],
    ['anthropic:messages:m-small', { type: 'anthropic', model: 'm-small' }],
    ['anthropic:messages', { type: 'anthropic', model: 'claude-3-5-sonnet-latest' }],
    ['exec:./bot', { type: 'exec', command: ['./bot'] }],
    ['exec: ./bot --fast', { type: 'exec', command: ['./bot', '--fast'] }],
    ['exec:python chain.py', { type: 'exec', command: ['python', 'chain.py'] }],
    [`exec:bot "two words" --a='b c' ""`, { type: 'exec', command: ['bot', 'two words', '--a=b c', ''] }],
    [`exec:bot it's`, { type: 'exec', command: [`bot it's`] }],
    ['python:provider.py', { type: 'exec', command: ['python3', 'provider.py'] }],
    ['python:file://my bot.py:ask', { type: 'exec', command: ['python3', 'my bot.py'] }],
    ['file://provider.py', { type: 'exec', command: ['python3', 'provider.py'] }],
    ['file:bot', { type: 'exec', command: ['bot'] }],
    ['file:bot.mjs', { type: 'exec', command: ['node', 'bot.mjs'] }],
    ['file://bot.mjs', { type: 'exec', command: ['node', 'bot.mjs'] }],
    ['https://bot.test/ask', { type: 'http', url: 'https://bot.test/ask' }],
  ])('%s', (id, provider) =>
    expect(convertPromptfoo({ providers: [id] }).suite['providers']).toEqual([{ id: 'p0', ...provider }]),
  )

  it('without a counterpart become a program of that name, with a note', () => {
    const { suite, notes } = convert('providers: [replicate:llama]')
    expect(suite['providers']).toEqual([{ id: 'p0', type: 'exec', command: ['replicate:llama'] }])
    expect(notes).toContain(
      'providers[0]: `replicate:llama` has no counterpart; a program of this name takes its place',
    )
  })

  it('may be objects, or keys of objects: what has a counterpart is kept, and a note asks for a review', () => {
    const { suite, notes } = convert(`
      providers:
        - {id: 'openai:chat:m', label: Small, config: {temperature: 0, max_tokens: 9, apiBaseUrl: '{{ env.GATEWAY }}/v1', apiKeyEnvar: KEY, apiKey: s3cret, cost: 1}}
        - anthropic:messages:n: {config: {top_k: 3}}
        - {id: https, config: {url: 'https://bot.test', method: POST, headers: {a: b}, body: {q: '{{prompt}}'}, transformResponse: 'json.choices[0].text'}}
        - {config: {}}`)
    expect(suite['providers']).toEqual([
      {
        id: 'p0',
        label: 'Small',
        type: 'openai',
        model: 'm',
        base_url: '${env:GATEWAY}/v1',
        api_key_env: 'KEY',
        params: { temperature: 0, max_tokens: 9 },
      },
      { id: 'p1', type: 'anthropic', model: 'n', params: { top_k: 3 } },
      {
        id: 'p2',
        type: 'http',
        url: 'https://bot.test',
        method: 'POST',
        headers: { a: 'b' },
        body: { q: '{{prompt}}' },
        output_expr: 'response.json.choices[0].text',
      },
      { id: 'p3', type: 'exec', command: ['provider-3'] },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        'providers[0]: was an object: review its model and params',
        'providers[0].config: `cost` has no counterpart and was dropped',
        'providers[0].config: `apiKey` was dropped: name the variable that holds it in `api_key_env`',
      ]),
    )
    expect(JSON.stringify([suite, notes])).not.toContain('s3cret')
  })

  it('have texts as headers: other values become texts, or are dropped with a note', () => {
    const { suite, notes } = convert(`
      providers:
        - {id: https, config: {url: 'https://a.test', headers: {x-version: 2, x-debug: true, x-list: [a], x-none: null}}}
        - {id: https, config: {url: 'https://b.test', headers: file://headers.json}}`)
    expect(suite['providers']).toEqual([
      {
        id: 'p0',
        type: 'http',
        url: 'https://a.test',
        headers: { 'x-version': '2', 'x-debug': 'true' },
        output_expr: 'response.json or response.text',
      },
      { id: 'p1', type: 'http', url: 'https://b.test', output_expr: 'response.json or response.text' },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        'providers[0].config.headers.x-list: is no text and was dropped',
        'providers[0].config.headers.x-none: is no text and was dropped',
        'providers[1].config.headers: is no mapping and was dropped',
      ]),
    )
  })

  it('that are programs say in a note what they must become', () => {
    const notesOf = (id: string): readonly string[] => convertPromptfoo({ providers: [id] }).notes
    const protocol =
      'providers[0]: a program reads a JSON request on standard input and writes a JSON response (exec protocol 1, exec-protocol.md)'
    expect(notesOf('exec:./bot')).toEqual([protocol])
    expect(notesOf('exec:python chain.py')).toEqual([
      protocol,
      'providers[0]: `python chain.py` was split on blanks, so that the suite runs: review the entries of `command`, there is no shell',
    ])
    expect(notesOf(`exec:bot it's`)).toEqual([
      protocol,
      "providers[0]: a quote in `bot it's` is not closed: write the arguments into `command`",
    ])
    expect(notesOf('file://provider.js')).toEqual([
      'providers[0]: `provider.js` is a module, started as `node provider.js`: it must become a program that reads a JSON request on standard input and writes a JSON response (exec-protocol.md)',
    ])
  })

  it('in a file are written out; a file that cannot be read becomes a program, with a note', () => {
    const { suite, notes } = convert('providers: [file://list.yaml, file://one.json, file://none.yml]', {
      'list.yaml': '- openai:a\n- {id: anthropic:b, config: {top_k: 3}}\n',
      'one.json': '{"id": "https", "config": {"url": "https://c.test"}}',
    })
    expect(suite['providers']).toEqual([
      { id: 'p0', type: 'openai', model: 'a' },
      { id: 'p1', type: 'anthropic', model: 'b', params: { top_k: 3 } },
      { id: 'p2', type: 'http', url: 'https://c.test', output_expr: 'response.json or response.text' },
      { id: 'p3', type: 'exec', command: ['none.yml'] },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        'providers[0]: the providers in `list.yaml` were written out: the file is not read any more',
        'providers[0][1]: was an object: review its model and params',
        'providers[1]: the providers in `one.json` were written out: the file is not read any more',
        'providers[2]: the providers in `none.yml` could not be read; a program of this name takes their place',
      ]),
    )
    expect(convert('providers: file://a.yaml', { 'a.yaml': '[openai:a]' }).suite['providers']).toEqual([
      { id: 'p0', type: 'openai', model: 'a' },
    ])
  })

  it('that are missing are a note', () =>
    expect(convertPromptfoo({}).notes).toEqual(['providers: the configuration has none; a suite needs at least one']))
})

describe('an HTTP provider of a promptfoo configuration', () => {
  const http = (config: string, files = {}): { readonly provider: JsonObject; readonly notes: readonly string[] } => {
    const { suite, notes } = convert(`providers: [{id: 'https://a.test/ask', config: ${config}}]`, files)
    const { id: _, type: __, ...provider } = (suite['providers'] as readonly JsonObject[])[0]!
    return { provider, notes }
  }
  const AS_JSON = 'method: POST, headers: {Content-Type: application/json; charset=utf-8}'

  it.each([
    [`{${AS_JSON}, body: '{"q": "{{prompt}}", "n": 1}'}`, { q: '{{prompt}}', n: 1 }],
    [`{${AS_JSON}, body: '{"q": {{ prompt | dump }}}'}`, { q: '{{ prompt }}' }],
    [`{method: POST, body: {q: '[1, {"a": 2}]', r: ['{"b": 3}', ' x']}}`, { q: [1, { a: 2 }], r: [{ b: 3 }, ' x'] }],
    ['{method: POST, body: file://body.json}', { q: '{{prompt}}' }],
  ])('%s sends its body as data', (config, body) =>
    expect(http(config, { 'body.json': '{"q": "{{prompt}}"}' }).provider['body']).toEqual(body),
  )

  it.each([
    [
      `{${AS_JSON}, body: '{"n": {{n}}}'}`,
      'the body is JSON only once it is rendered: it is sent as one text here; write it as a mapping',
    ],
    ["{method: POST, body: 'q={{prompt}}'}", 'the body is sent as a text in JSON here, and unchanged in promptfoo'],
    [
      '{method: POST, body: {q: "{{prompt}}"}}',
      'if a text in the body renders to a JSON list or mapping, promptfoo sends that list or mapping; here it is sent as a text',
    ],
    ['{body: {q: a}}', 'without a `method` the request is a POST here, and a GET without its body in promptfoo'],
    ['{method: POST, body: file://none.json}', 'the body in `none.json` could not be read and was dropped'],
  ])('%s has a note about its body', (config, note) =>
    expect(http(config).notes).toContain(`providers[0].config: ${note}`),
  )

  it('has the parameters of its query in the URL', () => {
    const { provider, notes } = http(
      "{method: GET, body: {a: b}, queryParams: {q: 'x {{prompt}}', 'k y': '1&2', n: 3, l: [a]}}",
    )
    expect(provider).toEqual({
      url: 'https://a.test/ask?q={{ ("x " ~ (prompt)) | urlencode }}&k%20y=1%262&n=3',
      method: 'GET',
      output_expr: 'response.json or response.text',
    })
    expect(notes).toContain(
      'providers[0].config.queryParams.l: is no text, or a template with statements, and was dropped',
    )
  })

  it.each([
    ['json.a[0]', 'response.json.a[0]'],
    ['json', 'response.json'],
    ['text', 'response.text'],
    ['(json) => json.a', 'response.json.a'],
    ['(json, text) => text', 'response.text'],
    ['json.a.trim()', undefined],
    ['file://parse.js', undefined],
  ])('takes `%s` of the answer', (transform, expression) => {
    const { provider, notes } = http(`{method: GET, transformResponse: '${transform}'}`)
    expect(provider['output_expr']).toBe(expression)
    expect(notes.some((note) => note.includes('transformation'))).toBe(expression === undefined)
  })

  it('notes that an answer with an error status is judged in promptfoo, unless `validateStatus` says which are', () => {
    const note = 'an HTTP answer whose status is not 2xx is an error here, and is judged in promptfoo'
    expect(http('{method: GET}').notes).toContain(note)
    expect(http('{method: GET, validateStatus: status < 300}').notes).not.toContain(note)
  })
})

describe('the prompts of a promptfoo configuration', () => {
  it('are texts, files, objects and chats', () => {
    const { suite, notes } = convert(`
      prompts:
        - Greet {{name}}
        - file://prompts/a.txt
        - prompts.txt
        - {raw: 'Ask {{name}}', label: ask}
        - {id: chat, raw: '[{"role":"system","content":"Be brief."},{"role":"user","content":"{{name}}"}]'}
        - {raw: '[{"role":"user","content":{{ x | dump }}}]', label: ask}
        - file://prompt.py:make
        - file://many/*.txt
        - {label: none}`)
    expect(suite['prompts']).toEqual([
      { id: 'prompt-0', template: 'Greet {{name}}' },
      { id: 'prompt-1', template: 'file://prompts/a.txt' },
      { id: 'prompt-2', template: 'file://prompts.txt' },
      { id: 'ask', template: 'Ask {{name}}' },
      {
        id: 'chat',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: '{{name}}' },
        ],
      },
      { id: 'prompt-5', template: '[{"role":"user","content":{{ x | dump }}}]' },
    ])
    expect(notes.filter((note) => /^prompts\[[678]\]/.test(note))).toEqual([
      'prompts[6]: `prompt.py:make` is a program and was dropped: a prompt is a text or a list of messages',
      'prompts[7]: `many/*.txt` names several files and was dropped: write one prompt for each',
      'prompts[8]: the prompt has no text and was dropped',
    ])
    expect(notes).toContain('the filter `dump` is named `tojson` here')
  })

  it('in files are read: a chat becomes messages, a plain text stays in its file without a note', () => {
    const chat = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '{{ name }}' },
    ]
    const files: Readonly<Record<string, string>> = {
      'a.json': JSON.stringify(chat),
      'b.yaml': '- role: system\n  content: Be brief.\n- {role: user, content: "{{ name }}"}\n',
      'c.txt': 'Greet {{ name }}.\n',
      'd.txt': 'One\n---\nTwo\n',
      'e.json': '[{"role": "user", "content": {{ name | dump }}}]',
      'f.yaml': '- role: user\n  content: [{type: text, text: a}]\n',
      'g.json': '{"ask": "{{ name }}"}',
      'h.md': '---\ntitle: a\n---\nGreet {{ name }}.\n',
      'i.jsonl': '[]\n[]\n',
    }
    const names = [...Object.keys(files), 'none.json']
    const { suite, notes } = convertPromptfoo(
      { providers: ['openai:m'], prompts: names.map((name) => `file://${name}`) },
      (path) => files[path] ?? null,
    )
    expect((suite['prompts'] as readonly JsonObject[]).map(({ id: _, ...prompt }) => prompt)).toEqual([
      { messages: chat },
      { messages: chat },
      ...names.slice(2).map((name) => ({ template: `file://${name}` })),
    ])
    const one = 'looks like a chat but is not a plain list of messages, so it is one text here: write `messages`'
    expect(notes.filter((note) => note.startsWith('prompts'))).toEqual([
      'prompts[0]: the chat in `a.json` was written out as `messages`: the file is not read any more',
      'prompts[1]: the chat in `b.yaml` was written out as `messages`: the file is not read any more',
      'prompts[3]: `d.txt` holds several prompts, but is taken as one text here: write one prompt for each',
      `prompts[4]: \`e.json\` ${one}`,
      `prompts[5]: \`f.yaml\` ${one}`,
      'prompts[8]: `i.jsonl` holds several prompts, but is taken as one text here: write one prompt for each',
      'prompts[9]: `none.json` could not be read, so it is taken as one text: if it is a chat, write it as `messages`; if it has parts between lines of `---`, write one prompt for each',
    ])
  })

  it('may be a mapping from texts to labels', () =>
    expect(convert('prompts: {"Hi {{n}}": greeting}').suite['prompts']).toEqual([
      { id: 'greeting', template: 'Hi {{n}}' },
    ]))
})

describe('an assertion of a promptfoo configuration', () => {
  it.each([
    ['{type: contains, value: a}', [{ type: 'contains', value: 'a' }]],
    ['{type: icontains, value: 5, weight: 2}', [{ type: 'icontains', value: '5', weight: 2 }]],
    ['{type: starts-with, value: a}', [{ type: 'starts-with', value: 'a' }]],
    ['{type: regex, value: "^a"}', [{ type: 'regex', value: '^a' }]],
    ['{type: equals, value: {a: 1}}', [{ type: 'equals', value: { a: 1 } }]],
    ['{type: equals, value: file://a.json}', [{ type: 'equals', value: { $file: 'a.json' } }]],
    ['{type: is-json}', [{ type: 'is-json' }]],
    [
      '{type: is-json, value: {type: object}, weight: 3}',
      [
        { type: 'is-json', weight: 1.5 },
        { type: 'contains-json', schema: { type: 'object' }, weight: 1.5 },
      ],
    ],
    ['{type: contains-json}', [{ type: 'contains-json' }]],
    ['{type: contains-json, value: {type: object}}', [{ type: 'contains-json', schema: { type: 'object' } }]],
    [`{type: contains-json, value: '{"type":"array"}'}`, [{ type: 'contains-json', schema: { type: 'array' } }]],
    ['{type: contains-json, value: file://s.json}', [{ type: 'contains-json', schema: { $file: 's.json' } }]],
    ['{type: contains-any, value: [A, b]}', [{ type: 'icontains-any', values: ['A', 'b'] }]],
    ['{type: icontains-any, value: "a, b"}', [{ type: 'icontains-any', values: ['a', 'b'] }]],
    ['{type: cost, threshold: 0.01}', [{ type: 'cost', max: 0.01 }]],
    ['{type: latency, threshold: 900}', [{ type: 'latency', max: 900 }]],
    ['{type: latency, value: 900}', [{ type: 'latency', max: 900 }]],
    ['{type: latency, threshold: 1500.5}', [{ type: 'latency', max: 1501 }]],
    ['{type: cost, threshold: 0}', [{ type: 'cost', max: 0 }]],
    ['{type: llm-rubric, value: Polite, threshold: 1}', [{ type: 'llm-rubric', value: 'Polite', threshold: 1 }]],
    ['{type: similar, value: a, threshold: -1}', [{ type: 'similar', value: 'a', threshold: -1 }]],
    [
      '{type: llm-rubric, value: Polite, threshold: 0.7, weight: 2}',
      [{ type: 'llm-rubric', value: 'Polite', threshold: 0.7, weight: 2 }],
    ],
    [
      '{type: llm-rubric, value: Polite, provider: openai:m-judge}',
      [{ type: 'llm-rubric', value: 'Polite', grader: { provider: { type: 'openai', model: 'm-judge' } } }],
    ],
    ['{type: similar, value: a, threshold: 0.9}', [{ type: 'similar', value: 'a', threshold: 0.9 }]],
    ['{type: not-contains, value: a}', [{ type: 'not-contains', value: 'a' }]],
    ['{type: not-contains-any, value: [a]}', [{ type: 'not-icontains-any', values: ['a'] }]],
    ['{type: not-is-json}', [{ type: 'not-is-json' }]],
    [
      '{type: assert-set, assert: [{type: contains, value: a}, {type: contains, value: b}]}',
      [
        { type: 'contains', value: 'a', weight: 0.5 },
        { type: 'contains', value: 'b', weight: 0.5 },
      ],
    ],
    [
      '{type: assert-set, weight: 2, assert: [{type: contains, value: a, weight: 3}, {type: is-json, value: {}}]}',
      [
        { type: 'contains', value: 'a', weight: 1.5 },
        { type: 'is-json', weight: 0.5 },
      ],
    ],
    ['{type: similar, value: a}', [{ type: 'similar', value: 'a', threshold: 0.75 }]],
    ['{type: "similar:cosine", value: a}', [{ type: 'similar', value: 'a', threshold: 0.75 }]],
    [
      `{type: icontains-any, value: '"x, y", "say ""a""" , "b\\\\", z'}`,
      [{ type: 'icontains-any', values: ['x, y', 'say "a"', 'b\\', 'z'] }],
    ],
    [
      '{type: icontains-all, value: [a, "{{b}}"]}',
      [{ type: 'jinja', value: '("a"|lower in output|lower) and ((b)|lower in output|lower)' }],
    ],
    ['{type: icontains-any, value: "a{# b #}, c"}', [{ type: 'icontains-any', values: ['a', 'c'] }]],
    ['{type: equals, value: {a: "{# b #}"}}', [{ type: 'equals', value: { a: '{% raw %}{# b #}{% endraw %}' } }]],
    [
      '{type: not-contains-any, value: ["{{b}}", ""]}',
      [{ type: 'not-jinja', value: '((b) in output) or ("" in output)' }],
    ],
    [
      '{type: equals, value: {a: "{{b}}", c: ["d\\n", 1]}}',
      [{ type: 'equals', value: { a: '{% raw %}{{b}}{% endraw %}', c: ['d\n\n', 1] } }],
    ],
    [String.raw`{type: regex, value: '^[\w-]+@\d'}`, [{ type: 'regex', value: '^[0-9A-Za-z_\\-]+@[0-9]' }]],
    // A text with a template in it: the kinds of a suite take their texts literally.
    ['{type: contains, value: "{{ a }}"}', [{ type: 'jinja', value: '(a) in output' }]],
    [
      '{type: icontains, value: "in {{- a -}}!"}',
      [{ type: 'jinja', value: '("in " ~ (a) ~ "!")|lower in output|lower' }],
    ],
    ['{type: not-starts-with, value: "{{a}}"}', [{ type: 'not-jinja', value: 'output is startingwith((a))' }]],
    ['{type: regex, value: "^{{a}}"}', [{ type: 'jinja', value: 'output|regex_match(("^" ~ (a)))' }]],
  ])('%s', (yaml, assertions) => expect(convertAssertion(yaml).assertions).toEqual(assertions))

  it.each([
    [
      '{type: javascript, value: "true"}',
      '`javascript` was dropped: write an `exec` assertion, a program that checks the output',
    ],
    [
      '{type: python, value: "True"}',
      '`python` was dropped: write an `exec` assertion, a program that checks the output',
    ],
    [
      '{type: webhook, value: "http://a"}',
      '`webhook` was dropped: write an `exec` assertion, a program that checks the output',
    ],
    ['{type: factuality, value: a}', '`factuality` was dropped: there is no such kind'],
    ['{type: not-is-json, value: {type: object}}', '`not-is-json` was dropped: with a schema it has no counterpart'],
    ['{type: latency}', '`latency` was dropped: it has no limit'],
    ['{type: latency, threshold: -0.5e3}', '`latency` was dropped: its limit -500 is out of range'],
    ['{type: latency, threshold: 1e300}', '`latency` was dropped: its limit 1e+300 is out of range'],
    ['{type: cost, threshold: -1}', '`cost` was dropped: its limit -1 is out of range'],
    ['{type: contains}', '`contains` was dropped: its value is no text'],
    ['{type: contains, value: file://a.txt}', '`contains` was dropped: its text is in a file, and must be written out'],
    [
      '{type: contains, value: "{% if a %}b{% endif %}"}',
      '`contains` was dropped: its text is a template with statements',
    ],
    ['{type: contains-json, value: 5}', '`contains-json` was dropped: its schema is no mapping'],
    [
      '{type: contains, value: a, transform: "output[0]"}',
      '`contains` with `transform` was dropped: it would check another text',
    ],
    ['{type: assert-set, threshold: 0.5, assert: []}', '`assert-set` with a threshold was dropped'],
    [
      '{type: contains-any, value: "{{list}}"}',
      '`contains-any` was dropped: its texts are known only after a template is rendered',
    ],
    [`{type: contains-all, value: 'a, "b'}`, '`contains-all` was dropped: it has no list of texts'],
    [
      '{type: contains-any, value: ["{% if a %}b{% endif %}"]}',
      '`contains-any` was dropped: its texts are templates with statements',
    ],
    ['{type: starts-with, value: ""}', '`starts-with` was dropped: its text is empty, which is an error in promptfoo'],
    [
      '{type: contains, value: a, weight: 0}',
      '`contains` was dropped: with a weight of 0 it decides nothing in promptfoo; if all weights of a case are 0, its score is 0 in promptfoo',
    ],
    ['{value: a}', 'an assertion without a type was dropped'],
    ['{$ref: "#/assertionTemplates/none"}', 'an assertion without a type was dropped'],
  ])('%s is dropped with a note', (yaml, note) => {
    const { assertions, notes } = convertAssertion(yaml)
    expect(assertions).toEqual([])
    expect(notes).toContain(`tests[0].assert[0]: ${note}`)
    expect(notes).toContain(
      'tests[0]: none of its own assertions is left: unless it has others, it passes with every output',
    )
  })

  it.each([
    ['llm-rubric', 4],
    ['llm-rubric', -0.1],
    ['similar', -2],
    ['similar', 1.5],
  ])('of kind %s loses the threshold %d, which a suite does not accept, with a note', (type, threshold) => {
    const { assertions, notes } = convertAssertion(JSON.stringify({ type, value: 'a', threshold }))
    expect(assertions).toEqual([{ type, value: 'a' }])
    expect(notes).toContain(
      `tests[0].assert[0]: the threshold ${threshold} of \`${type}\` is out of range and was dropped`,
    )
  })

  it.each([
    ['{type: cost, threshold: 1}', 'if the provider reports no cost, `cost` passes here, and is an error in promptfoo'],
    [
      '{type: latency, value: 9}',
      'tests[0].assert[0]: `latency` without a `threshold` is an error in promptfoo; its `value` became the limit',
    ],
    ['{type: starts-with, value: 5}', 'tests[0].assert[0]: `5` is no text, which is an error in promptfoo'],
    [
      '{type: contains, value: a, weight: -2}',
      'tests[0].assert[0]: the weight -2 is not possible here; it became 1: review it',
    ],
    [
      '{type: regex, value: "[ab"}',
      'tests[0].assert[0]: the pattern is no regular expression of JavaScript: the assertion always fails in promptfoo',
    ],
    [
      '{type: regex, value: "{{a}}"}',
      'tests[0].assert[0]: the pattern is one of RE2 here, without look-around and back-references, and `\\w`, `\\d`, `\\s` and `\\b` are those of Unicode',
    ],
    [
      '{type: llm-rubric, value: a, threshold: 0.5}',
      'with a `threshold` the score of `llm-rubric` alone decides here; in promptfoo the judge must also say pass',
    ],
  ])('%s has a note about another verdict', (yaml, note) => expect(convertAssertion(yaml).notes).toContain(note))

  it('has a schema of a file checked for what is applied otherwise here', () => {
    const notesOf = (schema: string): readonly string[] =>
      convert('tests: [{description: t, assert: [{type: is-json, value: file://s.json}]}]', { 's.json': schema }).notes
    expect(notesOf('{"format": "email"}')).toContain(
      'tests[0].assert[0]: `format` (email) is checked in promptfoo, but not here: write a `pattern`',
    )
    expect(notesOf('{"items": [{}, {}]}')).toContain(
      'tests[0].assert[0]: the schema in `s.json` is one of draft-07: add `"$schema": "http://json-schema.org/draft-07/schema#"` to it',
    )
    expect(notesOf('{')).toContain(
      'tests[0].assert[0]: the schema in `s.json` could not be read: `format` in it is not checked here',
    )
  })

  it('may refer to an assertion template', () => {
    const { suite } = convert(`
      assertionTemplates: {short: {type: icontains, value: a, weight: 3}}
      tests: [{description: t, assert: [{$ref: '#/assertionTemplates/short', weight: 2}]}]`)
    expect(suite['tests']).toEqual([{ description: 't', assert: [{ type: 'icontains', value: 'a', weight: 2 }] }])
  })

  it('of a kind that needs a judge or embeddings asks for them in a note', () => {
    const needs = (yaml: string): readonly string[] => convert(yaml).notes.filter((note) => note.includes('needs a'))
    const tests = 'tests: [{assert: [{type: llm-rubric, value: a}, {type: not-similar, value: b, threshold: 1}]}]'
    expect(needs(tests)).toHaveLength(2)
    expect(
      needs(`
        ${tests}
        providers: [openai:embedding:e, openai:m]
        defaultTest: {options: {provider: openai:m-judge}}`),
    ).toEqual([])
  })
})

describe('the tests of a promptfoo configuration', () => {
  it('keep vars, description and threshold; a list of values is an axis, a file a reference', () => {
    const { suite, notes } = convert(`
      tests:
        - vars: {name: Ada, tone: [warm, dry], none: null, turn: {role: user}, text: file://a.md, code: file://b.py, other: '{{ name }}'}
        - {description: second, threshold: 0.5, metadata: {a: 1}}`)
    expect(suite['tests']).toEqual([
      {
        id: 'case-0',
        vars: { name: 'Ada', none: null, turn: { role: 'user' }, text: { $file: 'a.md' }, other: '{{ name }}' },
        matrix: { tone: ['warm', 'dry'] },
      },
      { description: 'second', threshold: 0.5 },
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        'tests[0].vars.tone: the list became an axis of `matrix`: one case for each value',
        'tests[0].vars.none: a null prints `none` here, and nothing in promptfoo',
        'tests[0].vars.turn: a mapping prints as JSON here, and as `[object Object]` in promptfoo',
        'tests[0].vars.code: `b.py` is a program and was dropped',
        'tests[0].vars.other: a template in a var can use `env`, but no other vars: write the text out, or as `{$raw: …}` if the braces are part of it',
        'tests[1]: `metadata` has no counterpart and was dropped',
      ]),
    )
  })

  it('may be in files', () => {
    const { suite, notes } = convert(
      'tests: [cases.csv, file://more/*.yaml, {path: file://third.json}, ../up.jsonl, file://gen.py, "https://docs.test/sheet", table.xlsx]',
    )
    expect(suite['tests']).toEqual([
      'file://cases.csv',
      'file://more/*.yaml',
      'file://third.json',
      'file://../up.jsonl',
    ])
    expect(notes).toEqual(
      expect.arrayContaining([
        'tests[0]: columns `__expected` of `cases.csv` are read as vars here: write their assertions as a JSON list in a column `__assert`',
        'tests[1]: the tests in `more/*.yaml` must have the form of tests of a suite: they were not converted',
        'tests[3]: `../up.jsonl` is outside the folder of the suite, where no tests are read: move it',
      ]),
    )
    expect(notes.filter((note) => /^tests\[[456]\].*was dropped/.test(note))).toHaveLength(3)
    expect(convert('tests: cases.csv').suite['tests']).toEqual(['file://cases.csv'])
  })

  it('take the vars, assertions and threshold of defaultTest as defaults', () => {
    const { suite } = convert('defaultTest: {vars: {a: b}, threshold: 0.5, assert: [{type: latency, threshold: 9}]}')
    expect(suite['defaults']).toEqual({ vars: { a: 'b' }, assert: [{ type: 'latency', max: 9 }], threshold: 0.5 })
  })
})

describe('a promptfoo configuration', () => {
  it.each(['scenarios', 'outputPath', 'sharing', 'env', 'transform', 'nunjucksFilters', 'redteam'])(
    'with %s: it is dropped with a note, unless it is empty',
    (key) => {
      const note = `\`${key}\` has no counterpart and was dropped`
      expect(convert(`${key}: {a: b}`).notes).toContain(note)
      expect(convert(`${key}: {}`).notes).not.toContain(note)
    },
  )

  it('that switches the cache off says in a note how to', () => {
    const note = '`cache: false` was dropped: start the run with `--no-cache`'
    expect(convert('evaluateOptions: {cache: false}').notes).toContain(`evaluateOptions: ${note}`)
    expect(convert('cache: false').notes).toContain(note)
    expect(convert('evaluateOptions: {showProgressBar: false}').notes).toContain(
      'evaluateOptions: `showProgressBar` has no counterpart and was dropped',
    )
  })

  it('that a result holds is converted', () => {
    const { suite, notes } = convertPromptfoo({
      results: { version: 3 },
      config: { description: 'd', targets: ['openai:m'], evaluateOptions: { maxConcurrency: 3 } },
    })
    expect(suite).toEqual({
      version: 1,
      description: 'd',
      providers: [{ id: 'p0', type: 'openai', model: 'm' }],
      tests: [],
      runner: { concurrency: 3 },
    })
    expect(notes[0]).toBe('the file holds results; the configuration in it was converted')
  })

  it('that leaves settings of a model to their defaults says what these are', () => {
    const note =
      'a model without `temperature` and `max_tokens` in its `params` has the defaults of its vendor here (4096 tokens for anthropic), and 0 and 1024 in promptfoo'
    expect(convert('providers: [openai:m]').notes).toContain(note)
    expect(convert('providers: [{id: anthropic:m, config: {temperature: 0}}]').notes).toContain(note)
    expect(convert('providers: [{id: openai:m, config: {temperature: 0, max_tokens: 9}}]').notes).not.toContain(note)
    expect(convert('providers: [openai:embedding:m, "exec:bot", "https://a.test"]').notes).not.toContain(note)
  })

  it('must be a mapping', () => expect(() => convertPromptfoo([])).toThrow(UsageError))
})

describe('the text of a converted suite', () => {
  it('begins with the schema hint and the notes, each on one line, and parses to the suite', () => {
    const suite = { version: 1, tests: [{ id: 'yes', vars: { a: '# no\ncomment' } }] }
    const text = suiteText(suite, 'a.yaml', ['one\nversion: 2', 'two'])
    expect(text.split('\n', 5)).toEqual([
      '# yaml-language-server: $schema=suite.schema.json',
      '# For completion in editors, make the file that the first line names: ers schema config > suite.schema.json',
      '# Converted from a.yaml.',
      '# NOTE: one version: 2',
      '# NOTE: two',
    ])
    expect(parse(text)).toEqual(suite)
  })
})
