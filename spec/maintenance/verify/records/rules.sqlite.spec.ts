import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { holdLifted, holdPlaced } from '../../../../commands/hold/events.ts'
import { planRegistered, planWithdrawn } from '../../../../commands/plan/events.ts'
import { verifyLog } from '../../../../maintenance/verify/log.ts'
import type { NewEvent } from '../../../../storage/command.ts'
import { event, streamOf } from '../../../../storage/log/event.ts'
import { framesOf, insertFrames, SMALL_FRAMES } from '../../../../storage/documents/frames.ts'
import { createHash } from 'node:crypto'
import { record } from '../../../support/proof/tampered-store.ts'
import { freshFolder, migrate, onFile, putCopy } from '../../../support/stores/store.ts'

afterAll(() => folder.remove())
beforeEach(() => putCopy(`${file}.empty`, file))

const DOCUMENT = Buffer.from('{}')
const SHA256 = createHash('sha256').update(DOCUMENT).digest('hex')

const ingest = (run_no: number, more: object = {}): NewEvent => ({
  ...event(streamOf('run', `run-${run_no}`), 'RunIngested', {
    case_count: 0,
    content_hash: SHA256,
    document_bytes: DOCUMENT.length,
    document_sha256: SHA256,
    hash_version: 1,
    project: 'chat',
    run_no,
    suite: 'smoke',
    ...more,
  }),
  statements: [insertFrames(run_no, framesOf(DOCUMENT, SMALL_FRAMES))],
})
const deleteRun = (run_no: number, more: object = {}): NewEvent => ({
  ...event(streamOf('run', `run-${run_no}`), 'RunDeleted', {
    cause: 'request',
    document_sha256: SHA256,
    project: 'chat',
    run_no,
    suite: 'smoke',
    ...more,
  }),
  statements: [],
})

/** Records events. A deletion of a run removes its document, and so does an erasure that keeps nothing. */
const finding = async (...events: readonly NewEvent[]) => {
  record(file, events)
  onFile(file, (database) => {
    database.exec("INSERT OR REPLACE INTO sequences (name, value) VALUES ('run_no', 9)")
    for (const { type, data } of events)
      if (type === 'RunDeleted')
        database.exec(`DELETE FROM document_frames WHERE run_no = ${(data as { run_no: number }).run_no}`)
      else if (type === 'EventErased') {
        const { seq, kept } = data as { seq: number; kept: object | null }
        const runNo = `SELECT json_extract(body, '$.data.run_no') FROM event_bodies WHERE seq = ${seq}`
        if (kept === null) database.exec(`DELETE FROM document_frames WHERE run_no IN (${runNo})`)
        database.exec(`DELETE FROM event_bodies WHERE seq = ${seq}`)
      }
  })
  return (await verifyLog(file, null)).finding
}
const folder = freshFolder()
const file = folder.file
migrate(`${file}.empty`)

it.each([
  ['that of a stored run', 'UPDATE sequences SET value = 2', [ingest(3)]],
  ['that of a deleted run', 'UPDATE sequences SET value = 2', [ingest(3), deleteRun(3)]],
  ['not known', 'DELETE FROM sequences', [ingest(3)]],
])('the number of the next run must not be %s', async (_, change, events) => {
  expect(await finding(...events)).toBeNull()
  onFile(file, (database) => database.exec(change))
  const { finding: found } = await verifyLog(file, null)
  expect(found?.kind).toBe('altered')
  expect(found?.message).toContain('the last run has the number 3, but the next one would get the number ')
})

const hold = (hold_id: string, scope: object): NewEvent =>
  holdPlaced({ hold_id, project: null, reference: 'case-1', run_id: null, suite: null, ...scope })

