import { afterAll, beforeEach, expect, it } from 'vitest'
import type { LongReadName, LongReads } from '../../../queries/long-reads.ts'
import { runInSteps, type RunStep } from '../../../runtime/reads/in-steps.ts'
import { refuseOverBudget } from '../../../runtime/reads/over-budget.ts'
import { OverBudget } from '../../../storage/errors.ts'
import { admin, member } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

let now = 0
/** The reads that were tried. */
let tried: LongReadName[] = []
let longReads: LongReads
const tooMuch: RunStep = (name) => {
  tried.push(name)
  return name === 'matrixOrder' || name === 'agentTool'
    ? Promise.reject(new OverBudget('the read took too long'))
    : Promise.resolve(null)
}
afterAll(() => spec.close())
beforeEach(async () => {
  tried = []
  now += 24 * 60 * 60 * 1000
  await spec.sendAs('admin')('DELETE', '/runs/r')
  await spec.ingest(aDocument({ run_id: 'r' }))
})

const page = (query: string) => spec.sendAs('read')('GET', `/runs/r/matrix/rows${query}`)
const spec = await openApp({
  parts: ({ reader }) => {
    longReads = runInSteps(refuseOverBudget(reader, tooMuch, { now: () => now }))
    return { longReads }
  },
})

it('refuses a read of a run that took too much, without trying it again, and says why', async () => {
  for (const query of ['', '?limit=1', '?sort=worst']) {
    const answer = await page(query)
    expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'the read took too long' }])
  }
  expect(tried).toEqual(['matrixOrder'])
})

it('tries it again after ten minutes, because the machine may only have been busy', async () => {
  await page('')
  now += 10 * 60 * 1000 - 1
  await page('')
  expect(tried).toHaveLength(1)
  now += 2
  await page('')
  expect(tried).toHaveLength(2)
})

it('tries it again if another document has the id of the run', async () => {
  await page('')
  await spec.sendAs('admin')('DELETE', '/runs/r')
  await spec.ingest(aDocument({ run_id: 'r', cases: [aCase({ output: 'another' })] }))
  await page('')
  expect(tried).toHaveLength(2)
})

it('tries other reads, and other arguments', async () => {
  await spec.ingest(aDocument({ run_id: 'other' }))
  await page('')
  await longReads.distribution(member, { run_id: 'r' })
  await expect(longReads.matrixOrder(member, { run_id: 'other' })).rejects.toThrow(OverBudget)
  expect(tried).toEqual(['matrixOrder', 'distribution', 'matrixOrder'])
})

it('knows the run of a tool call, and remembers no read that names none', async () => {
  const call = (name: string, given: object) =>
    expect(
      longReads.agentTool(member, { name, given, public_url: null, server: null, cache: null, now: 0 }),
    ).rejects.toThrow(OverBudget)
  await call('get_run', { run_id: 'r' })
  await call('get_run', { run_id: 'r' })
  expect(tried).toHaveLength(1)
  await spec.ingest(aDocument({ run_id: 'other' }))
  await call('compare_runs', { base_run_id: 'r', head_run_id: 'other' })
  await call('compare_runs', { base_run_id: 'r', head_run_id: 'other' })
  expect(tried).toHaveLength(2)
  await call('find_runs', {})
  await call('find_runs', {})
  expect(tried).toHaveLength(4)
})

it('gives a viewer who may not see the run the answer of an unknown run', async () => {
  await expect(longReads.matrixOrder(admin, { run_id: 'r' })).rejects.toThrow(OverBudget)
  await spec.restrict('chat', 'smoke')
  // The read itself decides what this viewer gets: it was tried, and not refused.
  await expect(longReads.matrixOrder(member, { run_id: 'r' })).rejects.toThrow(OverBudget)
  expect(tried).toHaveLength(2)
  expect((await page('')).statusCode).toBe(404)
  await spec.lift('chat', 'smoke')
})

it('tries it for a viewer who sees other runs, because it may compare with them', async () => {
  await expect(longReads.matrixOrder(admin, { run_id: 'r' })).rejects.toThrow(OverBudget)
  await expect(longReads.matrixOrder(member, { run_id: 'r' })).rejects.toThrow(OverBudget)
  expect(tried).toHaveLength(1)
  await spec.restrict('hidden', 'from-members')
  await expect(longReads.matrixOrder(member, { run_id: 'r' })).rejects.toThrow(OverBudget)
  expect(tried).toHaveLength(2)
  await spec.lift('hidden', 'from-members')
})
