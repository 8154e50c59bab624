import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyLog } from '../../cli/verify-log.ts'
import { startServer } from '../support/server.ts'
import type { RunningServer } from '../support/server.ts'
import { smallDocument } from '../support/small-document.ts'

const CYCLES = 10
const CASES = 7

type Known = { status: 'stored' | 'deleted' }

/** What was acknowledged, and what was under way when the server died: that may have happened or not. */
const acknowledged = new Map<string, Known>()
const unsure = new Set<string>()
let pinned: { run_id: string; sure: boolean } | null = null

const headers = ({ token }: RunningServer) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

const upload = async (server: RunningServer, id: string): Promise<void> => {
  unsure.add(id)
  const answer = await fetch(`${server.url}/api/v1/runs`, { method: 'POST', headers: headers(server), body: smallDocument(id, { cases: CASES, word: `word${id}` }) })
  await answer.text()
  if (answer.status !== 201) return
  unsure.delete(id)
  acknowledged.set(id, { status: 'stored' })
}

const remove = async (server: RunningServer, id: string): Promise<void> => {
  unsure.add(id)
  const answer = await fetch(`${server.url}/api/v1/runs/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${server.token}` } })
  if (answer.status !== 204) return
  unsure.delete(id)
  acknowledged.set(id, { status: 'deleted' })
}

const pin = async (server: RunningServer, run_id: string): Promise<void> => {
  pinned = { run_id, sure: false }
  const answer = await fetch(`${server.url}/api/v1/projects/chat/suites/smoke/baseline`, { method: 'PUT', headers: headers(server), body: JSON.stringify({ run_id }) })
  await answer.text()
  if (answer.status === 200) pinned = { run_id, sure: true }
}

const get = async (server: RunningServer, path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fetch(`${server.url}/api/v1${path}`, { headers: headers(server) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Everything about one run, in every read path: all there, or all gone. */
const isWhole = async (server: RunningServer, id: string): Promise<boolean> => {
  const detail = await get(server, `/runs/${id}`)
  const [cases, matrix, hits, history, list] = await Promise.all([
    get(server, `/runs/${id}/cases?limit=200`),
    get(server, `/runs/${id}/matrix`),
    get(server, `/search?q=word${id}&limit=200`),
    get(server, `/runs/${id}/export`),
    get(server, `/runs?limit=200`),
  ])
  const there = detail.status === 200
  const found = (hits.body['cases'] as Array<{ run_id: string }>).filter(({ run_id }) => run_id === id).length
  expect({ id, cases: cases.status, matrix: matrix.status, export: history.status }).toEqual({ id, cases: detail.status, matrix: detail.status, export: detail.status })
  expect({ id, found }).toEqual({ id, found: there ? CASES : 0 })
  if (there) {
    expect(cases.body['cases']).toHaveLength(CASES)
    expect(matrix.body['rows']).toHaveLength(CASES)
    expect((list.body['runs'] as Array<{ id: string }>).some((run) => run.id === id)).toBe(true)
  }
  return there
}

describe('a server killed at random moments', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-kill-'))
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  it(
    `keeps every acknowledged write whole over ${CYCLES} kills under concurrent uploads, deletes and pins`,
    async () => {
      let made = 0
      for (let cycle = 0; cycle < CYCLES; cycle++) {
        const server = await startServer({ dataDir })
        // The end comes after a number of acknowledged writes that differs each time, at whatever the others are doing then.
        let left = 3 + ((cycle * 7) % 11)
        const died = Promise.withResolvers<void>()
        const client = async (lane: number): Promise<void> => {
          for (;;) {
            const id = `c${cycle}l${lane}n${made++}`
            await upload(server, id)
            if (lane === 0) await remove(server, id)
            if (lane === 1) await pin(server, id)
            if (--left === 0) died.resolve(server.kill())
          }
        }
        // Each lane ends with the connection error that the kill gives it.
        await Promise.allSettled([...Array.from({ length: 4 }, (_, lane) => client(lane)), died.promise])

        const { finding } = await verifyLog(join(dataDir, 'service.db'), null)
        expect(finding).toBeNull()
      }

      const server = await startServer({ dataDir })
      for (const [id, { status }] of acknowledged) if (!unsure.has(id)) expect({ id, there: await isWhole(server, id) }).toEqual({ id, there: status === 'stored' })
      for (const id of unsure) await isWhole(server, id)

      const { body } = await get(server, '/sets/chat/suites/smoke')
      const listed = await get(server, '/runs?limit=200')
      const runs = listed.body['runs'] as Array<{ id: string }>
      expect(body['run_count']).toBe(runs.length)
      expect(body['case_count']).toBe(runs.length * CASES)
      if (pinned?.sure) expect(body['baseline_run_id']).toBe(pinned.run_id)
      expect(await server.stop({ keep: true })).toBe(0)

      const { finding } = await verifyLog(join(dataDir, 'service.db'), null)
      expect(finding).toBeNull()
      expect(acknowledged.size).toBeGreaterThan(CYCLES)
    },
    180_000,
  )
})
