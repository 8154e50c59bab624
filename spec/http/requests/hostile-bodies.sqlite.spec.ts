import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { caseKey } from '../../../domain/run/case-key.ts'
import { MAX_DEPTH, MAX_VALUES } from '../../../domain/run/scan.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const get = (path: string) => spec.sendAs(null)('GET', path)
const jsonOf = async <T>(path: string): Promise<T> => (await get(path)).json<T>()

/** The JSON of a document whose only case has this JSON text as its output. */
const documentWith = (run_id: string, output: string): string =>
  JSON.stringify(aDocument({ run_id, cases: [aCase({ output: '@' })] })).replace('"@"', () => output)
const casePath = (run_id: string): string => `/runs/${run_id}/cases/${aCase().case_key}`
const spec = await openApp({ mode: 'open' })

describe('a body with deep nesting or many values', () => {
  it.each([
    ['a depth of a million', '['.repeat(1e6) + ']'.repeat(1e6)],
    ['a depth of a million objects', '{"a":'.repeat(1e6) + '1' + '}'.repeat(1e6)],
    ['a depth of a million in a case', documentWith('deep', '['.repeat(1e6) + ']'.repeat(1e6))],
    ['one level too many', documentWith('deep', '['.repeat(MAX_DEPTH - 2) + ']'.repeat(MAX_DEPTH - 2))],
    ['ten million keys', `{${'"a":1,'.repeat(1e7)}"a":1}`],
    ['one value too many', `[${'{},'.repeat(MAX_VALUES - 1)}{}]`],
  ])('is rejected with 422 at %s, and nothing is stored', async (_, body) => {
    const answer = await spec.ingest(Buffer.from(body), { caller: null })
    expect(answer.statusCode).toBe(422)
    expect(answer.json<{ error: string }>().error).toMatch(/nested deeper than|values/)
    expect((await get('/runs/deep')).statusCode).toBe(404)
  })

  it('is returned unchanged at the maximum depth', async () => {
    const output = '['.repeat(MAX_DEPTH - 3) + ']'.repeat(MAX_DEPTH - 3)
    const body = documentWith('deepest', output)
    expect((await spec.ingest(body, { caller: null })).statusCode).toBe(201)
    expect((await get('/runs/deepest/export')).body).toBe(body)
    expect((await get(casePath('deepest'))).body).toContain(`"output":${output}`)
  })
})

