import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSuiteFile } from '../../../engine/data/suite-files.ts'
import { HarnessError } from '../../../engine/json.ts'
import { errorsOf, expand, issuesOf, load, MINIMAL, suiteFolder } from '../../support/suites/suite-folder.ts'

const ids = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  (await expand(text, files)).tests.map(({ id }) => id)

const NODE = JSON.stringify(process.execPath)
/** A generator that prints a text. */
const printing = (output: string): string => {
  const script = `process.stdout.write(${JSON.stringify(output)})`
  return `{generator: {command: [${NODE}, -e, ${JSON.stringify(script)}]}}`
}

describe('ids', () => {
  it('of inline tests count every entry of tests', async () =>
    expect(await ids('tests: ["file://none/*.csv", {vars: {}}, {id: own}, {vars: {}}]')).toEqual([
      'inline/1',
      'own',
      'inline/3',
    ]))

  it('of files count within each file', async () =>
    expect(
      await ids('tests: ["file://cases/*"]', {
        'cases/b.x.json': '[{}, {"id": "own"}, {}]',
        'cases/a.yaml': 'tests: [{}, {}]',
      }),
    ).toEqual(['a/0', 'a/1', 'b.x/0', 'own', 'b.x/2']))

  it('used twice are a warning that names both places', async () => {
    const { warnings } = await expand('tests: [{id: x}, "file://a.jsonl"]', { 'a.jsonl': '{"id":"y"}\n\n{"id":"x"}\n' })
    expect(warnings.map(({ message }) => message)).toEqual([
      'the id `x` is used twice: in tests[0] and in a.jsonl line 3; their results replace each other',
    ])
  })

  it('of inline tests used twice are reported by loading alone', async () => {
    const tests = 'tests: [{id: x}, {id: x}]'
    expect((await expand(tests)).warnings).toEqual([])
    expect((await load(MINIMAL + tests)).warnings).toHaveLength(1)
  })

  it.each([
    ['a default id', '[{id: inline/1}, {vars: {}}]', 'tests[0] and in tests[1]'],
    ['a default id first', '[{}, {id: inline/0}, {id: inline/0}]', 'tests[0] and in tests[1]'],
    ['a matrix', '[{id: x}, {id: y, matrix: {a: [1]}, matrix_id: x}]', 'tests[0] and in tests[1]'],
    ['two matrices', '[{id: x, matrix: {a: [1]}}, {id: x, matrix: {a: [1]}}]', 'tests[0] and in tests[1]'],
    ['one matrix', '[{id: x, matrix: {a: [1, 2]}, matrix_id: y}]', 'tests[0] and in tests[0]'],
  ])('of inline tests used twice by %s are reported', async (_, tests, places) => {
    const { warnings } = await expand(`tests: ${tests}`)
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(`is used twice: in ${places};`)])
  })
})

