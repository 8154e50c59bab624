import { hash } from 'node:crypto'
import { DOT_NAME, findDotName } from '../../domain/run/dot-names.ts'
import { InvalidDocument } from '../../domain/run/invalid-document.ts'
import { prepareRun, type PreparedRun } from '../../domain/run/prepare.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findLevel, includes, type Level } from '../../queries/access/levels.ts'
import { findClaim, findClaimByDocument, type Claim } from '../../queries/runs/claims.ts'
import { findFollowedPlan, type FollowedPlan } from '../../queries/plans/plans.ts'
import type { Numbers, Recorded, UnlockedReader } from '../../storage/command.ts'
import { framesConcurrently, SMALL_FRAMES, type Frame } from '../../storage/documents/frames.ts'
import { Stale } from '../../storage/errors.ts'
import { insertPendingMove } from '../../storage/objects/run-objects.ts'
import { constant } from '../../storage/sql.ts'
import type { Query, Results } from '../../storage/storage.ts'
import { heavyCommand } from '../heavy-command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { runIngested } from './events.ts'
import {
  evidenceData,
  evidenceFacts,
  evidenceStatements,
  missingParts,
  prepareEvidence,
  refuseUnknownCases,
  type EvidenceFacts,
  type PreparedEvidence,
} from './evidence.ts'
import { inflate, type Encoding } from './inflate.ts'
import { storedRun, type StoredRun } from './stored-run.ts'

/**
 * `document_sha256` (hex) is set if the caller has hashed the bytes already, for a body without encoding. `plan_id` is the
 * plan that the run follows, if the caller names one.
 */
export type Upload = {
  readonly body: Uint8Array
  readonly encoding: Encoding
  readonly document_sha256?: string | null
  readonly plan_id?: string | null
  /** Maximum bytes of the evidence that the document names. */
  readonly maxPartBytes?: number
}

type UploadedRun = {
  readonly id: string
  readonly project: string | null
  readonly suite: string | null
  readonly raw_bytes: number
}
type DuplicateUpload = UploadedRun & { readonly kind: 'known'; readonly run_no: number }
/**
 * `dot_name` is the field that contains the name `.` or `..`, which clients remove from a URL; null if there is none.
 */
export type FreshUpload = UploadedRun & {
  readonly kind: 'fresh'
  readonly document_sha256: string
  readonly dot_name: string | null
  /** The plan that the upload names, or null. */
  readonly plan_id: string | null
  readonly document: StoredRun
  readonly frames: readonly Frame[]
  readonly pending: Promise<void>
  readonly maxPartBytes: number
}

/**
 * An upload with the manifest that it names; null if it names none, or one that the viewer would have to send first. `isRead` is false if
 * the manifest did not seem to be needed. `raw_bytes` counts the manifest too.
 */
type WithEvidence = {
  readonly evidence: PreparedEvidence | null
  readonly isRead: boolean
  readonly document_bytes: number
  /** Since when the document waits to be moved into an object; null if it is not moved. */
  readonly waitsSince: number | null
}
type PreparedUpload = DuplicateUpload | (FreshUpload & WithEvidence)

/** Parses and compresses an upload, outside of any transaction. Refuses what is not a run document. */
export const prepareUpload = async (
  reader: UnlockedReader,
  { body, encoding, document_sha256: givenSha256, plan_id = null, maxPartBytes = Infinity }: Upload,
): Promise<DuplicateUpload | FreshUpload> => {
  const bytes = inflate(body, encoding)
  const document_sha256 = givenSha256 ?? hash('sha256', bytes, 'hex')
  // Bytes that are stored already are not parsed: they can only be the same run.
  const duplicate = await reader.read(findClaimByDocument(document_sha256))
  if (duplicate) return { kind: 'known', ...duplicate, raw_bytes: bytes.length }
  const { frames, pending } = framesConcurrently(bytes, SMALL_FRAMES)
  const document = storedRun(parsed(bytes), { withVectors: reader.dialect === 'postgres' })
  const { id, project, suite } = document.run
  return {
    kind: 'fresh',
    id,
    project,
    suite,
    raw_bytes: bytes.length,
    document_sha256,
    dot_name: findDotName(document),
    plan_id,
    document,
    frames,
    pending,
    maxPartBytes,
  }
}

/**
 * Reads the manifest that a document names: nothing is read for one that names none, for a run that is there, and for whom may not upload
 * it.
 */
const withEvidence = async (
  reader: UnlockedReader,
  viewer: Viewer,
  upload: DuplicateUpload | FreshUpload,
): Promise<PreparedUpload> => {
  if (upload.kind === 'known') return upload
  const { evidence_manifest } = upload.document
  const { raw_bytes, pending } = upload
  const waitsSince = reader.moves?.now() ?? null
  const without = { ...upload, evidence: null, document_bytes: raw_bytes, waitsSince }
  if (evidence_manifest === undefined) return { ...without, isRead: true }
  const isNeeded =
    includes(await reader.read(findLevel(viewer, upload)), 'upload') &&
    (await reader.read(findClaim(upload.id))) === null
  if (!isNeeded) return { ...without, isRead: false }
  const evidence = await prepareEvidence(reader, viewer, evidence_manifest, null)
  if (!evidence) return { ...without, isRead: true }
  return {
    ...without,
    evidence,
    isRead: true,
    raw_bytes: raw_bytes + evidence.manifest_bytes,
    pending: Promise.all([pending, evidence.pending]).then(() => undefined),
  }
}

