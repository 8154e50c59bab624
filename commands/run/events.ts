import type { NewEvent } from '../../storage/command.ts'
import { deleteFrames, insertFrames, type Frame } from '../../storage/documents/frames.ts'
import { deletePendingMove, dropRunObjects } from '../../storage/objects/run-objects.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { Statement } from '../../storage/storage.ts'
import { deleteAnnotationsOf } from '../annotation/events.ts'
import { deleteCommentsOf } from '../comment/events.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, PLANS, RUNS } from '../tags.ts'
import type { EvidenceData, Manifest } from '../../domain/evidence/manifest.ts'
import { deletePartsOf } from './evidence.ts'
import type { StoredRun } from './stored-run.ts'

/**
 * Stream `run/<id>`: the events of one run. A deleted id may be ingested again, with the next version of the stream.
 */
export type RunIngested = NewEvent<
  'RunIngested',
  {
    readonly case_count: number
    readonly content_hash: string
    readonly document_bytes: number
    readonly document_sha256: string
    /** The manifest that the document names. Absent if it names none, and in events of earlier versions. */
    readonly evidence?: EvidenceData
    readonly hash_version: number
    /** The number of cases that repeat a key. Absent if there is none, and in events of earlier versions. */
    readonly hidden_cases?: number
    /**
     * The plan that this run follows, and the number of this run among its runs, from 1; null for a run without a plan. Events of
     * earlier versions have neither.
     */
    readonly plan_id?: string | null
    readonly attempt?: number | null
    readonly project: string | null
    readonly run_no: number
    readonly suite: string | null
  }
> & { readonly attached?: StoredRun & { readonly manifest?: Manifest | null } }

export type RunDeleted = NewEvent<
  'RunDeleted',
  {
    readonly cause: 'request' | 'retention' | 'erasure'
    readonly document_sha256: string
    readonly project: string | null
    readonly run_no: number
    readonly suite: string | null
  }
>

/** In the stream of the run: evidence was added to it later. `attached` is null when the run and its manifest were deleted. */
export type EvidenceAttached = NewEvent<
  'EvidenceAttached',
  EvidenceData & { readonly project: string | null; readonly run_no: number; readonly suite: string | null }
> & { readonly attached?: Manifest | null }

export type RunEvent = RunIngested | RunDeleted | EvidenceAttached

const shared = {
  change: 'run',
  erasure: 'run',
  digests: false,
  projections: ['runs', 'providers', 'cases', 'matrix', 'sets', 'outlines', 'judges', 'evidence', 'search'],
} as const
export const RUN_EVENTS = {
  RunIngested: {
    ...shared,
    // What people added to a run is followed while the run is stored.
    digests: true,
    tags: ({ stream, data }) => [
      stream,
      invalidatedSet(RUNS, data),
      // The other runs of a plan show how often it was tried.
      ...((data.plan_id ?? null) === null ? [] : [invalidatedSet(PLANS, data)]),
    ],
    projections: [...shared.projections, 'plans'],
  },
  RunDeleted: {
    ...shared,
    tags: ({ stream, data }) => [stream, invalidatedSet(RUNS, data)],
    digests: true,
    projections: [...shared.projections, 'annotations', 'comments'],
  },
  EvidenceAttached: {
    change: 'run',
    erasure: 'run',
    digests: false,
    tags: ({ stream }) => [stream],
    projections: ['evidence'],
  },
} as const satisfies EventTypes<RunEvent>

/** Returns the event with its document: prepared for the projections, and as frames for the database. */
export const runIngested = (
  run_id: string,
  data: RunIngested['data'],
  attached: NonNullable<RunIngested['attached']>,
  frames: readonly Frame[],
  others: readonly Statement[] = [],
): RunIngested => ({
  ...event(streamOf('run', run_id), 'RunIngested', data),
  attached,
  statements: [insertFrames(data.run_no, frames), ...others],
})

/** Returns the event with the rows that give the parts to the run. */
export const evidenceAttached = (
  run_id: string,
  data: EvidenceAttached['data'],
  attached: Manifest,
  statements: readonly Statement[],
): EvidenceAttached => ({ ...event(streamOf('run', run_id), 'EvidenceAttached', data), attached, statements })

export const runDeleted = (run_id: string, data: RunDeleted['data']): RunDeleted => ({
  ...event(streamOf('run', run_id), 'RunDeleted', data),
  statements: [
    deleteFrames(data.run_no),
    ...dropRunObjects(data.run_no),
    deletePendingMove(data.run_no),
    deleteAnnotationsOf(data.run_no),
    deleteCommentsOf(data.run_no),
    ...deletePartsOf(data.run_no),
  ],
})
