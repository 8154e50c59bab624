import { describe, expect, it } from 'vitest'
import { expireRuns } from '../../../runtime/background/expire-runs.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { json } from '../../support/access/access-requests.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../support/documents/parts.ts'
import { appOpener } from '../../support/servers/opening-apps.ts'
import type { SpecApp } from '../../support/servers/app.ts'

const open = appOpener()
const timeAt = (second: number): string => new Date(Date.UTC(2026, 4, 4, 9, 0, second)).toISOString()
const BEFORE = Date.parse(timeAt(30))

type ARun = { readonly project?: string | null; readonly suite?: string | null; readonly branch?: string | null }

/** Ingests a run that started and finished at this second. */
const ingest = async (
  spec: SpecApp,
  run_id: string,
  second: number,
  { project = 'chat', suite = 'smoke', branch = null }: ARun = {},
): Promise<void> => {
  const document = aDocument({
    run_id,
    project,
    suite,
    started_at: timeAt(second),
    finished_at: timeAt(second),
    ...(branch === null ? {} : { git: { branch } }),
  })
  expect((await spec.ingest(document)).statusCode).toBe(201)
}

const ids = (spec: SpecApp): Promise<unknown[]> => spec.column('SELECT id FROM runs ORDER BY id')
const expire = ({ service }: SpecApp, before = BEFORE): Promise<number> =>
  expireRuns(service, { before, signal: new AbortController().signal })

