import { deepStrictEqual as same } from 'node:assert/strict'
import { smallDocument } from '../documents/small-document.ts'

/** The URL of a server, and an admin token. */
export type Target = { readonly url: string; readonly token: string }

const CASES = 7
const FIRST_INSTANT = Date.UTC(2026, 4, 4)

type SpecResponse = { readonly status: number; readonly body: Record<string, unknown> }

const sendRequest = async (
  { url, token }: Target,
  method: string,
  path: string,
  body?: string,
): Promise<SpecResponse> => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} }
}

/**
 * Clients of a server that may be killed at any time. They remember the acknowledged writes and the pending ones, which
 * may or may not have happened, and compare every read path with them.
 */
export const acknowledgedWrites = () => {
  const acknowledgedState = new Map<string, 'stored' | 'deleted'>()
  const pending = new Set<string>()
  /** Runs whose state may have changed since the last comparison. */
  const touched = new Set<string>()
  let pinned: { readonly run_id: string; readonly sure: boolean } | null = null
  let runCount = 0

  /** Returns a word of a run that is no prefix of another run's word, because a search finds words by their prefix. */
  const wordOf = (id: string): string => `word${id}x`

  /** Returns a document that starts a second later than the previous one, because lists show the newest first. */
  const documentOf = (id: string): string =>
    smallDocument(id, { cases: CASES, word: wordOf(id), at: new Date(FIRST_INSTANT + runCount * 1000).toISOString() })

  const upload = async (target: Target, id: string): Promise<void> => {
    pending.add(id)
    touched.add(id)
    const { status } = await sendRequest(target, 'POST', '/runs', documentOf(id))
    if (status !== 201) return
    pending.delete(id)
    acknowledgedState.set(id, 'stored')
  }

  const remove = async (target: Target, id: string): Promise<void> => {
    pending.add(id)
    const { status } = await sendRequest(target, 'DELETE', `/runs/${id}`)
    if (status !== 204) return
    pending.delete(id)
    acknowledgedState.set(id, 'deleted')
  }

  const pin = async (target: Target, run_id: string): Promise<void> => {
    pinned = { run_id, sure: false }
    const { status } = await sendRequest(
      target,
      'PUT',
      '/projects/chat/suites/smoke/baseline',
      JSON.stringify({ run_id }),
    )
    if (status === 200) pinned = { run_id, sure: true }
  }

  /** Whether a run exists; throws unless every read path shows it fully, or not at all. */
  const isWhole = async (target: Target, id: string): Promise<boolean> => {
    const get = (path: string) => sendRequest(target, 'GET', path)
    const [detail, cases, matrix, hits, exported] = await Promise.all([
      get(`/runs/${id}`),
      get(`/runs/${id}/cases?limit=200`),
      get(`/runs/${id}/matrix`),
      get(`/search?q=${wordOf(id)}&limit=200`),
      get(`/runs/${id}/export`),
    ])
    const exists = detail.status === 200
    const status = exists ? 200 : 404
    const count = exists ? CASES : 0
    const countOf = (answer: SpecResponse, list: string): number => ((answer.body[list] ?? []) as unknown[]).length
    const hitCount = ((hits.body['cases'] ?? []) as Array<{ run_id: string }>).filter(
      ({ run_id }) => run_id === id,
    ).length
    same(
      {
        id,
        detail: detail.status,
        cases: cases.status,
        matrix: matrix.status,
        export: exported.status,
        rows: countOf(cases, 'cases'),
        wide: countOf(matrix, 'rows'),
        exported: countOf(exported, 'cases'),
        found: hitCount,
      },
      {
        id,
        detail: status,
        cases: status,
        matrix: status,
        export: status,
        rows: count,
        wide: count,
        exported: count,
        found: count,
      },
    )
    return exists
  }

  const compare = async (target: Target, ids: Iterable<string>): Promise<void> => {
    const { body } = await sendRequest(target, 'GET', '/runs?project=chat&suite=smoke&limit=200')
    const listed = new Set((body['runs'] as Array<{ id: string }>).map(({ id }) => id))
    const isAll = listed.size < 200
    for (const id of ids) {
      const exists = await isWhole(target, id)
      if (!pending.has(id)) same({ id, there: exists }, { id, there: acknowledgedState.get(id) === 'stored' })
      if (isAll) same({ id, listed: listed.has(id) }, { id, listed: exists })
    }
    const set = await sendRequest(target, 'GET', '/sets/chat/suites/smoke')
    // A suite without runs does not exist.
    const { run_count = 0, case_count = 0 } = set.body
    if (isAll) same({ runs: run_count, cases: case_count }, { runs: listed.size, cases: listed.size * CASES })
    if (pinned?.sure) same({ baseline: set.body['baseline_run_id'] }, { baseline: pinned.run_id })
  }

  return {
    /**
     * Uploads, deletes and pins in one of several concurrent lanes. Calls `onAcknowledged` after each round. Rejects
     * when the server no longer answers.
     */
    lane: async (target: Target, lane: number, onAcknowledged: () => void): Promise<never> => {
      for (;;) {
        const id = `l${lane}n${runCount++}`
        await upload(target, id)
        if (lane === 0) await remove(target, id)
        if (lane === 1) await pin(target, id)
        onAcknowledged()
      }
    },
    /** Compares the runs that may have changed since the last comparison. Throws at the first difference. */
    compareTouched: async (target: Target): Promise<void> => {
      await compare(target, touched)
      touched.clear()
    },
    /** Compares everything. Throws at the first difference. */
    compareAll: (target: Target): Promise<void> => compare(target, [...acknowledgedState.keys(), ...pending]),
    /** Returns the number of runs with an acknowledged write. */
    count: () => acknowledgedState.size,
  }
}
