import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../../engine/json.ts'
import { baselineReference, checkBaselineReference, resolveBaseline } from '../../../engine/store/baseline.ts'
import type { BaselineServer } from '../../../engine/store/baseline.ts'
import { runStore } from '../../../engine/store/run-store.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'ers-baseline-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const store = () => runStore({ directory, writer: '7', warn: () => {} })
/** An id whose time is the given number of seconds. */
const id = (seconds: number): string => {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const time = Array.from({ length: 10 }, (_, place) => digits[Math.floor((seconds * 1000) / 32 ** (9 - place)) % 32])
  return `${time.join('')}${'0'.repeat(16)}`
}
const onBranch = (branch: string) => ({ git: { branch, dirty: false } })
const run = engineRun(id(1000), [engineCase('a')], onBranch('topic'))

const find = (reference: string, server: BaselineServer | null = null) =>
  resolveBaseline(reference, { run, store: store(), server })
const service = (found: RunDocument | null): BaselineServer => ({
  run: async () => found,
  pinned: async () => found,
  onBranch: async () => found,
})

describe('baselineReference', () => {
  it.each([
    ['none', 'main', true, null],
    ['latest', 'main', true, 'latest'],
    [undefined, 'main', true, 'server:branch:main'],
    [undefined, 'main', false, 'branch:main'],
    [undefined, undefined, true, null],
  ] as const)('for --against %j and the branch %j of the suite', (given, branch, hasServer, expected) =>
    expect(
      baselineReference(given, { project: 'p', suite: 's', ...(branch && { baseline: { branch } }) }, hasServer),
    ).toBe(expected),
  )
  it.each([{ project: 'p' }, { suite: 's' }, {}])('is local for a suite of %j, which no service knows', (names) =>
    expect(baselineReference(undefined, { ...names, baseline: { branch: 'main' } }, true)).toBe('branch:main'),
  )
})

describe('checkBaselineReference', () => {
  it.each(['server:', 'server:other', 'server:branch:', 'branch:', ''])('rejects %j', (reference) =>
    expect(() => checkBaselineReference(reference)).toThrow(UsageError),
  )
  it.each(['none', 'latest', 'server:baseline', 'server:branch:a/b', 'branch:main', 'some/file.json'])(
    'accepts %j',
    (reference) => expect(() => checkBaselineReference(reference)).not.toThrow(),
  )
})

describe('resolveBaseline', () => {
  it('compares with nothing', async () => expect(await find('none')).toEqual({ kind: 'none' }))

  it('takes the newest other run of the same suite', async () => {
    await store().write(engineRun(id(100), []))
    await store().write(engineRun(id(200), []))
    await store().write(engineRun(id(300), [], { suite: 'other' }))
    await store().write(run)
    expect(await find('latest')).toMatchObject({ kind: 'found', run: { run_id: id(200) } })
  })

  it('merges the newest result of each case on a branch', async () => {
    await store().write(engineRun(id(100), [engineCase('a', { output: 'old' }), engineCase('b')], onBranch('main')))
    await store().write(
      engineRun(id(200), [engineCase('a', { output: 'new' }), engineCase('c', { status: 'fail' })], onBranch('main')),
    )
    await store().write(engineRun(id(300), [engineCase('d')], onBranch('topic')))
    await store().write(run)
    const baseline = await find('branch:main')
    expect(baseline).toMatchObject({
      kind: 'found',
      run: { run_id: `composite-main-${id(200)}`, summary: { total: 3, passed: 2, failed: 1 } },
    })
    const cases = baseline.kind === 'found' ? baseline.run.cases : []
    expect(cases.map(({ cell, output }) => [cell.test_id, output])).toEqual([
      ['a', 'new'],
      ['c', 'an answer to c'],
      ['b', 'an answer to b'],
    ])
  })

  it('takes no run that was interrupted', async () => {
    await store().write(engineRun(id(100), [], onBranch('main')))
    await store().writePartial(engineRun(id(200), [], onBranch('main')))
    await store().write(run)
    expect(await find('latest')).toMatchObject({ run: { run_id: id(100) } })
    expect(await find('branch:main')).toMatchObject({ run: { run_id: `composite-main-${id(100)}` } })
  })

  it('merges at most twenty runs', async () => {
    for (let n = 1; n <= 21; n++) await store().write(engineRun(id(n), [engineCase(`case ${n}`)], onBranch('main')))
    const baseline = await find('branch:main')
    const names = baseline.kind === 'found' ? baseline.run.cases.map(({ cell }) => cell.test_id) : []
    expect(names).toHaveLength(20)
    expect(names).not.toContain('case 1')
  })

  it('is absent where there is no such run yet', async () => {
    await store().write(run)
    for (const reference of ['latest', 'branch:topic']) expect(await find(reference)).toMatchObject({ kind: 'absent' })
    for (const reference of ['server:baseline', 'server:branch:main'])
      expect(await find(reference, service(null))).toMatchObject({ kind: 'absent' })
  })

  it('is a run of the service where none of this id is stored here', async () => {
    const shared = engineRun(id(5), [])
    expect(await find(id(5), service(shared))).toEqual({ kind: 'found', run: shared })
    await store().write(run)
    expect(await find(run.run_id, service(shared))).toMatchObject({ kind: 'found', run: { run_id: run.run_id } })
    expect(await find(id(5), service(null))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('the service has no such run') as string,
    })
    expect(await find(id(5))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('give --server-url or SERVICE_SERVER_URL') as string,
    })
    // A path is no id.
    expect(await find('a/b', service(shared))).toMatchObject({ kind: 'failed' })
  })

  it('fails where the reference cannot be used', async () => {
    expect(await find('nowhere.json')).toMatchObject({ kind: 'failed' })
    expect(await find('server:baseline')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('SERVICE_SERVER_URL') as string,
    })
    const broken = { ...service(null), pinned: () => Promise.reject(new Error('no connection')) }
    expect(await find('server:baseline', broken)).toEqual({
      kind: 'failed',
      reason: 'the baseline server:baseline cannot be read: no connection',
    })
    await store().write(engineRun(id(1), [], { suite: 'other' }))
    expect(await find(id(1))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('support-desk/other, not of support-desk/refunds') as string,
    })
  })

  it('takes what the service has', async () => {
    const pinned = engineRun(id(5), [])
    expect(await find('server:baseline', service(pinned))).toEqual({ kind: 'found', run: pinned })
    expect(await find('server:branch:main', service(pinned))).toEqual({ kind: 'found', run: pinned })
  })
})
