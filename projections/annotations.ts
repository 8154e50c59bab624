import type { Added, RunAnnotated } from '../commands/annotation/events.ts'
import { rfc3339 } from '../domain/wire.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

const isEmpty = ({ title, note, tags }: Added): boolean => title === null && note === null && tags.length === 0

/**
 * What people added to runs. A record whose texts were deleted, with its run or by an erasure, leaves nothing, and the run
 * has nothing added until the next record.
 */
export const annotations = projection(
  { name: 'annotations', version: 1, tables: ['run_annotations', 'run_annotated', 'run_added_tags'] },
  {
    RunAnnotated: ({ seq, recorded_at, actor, attached, data: { annotation_id, run_no } }) => {
      const replaced = [
        statement`DELETE FROM run_annotated WHERE run_no = ${run_no}`,
        statement`DELETE FROM run_added_tags WHERE run_no = ${run_no}`,
      ]
      if (!attached) return replaced
      const { added, run } = attached
      const by = actor.user_id ?? actor.credential_id
      // As lists have it, without the label of who added it.
      const item = JSON.stringify({ ...added, revision: annotation_id, at: rfc3339(recorded_at) })
      return [
        ...replaced,
        statement`
          INSERT INTO run_annotations (annotation_id, run_no, seq, annotated_by, added)
          VALUES (${annotation_id}, ${run_no}, ${seq}, ${by}, ${item})`,
        ...(isEmpty(added)
          ? []
          : [
              statement`
                INSERT INTO run_annotated (run_no, annotation_id, annotated_by, added)
                VALUES (${run_no}, ${annotation_id}, ${by}, ${item})`,
              insertRows(
                'run_added_tags',
                ['tag', 'created_at', 'id', 'run_no', 'annotation_id'],
                added.tags.map((tag) => [tag, run.created_at, run.id, run_no, annotation_id]),
              ),
            ]),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM run_annotations WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_annotated WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_added_tags WHERE run_no = ${run_no}`,
    ],
    // The erasure deletes the texts too.
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'RunAnnotated') return []
      const { annotation_id } = kept.data as RunAnnotated['data']
      return [
        statement`DELETE FROM run_annotations WHERE annotation_id = ${annotation_id}`,
        statement`DELETE FROM run_annotated WHERE annotation_id = ${annotation_id}`,
        statement`DELETE FROM run_added_tags WHERE annotation_id = ${annotation_id}`,
      ]
    },
  },
)
