import { findLevel, includes, type Level } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { listCaseKeys, listEvidence, numberOfEvidence, type RunEvidence } from '../../queries/evidence/evidence.ts'
import { findRun, type Run } from '../../queries/runs/run.ts'
import { Stale } from '../../storage/errors.ts'
import { constant } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { heavyCommand } from '../heavy-command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { evidenceAttached } from './events.ts'
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

/** How often evidence may be added to a run. */
const MAX_ATTACHMENTS = 100

type Attach = { readonly run_id: string; readonly manifest: string; readonly maxPartBytes: number }

type Prepared = {
  readonly run: Run | null
  /** Null if it was not read, or if the viewer would have to send it first. */
  readonly evidence: PreparedEvidence | null
  readonly isRead: boolean
  readonly cases: ReadonlySet<string>
  readonly raw_bytes: number
  readonly pending: Promise<void>
}

type Facts = {
  readonly run: Query<Run | null>
  readonly level: Query<Level | null>
  readonly attached: Query<RunEvidence[]>
} & EvidenceFacts

/**
 * Adds evidence to a run that the viewer can see. Records nothing if the run has this manifest already. Refuses: not_found, forbidden (no
 * upload level on its set), unprocessable (missing parts, no manifest), conflict (too many).
 */
export const attachEvidence = (viewer: Viewer, { run_id, manifest, maxPartBytes }: Attach) =>
  heavyCommand(viewer, {
    bytes: 1,
    prepare: async (reader): Promise<Prepared> => {
      const run = await reader.read(findRun(viewer, run_id))
      // A manifest is not read for whom may not add it, nor a second time.
      const isRead =
        run !== null &&
        includes(await reader.read(findLevel(viewer, run)), 'upload') &&
        !(await reader.read(listEvidence(run.run_no))).some(({ manifest_sha256 }) => manifest_sha256 === manifest)
      const evidence = isRead ? await prepareEvidence(reader, viewer, manifest, run.run_no) : null
      const keys = evidence ? evidence.manifest.entries.flatMap(({ case_key }) => case_key ?? []) : []
      const cases = run && keys.length > 0 ? await reader.read(listCaseKeys(run.run_no)) : new Set<string>()
      const { manifest_bytes: raw_bytes = 1, pending = Promise.resolve() } = evidence ?? {}
      return { run, evidence, isRead, cases, raw_bytes, pending }
    },
    facts: ({ run, evidence }): Facts => ({
      run: findRun(viewer, run_id),
      level: run ? findLevel(viewer, run) : constant(null),
      attached: run ? listEvidence(run.run_no) : constant([]),
      ...evidenceFacts(viewer, evidence, run ?? { run_no: null, project: null, suite: null }),
    }),
    decide(facts, { run: found, evidence, isRead, cases }) {
      const { run, level, attached } = facts
      if (run?.run_no !== found?.run_no) throw new Stale('the run was deleted or uploaded after it was found')
      if (!run) throw new Refused('not_found', 'run not found')
      refuseWithoutUpload(level)
      if (attached.some(({ manifest_sha256 }) => manifest_sha256 === manifest)) return []
      if (!isRead) throw new Stale('the manifest was not read, and now it is needed')
      if (!evidence) throw missingParts([manifest])
      if (attached.filter(({ with_run }) => with_run === 0).length >= MAX_ATTACHMENTS)
        throw new Refused('conflict', `evidence was added to this run ${MAX_ATTACHMENTS} times, which is the maximum`)
      refuseUnknownCases(evidence, cases)
      const { project, run_no, suite } = run
      return [
        evidenceAttached(
          run.id,
          { ...evidenceData(evidence, facts, maxPartBytes), project, run_no, suite },
          evidence.manifest,
          evidenceStatements(viewer, evidence, facts, { run_no, project, suite }),
        ),
      ]
    },
    /** `n` is the number of the evidence in the run. */
    result: (recorded, _prepared, { attached }) => {
      const known = attached.findIndex(({ manifest_sha256 }) => manifest_sha256 === manifest)
      return { created: recorded.length > 0, n: numberOfEvidence(attached, known < 0 ? attached.length : known) }
    },
  })