describe('files of tests', () => {
  it.each([
    ['a.yaml', '- {vars: {q: !raw x}}\n', { q: { $raw: 'x' } }],
    ['a.yml', 'tests: [{vars: {q: 1}}]\n', { q: 1 }],
    ['a.json', '{"tests": [{"vars": {"q": 12345678901234567890}}]}', { q: expect.anything() as unknown }],
    ['a.ndjson', '\n{"vars": {"q": 2}}\n', { q: 2 }],
    ['a.tsv', 'q\tr\n"a\tb"\t c \n', { q: 'a\tb', r: ' c ' }],
    ['a.CSV', '\ufeffq\n"a ""b"",\nc"\n', { q: 'a "b",\nc' }],
  ])('%s', async (file, text, vars) => {
    const { tests } = await expand('tests: ["file://a.*"]', { [file]: text })
    expect(tests.map((test) => test.vars)).toEqual([vars])
  })

  it.each([
    ['another extension', 'a.txt', 'x', /extension `\.txt`; accepted: `\.yaml`, `\.yml`, `\.json`/],
    ['no list', 'a.json', '{}', /expected a list of tests, or a mapping with the list `tests`/],
    ['broken JSON', 'a.json', '[', /is not JSON/],
    ['a broken line', 'a.jsonl', '{}\n{', /line 2 is not JSON/],
    ['an unknown field', 'a.yaml', '- idd: x\n', /unknown key `idd` in a test.*did you mean `id`/],
    ['an unknown kind', 'a.jsonl', '{"assert":[{"type":"contians","value":"x"}]}', /unknown type of an assertion/],
    ['nested sources', 'a.yaml', '- file://b.yaml\n', /expected a test as a mapping/],
    ['a short row', 'a.csv', 'a,b\n1\n', /Invalid Record Length/],
    ['an open quote', 'a.csv', 'a\n"1\n', /Quote Not Closed/],
    [
      'a turn that is none',
      'a.jsonl',
      '{"history":[{"role":"user","content":"x","tool_calls":[{"name":"f"}]},{"role":"user"}]}',
      /history\[0\]\.tool_calls: only an `assistant` turn calls tools.*\n.*history\[1\]: a turn needs `content`/,
    ],
    [
      'a grader whose path is none',
      'a.yaml',
      '- {assert: [{type: llm-rubric, value: x, grader: {provider: {type: openai, model: m, request: {path: v1}}}}]}\n',
      /assert\[0\]\.grader\.provider\.request\.path/,
    ],
    ['assertions that are no array', 'a.csv', '__assert\n{}\n', /line 2, column __assert: is not a JSON array/],
    ['a history that is no reference', 'a.csv', 'a,__history\n1,x\n', /line 2, column __history: is neither/],
  ])('are refused with %s', async (_, file, text, message) =>
    expect((await errorsOf(expand('tests: ["file://a.*"]', { [file]: text }))).join('\n')).toMatch(message),
  )

  it('report line and column of YAML, the line of CSV and JSONL', async () => {
    expect(await issuesOf(expand('tests: ["file://a.yaml"]', { 'a.yaml': '- id: x\n  tagz: []\n' }))).toMatchObject([
      { file: 'a.yaml', path: '[0].tagz', line: 2, column: 3, source: '  tagz: []' },
    ])
    expect(await issuesOf(expand('tests: ["file://a.csv"]', { 'a.csv': 'id,__assert\nx,\ny,[1]\n' }))).toMatchObject([
      { file: 'a.csv line 3', path: 'assert[0]' },
    ])
    expect(await issuesOf(expand('tests: ["file://a.jsonl"]', { 'a.jsonl': '{}\n{"id":1}' }))).toMatchObject([
      { file: 'a.jsonl line 2', path: 'id' },
    ])
  })

  it.each([
    ['blank lines', '\n\nid,__assert\n\n\nx,\n\ny,[1]\n', 8],
    ['line ends of Windows in quotes', '\ufeffid,__assert\r\n"é\r\n",\r\n\r\n"y\r\n",[1]', 5],
    ['line ends of old Macs', 'id,__assert\r\r"x\r",\ry,[1]\r', 5],
  ])('report the line where a row of CSV starts, with %s', async (_, text, line) =>
    expect(await issuesOf(expand('tests: ["file://a.csv"]', { 'a.csv': text }))).toMatchObject([
      { file: `a.csv line ${line}`, path: 'assert[0]' },
    ]),
  )

  it('may have keys that an assertion lacks: a warning, and the key is left out', async () => {
    const { tests, warnings } = await expand('tests: ["file://a.json"]', {
      'a.json': '[{"assert":[{"type":"is-json","strict":true}]}]',
    })
    expect(tests[0]?.assert).toEqual([{ kind: 'is-json', weight: 1, negate: false, fields: {} }])
    expect(warnings).toMatchObject([{ severity: 'warning', path: 'assert[0].strict' }])
  })

  it('know no ${env:…}', async () => {
    const { tests } = await expand('tests: ["file://a.json"]', { 'a.json': '[{"vars":{"q":"${env:PATH}"}}]' })
    expect(tests[0]?.vars).toEqual({ q: '${env:PATH}' })
  })
})

