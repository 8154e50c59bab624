import type { RunCommented } from '../commands/comment/events.ts'
import { setKey } from '../domain/sets.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/**
 * Who commented on runs and their cases, and when. The texts are next to the log. A record whose text was deleted, with its run or by
 * an erasure, leaves nothing.
 */
export const comments = projection(
  { name: 'comments', version: 2, tables: ['run_comments'] },
  {
    RunCommented: ({ seq, recorded_at, actor, attached, data: { comment_id, run_no, ...set } }) =>
      attached
        ? [
            statement`
              INSERT INTO run_comments (comment_id, run_no, seq, commented_by, commented_at, set_key)
              VALUES (${comment_id}, ${run_no}, ${seq}, ${actor.user_id ?? actor.credential_id}, ${recorded_at}, ${setKey(set) ?? ''})`,
          ]
        : [],
    CommentDeleted: ({ data: { comment_id } }) => [
      statement`DELETE FROM run_comments WHERE comment_id = ${comment_id}`,
    ],
    RunDeleted: ({ data: { run_no } }) => [statement`DELETE FROM run_comments WHERE run_no = ${run_no}`],
    // The erasure deletes the text too.
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'RunCommented') return []
      const { comment_id } = kept.data as RunCommented['data']
      return [statement`DELETE FROM run_comments WHERE comment_id = ${comment_id}`]
    },
  },
)
