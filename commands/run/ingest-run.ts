import { hash } from 'node:crypto'
import { InvalidDocument } from '../../engine/invalid-document.ts'
import { prepareRun } from '../../engine/prepare-run.ts'
import type { PreparedRun } from '../../engine/prepare-run.ts'
import { findClaim, findClaimByDocument } from '../../queries/runs.ts'
import type { Viewer } from '../../queries/viewer.ts'
import { includes, levelOn } from '../../queries/visible.ts'
import { framesBeside } from '../../storage/document-frames.ts'
import type { Frame } from '../../storage/document-frames.ts'
import { Stale } from '../../storage/storage.ts'
import { heavyCommand } from '../command.ts'
import { Refused } from '../refused.ts'
import { runIngested } from './events.ts'
import { inflate } from './inflate.ts'
import type { Encoding } from './inflate.ts'

export type Upload = { readonly body: Uint8Array; readonly encoding: Encoding }

type Prepared = { readonly id: string; readonly project: string | null; readonly suite: string | null; readonly raw_bytes: number } & (
  | { readonly kind: 'known'; readonly run_no: number }
  | { readonly kind: 'fresh'; readonly document_sha256: string; readonly document: PreparedRun; readonly frames: readonly Frame[]; readonly pending: Promise<void> }
)

/**
 * Records a run document. The same content again is silent (`created` false); other content under a known run id is a
 * conflict. Refuses: bad_request (not JSON, no version), unprocessable (version, shape), too_large, forbidden (no
 * upload level on its set), conflict.
 */
export const ingestRun = (viewer: Viewer, { body, encoding }: Upload) =>
  heavyCommand(viewer, {
    bytes: Math.max(body.length, 1),

    async prepare(source): Promise<Prepared> {
      const bytes = inflate(body, encoding)
      const document_sha256 = hash('sha256', bytes, 'hex')
      // The very same bytes need no parse: they can only be the same run.
      const known = await source.read(findClaimByDocument(document_sha256))
      if (known) return { kind: 'known', ...known, raw_bytes: bytes.length }
      const { frames, pending } = framesBeside(bytes)
      const document = parsed(bytes)
      const { id, project, suite } = document.run
      return { kind: 'fresh', id, project, suite, raw_bytes: bytes.length, document_sha256, document, frames, pending }
    },

    facts: ({ id, project, suite }) => ({ level: levelOn(viewer, { project, suite }), claim: findClaim(id) }),

    decide({ level, claim }, prepared, { nextRunNo }) {
      if (!includes(level, 'upload')) throw new Refused('forbidden', 'this run set is restricted; you need an upload grant on it')
      if (prepared.kind === 'known') {
        if (claim?.run_no !== prepared.run_no) throw new Stale('the run went since its bytes were recognised')
        return []
      }
      const { run, cases } = prepared.document
      if (claim) {
        if (claim.content_hash === run.content_hash && claim.hash_version === run.hash_version) return []
        throw new Refused('conflict', 'another run exists under this id with different content', { id: claim.id })
      }
      const { id, project, suite, content_hash, hash_version } = run
      const { document_sha256, raw_bytes: document_bytes, document, frames } = prepared
      return [runIngested(id, { case_count: cases.length, content_hash, document_bytes, document_sha256, hash_version, project, run_no: nextRunNo(), suite }, document, frames)]
    },

    answer: (recorded, { id }) => ({ id, created: recorded.length > 0 }),
  })

const parsed = (bytes: Uint8Array): PreparedRun => {
  try {
    return prepareRun(bytes)
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error
    const reason = error.reason === 'malformed' || error.reason === 'missing_version' ? 'bad_request' : 'unprocessable'
    throw new Refused(reason, error.message)
  }
}