describe('tests of files', () => {
  it('warn about the turns of a history as inline ones do', async () => {
    const { tests, warnings } = await expand('tests: ["file://a.json"]', {
      'a.json': '[{"threshold": null, "history": [{"role": "assistant", "content": "x"}]}]',
    })
    expect(tests).toHaveLength(1)
    expect(tests[0]).not.toHaveProperty('threshold')
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('the history starts with')])
  })

  it.each([
    ['a.yaml', '- {threshold: 1.0, vars: {t: 1.0}}'],
    ['a.json', '[{"threshold": 1.0, "vars": {"t": 1.0}}]'],
    ['a.jsonl', '{"threshold": 1.0, "vars": {"t": 1.0}}'],
  ])('keep the fraction of vars: %s', async (file, text) => {
    const { tests } = await expand(`tests: ["file://${file}"]`, { [file]: text })
    expect(JSON.stringify(tests[0]?.vars)).toBe('{"t":1.0}')
    expect(tests[0]?.threshold).toBe(1)
  })

  it('keep the fraction of data files', async () => {
    const { tests } = await expand('tests: [{vars: {a: {$file: a.json}, b: {$file: b.yaml}}}]', {
      'a.json': '{"x": 1.0}',
      'b.yaml': 'x: [2.0]',
    })
    expect(JSON.stringify(tests[0]?.vars)).toBe('{"a":{"x":1.0},"b":{"x":[2.0]}}')
  })

  it('write floats and raw values of a matrix into ids', async () =>
    expect(
      await ids('tests: [{id: m, matrix: {t: [0.0, !raw x]}}, {matrix: {t: [!raw y]}, matrix_id: "{{ t }}"}]'),
    ).toEqual(['m[t=0.0]', 'm[t=x]', 'y']))
})

describe('columns of CSV', () => {
  it('may hold quotes, lack a name or occur twice', async () => {
    const { tests, warnings } = await expand('tests: ["file://a.csv"]', { 'a.csv': 'q,, ,q\n1,2,3,5" pipe\n' })
    expect(tests.map((test) => test.vars)).toEqual([{ q: '5" pipe' }])
    expect(warnings).toMatchObject([
      { path: 'line 1', message: 'the column `q` occurs twice; column 4 counts, column 1 is ignored' },
    ])
  })

  it.each([
    ['semicolons', 'id;q;__assert\n1;"a, b";"[{""type"":""is-json""}]"\n'],
    ['tabs', 'id\tq\t__assert\n1\ta, b\t"[{""type"":""is-json""}]"\n'],
    ['semicolons, with a comma in a name', '\ufeffid;"q";__assert;"x, y"\n1;a, b;"[{""type"":""is-json""}]";z\n'],
  ])('may be separated by %s', async (_, text) => {
    const { tests } = await expand('tests: ["file://a.csv"]', { 'a.csv': text })
    expect(tests).toMatchObject([{ id: '1', vars: { q: 'a, b' }, assert: [{ kind: 'is-json' }] }])
  })

  it('are separated by what the header has most of', async () => {
    const { tests } = await expand('tests: ["file://a.csv", "file://b.tsv"]', {
      'a.csv': 'q;r,s\n1,2;3\n',
      'b.tsv': 'q, r; s\tt\n1\t2\n',
    })
    expect(tests.map(({ vars }) => vars)).toEqual([
      { 'q;r': '1', s: '2;3' },
      { 'q, r; s': '1', t: '2' },
    ])
  })

  it.each([
    ...['__expected', '__expected1', ' __Expected2 ', '__threshold', '__config:__expected1:threshold'],
    ...[' __assert', '__Assert', 'q|__assert'],
  ])('of another tool that check something are refused: %s', async (name) => {
    const [issue] = await issuesOf(expand('tests: ["file://a.csv"]', { 'a.csv': `\nq,${name}\nv,contains:x\n` }))
    expect(issue).toMatchObject({
      severity: 'error',
      file: 'a.csv',
      path: 'line 2',
      message: expect.stringContaining(
        `the column \`${name.trim()}\` is not known, and what it checks would be lost: write assertions as a JSON array into a column \`__assert\``,
      ) as string,
    })
  })

  it('that look as if they had a meaning are vars, with a warning', async () => {
    const { tests, warnings } = await expand('tests: ["file://a.csv"]', {
      'a.csv': '__asert,__prefix,assert,q,expected\n1,2,3,4,5\n',
    })
    expect(tests[0]?.vars).toEqual({ __asert: '1', __prefix: '2', assert: '3', q: '4', expected: '5' })
    expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'line 1: the column `__asert` has no meaning, so it is a var; did you mean `__assert`?',
      'line 1: the column `__prefix` has no meaning, so it is a var; assertions are in a column `__assert`',
      'line 1: the column `assert` has no meaning, so it is a var; did you mean `__assert`?',
    ])
  })

  it('with a threshold that is no number lead to a warning', async () => {
    const { warnings } = await expand('tests: ["file://a.csv"]', { 'a.csv': 'q;threshold\nv;0,5\nw;\n' })
    expect(warnings).toMatchObject([
      { path: 'line 2, column threshold', message: 'is not a number, so the test has no threshold: "0,5"' },
    ])
  })

  const row = async (header: string, cells: string): Promise<unknown> => {
    const { tests } = await expand('tests: ["file://a.csv"]', { 'a.csv': `${header},q\n${cells},v\n` })
    const { source: _, ...test } = tests[0]!
    return test
  }
  const plain = { id: 'a/0', tags: [], vars: { q: 'v' }, assert: [] }

  it.each([
    ['id', '', { ...plain, id: '' }],
    ['id', ' x ', { ...plain, id: ' x ' }],
    ['description', '', { ...plain, description: '' }],
    ['tags', '" a ,, b"', { ...plain, tags: ['a', 'b'] }],
    ['threshold', '0.5', { ...plain, threshold: 0.5 }],
    ['threshold', '', plain],
    ['threshold', 'much', plain],
    ['cache_salt', '', { ...plain, cache_salt: '' }],
    ['cache_salt', 's', { ...plain, cache_salt: 's' }],
    ['expect_fail', '', plain],
    ['expect_fail', 'FALSE', plain],
    ['expect_fail', 'True', { ...plain, expect_fail: true }],
    ['expect_fail', 'known gap', { ...plain, expect_fail: 'known gap' }],
    ['__assert', '', plain],
    [
      '__assert',
      '"[{""type"":""is-json""}]"',
      { ...plain, assert: [{ kind: 'is-json', weight: 1, negate: false, fields: {} }] },
    ],
    ['__history', '', plain],
    ['__history', 'file://h.yaml', { ...plain, history: 'file://h.yaml' }],
    ['__history', '"[{""role"":""user"",""content"":""c""}]"', { ...plain, history: [{ role: 'user', content: 'c' }] }],
    [' id', 'x', { ...plain, vars: { ' id': 'x', q: 'v' } }],
    ['matrix', 'x', { ...plain, vars: { matrix: 'x', q: 'v' } }],
  ])('%s: %s', async (header, cells, expected) => expect(await row(header, cells)).toEqual(expected))
})

