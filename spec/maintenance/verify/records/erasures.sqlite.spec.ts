import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLog } from '../../../../maintenance/verify/log.ts'
import { event } from '../../../../storage/log/event.ts'
import { record } from '../../../support/proof/tampered-store.ts'
import { freshFolder, migrate, onFile } from '../../../support/stores/store.ts'

let folder: ReturnType<typeof freshFolder>
beforeAll(() => void (folder = freshFolder()))
afterAll(() => folder.remove())

const erased = (seq: number, by: string) =>
  event(`erasure/${by}`, 'EventErased', { cause: 'records', erasure_id: by, kept: null, reference: 'case-1', seq })
const remove = (...seqs: readonly number[]): void =>
  onFile(folder.file, (database) => {
    for (const seq of seqs) database.prepare('DELETE FROM event_bodies WHERE seq = ?').run(seq)
  })
const finding = async () => (await verifyLog(folder.file, null)).finding

// The service refuses to make any of these. Here an owner of the store writes them himself, with the whole tree.
describe('an erasure', () => {
  beforeEach(() => {
    folder.remove()
    folder = freshFolder()
    migrate(folder.file)
    record(folder.file, [event('service/1', 'Started', {}), event('service/2', 'Started', {}), erased(1, 'a')])
    remove(1)
  })

  it('accounts for the missing body', async () => expect(await finding()).toBeNull())

  it('is never erased itself', async () => {
    record(folder.file, [erased(3, 'b'), erased(1, 'c')])
    remove(3)
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'record 4 (EventErased) names record 3, which is an erasure itself: those are never erased',
    })
  })

  it('is the only one of its record', async () => {
    record(folder.file, [erased(1, 'b')])
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'record 4 (EventErased) names record 1, which record 3 has erased already',
    })
  })
})
