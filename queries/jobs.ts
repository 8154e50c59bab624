import type { Reader } from '../storage/storage.ts'
import type { CaseFilters } from './cases.ts'
import { findCase, listCases } from './cases.ts'
import { findComparison } from './compare.ts'
import { DocumentGone } from './documents.ts'
import type { DocumentReader } from './documents.ts'
import type { Cached } from './runs.ts'
import { searchAll } from './search.ts'
import type { Viewer } from './viewer.ts'

type Context = { readonly reader: Reader; readonly documents: DocumentReader; readonly viewer: Viewer }

/** The reads that can be long, by name: a reader thread runs them and answers finished JSON text, null for not found. */
export const jobs = {
  case: ({ reader, documents, viewer }: Context, { run_id, case_key }: { run_id: string; case_key: string }) => findCase(reader, documents, viewer, run_id, case_key),

  cases: async ({ reader, documents, viewer }: Context, { run_id, filters, ...page }: { run_id: string; filters: CaseFilters; limit: number; cursor?: string | undefined }) =>
    asText(await listCases(reader, documents, viewer, run_id, filters, page)),

  compare: async ({ reader, viewer }: Context, { base, head }: { base: string; head: string }) => asText(await findComparison(reader, viewer, base, head)),

  search: async ({ reader, documents, viewer }: Context, asked: { q: string; limit: number; cached?: Cached | undefined }) => asText(await searchAll(reader, documents, viewer, asked)),
}

export type JobName = keyof typeof jobs
export type JobArguments<N extends JobName> = Parameters<(typeof jobs)[N]>[1]

/** Runs a long read off the main thread. */
export type RunJob = <N extends JobName>(name: N, viewer: Viewer, args: JobArguments<N>) => Promise<string | Uint8Array | null>

/** Runs a job here. A document that goes while it is read is one that is not there. */
export const runJob = async (context: Context, name: JobName, args: never): Promise<string | null> => {
  try {
    return await (jobs[name] as (context: Context, args: never) => Promise<string | null>)(context, args)
  } catch (error) {
    if (error instanceof DocumentGone) return null
    throw error
  }
}

const asText = (body: unknown): string | null => (body === null ? null : JSON.stringify(body))