describe('unusual JSON', () => {
  it.each([
    ['a repeated key', '{"a":1,"a":2}', '{"a":2}'],
    [
      'keys of the prototype',
      '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"hasOwnProperty":1,"toJSON":1}',
    ],
    ['a lone surrogate', '{"\\ud800":"\\udc00 \\ud83d"}'],
    ['NUL', '["\\u0000","a\\u0000b"]'],
    ['minus zero', '[-0,-0.0,0]'],
    ['numbers beyond a double', '[1e400,-1e400,1e-400]'],
    ['whole numbers beyond 2^53', '[9007199254740993,-9007199254740993,18446744073709551615]'],
    ['more digits than a double has', '[0.30000000000000004441,3.14159265358979323846264338327950288]'],
    ['keys that look like numbers', '{"9":1,"10":2,"-1":3,"1e1":4}'],
    ['every white space', '[ 1,\t2,\n3,\r\n4 ]', '[1,2,3,4]'],
  ])(
    'with %s is exported as uploaded, has the same value in the case, and is a duplicate when uploaded again',
    async (name, output, expectedOutput = output) => {
      const run_id = `odd-${name.replaceAll(/[^a-z0-9]+/g, '-')}`
      const body = documentWith(run_id, output)
      expect((await spec.ingest(body, { caller: null })).statusCode).toBe(201)
      expect((await get(`/runs/${run_id}/export`)).body).toBe(body)
      expect((await get(casePath(run_id))).body).toContain(`"output":${expectedOutput}`)
      expect((await spec.ingest(body, { caller: null })).statusCode).toBe(200)
      // The same content in other bytes: differences that JSON ignores do not make another run.
      expect(
        (await spec.ingest(body.replace('{"schema_version"', '{ "schema_version"'), { caller: null })).statusCode,
      ).toBe(200)
      expect(
        (
          await spec.ingest(
            body.replace(output, () => '"other"'),
            { caller: null },
          )
        ).statusCode,
      ).toBe(409)
    },
  )

  it('cannot change the prototype of objects', async () => {
    await spec.ingest(
      documentWith('proto', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      {
        caller: null,
      },
    )
    await spec.ingest(`{"__proto__":{"polluted":1},${JSON.stringify(aDocument({ run_id: 'proto-2' })).slice(1)}`, {
      caller: null,
    })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'names of object properties such as %s work like other names, on every read path',
  async (name) => {
    const cell = { provider_id: name, prompt_id: name, test_id: name, repeat: 0 }
    const document = (run_id: string, status: 'pass' | 'fail') =>
      aDocument({
        run_id,
        project: name,
        suite: name,
        filters: { tags: [name] },
        git: { branch: name, commit: name, dirty: false },
        origin: { actor: name },
        cases: [aCase({ cell, case_key: caseKey(cell), status, name, tags: [name], empty_reason: name })],
      })
    const path = `/projects/${name}/suites/${name}`
    for (const [run_id, status] of [
      [name, 'pass'],
      [`${name}-2`, 'fail'],
    ] as const)
      expect((await spec.ingest(document(run_id, status), { caller: null })).statusCode).toBe(201)

    expect(await jsonOf(`/runs/${name}`)).toMatchObject({ id: name, project: name, suite: name })
    for (const filter of ['project', 'suite', 'branch', 'actor', 'tag'])
      expect((await jsonOf<{ runs: unknown[] }>(`/runs?${filter}=${name}`)).runs, filter).toHaveLength(2)
    expect((await jsonOf<{ cases: unknown[] }>(`/runs/${name}/cases?limit=10`)).cases).toHaveLength(1)
    expect(await jsonOf(`/runs/${name}/cases/${caseKey(cell)}`)).toMatchObject({ case_key: caseKey(cell) })
    expect((await jsonOf<{ rows: unknown[] }>(`/runs/${name}/matrix`)).rows).toHaveLength(1)
    expect(await jsonOf(`/runs/${name}/compare/${name}-2`)).toMatchObject({ summary: { newly_failing: 1 } })
    expect(await jsonOf(`/sets/${name}/suites/${name}`)).toMatchObject({ run_count: 2, case_count: 2 })
    expect(
      (await jsonOf<{ cases: unknown[] }>(`/search?q=${name.replaceAll('_', '')}`)).cases.length,
    ).toBeGreaterThanOrEqual(2)
    expect(
      (
        await spec.sendAs(null)('PUT', `${path}/baseline`, {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ run_id: name }),
        })
      ).statusCode,
    ).toBe(200)
    expect((await get(`/runs/${name}/export`)).body).toBe(JSON.stringify(document(name, 'pass')))
    expect((await spec.sendAs(null)('DELETE', `/runs/${name}`)).statusCode).toBe(204)
  },
)

describe('a compressed body', () => {
  const smallBody = () => Buffer.from(JSON.stringify(aDocument({ run_id: `packed-${Math.random()}` })))
  const send = (body: Buffer, encoding: string) =>
    spec.ingest(body, { caller: null, headers: { 'content-encoding': encoding } })

  it('is decompressed only once: with a compressed body inside, it is rejected because that is not JSON', async () =>
    expect((await send(gzipSync(gzipSync(Buffer.alloc(32 * 1024 * 1024))), 'gzip')).statusCode).toBe(400))

  it('is rejected with 400 when truncated anywhere or with a wrong checksum', async () => {
    const whole = gzipSync(smallBody())
    for (let end = 0; end < whole.length; end += 37)
      expect((await send(whole.subarray(0, end), 'gzip')).statusCode, `${end} of ${whole.length}`).toBe(400)
    const altered = Buffer.from(whole)
    altered[altered.length - 5] = (altered[altered.length - 5] ?? 0) ^ 1
    expect((await send(altered, 'gzip')).statusCode).toBe(400)
    const checked = deflateSync(smallBody())
    checked[checked.length - 1] = (checked[checked.length - 1] ?? 0) ^ 1
    expect((await send(checked, 'deflate')).statusCode).toBe(400)
  })
})

it('a large document of exactly 64 MiB is returned byte for byte', async () => {
  const maxBytes = 64 * 1024 * 1024
  const frame = documentWith('large', '"@"')
  const body = Buffer.from(frame.replace('"@"', () => `"${'x'.repeat(maxBytes - frame.length + 1)}"`))
  expect(body.length).toBe(maxBytes)
  expect((await spec.ingest(Buffer.concat([body, Buffer.from(' ')]), { caller: null })).statusCode).toBe(413)
  expect((await spec.ingest(body, { caller: null })).statusCode).toBe(201)
  expect((await get('/runs/large/export')).rawPayload.equals(body)).toBe(true)
})
