import { describe, expect, it } from 'vitest'
import { baselinePinned, baselineUnpinned } from '../../commands/baseline/events.ts'
import { publishedChanges } from '../../commands/changes.ts'
import { eventErased } from '../../commands/erasure/events.ts'
import { holdLifted, holdPlaced } from '../../commands/hold/events.ts'
import { runDeleted } from '../../commands/run/events.ts'
import { projectionRebuilt, serviceStarted } from '../../commands/service/events.ts'
import { heldTag, holdTag, tagsOfHolds } from '../../commands/hold/tags.ts'
import { BASELINES, PRINCIPALS, projectTag, RUNS, runTag, setTag } from '../../commands/tags.ts'
import { invalidatedBy } from '../../commands/invalidated.ts'
import type { NewEvent, Recorded } from '../../storage/command.ts'
import type { KeptBody } from '../../storage/log/erasures.ts'
import { event } from '../../storage/log/event.ts'
import { member } from '../support/access/viewers.ts'

const recorded = (newEvent: NewEvent): Recorded => ({
  ...newEvent,
  seq: 7,
  version: 1,
  recorded_at: 0,
  actor: member.actor,
  request_id: null,
})
const tags = (...events: readonly NewEvent[]) => invalidatedBy(events.map(recorded))

const deleted = (run_id: string, project: string | null, suite: string | null) =>
  runDeleted(run_id, { cause: 'request', document_sha256: '', project, run_no: 1, suite })

describe('the tags that an event invalidates', () => {
  it('are those of a run, its suite, its project and the run list', () => {
    const chat = { project: 'chat', suite: 'smoke' }
    const invalidated = [runTag('a/b'), { ...chat, names: [RUNS.name, projectTag('chat').name, setTag(chat).name] }]
    expect(tags(deleted('a/b', 'chat', 'smoke'))).toEqual(invalidated)
    const ingested = event(runTag('a/b'), 'RunIngested', chat)
    expect(tags(ingested)).toEqual(invalidated)
  })

  it('differ with and without a suite, and have no set without a project', () => {
    const noSuite = { project: 'chat', suite: null }
    expect(tags(deleted('r', 'chat', null))).toEqual([
      runTag('r'),
      { ...noSuite, names: [RUNS.name, projectTag('chat').name, setTag(noSuite).name] },
    ])
    expect(setTag(noSuite).name).not.toBe(setTag({ project: 'chat', suite: 'smoke' }).name)
    expect(tags(deleted('r', null, 'smoke'))).toEqual([
      runTag('r'),
      { project: null, suite: 'smoke', names: [RUNS.name] },
    ])
  })

  it('are those of all baselines, the project and the suite for a changed baseline', () => {
    const suite = { project: 'chat', suite: 'smoke' }
    const invalidated = [{ ...suite, names: [BASELINES.name, projectTag('chat').name, setTag(suite).name] }]
    expect(tags(baselinePinned({ ...suite, run_id: 'r' }))).toEqual(invalidated)
    expect(tags(baselineUnpinned({ ...suite, cause: 'request' }))).toEqual(invalidated)
  })

  it('are those of principal labels for a start of the service, because it replaces the labels of tokens', () =>
    expect(tags(serviceStarted('i', { config_sha256: '', schema: 1, version: '' }))).toEqual([PRINCIPALS]))

  it('are those of the runs that a hold is on', () => {
    const hold = { hold_id: 'h', project: null, reference: 'r', run_id: 'a/b', suite: null }
    expect(tags(holdPlaced(hold))).toEqual([runTag('a/b')])
    const onProject = { ...hold, run_id: null, project: 'chat' }
    expect(tags(holdPlaced(onProject))).toEqual([heldTag('chat', null)])
    expect(tags(holdPlaced({ ...onProject, suite: 'smoke' }))).toEqual([heldTag('chat', 'smoke')])
    expect(tags(holdLifted({ hold_id: 'h', reference: 'r' }))).toEqual([holdTag('h')])
    expect(tagsOfHolds({ project: 'chat', suite: 'smoke', holds: ['h'] })).toEqual([
      heldTag('chat', null),
      heldTag('chat', 'smoke'),
      holdTag('h'),
    ])
    expect(tagsOfHolds({ project: null, suite: 'smoke', holds: [] })).toEqual([])
  })

  it('are those of a run that stays for the erasure of its upload, and of labels for that of an account', () => {
    const erasure = (cause: 'records' | 'run' | 'user', kept: KeptBody | null) =>
      eventErased(
        { cause, erasure_id: 'e', followed: null, kept, reference: 'r', seq: 1 },
        { type: 'RunIngested', recorded_at: 0 },
      )
    const chat = { project: 'chat', suite: 'smoke' }
    const ofRun = [runTag('a'), { ...chat, names: [RUNS.name, projectTag('chat').name, setTag(chat).name] }]
    const kept = { data: { ...chat, run_no: 1 }, stream: runTag('a'), version: 1 }
    expect(tags(erasure('records', kept))).toEqual(ofRun)
    expect(tags(erasure('user', kept))).toEqual([PRINCIPALS, ...ofRun])
    expect(tags(erasure('run', null))).toEqual([])
    expect(tags(erasure('user', null))).toEqual([PRINCIPALS])
    expect(tags(erasure('user', { ...kept, stream: 'access/chat' }))).toEqual([PRINCIPALS])
  })

  it('are listed once for a group of events', () => {
    expect(tags(deleted('r', null, null), deleted('s', null, null))).toEqual([
      runTag('r'),
      { project: null, suite: null, names: [RUNS.name] },
      runTag('s'),
    ])
    expect(tags()).toEqual([])
  })

  it('are all tags for a rebuild and for an unknown event type', () => {
    expect(tags(deleted('r', null, null), projectionRebuilt('i', { name: 'runs', position: 1, version: 2 }))).toBeNull()
    for (const type of ['SetBurnt', 'constructor', '__proto__']) {
      const unknown = event('access/chat', type, {})
      expect([tags(unknown), publishedChanges([recorded(unknown)])], type).toEqual([null, null])
    }
  })
})
