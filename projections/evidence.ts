import type { EvidenceData, Manifest } from '../domain/evidence/manifest.ts'
import type { Recorded } from '../storage/command.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

const PART_COLUMNS = [
  'run_no',
  'seq',
  'n',
  'case_key',
  'sha256',
  'bytes',
  'role',
  'name',
  'media_type',
  'from_sha256',
  'from_path',
]

/** The manifests of runs, and their entries by case. Manifests are read without the documents that name them. */
export const evidence = projection(
  { name: 'evidence', version: 1, tables: ['run_evidence', 'case_parts'], readsNoDocument: true },
  {
    RunIngested: (recorded) => {
      const { data, attached } = recorded
      if (!data.evidence) return []
      return rowsOf(recorded, data.run_no, data.evidence, attached?.manifest, true)
    },
    EvidenceAttached: (recorded) => rowsOf(recorded, recorded.data.run_no, recorded.data, recorded.attached, false),
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM run_evidence WHERE run_no = ${run_no}`,
      statement`DELETE FROM case_parts WHERE run_no = ${run_no}`,
    ],
    EventErased: (recorded) => {
      if (recorded.data.kept === null) return []
      const { type, seq } = attachedRecord(recorded)
      if (type !== 'RunIngested' && type !== 'EvidenceAttached') return []
      return [statement`UPDATE run_evidence SET attached_by = NULL WHERE seq = ${seq}`]
    },
  },
)

/** A manifest of a deleted run is gone, and leaves nothing. */
const rowsOf = (
  { seq, recorded_at, actor }: Recorded,
  run_no: number,
  { manifest_sha256, manifest_bytes, part_count, part_bytes }: EvidenceData,
  manifest: Manifest | null | undefined,
  isWithRun: boolean,
): Statement[] => {
  if (!manifest) return []
  return [
    insertRows(
      'run_evidence',
      [
        'run_no',
        'seq',
        'with_run',
        'manifest_sha256',
        'manifest_bytes',
        'part_count',
        'part_bytes',
        'attached_at',
        'attached_by',
      ],
      [
        [
          run_no,
          seq,
          isWithRun ? 1 : 0,
          manifest_sha256,
          manifest_bytes,
          part_count,
          part_bytes,
          recorded_at,
          actor.user_id ?? actor.credential_id,
        ],
      ],
    ),
    insertRows(
      'case_parts',
      PART_COLUMNS,
      manifest.entries.map(({ sha256, bytes, role, case_key, name, media_type, from }, n) => [
        run_no,
        seq,
        n,
        case_key,
        sha256,
        bytes,
        role,
        name,
        media_type,
        from?.sha256 ?? null,
        from?.path ?? null,
      ]),
    ),
  ]
}