describe('runs beyond the maximum age', () => {
  it('are deleted, each with an event whose actor is the service', async () => {
    const spec = await open()
    await ingest(spec, 'old', 1)
    await ingest(spec, 'older', 0)
    await ingest(spec, 'new', 40)
    expect(await expire(spec)).toBe(2)
    expect(await ids(spec)).toEqual(['new'])
    expect(
      (
        await spec.column(
          "SELECT b.body FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE e.type = 'RunDeleted' ORDER BY e.seq",
        )
      ).map((body) => JSON.parse(String(body)) as unknown),
    ).toMatchObject([
      { actor: { kind: 'system' }, stream: 'run/older', data: { cause: 'retention' } },
      { actor: { kind: 'system' }, stream: 'run/old', data: { cause: 'retention' } },
    ])
    expect((await spec.sendAs('read')('GET', '/runs/old')).statusCode).toBe(404)
  })

  it('keep all their parts under a hold, also when they shall be deleted and erased; those of others go', async () => {
    const spec = await open()
    const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
    const [small, large] = [noise(100, 1), noise(300_000, 2)]
    const parts = new Map([
      ['held', [small, large]],
      ['free', [noise(300_000, 3)]],
    ] as const)
    for (const [run_id, ofRun] of parts) {
      await ingest(spec, run_id, 1)
      const evidence = await sendEvidence(
        write,
        ofRun.map((bytes) => ({ bytes, role: 'original' })),
      )
      expect((await attach(write, run_id, evidence)).statusCode).toBe(201)
    }
    await ingest(spec, 'new', 40)
    const hold = { run_id: 'held', project: null, suite: null, reference: 'case-1', note: null }
    await spec.service.commit.placeHold(SYSTEM, { hold_id: 'h', ...hold })
    expect(await expire(spec)).toBe(1)
    expect((await admin('DELETE', '/runs/held')).statusCode).toBe(409)
    const erasure = { headers: json, body: JSON.stringify({ reference: 'case-1', run_id: 'held' }) }
    expect((await admin('POST', '/erasures', erasure)).statusCode).toBe(409)
    await spec.services.partStore.sweep(AbortSignal.timeout(60_000))
    for (const bytes of [small, large]) {
      const { rawPayload } = await write('GET', `/runs/held/parts/${digestOf(bytes)}`)
      expect(rawPayload.equals(bytes)).toBe(true)
    }
    expect(await spec.column('SELECT state FROM objects')).toEqual(['stored'])
    await spec.service.commit.liftHold(SYSTEM, { hold_id: 'h', reference: 'case-1' })
    expect(await expire(spec)).toBe(1)
    await spec.services.partStore.sweep(AbortSignal.timeout(60_000))
    expect(await spec.column('SELECT object_id FROM objects')).toEqual([])
  })

  it('are retained at exactly that age', async () => {
    const spec = await open()
    await ingest(spec, 'limit', 30)
    await ingest(spec, 'new', 40)
    expect(await expire(spec)).toBe(0)
  })

  it('are retained if they are pinned as baselines', async () => {
    const spec = await open()
    await ingest(spec, 'pinned', 0)
    await ingest(spec, 'new', 40)
    await spec.service.commit.pinBaseline(SYSTEM, { project: 'chat', suite: 'smoke', run_id: 'pinned' })
    expect(await expire(spec)).toBe(0)
  })

  it('are retained if they are the newest of their project, suite and branch (any may be missing)', async () => {
    const spec = await open()
    const groups: ARun[] = [
      {},
      { branch: 'main' },
      { branch: '' },
      { suite: null },
      { suite: null, branch: 'main' },
      { project: null },
      { project: null, suite: null },
      { project: 'other' },
      { suite: 'full' },
    ]
    for (const [i, group] of groups.entries()) {
      await ingest(spec, `${i} newest`, 2, group)
      await ingest(spec, `${i} older`, 1, group)
    }
    expect(await expire(spec)).toBe(groups.length)
    expect(await ids(spec)).toEqual(groups.map((_, i) => `${i} newest`))
  })

  it('are retained if they share the newest instant of their group', async () => {
    const spec = await open()
    for (const id of ['one', 'two']) await ingest(spec, id, 2)
    await ingest(spec, 'older', 1)
    expect(await expire(spec)).toBe(1)
    expect(await ids(spec)).toEqual(['one', 'two'])
  })

  it('are all found, even over several pages', async () => {
    const spec = await open()
    // All at one instant: the runs to delete, and as many that are retained, each as the only run of its branch.
    await Promise.all(Array.from({ length: 110 }, (_, i) => ingest(spec, `stays ${i}`, 5, { branch: `branch-${i}` })))
    await Promise.all(Array.from({ length: 110 }, (_, i) => ingest(spec, `goes ${i}`, 5)))
    await ingest(spec, 'new', 40)
    expect(await expire(spec)).toBe(110)
    expect(await ids(spec)).toHaveLength(111)
  })

  it('are deleted once by two concurrent expiries', async () => {
    const spec = await open()
    for (let i = 0; i < 20; i++) await ingest(spec, `old ${i}`, i)
    await ingest(spec, 'new', 40)
    const [one, two] = await Promise.all([expire(spec), expire(spec)])
    expect(one + two).toBe(20)
    expect(await spec.column("SELECT count(*) FROM events WHERE type = 'RunDeleted'")).toEqual([20])
  })

  it('are retained after an abort', async () => {
    const spec = await open()
    await ingest(spec, 'old', 0)
    await ingest(spec, 'new', 40)
    expect(await expireRuns(spec.service, { before: BEFORE, signal: AbortSignal.abort() })).toBe(0)
    expect(await ids(spec)).toEqual(['new', 'old'])
  })

  it('are checked one by one, with a turn of the event loop between two checks', async () => {
    const spec = await open()
    for (let i = 0; i < 20; i++) await ingest(spec, `stays ${i}`, 5, { branch: `branch-${i}` })
    let loopTurns = 0
    const checkedAt: number[] = []
    const counting = {
      ...spec.service.reader,
      readAll: ((queries) => (
        checkedAt.push(loopTurns),
        spec.service.reader.readAll(queries)
      )) as typeof spec.service.reader.readAll,
    }
    let isOver = false
    const countTurns = (): void => void (isOver || (loopTurns++, setImmediate(countTurns)))
    setImmediate(countTurns)
    await expireRuns(
      { ...spec.service, reader: counting },
      { before: BEFORE, signal: new AbortController().signal },
    ).finally(() => (isOver = true))
    expect(checkedAt).toHaveLength(20)
    expect(new Set(checkedAt).size).toBe(20)
  })

  it('do not exist if the limit is the smallest possible instant', async () => {
    const spec = await open()
    await ingest(spec, 'old', 0)
    await ingest(spec, 'new', 40)
    expect(await expire(spec, Number.MIN_SAFE_INTEGER)).toBe(0)
  })
})