describe('globs', () => {
  const one = '[{}]'

  it('match files in the order of the bytes of their paths; * stays in a segment', async () => {
    const files = { 'c/b.json': one, 'c/é.json': one, 'c/B.json': one, 'c/d/a.json': one, 'c/x.txt': 'x' }
    expect((await expand('tests: ["file://c/*.json"]', files)).tests.map(({ id }) => id)).toEqual(['B/0', 'b/0', 'é/0'])
    expect((await expand('tests: ["file://c/**/*.json"]', files)).tests.map(({ source }) => source)).toEqual([
      'c/B.json [0]',
      'c/b.json [0]',
      'c/d/a.json [0]',
      'c/é.json [0]',
    ])
  })

  it('without a match are warned of, with their place', async () =>
    expect(await expand('tests: ["file://none/*.csv"]')).toMatchObject({
      tests: [],
      warnings: [{ path: 'tests[0]', message: 'no file matches file://none/*.csv', line: 3, column: 9 }],
    }))

  it.each([
    ['a.csv', 'id,q\n'],
    ['a.jsonl', '\n'],
    ['a.json', '{"tests": []}'],
    ['a.yaml', '[]'],
  ])('without tests are warned of: %s', async (name, text) =>
    expect(await expand(`tests: ["file://${name}"]`, { [name]: text })).toMatchObject({
      tests: [],
      warnings: [{ file: name, message: 'holds no tests' }],
    }),
  )

  it.each([
    ['an absolute path', 'file:///etc/*', 'tests[0]: /etc/* is an absolute path'],
    ['a drive', 'file://C:/x', 'tests[0]: C:/x is an absolute path'],
    ['..', 'file://a/../b', 'tests[0]: a/../b has a `..`'],
    [
      'no prefix',
      'cases/*.csv',
      'tests[0]: a text among the tests must start with `file://`, as in `file://cases/*.csv`',
    ],
  ])('are refused with %s', async (_, glob, message) =>
    expect((await errorsOf(expand(`tests: [${JSON.stringify(glob)}]`))).join('\n')).toContain(message),
  )
})

