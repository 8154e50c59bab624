import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storageLocation } from '../../runtime/storage-location.ts'
import { openSharedCache, type OpenSharedCache } from '../../runtime/cache/open-cache.ts'
import { NO_TARGETS } from '../../runtime/webhooks/addresses.ts'
import { buildApp } from '../../http/app.ts'
import { openPartStore } from '../../runtime/evidence/part-store.ts'
import { openDocsSite } from '../../http/docs-site.ts'
import { openPasswords } from '../../http/identity/passwords.ts'
import type { Services } from '../../http/services.ts'
import { findProjectSet } from '../../queries/sets/sets.ts'
import { CLI, SYSTEM } from '../../queries/access/viewer.ts'
import { caseKey } from '../../domain/run/case-key.ts'
import { aCase, aDocument, type ADocument } from '../support/documents/documents.ts'
import { PART_LIMITS } from '../support/servers/part-limits.ts'
import { openFreshService, type FreshService } from '../support/stores/open-fresh.ts'
import { wrapCalls } from '../support/wrap-calls.ts'

// Long work runs outside the main thread. How long the main thread may be blocked is measured by the soak test.

const jobs: string[] = []
const committed: Array<{ readonly name: string; readonly isBytes: boolean }> = []
let fresh: FreshService
let cache: OpenSharedCache
let app: FastifyInstance

const config: Services['config'] = {
  version: '1.2.3',
  authMode: 'open',
  tokens: [],
  publicUrl: null,
  cookieSecure: false,
  trustedProxies: [],
  secretKey: null,
  webhookTargets: NO_TARGETS,
  mail: null,
  sweepEmptyReasons: [],
  runMaxAgeDays: null,
  mcp: null,
  sso: null,
  proof: { checkpointAccess: 'admin', receipts: 'uploader' },
  parts: PART_LIMITS,
  cache: { max_entry_bytes: 1, max_bytes: 1, max_age_days: 1 },
}

beforeAll(async () => {
  fresh = await openFreshService()
  const { service } = fresh
  cache = await openSharedCache({ store: fresh.cacheStore, cacheGeneration: fresh.service.cacheGeneration })
  const services: Services = {
    ...service,
    sharedCache: cache.sharedCache,
    localCache: null,
    config,
    storage: storageLocation({ dataDir: fresh.dataDir, database: null }),
    passwords: openPasswords(),
    web: null,
    docs: openDocsSite(),
    logger: pino({ level: 'silent' }),
    retain: () => Promise.reject(new Error('not asked for')),
    signer: null,
    webhooks: null,
    partStore: openPartStore({ ...service, partsFolder: null }, PART_LIMITS),
    longReads: wrapCalls(service.longReads, ({ name, run }) => {
      jobs.push(name)
      return run()
    }),
    commit: wrapCalls(service.commit, ({ name, args: [, args], run }) => {
      committed.push({ name, isBytes: (args as { body?: unknown }).body instanceof Uint8Array })
      return run()
    }),
  }
  app = await buildApp(services)
  for (const document of [small, large, wide]) expect((await post(document)).statusCode).toBe(201)
})
afterAll(async () => {
  await app.close()
  await cache.close()
  await fresh.close()
})

const cases = (count: number, providers: number) =>
  Array.from({ length: count }, (_, n) => {
    const cell = {
      provider_id: `provider-${n % providers}`,
      prompt_id: 'terse',
      test_id: `test-${Math.floor(n / providers)}`,
      repeat: 0,
    }
    return aCase({ cell, case_key: caseKey(cell) })
  })
const small = aDocument({ run_id: 'small' })
const large = aDocument({
  run_id: 'large',
  config_snapshot: { text: 'x'.repeat(200_000) },
  cases: [aCase({ output: 'y'.repeat(200_000) })],
})
const wide = aDocument({ run_id: 'wide', cases: cases(6000, 300) })

const post = (document: ADocument) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/runs',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })

/** Returns the jobs that a request ran in reader threads. */
const jobsOf = async (path: string): Promise<string[]> => {
  jobs.length = 0
  const { statusCode } = await app.inject({ method: 'GET', url: `/api/v1${path}` })
  expect(statusCode, path).toBe(200)
  return [...jobs]
}

describe('the main thread', () => {
  it('passes a document on as bytes, without parsing it', () =>
    expect(committed).toEqual(['ingestRun', 'ingestRun', 'ingestRun'].map((name) => ({ name, isBytes: true }))))

  it.each([
    ['search', '/search?q=hello'],
    ['compare', '/runs/small/compare/large'],
    ['cases', '/runs/small/cases?q=hello'],
  ])('leaves a %s to a reader thread, whatever its size', async (name, path) =>
    expect(await jobsOf(path)).toEqual([name]),
  )

  it('leaves browsing the cache to a reader thread', async () => {
    expect(await jobsOf('/cache/entries?q=hello')).toEqual(['cacheEntries'])
    expect(await jobsOf('/cache/facets')).toEqual(['cacheFacets'])
    expect(await jobsOf(`/cache/entries/sha256:${'0'.repeat(64)}/runs`)).toEqual(['cacheRuns'])
  })

  it.each([
    ['case', `/runs/large/cases/${aCase().case_key}`],
    ['config', '/runs/large/config'],
    ['matrix', '/runs/wide/matrix?limit=500'],
    ['cases', '/runs/wide/cases?status=pass'],
  ])('leaves a large %s to a reader thread too', async (name, path) => expect(await jobsOf(path)).toEqual([name]))

  it('does short work itself', async () => {
    const paths = [
      `/runs/small/cases/${aCase().case_key}`,
      '/runs/small/config',
      '/runs/small/matrix',
      '/runs/small/cases?status=pass',
      '/runs?limit=200',
      '/projects',
      '/sets/chat/suites/smoke',
    ]
    for (const path of paths) expect(await jobsOf(path), path).toEqual([])
  })

  it('leaves a list of many sets to a reader thread; hidden sets do not count', async () => {
    const paths = {
      projects: '/projects',
      suites: '/projects/many/suites',
      projectSets: '/sets',
      projectSet: '/sets/many',
    }
    const upload = async (n: number) =>
      expect(
        (await post(aDocument({ run_id: `many-${n}`, project: 'many', suite: `suite-${n}`, cases: [] }))).statusCode,
      ).toBe(201)
    // Together with the existing set, this is the maximum that is still listed in the main thread.
    for (let n = 1; n < 200; n++) await upload(n)
    for (const path of Object.values(paths)) expect(await jobsOf(path), path).toEqual([])
    for (const n of [200, 201]) await upload(n)
    for (const [name, path] of Object.entries(paths)) expect(await jobsOf(path), path).toEqual([name])
    const { body } = await app.inject('/api/v1/sets/many')
    expect(body).toBe(JSON.stringify(await findProjectSet(fresh.service.reader, CLI, 'many')))

    await fresh.service.commit.restrictSet(SYSTEM, { project: 'many', suite: null })
    for (const path of [paths.projects, paths.suites, paths.projectSets]) expect(await jobsOf(path), path).toEqual([])
  })
})
