import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ErasureTarget } from '../../../commands/erasure/erasable.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { signIn } from '../../support/access/session-tokens.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { countedRequests, openCountedApp, PATHS, type CountedReads } from '../../support/http/counted-reads.ts'
import type { SpecApp } from '../../support/servers/app.ts'

const KEY = aCase().case_key
const JSON_TYPE = { 'content-type': 'application/json' }

let spec: SpecApp
let reads: CountedReads
beforeEach(async () => {
  ;({ spec, reads } = await openCountedApp())
})
afterEach(() => spec.close())
const { get, isWarm } = countedRequests(() => ({ spec, reads }))

/** Returns the names of the responses that are no longer cached after a change. */
const invalidatedBy = async (change: () => Promise<unknown>): Promise<string[]> => {
  for (const path of Object.values(PATHS)) await get(path)
  for (const [name, path] of Object.entries(PATHS)) expect(await isWarm(path), name).toBe(true)
  await change()
  const invalidated: string[] = []
  for (const [name, path] of Object.entries(PATHS)) if (!(await isWarm(path))) invalidated.push(name)
  return invalidated
}
const LISTS = ['list', 'list of suites of one name', 'projects', 'sets', 'overview']
const OF_CHAT = ['list of a project', 'suites of chat', 'set of chat']
// A run that is uploaded later may be the previous one of a run in its suite.
const OF_SMOKE = [
  'list of a suite',
  'set of smoke',
  'history in smoke',
  'timeline in smoke',
  'run a in its suite',
  'run before a',
  'case of a in its suite',
]