describe('a legal hold', () => {
  const SCOPES = [
    ['a run', { run_id: 'run-1' }],
    ['a suite', { project: 'chat', suite: 'smoke' }],
    ['a project', { project: 'chat' }],
  ] as const

  it.each(SCOPES)('on %s forbids a deletion until it is lifted', async (_, scope) => {
    expect(await finding(ingest(1), hold('h1', scope), deleteRun(1))).toEqual({
      kind: 'altered',
      message: 'record 3 deletes run/run-1, which was under legal hold h1',
    })
    putCopy(`${file}.empty`, file)
    expect(
      await finding(ingest(1), hold('h1', scope), holdLifted({ hold_id: 'h1', reference: 'x' }), deleteRun(1)),
    ).toBeNull()
  })

  it.each(SCOPES)('on %s forbids nothing that happened before it', async (_, scope) => {
    expect(
      await finding(ingest(1), ingest(2, { project: 'other' }), deleteRun(2, { project: 'other' }), hold('h1', scope)),
    ).toBeNull()
  })

  it('forbids nothing in other sets and on other runs', async () => {
    expect(
      await finding(
        ingest(1),
        ingest(2),
        ingest(3, { suite: null }),
        hold('h1', { run_id: 'run-1' }),
        hold('h2', { project: 'chat', suite: 'full' }),
        hold('h3', { project: 'other' }),
        deleteRun(2),
        deleteRun(3, { suite: null }),
      ),
    ).toBeNull()
  })

  it('must all be lifted', async () => {
    expect(
      await finding(
        ingest(1),
        hold('h1', { run_id: 'run-1' }),
        hold('h2', { project: 'chat' }),
        holdLifted({ hold_id: 'h1', reference: 'x' }),
        deleteRun(1),
      ),
    ).toMatchObject({ kind: 'altered', message: expect.stringContaining('h2') as string })
  })

  const erased = (cause: string, seq: number, kept: object | null): NewEvent =>
    event('erasure/e', 'EventErased', { cause, erasure_id: 'e', kept, reference: 'r', seq })
  const KEPT = {
    data: { project: 'chat', suite: 'smoke', run_no: 1, document_bytes: DOCUMENT.length, document_sha256: SHA256 },
    stream: 'run/run-1',
    version: 1,
  }

  it.each(SCOPES)('on %s forbids an erasure of its records, also with an account', async (_, scope) => {
    for (const cause of ['records', 'user', 'run']) {
      expect(await finding(ingest(1), hold('h1', scope), erased(cause, 1, KEPT)), cause).toEqual({
        kind: 'altered',
        message: 'record 3 erases a record of run/run-1, which was under legal hold h1',
      })
      putCopy(`${file}.empty`, file)
    }
  })

  const onRun = hold('h1', { run_id: 'run-1' })
  it.each([
    ['with its deletion', [ingest(1), onRun, deleteRun(1), erased('run', 1, null), erased('run', 3, null)]],
    ['without its deletion', [ingest(1), onRun, erased('run', 1, null)]],
    [
      'before another upload with the same id',
      [
        ingest(1),
        onRun,
        hold('h2', { run_id: 'run-1' }),
        erased('run', 1, null),
        { ...ingest(2), stream: 'run/run-1' },
      ],
    ],
  ])('on a run forbids that the run is erased as a whole: %s', async (_, events) => {
    expect(await finding(...events)).toEqual({
      kind: 'altered',
      message: 'run/run-1 was erased, but legal hold h1 stands',
    })
  })

  it('on a run may come after an erasure of its upload by number, which kept its facts', async () =>
    expect(await finding(ingest(1), erased('records', 1, KEPT), hold('h1', { run_id: 'run-1' }))).toBeNull())

  it('stands also if its record was erased and its data kept', async () => {
    const data = { hold_id: 'h1', project: 'chat', reference: 'r', run_id: null, suite: null }
    expect(
      await finding(
        ingest(1),
        hold('h1', { project: 'chat' }),
        erased('user', 2, { data, stream: 'hold/h1', version: 1 }),
        deleteRun(1),
      ),
    ).toMatchObject({ kind: 'altered', message: expect.stringContaining('record 4 deletes') as string })
  })

  it('does not allow that its run was deleted before, if it stands on that run', async () => {
    expect(await finding(ingest(1), deleteRun(1), hold('h1', { run_id: 'run-1' }))).toEqual({
      kind: 'altered',
      message: 'run/run-1 was deleted, but legal hold h1 stands',
    })
  })
})

