import { hash } from 'node:crypto'
import { DOT_NAME, findDotName } from '../../domain/run/dot-names.ts'
import { InvalidDocument } from '../../domain/run/invalid-document.ts'
import { prepareRun, type PreparedRun } from '../../domain/run/prepare.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findLevel, type Level } from '../../queries/access/levels.ts'
import { findClaim, findClaimByDocument, type Claim } from '../../queries/runs/claims.ts'
import { findFollowedPlan, type FollowedPlan } from '../../queries/plans/plans.ts'
import type { Numbers, Recorded, UnlockedReader } from '../../storage/command.ts'
import { framesConcurrently, SMALL_FRAMES, type Frame } from '../../storage/documents/frames.ts'
import { Stale } from '../../storage/errors.ts'
import { constant } from '../../storage/sql.ts'
import type { Query, Results } from '../../storage/storage.ts'
import { heavyCommand } from '../heavy-command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { runIngested } from './events.ts'
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
}

/** Parses and compresses an upload, outside of any transaction. Refuses what is not a run document. */
export const prepareUpload = async (
  reader: UnlockedReader,
  { body, encoding, document_sha256: givenSha256, plan_id = null }: Upload,
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
    prepare: (reader) => prepareUpload(reader, upload),
  })

/** Records a document that another thread prepared: during an import one thread prepares while another records. */
export const ingestPrepared = (viewer: Viewer, prepared: Omit<FreshUpload, 'pending'>) =>
  heavyCommand(viewer, {
    ...recording(viewer),
    bytes: Math.max(prepared.raw_bytes, 1),
    prepare: () => ({ ...prepared, pending: Promise.resolve() }),
  })

type Facts = {
  readonly level: Query<Level | null>
  readonly claim: Query<Claim | null>
  readonly plan: Query<FollowedPlan | null>
}

const recording = (viewer: Viewer) => ({
  facts: (prepared: DuplicateUpload | FreshUpload): Facts => {
    const { id, project, suite } = prepared
    return {
      level: findLevel(viewer, { project, suite }),
      claim: findClaim(id),
      plan: prepared.kind === 'known' ? constant(null) : findFollowedPlan(viewer, followerOf(prepared)),
    }
  },

  decide({ level, claim, plan }: Results<Facts>, prepared: DuplicateUpload | FreshUpload, { nextRunNo }: Numbers) {
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
    const { document_sha256, raw_bytes: document_bytes, document, frames } = prepared
    return [
      runIngested(
        id,
        {
          case_count: cases.length,
          content_hash,
          document_bytes,
          document_sha256,
          hash_version,
          ...(hidden.length > 0 && { hidden_cases: hidden.length }),
          // Counted under the lock, and never again: a plan shows how often it was tried, even if runs are deleted.
          plan_id: plan?.plan_id ?? null,
          attempt: plan ? plan.attempts + 1 : null,
          project,
          run_no: nextRunNo(),
          suite,
        },
        document,
        frames,
      ),
    ]
  },

  /** `hidden_cases` is the number of cases of a new run that no list shows, because they have the key of another one. */
  result: (recorded: readonly Recorded[], prepared: DuplicateUpload | FreshUpload) => ({
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
