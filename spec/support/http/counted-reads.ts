import { expect } from 'vitest'
import type { Services } from '../../../http/services.ts'
import type { OpenService } from '../../../runtime/services.ts'
import type { Reader } from '../../../storage/storage.ts'
import { aCase, aDocument } from '../documents/documents.ts'
import { openApp, type SpecApp } from '../servers/app.ts'
import { wrapCalls } from '../wrap-calls.ts'

const KEY = aCase().case_key
/** A time that stands still, so that no response is out of date before it is asked for again. */
const NOW = Date.UTC(2026, 4, 5)

/** The reads of an app so far. A spec can delay or fail the reads, and delay their results. */
export type CountedReads = { reads: number; before: () => Promise<void> | void; after: () => Promise<void> | void }

const countingReader = (reader: Reader, state: CountedReads): Reader => ({
  dialect: reader.dialect,
  read: async (query) => {
    if (query.token) state.reads++
    await state.before()
    const row = await reader.read(query)
    await state.after()
    return row
  },
  readAll: async (queries) => {
    state.reads++
    await state.before()
    return reader.readAll(queries)
  },
})

/**
 * Opens an app in open mode with a few runs, and counts its reads. A request to its cache is reported after it joined a
 * pending response, if there is one.
 */
export const openCountedApp = async (
  onCacheCall: () => void = () => {},
): Promise<{ spec: SpecApp; reads: CountedReads }> => {
  const reads: CountedReads = { reads: 0, before: () => {}, after: () => {} }
  const parts = ({ reader, cache, longReads }: OpenService): Partial<Services> => {
    const answer: typeof cache.answer = (...args) => {
      const response = cache.answer(...args)
      onCacheCall()
      return response
    }
    // A read in a reader thread counts as one.
    const countingLongReads = wrapCalls(longReads, ({ run }) => {
      reads.reads++
      return run()
    })
    return { reader: countingReader(reader, reads), cache: { ...cache, answer }, longReads: countingLongReads }
  }
  const spec = await openApp({ mode: 'open', now: () => NOW, parts })
  for (const [run_id, project, suite] of [
    ['a', 'chat', 'smoke'],
    ['b', 'chat', 'full'],
    ['c', 'other', 'smoke'],
    ['d', null, 'smoke'],
    ['e', 'chat', null],
  ] as const)
    await spec.ingest(aDocument({ run_id, project, suite, cases: [aCase({ output: 'needle' })] }))
  return { spec, reads }
}

/** Requests to the counted app that is open when they are sent. */
export const countedRequests = (opened: () => { readonly spec: SpecApp; readonly reads: CountedReads }) => {
  const get = (path: string, token: string | null = null, headers: Readonly<Record<string, string>> = {}) =>
    opened().spec.sendWithToken(token)('GET', path, { headers })
  /** Returns whether a path is answered without a read. */
  const isWarm = async (path: string, token: string | null = null): Promise<boolean> => {
    const { reads } = opened()
    const before = reads.reads
    expect((await get(path, token)).statusCode, path).toBe(200)
    return reads.reads === before
  }

  return { get, isWarm }
}

/** Paths of cached responses, by name. */
export const PATHS: Readonly<Record<string, string>> = {
  list: '/runs',
  'list of a project': '/runs?project=chat',
  'list of a suite': '/runs?project=chat&suite=smoke',
  'list of suites of one name': '/runs?suite=smoke',
  'run a': '/runs/a',
  'run b': '/runs/b',
  'run a in its suite': '/runs/a/in-suite',
  'run before a': '/runs/a/previous',
  overview: '/overview',
  'cases of a': '/runs/a/cases',
  'case of a': `/runs/a/cases/${KEY}`,
  'case of a in its suite': `/runs/a/cases/${KEY}/in-suite`,
  'matrix of a': '/runs/a/matrix',
  'configuration of a': '/runs/a/config',
  projects: '/projects',
  'suites of chat': '/projects/chat/suites',
  'suites of other': '/projects/other/suites',
  sets: '/sets',
  'set of chat': '/sets/chat',
  'set of other': '/sets/other',
  'set of smoke': '/sets/chat/suites/smoke',
  'set of full': '/sets/chat/suites/full',
  'history in smoke': `/projects/chat/suites/smoke/cases/${KEY}/history`,
  'history in full': `/projects/chat/suites/full/cases/${KEY}/history`,
  'timeline in smoke': `/projects/chat/suites/smoke/cases/${KEY}/timeline`,
}
