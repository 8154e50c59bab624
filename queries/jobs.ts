import { hash } from 'node:crypto'
import type { CacheFilters } from '../engine/cache-listing.ts'
import type { Reader } from '../storage/storage.ts'
import { findCacheEntry } from './cache-entry.ts'
import { listCacheFacets } from './cache-facets.ts'
import type { CacheOrder } from './cache-item.ts'
import { listCacheEntries } from './cache-list.ts'
import { listCacheRuns } from './cache-runs.ts'
import type { CaseFilters } from './cases.ts'
import { findCaseInRun, listCases, readPlacedCase } from './cases.ts'
import { findComparison } from './compare.ts'
import { findConfig } from './config.ts'
import { findDistribution } from './distribution.ts'
import { goneAsNull } from './documents.ts'
import type { DocumentReader } from './documents.ts'
import { findMatrix } from './matrix.ts'
import type { Cached } from './runs.ts'
import { searchAll } from './search.ts'
import { findProjectSet, listProjects, listProjectSets, listSuites } from './sets.ts'
import type { Viewer } from './viewer.ts'

type Context = {
  readonly reader: Reader
  readonly cache: Reader
  readonly documents: DocumentReader
  readonly viewer: Viewer
}

/** The reads that can be long, by name: a reader thread runs them and answers finished JSON text, null for not found. */
export const jobs = {
  case: async ({ reader, documents, viewer }: Context, { run_id, case_key }: { run_id: string; case_key: string }) => {
    const place = await findCaseInRun(reader, viewer, run_id, case_key)
    return place && readPlacedCase(documents, place)
  },

  cases: async ({ reader, documents, viewer }: Context, { run_id, filters, ...page }: { run_id: string; filters: CaseFilters; limit: number; cursor?: string | undefined }) =>
    asText(await listCases(reader, documents, viewer, run_id, filters, page)),

  config: ({ reader, viewer }: Context, { run_id }: { run_id: string }) => findConfig(reader, viewer, run_id),

  distribution: async ({ reader, viewer }: Context, { run_id }: { run_id: string }) => asText(await findDistribution(reader, viewer, run_id)),

  matrix: ({ reader, viewer }: Context, { run_id, ...page }: { run_id: string; limit: number; cursor?: string | undefined }) => findMatrix(reader, viewer, run_id, page),

  compare: async ({ reader, viewer }: Context, { base, head }: { base: string; head: string }) => asText(await findComparison(reader, viewer, base, head)),

  cacheEntries: async ({ cache }: Context, { filters, order, ...page }: { filters: CacheFilters; order: CacheOrder; limit: number; cursor?: string | undefined }) =>
    asText(await listCacheEntries(cache, filters, order, page)),

  cacheEntry: async ({ cache }: Context, asked: { key: string; raw: boolean }) => asText(await findCacheEntry(cache, asked)),

  cacheFacets: async ({ cache }: Context, _: Record<never, never>) => asText(await listCacheFacets(cache)),

  cacheRuns: async ({ reader, viewer }: Context, { key, ...page }: { key: string; limit: number; cursor?: string | undefined }) => asText(await listCacheRuns(reader, viewer, key, page)),

  search: async ({ reader, documents, viewer }: Context, asked: { q: string; limit: number; cached?: Cached | undefined }) => asText(await searchAll(reader, documents, viewer, asked)),

  projects: async ({ reader, viewer }: Context, _: Record<never, never>) => asText(await reader.read(listProjects(viewer))),

  projectSets: async ({ reader, viewer }: Context, _: Record<never, never>) => asText(await listProjectSets(reader, viewer)),

  projectSet: async ({ reader, viewer }: Context, { project }: { project: string }) => asText(await findProjectSet(reader, viewer, project)),

  suites: async ({ reader, viewer }: Context, { project }: { project: string }) => asText(await listSuites(reader, viewer, project)),
}

export type JobName = keyof typeof jobs
export type JobArguments<N extends JobName> = Parameters<(typeof jobs)[N]>[1]

/** A finished answer: JSON text, with its ETag where the thread that made it hashed it too. */
export type JobAnswer = { readonly body: string | Uint8Array; readonly etag: string | null }

/** Runs a long read off the main thread; one that is aborted before it began is not begun. */
export type RunJob = <N extends JobName>(name: N, viewer: Viewer, args: JobArguments<N>, signal?: AbortSignal) => Promise<JobAnswer | null>

/** A strong ETag: of the body's bytes, so that no number betrays what the viewer cannot see. */
export const etagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url')}"`

/** Runs a job here. */
export const runJob = (context: Context, name: JobName, args: never): Promise<string | null> =>
  (jobs[name] as (context: Context, args: never) => Promise<string | null>)(context, args).catch(goneAsNull)

const asText = (body: unknown): string | null => (body === null ? null : JSON.stringify(body))
