import type { NewEvent } from '../../storage/command.ts'
import { deleteFrames, insertFrames, type Frame } from '../../storage/documents/frames.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { deleteAnnotationsOf } from '../annotation/events.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, PLANS, RUNS } from '../tags.ts'
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
> & { readonly attached?: StoredRun }

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

export type RunEvent = RunIngested | RunDeleted

const shared = {
  change: 'run',
  erasure: 'run',
  digests: false,
  projections: ['runs', 'cases', 'matrix', 'sets', 'outlines', 'search'],
} as const
export const RUN_EVENTS = {
  RunIngested: {
    ...shared,
    // The texts that were added to a run are followed while the run is stored.
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
    projections: [...shared.projections, 'annotations'],
  },
} as const satisfies EventTypes<RunEvent>

/** Returns the event with its document: prepared for the projections, and as frames for the database. */
export const runIngested = (
  run_id: string,
  data: RunIngested['data'],
  attached: StoredRun,
  frames: readonly Frame[],
): RunIngested => ({
  ...event(streamOf('run', run_id), 'RunIngested', data),
  attached,
  statements: [insertFrames(data.run_no, frames)],
})

export const runDeleted = (run_id: string, data: RunDeleted['data']): RunDeleted => ({
  ...event(streamOf('run', run_id), 'RunDeleted', data),
  statements: [deleteFrames(data.run_no), deleteAnnotationsOf(data.run_no)],
})