describe('a run that follows a plan', () => {
  const plan = (plan_id: string, scope: object = {}): NewEvent =>
    planRegistered({
      case_count: null,
      comparator: null,
      config_digest: null,
      metric: null,
      plan_bytes: null,
      plan_id,
      plan_sha256: SHA256,
      project: 'chat',
      suite: 'smoke',
      threshold: null,
      ...scope,
    })
  const follow = (run_no: number, plan_id: string | null, attempt = 1) => ingest(run_no, { plan_id, attempt })
  const erased = (seq: number, followed: object | null, kept: object | null = null) =>
    event('erasure/e', 'EventErased', { cause: 'run', erasure_id: 'e', followed, kept, reference: 'r', seq })

  it('comes after a plan of its suite', async () => {
    expect(
      await finding(plan('p1'), follow(1, 'p1'), follow(2, null), ingest(3), planWithdrawn({ plan_id: 'p1' })),
    ).toBeNull()
  })

  it('does not come before its plan', async () => {
    expect(await finding(follow(1, 'p1'), plan('p1'))).toEqual({
      kind: 'altered',
      message: 'record 1 (run/run-1) follows the plan p1, which was not registered before it',
    })
  })

  it('does not follow a plan of another suite, or one that was withdrawn', async () => {
    expect(await finding(plan('p1', { suite: 'full' }), follow(1, 'p1'))).toMatchObject({
      kind: 'altered',
      message: expect.stringContaining('which is of another suite') as string,
    })
    putCopy(`${file}.empty`, file)
    expect(await finding(plan('p1'), planWithdrawn({ plan_id: 'p1' }), follow(1, 'p1'))).toMatchObject({
      kind: 'altered',
      message: expect.stringContaining('which record 2 had withdrawn') as string,
    })
  })

  it('is counted after all that followed the plan before, deleted ones too', async () => {
    expect(
      await finding(plan('p1'), follow(1, 'p1', 1), deleteRun(1), plan('p2'), follow(2, 'p2', 1), follow(3, 'p1', 2)),
    ).toBeNull()
    for (const attempt of [1, 3]) {
      putCopy(`${file}.empty`, file)
      expect(await finding(plan('p1'), follow(1, 'p1', 1), follow(2, 'p1', attempt))).toEqual({
        kind: 'altered',
        message: `record 3 (run/run-2) follows the plan p1 as attempt ${attempt}, but it is attempt 2`,
      })
    }
  })

  it('is counted also if it was erased', async () => {
    const history = (followed: object | null, next: number) => [
      plan('p1'),
      follow(1, 'p1', 1),
      deleteRun(1),
      erased(2, followed),
      erased(3, null),
      follow(2, 'p1', next),
    ]
    expect(await finding(...history({ attempt: 1, plan_id: 'p1' }, 2))).toBeNull()
    for (const [followed, next, message] of [
      [null, 2, 'record 6 (run/run-2) follows the plan p1 as attempt 2, but it is attempt 1'],
      [
        { attempt: 2, plan_id: 'p1' },
        3,
        'record 2 (an erased upload) follows the plan p1 as attempt 2, but it is attempt 1',
      ],
      [
        { attempt: 1, plan_id: 'p2' },
        1,
        'record 2 (an erased upload) follows the plan p2, which was not registered before it',
      ],
    ] as const) {
      putCopy(`${file}.empty`, file)
      expect(await finding(...history(followed, next))).toEqual({ kind: 'altered', message })
    }
  })

  it('leaves an attempt only if it was an upload of which nothing else is kept', async () => {
    const attempt = { attempt: 1, plan_id: 'p1' }
    expect(await finding(plan('p1'), ingest(1), deleteRun(1), erased(2, null), erased(3, attempt))).toEqual({
      kind: 'altered',
      message: 'record 5 keeps an attempt of record 3, which left none',
    })
    putCopy(`${file}.empty`, file)
    const { stream, data } = follow(1, 'p1')
    expect(await finding(plan('p1'), follow(1, 'p1'), erased(2, attempt, { data, stream, version: 1 }))).toMatchObject({
      kind: 'altered',
    })
  })
})

describe('the document of a run whose record was erased', () => {
  it('is expected as long as the run stands', async () => {
    const kept = {
      data: { project: 'chat', suite: 'smoke', run_no: 1, document_bytes: DOCUMENT.length, document_sha256: SHA256 },
      stream: 'run/run-1',
      version: 1,
    }
    const erasure = event('erasure/e', 'EventErased', { cause: 'user', erasure_id: 'e', kept, reference: 'r', seq: 1 })
    expect(await finding(ingest(1), ingest(2), erasure)).toBeNull()
    onFile(file, (database) => database.exec('DELETE FROM document_frames WHERE run_no = 1'))
    expect((await verifyLog(file, null)).finding).toEqual({
      kind: 'missing',
      message: 'record 1 (run/run-1): its document is missing, and no deletion is recorded',
    })
  })

  it('is gone with all records of the run', async () => {
    const erasures = [1, 2].map((seq) =>
      event('erasure/e', 'EventErased', { cause: 'run', erasure_id: 'e', kept: null, reference: 'r', seq }),
    )
    expect(await finding(ingest(1), deleteRun(1), ...erasures)).toBeNull()
  })
})
