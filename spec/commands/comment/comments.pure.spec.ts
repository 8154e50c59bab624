import { describe, expect, it } from 'vitest'
import { commentOnRun } from '../../../commands/comment/comment-on-run.ts'
import { deleteComment } from '../../../commands/comment/delete-comment.ts'
import { commentDeleted, deleteCommentText, runCommented } from '../../../commands/comment/events.ts'
import { admin, member } from '../../support/access/viewers.ts'
import { given } from '../../support/decisions.ts'

const SALT = '0'.repeat(32)
/** The credential of `member`, which has no account. */
const AUTHOR = 'static:write:1'
const set = { project: 'chat', suite: 'smoke' }
const run = { id: 'r', run_no: 7, ...set }
const data = { comment_id: 'c1', run_no: 7, ...set }
const comment = (case_key: string | null = null, text = 'Wrong city.') =>
  commentOnRun(member, { comment_id: 'c1', run_id: 'r', run_no: 7, set, salt: SALT, case_key, text })
const allowed = given({ level: 'upload', run, comments: 0 })

describe('a comment', () => {
  it('is recorded with a digest, and its text and case are stored apart', () => {
    allowed.when(comment('key')).then(runCommented('r', data, { case_key: 'key', text: 'Wrong city.' }, SALT))
    const [event] = allowed.when(comment('key')).decides()
    expect(JSON.stringify(event?.data)).not.toMatch(/city|key/)
    expect(JSON.stringify(event?.data)).toMatch(/"text_sha256":"[0-9a-f]{64}"/)
    expect(event?.statements).toHaveLength(1)
  })

  it('has a digest that also covers where it is', () => {
    const digest = (case_key: string | null, text: string): unknown =>
      runCommented('r', data, { case_key, text }, SALT).data.text_sha256
    const digests = [digest(null, 'a b c'), digest('a', 'b c'), digest('a b', 'c'), digest(null, 'case 1 a b c')]
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('is refused on an unknown run, one that was replaced, with a low level, and beyond 1,000 of a run', () => {
    given({ level: 'upload', run: null, comments: 0 }).when(comment()).refused('not_found', 'run not found')
    given({ level: 'upload', run: { ...run, run_no: 8 }, comments: 0 })
      .when(comment())
      .refused('not_found', 'run not found')
    given({ level: 'view', run, comments: 0 }).when(comment()).refused('forbidden', 'you need an upload grant')
    given({ level: 'upload', run, comments: 999 }).when(comment()).decides()
    given({ level: 'upload', run, comments: 1_000 })
      .when(comment())
      .refused('unprocessable', 'a run and its cases can have 1000 comments together')
  })
})

describe('the deletion of a comment', () => {
  const by = (commented_by: string | null, more: object = {}) =>
    given({ run, comment: { run_no: 7, commented_by }, hold: null, currentAccess: { scope: 'write' }, ...more })
  const remove = deleteComment(member, { run_id: 'r', comment_id: 'c1' })

  it('is recorded for its author, and deletes the text', () => {
    const own = by(AUTHOR)
    own.when(remove).then(commentDeleted('r', data))
    expect(own.when(remove).decides()[0]?.statements).toEqual([deleteCommentText('c1')])
  })

  it('is recorded for an admin', () =>
    by('another', { currentAccess: { scope: 'admin' } })
      .when(deleteComment(admin, { run_id: 'r', comment_id: 'c1' }))
      .then(commentDeleted('r', data)))

  it('is refused to others, also of a comment without a known author', () => {
    for (const author of ['another', null])
      by(author).when(remove).refused('forbidden', 'only its author and admins may delete a comment')
  })

  it('is refused of an unknown comment, one of another run, one of a hidden run, and under legal hold', () => {
    by(null, { comment: null }).when(remove).refused('not_found', 'comment not found')
    by(null, { comment: { run_no: 8, commented_by: AUTHOR } })
      .when(remove)
      .refused('not_found', 'comment not found')
    by(AUTHOR, { run: null }).when(remove).refused('not_found', 'run not found')
    by(AUTHOR, { hold: 'h1' }).when(remove).refused('conflict', 'run is under legal hold h1')
  })
})
