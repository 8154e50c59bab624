import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, realDocuments, theExample } from '../../support/documents/documents.ts'

let clock = Date.UTC(2026, 4, 4, 9, 0, 44)
afterAll(() => spec.close())

const get = (path: string) => spec.sendAs('read')('GET', path)
const spec = await openApp({ now: () => clock })

describe('uploading a run', () => {
  it('returns 201 with id and link, and 200 with the same body for a duplicate', async () => {
    for (const status of [201, 200, 200]) {
      const answer = await spec.ingest(theExample())
      expect(answer.statusCode).toBe(status)
      expect(answer.json()).toEqual({ id: theExample().run_id, url: `http://localhost:80/runs/${theExample().run_id}` })
    }
  })

  it('makes it visible on every read path before the response', async () => {
    await spec.ingest(
      aDocument({ run_id: 'at-once', project: 'fresh', suite: 'now', cases: [aCase({ output: 'immediately' })] }),
    )
    expect((await get('/runs?project=fresh')).json()).toMatchObject({ runs: [{ id: 'at-once' }] })
    expect((await get('/search?q=immediately')).json()).toMatchObject({ cases: [{ run_id: 'at-once' }] })
    expect((await get('/sets/fresh')).json()).toMatchObject({ suites: [{ suite: 'now', run_count: 1 }] })
    expect((await get('/runs/at-once/matrix')).json()).toMatchObject({ rows: [{ test_id: 'greeting' }] })
  })

  it('recognizes identical content and keeps the first bytes, time and uploader', async () => {
    const first = aDocument({ run_id: 'same', git: { branch: 'main' } })
    expect((await spec.ingest(first)).statusCode).toBe(201)
    clock += 60_000
    const { summary, ...rest } = first
    for (const body of [
      JSON.stringify({ summary, ...rest }),
      JSON.stringify(first, null, 2),
      JSON.stringify({ ...first, unknown: { deep: [1] }, share_url: null, filters: {} }),
      JSON.stringify(first).replace('"score":1', '"score":1.0').replace('09:00:01Z', '09:00:01.000+00:00'),
    ]) {
      expect((await spec.ingest(body, { caller: 'admin' })).statusCode).toBe(200)
    }
    expect(
      (await spec.ingest(gzipSync(JSON.stringify(first)), { headers: { 'content-encoding': 'gzip' } })).statusCode,
    ).toBe(200)
    expect((await get('/runs/same/export')).body).toBe(JSON.stringify(first))
    expect((await get('/runs/same')).json()).toMatchObject({
      uploaded_at: '2026-05-04T09:00:44+00:00',
      uploaded_by: 'write',
    })
  })

  it('returns 409 with the id when another run has it', async () => {
    const first = aDocument({ run_id: 'clash', cases: [aCase(), aCase({ cell: { repeat: 1 } })] })
    expect((await spec.ingest(first)).statusCode).toBe(201)
    for (const other of [
      { ...first, suite: 'other' },
      { ...first, schema_version: 2 },
      { ...first, cases: first.cases.toReversed() },
      { ...first, project: null },
    ]) {
      const answer = await spec.ingest(other)
      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toEqual({
        error: expect.stringContaining('another run exists under this id') as string,
        id: 'clash',
      })
    }
    expect((await get('/runs/clash/export')).body).toBe(JSON.stringify(first))
  })

  it('labels the uploader by the scope of a static token', async () => {
    await spec.ingest(aDocument({ run_id: 'by-admin' }), { caller: 'admin' })
    expect((await get('/runs/by-admin')).json()).toMatchObject({ uploaded_by: 'admin' })
    expect((await get('/runs?actor=admin')).json()).toMatchObject({ runs: [{ id: 'by-admin' }] })
  })
})