/**
 * Records a run document. If the same content is uploaded again, nothing is recorded (`created` is false). Refuses:
 * bad_request (not JSON, no version), unprocessable (version, shape, a dot name, a plan that is none of its suite),
 * too_large, forbidden (no upload level on its set), conflict (other content with the same run id).
 */
export const ingestRun = (viewer: Viewer, upload: Upload) =>
  heavyCommand(viewer, {
    ...recording(viewer),
    bytes: Math.max(upload.body.length, 1),
    prepare: async (reader) => withEvidence(reader, viewer, await prepareUpload(reader, upload)),
  })

/** Records a document that another thread prepared: during an import one thread prepares while another records. */
export const ingestPrepared = (viewer: Viewer, prepared: Omit<FreshUpload, 'pending'>) =>
  heavyCommand(viewer, {
    ...recording(viewer),
    bytes: Math.max(prepared.raw_bytes, 1),
    prepare: (reader) => withEvidence(reader, viewer, { ...prepared, pending: Promise.resolve() }),
  })

type Facts = {
  readonly level: Query<Level | null>
  readonly claim: Query<Claim | null>
  readonly plan: Query<FollowedPlan | null>
} & EvidenceFacts

const recording = (viewer: Viewer) => ({
  facts: (prepared: PreparedUpload): Facts => {
    const { id, project, suite } = prepared
    return {
      level: findLevel(viewer, { project, suite }),
      claim: findClaim(id),
      plan: prepared.kind === 'known' ? constant(null) : findFollowedPlan(viewer, followerOf(prepared)),
      ...evidenceFacts(viewer, prepared.kind === 'known' ? null : prepared.evidence, { run_no: null, project, suite }),
    }
  },

  decide(facts: Results<Facts>, prepared: PreparedUpload, { nextRunNo }: Numbers) {
    const { level, claim, plan } = facts
    refuseWithoutUpload(level)
    if (prepared.kind === 'known') {
      if (claim?.run_no !== prepared.run_no) throw new Stale('the run was deleted after its bytes were found')
      return []
    }
    const { run, cases, hidden } = prepared.document
    if (claim?.content_hash === run.content_hash && claim.hash_version === run.hash_version) return []
    // Checked after the duplicates: an earlier version may have accepted a run with such a name, and the same run can
    // still be uploaded again.
    if (prepared.dot_name !== null) throw dotNameRefused(prepared.dot_name)
    if (claim) throw new Refused('conflict', OTHER_CONTENT, { id: claim.id })
    if (prepared.plan_id !== null && !plan) throw new Refused('unprocessable', 'plan not found in this suite')
    const { id, project, suite, content_hash, hash_version } = run
    const { document_sha256, document_bytes, document, frames, evidence, isRead, waitsSince } = prepared
    if (!isRead) throw new Stale('the manifest was not read, and now it is needed')
    if (document.evidence_manifest !== undefined && !evidence) throw missingParts([document.evidence_manifest])
    if (evidence) refuseUnknownCases(evidence, new Set(cases.map(({ case_key }) => case_key)))
    const recorded = evidence && evidenceData(evidence, facts, prepared.maxPartBytes)
    const run_no = nextRunNo()
    return [
      runIngested(
        id,
        {
          case_count: cases.length,
          content_hash,
          document_bytes,
          document_sha256,
          ...(recorded && { evidence: recorded }),
          hash_version,
          ...(hidden.length > 0 && { hidden_cases: hidden.length }),
          // Counted under the lock, and never again: a plan shows how often it was tried, even if runs are deleted.
          plan_id: plan?.plan_id ?? null,
          attempt: plan ? plan.attempts + 1 : null,
          project,
          run_no,
          suite,
        },
        evidence ? { ...document, manifest: evidence.manifest } : document,
        frames,
        [
          ...(evidence ? evidenceStatements(viewer, evidence, facts, { run_no, project, suite }) : []),
          ...(waitsSince === null ? [] : [insertPendingMove(run_no, waitsSince)]),
        ],
      ),
    ]
  },

  /** `hidden_cases` is the number of cases of a new run that no list shows, because they have the key of another one. */
  result: (recorded: readonly Recorded[], prepared: PreparedUpload) => ({
    id: prepared.id,
    created: recorded.length > 0,
    hidden_cases: recorded.length > 0 && prepared.kind === 'fresh' ? prepared.document.hidden.length : 0,
  }),
})

const followerOf = ({ project, suite, plan_id, document: { run } }: FreshUpload) => ({
  project,
  suite,
  plan_id,
  config_digest: run.config_digest,
})

const dotNameRefused = (field: string): Refused =>
  new Refused('unprocessable', `invalid run document: ${field}: ${DOT_NAME}`)

/**
 * Refuses what `ingestRun` would refuse by the document alone, and stores nothing. Returns what the run is known by, and the
 * document without encoding.
 */
export const checkUpload = (body: Uint8Array, encoding: Encoding) => {
  const bytes = inflate(body, encoding)
  const prepared = parsed(bytes)
  const dotName = findDotName(prepared)
  if (dotName !== null) throw dotNameRefused(dotName)
  const { id, content_hash, config } = prepared.run
  return { id, content_hash, config, bytes, hidden_cases: prepared.hidden.length }
}

/** Why another document with the id of a stored run is refused. */
export const OTHER_CONTENT = 'another run exists under this id with different content'

const parsed = (bytes: Uint8Array): PreparedRun => {
  try {
    return prepareRun(bytes)
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error
    const reason = error.reason === 'malformed' || error.reason === 'missing_version' ? 'bad_request' : 'unprocessable'
    throw new Refused(reason, error.message)
  }
}