describe('the sandbox of files', () => {
  it('refuses links that lead out of the folder, and follows those inside', async () => {
    const outside = suiteFolder({ 'secret.txt': 's' })
    const folder = suiteFolder({ 'in.txt': 'inside' })
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out.txt'))
    symlinkSync('in.txt', join(folder, 'link.txt'))
    expect(await readSuiteFile(folder, 'file://link.txt')).toBe('inside')
    await expect(readSuiteFile(folder, 'out.txt')).rejects.toThrow('out.txt leads out of the folder of the suite')
  })

  it('names what is wrong with a file', async () => {
    const folder = suiteFolder({ 'a.txt': Uint8Array.of(0xff), 'd/x': '' })
    await expect(readSuiteFile(folder, 'no.txt')).rejects.toThrow('no.txt does not exist')
    await expect(readSuiteFile(folder, 'd')).rejects.toThrow('d is a folder')
    await expect(readSuiteFile(folder, 'a.txt')).rejects.toThrow('a.txt is not UTF-8 text')
    await expect(readSuiteFile(folder, '../x')).rejects.toThrow('has a `..`')
    await expect(readSuiteFile(folder, '')).rejects.toThrow('the path of a file is empty')
  })
})

describe('a matrix', () => {
  it('varies the first axis by name slowest, and overrides vars', async () => {
    const { tests } = await expand(
      'tests: [{id: greet, vars: {name: Ada, tone: x}, matrix: {tone: [warm, dry], lang: [en, de]}}]',
    )
    expect(tests.map(({ id }) => id)).toEqual([
      'greet[lang=en,tone=warm]',
      'greet[lang=en,tone=dry]',
      'greet[lang=de,tone=warm]',
      'greet[lang=de,tone=dry]',
    ])
    expect(tests[1]?.vars).toEqual({ name: 'Ada', tone: 'dry', lang: 'en' })
    expect(tests[0]).not.toHaveProperty('matrix')
  })

  it('writes values that are no texts as compact JSON', async () =>
    expect(await ids('tests: [{matrix: {a: [1, true, null, {b: [1]}]}}]')).toEqual([
      'inline/0[a=1]',
      'inline/0[a=true]',
      'inline/0[a=null]',
      'inline/0[a={"b":[1]}]',
    ]))

  it('renders matrix_id with the values of the axes alone', async () => {
    expect(await ids('tests: [{matrix_id: "m/{{ a }}", matrix: {a: [1, 2]}}]')).toEqual(['m/1', 'm/2'])
    expect((await errorsOf(expand('tests: [{vars: {v: 1}, matrix_id: "{{ v }}", matrix: {a: [1]}}]'))).join()).toMatch(
      /^tests\[0\]\.matrix_id: /,
    )
  })

  it('works in files, and not in generated tests', async () => {
    const test = '{"id":"x","matrix":{"a":[1,2]}}'
    expect(
      await ids(`tests:\n  - file://a.jsonl\n  - ${printing(`{"tests":[${test.replace('x', 'g')}]}`)}`, {
        'a.jsonl': test,
      }),
    ).toEqual(['x[a=1]', 'x[a=2]', 'g'])
  })

  it('is refused if it is far too large', async () =>
    expect(
      (await errorsOf(expand(`tests: [{matrix: {a: [${'1,'.repeat(1000)}1], b: [${'1,'.repeat(1000)}1]}}]`))).join(),
    ).toContain('tests[0].matrix: the matrix has 1002001 combinations'))
})

it('defaults join a test field by field', async () => {
  const { tests } = await expand(`defaults:
  vars: {a: {x: 1}, b: 1}
  tags: [one, two]
  assert: [{type: is-json}]
  threshold: 0.5
  cache_salt: d
  history: file://h.yaml
tests:
  - {id: bare}
  - {id: full, vars: {a: 2}, tags: [two, three], assert: [{type: length, max: 1}], threshold: 1, cache_salt: "", history: []}
`)
  expect(tests[0]).toMatchObject({
    vars: { a: { x: 1 }, b: 1 },
    threshold: 0.5,
    cache_salt: 'd',
    history: 'file://h.yaml',
  })
  expect(tests[1]).toMatchObject({ vars: { a: 2, b: 1 }, threshold: 1, cache_salt: '', history: [] })
  expect(tests.map(({ tags }) => tags)).toEqual([
    ['one', 'two'],
    ['two', 'three', 'one'],
  ])
  expect(tests[1]?.assert.map(({ kind }) => kind)).toEqual(['is-json', 'length'])
})

