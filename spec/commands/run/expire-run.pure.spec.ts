import { describe, expect, it } from 'vitest'
import { runDeleted } from '../../../commands/run/events.ts'
import { expireRun } from '../../../commands/run/expire-run.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { deleteAnnotationsOf } from '../../../commands/annotation/events.ts'
import { deleteCommentsOf } from '../../../commands/comment/events.ts'
import { deletePartsOf } from '../../../commands/run/evidence.ts'
import { deleteFrames } from '../../../storage/documents/frames.ts'
import { deletePendingMove, dropRunObjects } from '../../../storage/objects/run-objects.ts'
import { given } from '../../support/decisions.ts'

const candidate = {
  id: 'old',
  run_no: 7,
  project: 'chat',
  suite: 'smoke',
  git_branch: 'main',
  created_at: 1000,
  document_sha256: '44136f',
}
const expire = expireRun(SYSTEM, { candidate, before: 1001 })
const newer = { created_at: 2000 }

describe('a run that is too old', () => {
  it('is deleted with its document', () => {
    given({ run: candidate, newer, baseline: null })
      .when(expire)
      .then(
        runDeleted('old', {
          cause: 'retention',
          document_sha256: '44136f',
          project: 'chat',
          run_no: 7,
          suite: 'smoke',
        }),
      )
    expect(given({ run: candidate, newer, baseline: null }).when(expire).decides()[0]?.statements).toEqual([
      deleteFrames(7),
      ...dropRunObjects(7),
      deletePendingMove(7),
      deleteAnnotationsOf(7),
      deleteCommentsOf(7),
      ...deletePartsOf(7),
    ])
  })

  it('is kept as the newest of its project, suite and branch', () =>
    given({ run: candidate, newer: null, baseline: null }).when(expire).then())
  it('is kept as a pinned baseline', () =>
    given({ run: candidate, newer, baseline: { project: 'chat', suite: 'smoke' } })
      .when(expire)
      .then())
  it('is kept at exactly the age limit', () =>
    given({ run: { ...candidate, created_at: 1001 }, newer, baseline: null })
      .when(expire)
      .then())
  it('records nothing if it was deleted already', () => given({ run: null, newer, baseline: null }).when(expire).then())
  it('is kept if another document now has its id', () =>
    given({ run: { ...candidate, run_no: 8 }, newer, baseline: null })
      .when(expire)
      .then())
})