describe('cached responses', () => {
  it('are invalidated by an upload: lists, its project and its suite only', async () => {
    const upload = () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }))
    expect((await invalidatedBy(upload)).sort()).toEqual([...LISTS, ...OF_CHAT, ...OF_SMOKE].sort())
  })

  it('are invalidated by an upload without a project: lists only', async () => {
    expect(
      (await invalidatedBy(() => spec.ingest(aDocument({ run_id: 'new', project: null, suite: 'smoke' })))).sort(),
    ).toEqual([...LISTS].sort())
  })

  it('of a run are invalidated by uploads to its suite, also after it moved there', async () => {
    const upload = (run_id: string, suite: string) => spec.ingest(aDocument({ run_id, project: 'chat', suite }))
    const path = '/runs/moved/in-suite'
    for (const [suite, other] of [
      ['full', 'smoke'],
      ['smoke', 'full'],
    ] as const) {
      await upload('moved', suite)
      await get(path)
      await upload(`next to ${suite}`, other)
      expect(await isWarm(path)).toBe(true)
      await upload(`later in ${suite}`, suite)
      expect(await isWarm(path)).toBe(false)
      expect((await spec.sendAs('admin')('DELETE', '/runs/moved')).statusCode).toBe(204)
    }
  })

  it('stay cached after an upload that is a duplicate or is rejected', async () => {
    const again = aDocument({ run_id: 'a', project: 'chat', suite: 'smoke', cases: [aCase({ output: 'needle' })] })
    expect(await invalidatedBy(async () => expect((await spec.ingest(again)).statusCode).toBe(200))).toEqual([])
    expect(
      await invalidatedBy(async () =>
        expect((await spec.ingest({ ...again, note: 1, schema_version: 9 })).statusCode).toBe(422),
      ),
    ).toEqual([])
  })

  it('are invalidated by a pin: its suite and its project', async () => {
    const pin = () =>
      spec.sendAs(null)('PUT', '/projects/chat/suites/smoke/baseline', { headers: JSON_TYPE, body: { run_id: 'a' } })
    expect((await invalidatedBy(pin)).sort()).toEqual([...OF_CHAT, ...OF_SMOKE, 'overview'].sort())
    expect((await get('/sets/chat/suites/smoke')).json()).toMatchObject({ baseline_run_id: 'a' })
  })

  it('no longer show a deleted run', async () => {
    for (const path of Object.values(PATHS)) await get(path)
    const ofStatistics = [
      '/runs/a/statistics',
      '/runs/b/compare/a/statistics',
      '/compare?runs=a,b',
      '/runs/a/tests/greeting',
    ]
    for (const path of ['/runs/b/compare/a', ...ofStatistics]) await get(path)
    await spec.sendAs('admin')('DELETE', '/runs/a')
    for (const path of [
      '/runs/a',
      '/runs/a/cases',
      `/runs/a/cases/${KEY}`,
      '/runs/a/matrix',
      '/runs/a/config',
      '/runs/b/compare/a',
      '/sets/chat/suites/smoke',
      ...ofStatistics,
    ])
      expect((await get(path)).statusCode, path).toBe(404)
    expect((await get('/runs?project=chat&suite=smoke')).json()).toMatchObject({ runs: [] })
    expect(await isWarm('/runs/b')).toBe(true)
  })

  it('are invalidated by changes in a restricted set only for its viewers', async () => {
    const { ann, ben, root } = await signIn(spec)
    await spec.restrict('chat', 'smoke')
    await spec.restrict('hidden')
    await spec.grant('ann', 'view', 'chat')
    // This grant is on another suite, so ben does not see chat/smoke.
    await spec.grant('ben', 'manage', 'chat', 'full')
    const shown = [
      '/runs',
      '/runs?project=chat',
      '/runs?project=chat&suite=smoke',
      '/runs?suite=smoke',
      '/projects',
      '/projects/chat/suites',
      '/sets',
      '/sets/chat',
      '/overview',
    ]
    const unpinned = shown.filter(
      (path) => !/^\/(runs\?|runs$|projects$|sets$)/.test(path) || path.includes('project=chat'),
    )
    const changes = {
      upload: () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }), { caller: 'admin' }),
      pin: () =>
        spec.sendAs('admin')('PUT', '/projects/chat/suites/smoke/baseline', {
          headers: JSON_TYPE,
          body: { run_id: 'new' },
        }),
      deletion: () => spec.sendAs('admin')('DELETE', '/runs/new'),
    }
    for (const [name, change] of Object.entries(changes)) {
      for (const token of [null, ann, ben, root]) for (const path of shown) await get(path, token)
      expect((await change()).statusCode, name).toBeLessThan(300)
      for (const token of [null, ben])
        for (const path of shown) expect(await isWarm(path, token), `${path} after ${name}`).toBe(true)
      for (const token of [ann, root])
        for (const path of name === 'pin' ? unpinned : shown)
          expect(await isWarm(path, token), `${path} after ${name}`).toBe(false)
    }
  })

  it('are invalidated by a hold only if they show that a run is held', async () => {
    const place = (hold_id: string, scope: object) => () =>
      spec.service.commit.placeHold(SYSTEM, {
        ...{ hold_id, reference: 'r', note: null, run_id: null, project: null, suite: null },
        ...scope,
      })
    const lift = (hold_id: string) => () => spec.service.commit.liftHold(SYSTEM, { hold_id, reference: 'r' })
    const held = async (id: string) => (await get(`/runs/${id}`)).json<{ held: boolean }>().held
    const ofA = ['run a', 'run a in its suite']
    const holds = [
      ['on a suite', { project: 'chat', suite: 'smoke' }, ofA],
      ['on a project', { project: 'chat' }, [...ofA, 'run b']],
      ['on another project', { project: 'other' }, []],
      ['on no suite of a project', { project: 'chat', suite: 'none' }, []],
    ] as const
    for (const [name, scope, invalidated] of holds) {
      expect((await invalidatedBy(place(name, scope))).sort(), name).toEqual(invalidated)
      expect(await held('a')).toBe(invalidated.length > 0)
      expect((await invalidatedBy(lift(name))).sort(), name).toEqual(invalidated)
      expect(await held('a')).toBe(false)
    }
    // A hold on one run invalidates everything about that run.
    expect(await invalidatedBy(place('run', { run_id: 'a' }))).toContain('run a')
    expect((await invalidatedBy(lift('run'))).sort()).toEqual(ofA)
    expect(await held('a')).toBe(false)
  })

  it('are invalidated by the erasure of an upload as by an upload, and by that of what is gone not at all', async () => {
    const erase = (erasure_id: string, target: ErasureTarget) => () =>
      spec.service.commit.eraseRecords(SYSTEM, { erasure_id, reference: 'r', target, dry_run: false, after: 0 })
    const seqs = (await spec.column("SELECT seq FROM event_bodies WHERE stream = 'run/e'")).map(Number)
    expect((await invalidatedBy(erase('e1', { seqs }))).sort()).toEqual([...LISTS, ...OF_CHAT].sort())
    await spec.ingest(aDocument({ run_id: 'gone', project: 'chat', suite: 'smoke' }))
    await spec.sendAs('admin')('DELETE', '/runs/gone')
    expect(await invalidatedBy(erase('e2', { run_id: 'gone' }))).toEqual([])
  })

  it('are all invalidated by a change of access', async () =>
    expect(await invalidatedBy(() => spec.restrict('nothing of these'))).toEqual(Object.keys(PATHS)))

  it('that show labels are invalidated by a start that renames a token', async () => {
    const start = () =>
      spec.service.commit.recordStart(SYSTEM, {
        instance: 'again',
        config_sha256: '0'.repeat(64),
        schema: 1,
        version: '2',
        principals: [{ id: 'static:write:2', kind: 'static', label: 'renamed' }],
        tokens: [],
      })
    expect((await invalidatedBy(start)).sort()).toEqual([
      'case of a in its suite',
      'list',
      'list of a project',
      'list of a suite',
      'list of suites of one name',
      'run a',
      'run a in its suite',
      'run b',
    ])
    expect((await get('/runs/a')).json()).toMatchObject({ uploaded_by: 'renamed' })
  })
})