describe('$file', () => {
  const files = { 'd/a.json': '{"n":1}', 'd/b.yaml': 'n: 2', 'd/c.txt': 'three\n' }

  it('as a whole var is the content of the file', async () => {
    const { tests } = await expand(
      `tests:
  - vars:
      json: !file d/a.json
      yaml: {$file: d/b.yaml}
      text: {$file: d/c.txt, parse: null, raw: ~}
      unparsed: {$file: d/a.json, parse: false}
      raw: {$file: d/c.txt, raw: true}
      deep: {x: {$file: d/a.json}}
      literal: file://d/c.txt
`,
      files,
    )
    expect(tests[0]?.vars).toEqual({
      json: { n: 1 },
      yaml: { n: 2 },
      text: 'three\n',
      unparsed: '{"n":1}',
      raw: { $raw: 'three\n' },
      deep: { x: { $file: 'd/a.json' } },
      literal: 'file://d/c.txt',
    })
  })

  it('works in defaults, in files and in some fields of assertions', async () => {
    const { tests } = await expand(
      `defaults: {vars: {d: !file d/a.json}, assert: [{type: contains-json, schema: !file d/a.json}]}
tests:
  - assert:
      - {type: equals, value: !file d/a.json}
      - {type: tool-call, name: t, args: !file d/a.json, schema: !file d/b.yaml}
  - file://t.yaml
`,
      { ...files, 't.yaml': '- {vars: {v: !file d/c.txt}}' },
    )
    expect(tests[0]?.assert.map(({ fields }) => fields)).toEqual([
      { schema: { n: 1 } },
      { value: { n: 1 } },
      { name: 't', args: { n: 1 }, schema: { n: 2 } },
    ])
    expect(tests[1]?.vars).toEqual({ d: { n: 1 }, v: 'three\n' })
  })

  it.each([
    ['{$file: no.txt}', 'tests[0].vars: no.txt does not exist'],
    ['{$file: ../x}', '../x has a `..`'],
    ['{$file: 5}', 'v.$file: expected a string, got 5'],
    ['{$file: d/a.json, pars: true}', 'v.pars: unknown key `pars` in a file reference'],
    ['{$file: bad.json}', 'bad.json is not JSON'],
    ['{$file: bad.yaml}', 'bad.yaml:1:'],
  ])('%s is refused', async (value, message) =>
    expect(
      (
        await errorsOf(expand(`tests: [{vars: {v: ${value}}}]`, { ...files, 'bad.json': '{', 'bad.yaml': 'a: [' }))
      ).join(),
    ).toContain(message),
  )
})

describe('$digest: salts', () => {
  const files = { 'bot/a.txt': 'one\n', 'bot/b.txt': 'two\n', 'raw/a.txt': 'x' }
  const BOT = 'blake3:c30331dd367526ecd33ba6bc54b65bbb8cdaac0ab234fcc5aaeb8d2f6508b7dc'

  it('are the digest of the files that match, with the unrendered vars of the test', async () => {
    const { tests } = await expand(
      `defaults: {cache_salt: "$digest:bot/*"}
tests:
  - {}
  - {vars: {dir: !raw bot}, cache_salt: "$digest:{{ dir }}/*"}
  - {cache_salt: "plain {{ x }}"}
`,
      files,
    )
    expect(tests.map(({ cache_salt }) => cache_salt)).toEqual([BOT, BOT, 'plain {{ x }}'])
  })

  it.each([
    ['$digest:no/*', 'tests[0].cache_salt: no file matches `no/*`'],
    ['$digest:{{ env.X }}', 'tests[0].cache_salt: '],
    ['$digest:../*', 'has a `..`'],
  ])('%s is refused', async (salt, message) =>
    expect((await errorsOf(expand(`tests: [{cache_salt: ${JSON.stringify(salt)}}]`, files))).join()).toContain(message),
  )
})

