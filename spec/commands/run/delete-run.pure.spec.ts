import { describe, expect, it } from 'vitest'
import { baselineUnpinned } from '../../../commands/baseline/events.ts'
import { deleteRun } from '../../../commands/run/delete-run.ts'
import { runDeleted } from '../../../commands/run/events.ts'
import { deleteAnnotationsOf } from '../../../commands/annotation/events.ts'
import { deleteCommentsOf } from '../../../commands/comment/events.ts'
import { deletePartsOf } from '../../../commands/run/evidence.ts'
import { deleteFrames } from '../../../storage/documents/frames.ts'
import { deletePendingMove, dropRunObjects } from '../../../storage/objects/run-objects.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

const suite = { project: 'chat', suite: 'smoke' }
const run = { id: 'a/b', run_no: 7, document_sha256: '44136f', ...suite }
const remove = deleteRun(admin, { run_id: 'a/b' })
const deleted = runDeleted('a/b', { cause: 'request', document_sha256: '44136f', run_no: 7, ...suite })

describe('deleting a run', () => {
  it('deletes it', () => given({ run, baseline: null }).when(remove).then(deleted))

  it('deletes its document', () => {
    const [event] = given({ run, baseline: null }).when(remove).decides()
    expect(event?.statements).toEqual([
      deleteFrames(7),
      ...dropRunObjects(7),
      deletePendingMove(7),
      deleteAnnotationsOf(7),
      deleteCommentsOf(7),
      ...deletePartsOf(7),
    ])
  })

  it('unpins it first if it is the baseline', () =>
    given({ run, baseline: suite })
      .when(remove)
      .then(baselineUnpinned({ ...suite, cause: 'run_deleted' }), deleted))

  it('deletes a run without a set', () =>
    given({ run: { ...run, project: null, suite: null }, baseline: null })
      .when(remove)
      .then(runDeleted('a/b', { cause: 'request', document_sha256: '44136f', run_no: 7, project: null, suite: null })))

  it('rejects an unknown or hidden run', () =>
    given({ run: null, baseline: null }).when(remove).refused('not_found', 'run not found'))

  it('keeps the pin of a run that the viewer cannot see', () =>
    given({ run: null, baseline: suite }).when(remove).refused('not_found'))
})
