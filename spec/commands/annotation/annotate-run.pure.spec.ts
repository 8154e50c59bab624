import { describe, expect, it } from 'vitest'
import { annotateRun } from '../../../commands/annotation/annotate-run.ts'
import { runAnnotated } from '../../../commands/annotation/events.ts'
import { member } from '../../support/access/viewers.ts'
import { given } from '../../support/decisions.ts'

const SALT = '0'.repeat(32)
const set = { project: 'chat', suite: 'smoke' }
const run = {
  ...{ id: 'r', created_at: 1, ...set, git_branch: null, git_commit: null },
  ...{ note: null, tags: ['seed'], fully_cached: false },
}
const before = { title: 'One', note: null, tags: ['b'], revision: 'a0', at: '2026-05-04T09:00:00+00:00', by: 'anna' }
const annotate = (change: Partial<Parameters<typeof annotateRun>[1]>) =>
  annotateRun(member, {
    ...{ annotation_id: 'a1', run_id: 'r', set, salt: SALT, add_tags: [], remove_tags: [] },
    ...change,
  })
const becomes = (title: string | null, note: string | null, tags: readonly string[]) =>
  runAnnotated({ annotation_id: 'a1', run_no: 7 }, { added: { title, note, tags }, run }, SALT)
const allowed = given({ level: 'upload', run: { ...run, run_no: 7, added: before } })

describe('annotating a run', () => {
  it('records the whole new state, and keeps what is left out', () => {
    allowed.when(annotate({ note: 'Two', add_tags: ['a', 'seed', 'a'] })).then(becomes('One', 'Two', ['a', 'b']))
    allowed.when(annotate({ title: null, remove_tags: ['b', 'seed'] })).then(becomes(null, null, []))
  })

  it('records a digest, and stores the texts apart', () => {
    const [event] = allowed.when(annotate({ note: 'Two' })).decides()
    expect(JSON.stringify(event?.data)).not.toContain('Two')
    expect(event?.data).toMatchObject({ annotation_id: 'a1', run_no: 7 })
    expect(JSON.stringify(event?.data)).toMatch(/"texts_sha256":"[0-9a-f]{64}"/)
    expect(event?.statements).toHaveLength(1)
  })

  it('records nothing if nothing changes', () => allowed.when(annotate({ title: 'One', add_tags: ['b'] })).then())

  it('refuses an unknown run, one of another set, a low level, another revision and too many tags', () => {
    given({ level: 'upload', run: null }).when(annotate({})).refused('not_found', 'run not found')
    allowed.when(annotate({ set: { ...set, suite: 'other' } })).refused('not_found', 'run not found')
    given({ level: 'view', run: { ...run, run_no: 7, added: null } })
      .when(annotate({}))
      .refused('forbidden', 'you need an upload grant')
    allowed.when(annotate({ note: 'x', revision: null })).refused('conflict', 'changed meanwhile')
    allowed.when(annotate({ note: 'x', revision: 'a0' })).then(becomes('One', 'x', ['b']))
    allowed
      .when(annotate({ add_tags: Array.from({ length: 50 }, (_, n) => `t${n}`) }))
      .refused('unprocessable', 'a run can have 50 added tags, and would have 51')
  })
})
