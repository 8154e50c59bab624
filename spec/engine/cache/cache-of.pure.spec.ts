import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cacheDirectory, openSuiteCache } from '../../../engine/cache/cache-of.ts'
import type { CacheSpec, LoadedSuite } from '../../../engine/suite/suite.ts'
import { quickFolder } from '../../support/quick-folder.ts'
import { enginePorts, manualClock } from '../../support/vendors/engine-ports.ts'

const HEX = `ab${'0'.repeat(62)}`
const KEY = `sha256:${HEX}`
const BYTES = Buffer.from('{"output":1}')
const BUCKET = { bucket: 'evals', force_path_style: true }

let directory: string
let server: Server
let url: string
let requests: string[]
let warnings: string[]
beforeEach(async () => {
  directory = mkdtempSync(join(quickFolder(), 'ers-cache-of-'))
  requests = []
  warnings = []
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization?.slice(0, 24)}`)
    request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 404).end())
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  rmSync(directory, { recursive: true })
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const loaded = (backend: CacheSpec['backend'], s3?: NonNullable<CacheSpec['s3']>): LoadedSuite => ({
  file: 'suite.yaml',
  directory,
  suite: {
    version: 1,
    providers: [],
    prompts: [],
    tools: [],
    tests: [],
    runner: {
      concurrency: 1,
      retries: { max: 0, initial_ms: 0, max_ms: 0, jitter: false, retry_after_max_ms: 0 },
      short_circuit: true,
      skip_on_empty_reason: [],
      refusal_patterns: [],
      fallback_on_empty_reason: [],
    },
    cache: { backend, ...(s3 === undefined ? {} : { s3 }), store_empty_outputs: 'never', grader: true },
  },
  snapshot: {},
  warnings: [],
})
const AWS = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', HOME: '/nonexistent' }
const open = (suite: LoadedSuite, serverUrl: string | undefined = url, env: Readonly<Record<string, string>> = AWS) =>
  openSuiteCache(suite, {
    ports: enginePorts(env),
    serverUrl,
    token: 'tok',
    warn: (message) => void warnings.push(message),
  })

describe('the cache of a suite', () => {
  it('is a directory next to the suite file', async () => {
    await open(loaded('disk')).put(KEY, BYTES)
    expect(existsSync(join(directory, '.service/cache/ab', `${HEX}.json`))).toBe(true)
    expect(requests).toEqual([])
  })
  it.each(['layered', 'http'] as const)('of the backend %s is shared through the service', async (backend) => {
    const cache = open(loaded(backend, backend === 'http' ? BUCKET : undefined))
    expect(await cache.get(KEY)).toBeNull()
    expect(await cache.put(KEY, BYTES)).toBe(true)
    expect(requests).toEqual([`GET /api/v1/cache/${KEY} Bearer tok`, `PUT /api/v1/cache/${KEY} Bearer tok`])
    expect(await open(loaded('disk')).get(KEY)).toEqual(BYTES)
  })
  it.each(['layered', 's3'] as const)('of the backend %s is shared through a bucket', async (backend) => {
    const cache = open(loaded(backend, { ...BUCKET, endpoint: url, prefix: '/team/' }))
    await cache.get(KEY)
    expect(requests).toEqual([`GET /evals/team/v1/ab/sha256%3A${HEX}.json AWS4-HMAC-SHA256 Credent`])
  })
  it.each([
    ['layered', 'no service is configured'],
    ['http', 'no service is configured'],
    ['s3', 'cache.s3 is not set'],
  ] as const)('of the backend %s is local alone if the shared one is not configured', async (backend, reason) => {
    const cache = openSuiteCache(loaded(backend), {
      ports: enginePorts(),
      warn: (message) => void warnings.push(message),
    })
    await cache.put(KEY, BYTES)
    expect(await open(loaded('disk')).get(KEY)).toEqual(BYTES)
    expect(warnings).toEqual([expect.stringContaining(reason)])
  })
  it('works without the shared one, with one warning', async () => {
    const cache = open(loaded('layered'), 'http://127.0.0.1:1')
    expect(await cache.get(KEY)).toBeNull()
    expect(await cache.put(KEY, BYTES)).toBe(true)
    expect(await cache.get(KEY)).toEqual(BYTES)
    expect(warnings).toHaveLength(1)
  })
  it('does not wait for a shared one that hangs', async () => {
    const clock = manualClock()
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    server.removeAllListeners('request').on('request', () => resolve())
    const ports = enginePorts({}, clock)
    const cache = openSuiteCache(loaded('layered'), {
      ports,
      serverUrl: url,
      warn: (message) => void warnings.push(message),
    })
    const reading = cache.get(KEY)
    await asked
    clock.advance(30_000)
    expect(await reading).toBeNull()
    expect(warnings).toEqual([expect.stringContaining('no answer within 30 seconds')])
  })
  it('stops waiting for the shared one with the run', async () => {
    const stop = new AbortController()
    server.removeAllListeners('request').on('request', () => stop.abort(new Error('the run ends')))
    await expect(open(loaded('layered')).get(KEY, stop.signal)).rejects.toThrow('the run ends')
    expect(warnings).toEqual([])
  })
  it('in a bucket without credentials is local alone, with one warning', async () => {
    const cache = open(loaded('s3', BUCKET), url, { HOME: '/nonexistent' })
    expect(await cache.put(KEY, BYTES)).toBe(true)
    expect(await cache.get(KEY)).toEqual(BYTES)
    expect(warnings).toEqual([expect.stringContaining('AWS_ACCESS_KEY_ID')])
  })
  it('is local alone where the run uses none', async () => {
    const ports = enginePorts({ HOME: '/nonexistent' })
    const warn = (message: string) => void warnings.push(message)
    await openSuiteCache(loaded('s3', BUCKET), { ports, isShared: false, warn }).put(KEY, BYTES)
    expect([...requests, ...warnings]).toEqual([])
  })
})

it.each([
  ['/a', '/b', '/a'],
  [undefined, '/b', '/b'],
  ['', '', '/suite/.service/cache'],
  [undefined, undefined, '/suite/.service/cache'],
])('the directory of the cache with --cache-dir %s and SERVICE_CACHE_DIR %s is %s', (cacheDir, variable, expected) =>
  expect(cacheDirectory('/suite', { cacheDir, ports: { env: { SERVICE_CACHE_DIR: variable } } })).toBe(expected),
)