describe('the link of an upload', () => {
  it('uses the forwarded protocol and the host of the request', async () => {
    const url = async (headers: Readonly<Record<string, string>>) =>
      (await spec.ingest(theExample(), { headers })).json<{ url: string }>().url
    expect(await url({ host: 'evals.example:8443' })).toBe(`http://evals.example:8443/runs/${theExample().run_id}`)
    expect(await url({ host: 'evals.example', 'x-forwarded-proto': 'https' })).toBe(
      `https://evals.example/runs/${theExample().run_id}`,
    )
    expect(await url({ host: 'evals.example', 'x-forwarded-host': 'other.example' })).toBe(
      `http://evals.example/runs/${theExample().run_id}`,
    )
  })

  it.each([
    ['javascript', 'http'],
    ['gopher', 'http'],
    ['https://evil.example/?', 'http'],
    ['', 'http'],
    ['httpss', 'http'],
    [' HTTPS ', 'https'],
    ['https, http', 'https'],
    ['http,https', 'http'],
  ])('is http or https for any forwarded protocol: %j', async (proto, scheme) => {
    const answer = await spec.ingest(theExample(), { headers: { host: 'evals.example', 'x-forwarded-proto': proto } })
    expect(answer.json()).toEqual({
      id: theExample().run_id,
      url: `${scheme}://evals.example/runs/${theExample().run_id}`,
    })
  })

  it('uses the configured public URL, whatever the request says', async () => {
    const own = await openApp({ publicUrl: 'https://evals.example' })
    const answer = await own.ingest(theExample(), { headers: { host: 'inner', 'x-forwarded-proto': 'gopher' } })
    expect(answer.json()).toEqual({ id: theExample().run_id, url: `https://evals.example/runs/${theExample().run_id}` })
    await own.close()
  })

  it('escapes ids of any characters', async () => {
    const answer = await spec.ingest(aDocument({ run_id: 'eval-1:2024/ä b?' }))
    expect(answer.json()).toEqual({
      id: 'eval-1:2024/ä b?',
      url: 'http://localhost:80/runs/eval-1:2024%2F%C3%A4%20b%3F',
    })
  })
})

describe('the checks of an upload', () => {
  const uploadError = async (body: string) => {
    const answer = await spec.ingest(body)
    return `${answer.statusCode} ${answer.json<{ error: string }>().error}`
  }

  it('accept both supported versions, with the newer statuses in both', async () => {
    for (const schema_version of [2, 3]) {
      const document = aDocument({
        run_id: `version-${schema_version}`,
        schema_version,
        cases: [aCase({ status: 'xfail' }), aCase({ cell: { repeat: 1 }, status: 'xpass' })],
      })
      expect((await spec.ingest(document)).statusCode).toBe(201)
      expect((await get(`/runs/version-${schema_version}`)).json()).toMatchObject({
        schema_version,
        xfail_count: 1,
        xpass_count: 1,
      })
    }
  })

  it('parse the text before the version, and the version before the shape', async () => {
    expect(await uploadError('{"schema_version":9,')).toMatch(/^400 invalid JSON body:/)
    expect(await uploadError('{"schema_version":9,"run_id":1}')).toMatch(/^422 schema_version 9/)
    expect(await uploadError('{"schema_version":3,"run_id":1}')).toMatch(/^422 invalid run document:/)
  })

  it('store nothing when they reject', async () => {
    const before = (await get('/runs?limit=200')).body
    await uploadError(
      JSON.stringify(
        aDocument({
          run_id: 'never',
          cases: [aCase(), { ...aCase({ cell: { repeat: 1 } }), score: 'x' as unknown as number }],
        }),
      ),
    )
    expect((await get('/runs?limit=200')).body).toBe(before)
    expect((await get('/runs/never')).statusCode).toBe(404)
  })
})

it('a run returns 404 for an unknown id, on every path below it', async () => {
  for (const path of [
    '',
    '/cases',
    '/matrix',
    '/export',
    '/config',
    '/compare/none',
    `/compare/${theExample().run_id}`,
  ]) {
    const answer = await get(`/runs/none${path}`)
    expect(answer.statusCode, path).toBe(404)
    expect(answer.json(), path).toEqual({ error: 'run not found' })
  }
  expect((await get(`/runs/${theExample().run_id}/compare/none`)).json()).toEqual({ error: 'run not found' })
  expect((await spec.sendAs('admin')('DELETE', '/runs/none')).json()).toEqual({ error: 'run not found' })
})

describe('the export of a run', () => {
  it('is the uploaded bytes, with unknown fields, spacing and odd numbers', async () => {
    const text =
      JSON.stringify(aDocument({ run_id: 'kept', config_snapshot: { big: 0 } })).replace(
        '"big":0',
        '"big": 9007199254740993, "tiny": 1e-400',
      ) + ' \n'
    expect((await spec.ingest(text.replace('{', '{ "unknown": [1.0, null],'))).statusCode).toBe(201)
    const answer = await get('/runs/kept/export')
    expect(answer.body).toBe(text.replace('{', '{ "unknown": [1.0, null],'))
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
  })

  it('is the decompressed upload, identical for every real document', async () => {
    for (const { name, bytes } of realDocuments()) {
      const { id } = (await spec.ingest(gzipSync(bytes), { headers: { 'content-encoding': 'gzip' } })).json<{
        id: string
      }>()
      expect((await get(`/runs/${encodeURIComponent(id)}/export`)).rawPayload.equals(bytes), name).toBe(true)
    }
  })

  it('can be longer than a stored frame', async () => {
    const long = JSON.stringify(aDocument({ run_id: 'long', config_snapshot: 'ü'.repeat(1_500_000) }))
    expect((await spec.ingest(long)).statusCode).toBe(201)
    expect((await get('/runs/long/export')).body).toBe(long)
  })
})

