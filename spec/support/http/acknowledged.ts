import { deepStrictEqual as same } from 'node:assert/strict'
import { smallDocument } from '../documents/small-document.ts'

/** Where a server answers, and the token of an admin. */
export type Target = { readonly url: string; readonly token: string }

const CASES = 7
const FIRST = Date.UTC(2026, 4, 4)

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

const ask = async ({ url, token }: Target, method: string, path: string, body?: string): Promise<Answer> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} }
}

/**
 * Clients of a server that may be killed at any moment. It keeps account of what was acknowledged and of what was under
 * way, which may have happened or not, and compares every read path with that account.
 */
export const acknowledged = () => {
  const known = new Map<string, 'stored' | 'deleted'>()
  const unsure = new Set<string>()
  /** Those whose state may have changed since the last comparison. */
  const touched = new Set<string>()
  let pinned: { readonly run_id: string; readonly sure: boolean } | null = null
  let made = 0

  /** A word that begins no other run's: a search finds words by their beginnings. */
  const wordOf = (id: string): string => `word${id}x`

  /** The n-th document, each a second later than the one before: lists show the newest first. */
  const documentOf = (id: string): string =>
    smallDocument(id, { cases: CASES, word: wordOf(id), at: new Date(FIRST + made * 1000).toISOString() })

  const upload = async (target: Target, id: string): Promise<void> => {
    unsure.add(id)
    touched.add(id)
    const { status } = await ask(target, 'POST', '/runs', documentOf(id))
    if (status !== 201) return
    unsure.delete(id)
    known.set(id, 'stored')
  }

  const remove = async (target: Target, id: string): Promise<void> => {
    unsure.add(id)
    const { status } = await ask(target, 'DELETE', `/runs/${id}`)
    if (status !== 204) return
    unsure.delete(id)
    known.set(id, 'deleted')
  }

  const pin = async (target: Target, run_id: string): Promise<void> => {
    pinned = { run_id, sure: false }
    const { status } = await ask(target, 'PUT', '/projects/chat/suites/smoke/baseline', JSON.stringify({ run_id }))
    if (status === 200) pinned = { run_id, sure: true }
  }

  /** Everything about one run, in every read path: all there, or all gone. */
  const isWhole = async (target: Target, id: string): Promise<boolean> => {
    const get = (path: string) => ask(target, 'GET', path)
    const [detail, cases, matrix, hits, exported] = await Promise.all([
      get(`/runs/${id}`),
      get(`/runs/${id}/cases?limit=200`),
      get(`/runs/${id}/matrix`),
      get(`/search?q=${wordOf(id)}&limit=200`),
      get(`/runs/${id}/export`),
    ])
    const there = detail.status === 200
    const status = there ? 200 : 404
    const count = there ? CASES : 0
    const countOf = (answer: Answer, list: string): number => ((answer.body[list] ?? []) as unknown[]).length
    const found = ((hits.body['cases'] ?? []) as Array<{ run_id: string }>).filter(({ run_id }) => run_id === id).length
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
        found,
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
    return there
  }

  const compare = async (target: Target, ids: Iterable<string>): Promise<void> => {
    const { body } = await ask(target, 'GET', '/runs?project=chat&suite=smoke&limit=200')
    const listed = new Set((body['runs'] as Array<{ id: string }>).map(({ id }) => id))
    const isAll = listed.size < 200
    for (const id of ids) {
      const there = await isWhole(target, id)
      if (!unsure.has(id)) same({ id, there }, { id, there: known.get(id) === 'stored' })
      if (isAll) same({ id, listed: listed.has(id) }, { id, listed: there })
    }
    const set = await ask(target, 'GET', '/sets/chat/suites/smoke')
    // A suite without runs is not there.
    const { run_count = 0, case_count = 0 } = set.body
    if (isAll) same({ runs: run_count, cases: case_count }, { runs: listed.size, cases: listed.size * CASES })
    if (pinned?.sure) same({ baseline: set.body['baseline_run_id'] }, { baseline: pinned.run_id })
  }

  return {
    /**
     * Uploads, deletes and pins in one of several lanes until the server goes; `onAcknowledged` is told after each
     * round.
     */
    lane: async (target: Target, lane: number, onAcknowledged: () => void): Promise<never> => {
      for (;;) {
        const id = `l${lane}n${made++}`
        await upload(target, id)
        if (lane === 0) await remove(target, id)
        if (lane === 1) await pin(target, id)
        onAcknowledged()
      }
    },
    /** Compares what was touched since the last time. Throws on the first difference. */
    compareTouched: async (target: Target): Promise<void> => {
      await compare(target, touched)
      touched.clear()
    },
    /** Compares everything. Throws on the first difference. */
    compareAll: (target: Target): Promise<void> => compare(target, [...known.keys(), ...unsure]),
    /** Writes that were acknowledged so far. */
    count: () => known.size,
  }
}