describe('generators', () => {
  it('come last, in order, and their tests get the defaults', async () => {
    const { tests } = await expand(`defaults: {tags: [d]}
tests:
  - ${printing('{"tests":[{},{"id":"own"}]}')}
  - {id: inline}
  - ${printing(' \n{"id":"l1"}\n\n{"tags":["t"]}\n')}
`)
    expect(tests.map(({ id }) => id)).toEqual(['inline', 'node/0', 'own', 'l1', 'node/1'])
    expect(tests[4]?.tags).toEqual(['t', 'd'])
    expect(tests[4]?.source).toMatch(/^generator .*node -e [^]* \[1\]$/)
  })

  it('get the envelope, {} as default config, and only the passed variables', async () => {
    const script =
      'let s="";for await(const c of process.stdin)s+=c;console.log(JSON.stringify({tests:[{vars:{request:JSON.parse(s),env:process.env}}]}))'
    const { tests } = await expand(
      `tests: [{generator: {command: [${NODE}, --input-type=module, -e, ${JSON.stringify(script)}], pass_env: [KEY, UNSET]}}]`,
      {},
      { env: { PATH: process.env['PATH'], KEY: 'k', OTHER: 'o' } },
    )
    const { request, env } = tests[0]!.vars as { request: unknown; env: Record<string, string> }
    expect(request).toEqual({ service: { protocol: 1, kind: 'generate_tests' }, config: {} })
    expect(env).toMatchObject({ SERVICE_PROTOCOL: '1', KEY: 'k' })
    expect(env).not.toHaveProperty('OTHER')
  })

  it('print no secret into a test or a message', async () => {
    const secret = 'gen-canary-0123'
    const escaped = secret.replaceAll('-', String.raw`\u002d`)
    const printed = async (output: string): Promise<string> => {
      const source = printing(output).replace(']}}', '], pass_env: [GEN_KEY, LANG]}}')
      const env = { PATH: process.env['PATH'], GEN_KEY: secret, LANG: 'de_DE.UTF-8' }
      const work = expand(`tests: [${source}]`, {}, { env })
      const issues = await issuesOf(work)
      const { tests = [] } = issues.length > 0 ? {} : await work
      return JSON.stringify([tests.map(({ id, vars }) => ({ id, vars })), issues.map(({ message }) => message)])
    }
    for (const value of [secret, escaped])
      expect(await printed(`{"tests":[{"id":"${value}","vars":{"k":"${value}","l":"de_DE.UTF-8"}}]}`)).toBe(
        '[[{"id":"[redacted GEN_KEY]","vars":{"k":"[redacted GEN_KEY]","l":"de_DE.UTF-8"}}],[]]',
      )
    for (const output of [`${secret} is no JSON`, `{"tests":[{"${secret}":1}]}`, `{"tests":[{"${escaped}":1}]}`]) {
      const said = await printed(output)
      expect(said).toContain('redacted')
      expect(said).not.toContain('canary')
    }
  })

  it('are not run unless asked for', async () =>
    expect(await expand('tests: [{generator: {command: [node, gen.mjs]}}]', {}, { generators: false })).toMatchObject({
      tests: [],
      skippedGenerators: ['generator node gen.mjs'],
    }))

  it('without tests are listed', async () =>
    expect((await expand(`tests: [${printing('')}]`)).emptyGenerators).toHaveLength(1))

  it.each([
    ['does not start', '[./no-such-program]'],
    ['fails', `[${NODE}, -e, "process.exit(3)"]`],
    ['takes too long', `[${NODE}, -e, "setInterval(() => {}, 1000)"], timeout_ms: 200`],
  ])('that %s are a fault of the world', async (_, command) =>
    expect(await expand(`tests: [{generator: {command: ${command}}}]`).catch((error: unknown) => error)).toBeInstanceOf(
      HarnessError,
    ),
  )

  it.each([
    ['an object without tests', '{"id":"x"}', 'printed one object without the list `tests`; print `{"tests": [...]}`'],
    ['no JSON', 'hello', 'test 0 is not JSON'],
    ['an unknown field', '{"tests":[{"idd":1}]}', 'unknown key `idd` in a test'],
  ])('that print %s are a fault of the suite', async (_, output, message) =>
    expect((await issuesOf(expand(`tests: [${printing(output)}]`))).map((issue) => issue.message).join()).toContain(
      message,
    ),
  )
})