describe('the configuration of a run', () => {
  it('is its digest and its snapshot, whose numbers keep every digit', async () => {
    const text = JSON.stringify(
      aDocument({ run_id: 'configured', config_digest: 'blake3:1', config_snapshot: { seed: 0 } }),
    ).replace('"seed":0', '"seed":12345678901234567890')
    await spec.ingest(text)
    expect((await get('/runs/configured/config')).body).toBe(
      '{"run_id":"configured","config_digest":"blake3:1","config":{"seed":12345678901234567890}}',
    )
  })

  it('is exact when it is large', async () => {
    const config_snapshot = {
      seed: 'HERE',
      text: 'ü'.repeat(100_000),
      rows: Array.from({ length: 2_000 }, (_, i) => ({ i })),
    }
    const exact = JSON.stringify(config_snapshot).replace('"HERE"', '12345678901234567890')
    expect(
      (
        await spec.ingest(
          JSON.stringify(aDocument({ run_id: 'large-config', config_snapshot })).replace(
            '"HERE"',
            '12345678901234567890',
          ),
        )
      ).statusCode,
    ).toBe(201)
    expect((await get('/runs/large-config/config')).body).toBe(
      `{"run_id":"large-config","config_digest":null,"config":${exact}}`,
    )
  })

  it('is null when there is none, as is its digest', async () => {
    await spec.ingest(aDocument({ run_id: 'unconfigured' }))
    expect((await get('/runs/unconfigured/config')).json()).toEqual({
      run_id: 'unconfigured',
      config_digest: null,
      config: null,
    })
  })
})

it('a large case is returned whole, in whichever frames it is stored', async () => {
  const large = (repeat: number) =>
    aCase({
      cell: { repeat },
      output: `${repeat} ${'ü\u{1f600}'.repeat(40_000)}`,
      vars: { list: Array.from({ length: 1_000 }, (_, i) => i) },
    })
  const cases = [aCase({ cell: { test_id: 'small' } }), large(0), large(1), large(2)]
  expect((await spec.ingest(aDocument({ run_id: 'large-cases', cases }))).statusCode).toBe(201)
  for (const expected of cases) {
    const { cell, case_key, status, score, output, vars, asserts } = expected
    const answer = await get(`/runs/large-cases/cases/${case_key}`)
    expect(answer.headers['etag']).toMatch(/^"[\w-]+"$/)
    expect(answer.json()).toMatchObject({
      cell: { provider_id: cell.provider_id, test_id: cell.test_id },
      case_key,
      status,
      score,
      output,
      asserts,
      ...(vars === undefined ? {} : { vars }),
    })
  }
})

it('deleting a run removes it and its baseline from every read path, and frees its id', async () => {
  const deleted = aDocument({
    run_id: 'gone',
    project: 'gone',
    suite: 'gone',
    filters: { tags: ['gone'] },
    cases: [aCase({ output: 'vanishing' })],
  })
  await spec.ingest(deleted)
  const baseline = '/projects/gone/suites/gone/baseline'
  expect(
    (
      await spec.sendAs('write')('PUT', baseline, {
        headers: { 'content-type': 'application/json' },
        body: { run_id: 'gone' },
      })
    ).statusCode,
  ).toBe(200)
  expect((await spec.sendAs('admin')('DELETE', '/runs/gone')).statusCode).toBe(204)
  expect((await spec.sendAs('admin')('DELETE', '/runs/gone')).statusCode).toBe(404)
  for (const path of ['/runs?project=gone', '/runs?tag=gone', '/search?q=vanishing', '/search?q=gone'])
    expect((await get(path)).body, path).not.toContain('"gone"')
  for (const path of [
    '/runs/gone',
    '/runs/gone/export',
    '/runs/gone/cases',
    '/sets/gone',
    '/sets/gone/suites/gone',
    `/projects/gone/suites/gone/cases/${aCase().case_key}/history`,
  ])
    expect((await get(path)).statusCode, path).toBe(404)
  expect((await get('/projects/gone/suites')).json()).toEqual({ project: 'gone', suites: [] })
  expect((await spec.sendAs('write')('DELETE', baseline)).json()).toEqual({ error: 'baseline not found' })

  expect((await spec.ingest({ ...deleted, suite: 'reborn' })).statusCode).toBe(201)
  expect((await get('/runs/gone')).json()).toMatchObject({ suite: 'reborn' })
  expect((await get('/sets/gone/suites/reborn')).json()).toMatchObject({ baseline_run_id: null, run_count: 1 })
  expect((await get('/search?q=vanishing')).json()).toMatchObject({ cases: [{ run_id: 'gone', suite: 'reborn' }] })
})
