import type { RunSet } from '../sets.ts'
import { rate } from '../wire.ts'
import type { DeliveredEvent } from './event-types.ts'

/** Maximum bytes of a body. Names are at most 400 bytes, so bodies stay below it. */
export const MAX_BODY_BYTES = 16 * 1024

/** The counts of a run; null if it was deleted before they were read. */
export type RunCounts = {
  readonly cases: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
} | null

type Point = { readonly passed: number; readonly total: number }

/** The numbers that were true when the event happened. */
export type MessageFacts = {
  readonly counts?: RunCounts
  readonly compared?: {
    readonly against: 'baseline' | 'previous'
    readonly run_no: number
    readonly worse: number
    readonly better: number
    readonly p: number
  }
  readonly measured?: {
    readonly run_no: number
    readonly ratio: number
    readonly lower: number
    readonly upper: number
    readonly pairs: number
    readonly p: number
  }
  /** The previous like run, and how many metrics another judge decided there. */
  readonly judged?: { readonly run_no: number; readonly metrics: number }
  /** A closed review queue: its items, and how many have a final label or wait for one. */
  readonly reviewed?: {
    readonly items: number
    readonly final: number
    readonly waiting: number
    readonly labels: number
  }
  readonly change?: { readonly run_no: number; readonly before: Point; readonly after: Point }
}

/** What a message is about. `run_id` is that of the record; `other_run_id` that of the run in the facts. */
export type MessageSubject = RunSet & {
  readonly event: DeliveredEvent
  /** Epoch milliseconds. */
  readonly at: number
  readonly webhook_id: string
  readonly run_id: string | null
  readonly other_run_id: string | null
  readonly cause: string | null
  readonly facts: MessageFacts
}

const pathTo = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('')

/** The page of a run or of a suite, as a URL; null without the public URL of the service, or for a run that was deleted. */
export const pageOf = ({ event, run_id, project, suite }: MessageSubject, publicUrl: string | null): string | null => {
  if (publicUrl === null) return null
  if (run_id !== null && event !== 'run.deleted' && event !== 'suite.changed') return publicUrl + pathTo('runs', run_id)
  if (project === null) return publicUrl
  return publicUrl + (suite === null ? pathTo('projects', project) : pathTo('projects', project, 'suites', suite))
}

const pointFields = ({ passed, total }: Point) => ({ passed, total, rate: rate(passed, total) })

const messageParts = ({
  event,
  run_id,
  project,
  suite,
  other_run_id,
  cause,
  facts,
  webhook_id,
}: MessageSubject): object => {
  const { counts = null, compared, measured, judged, change } = facts
  switch (event) {
    case 'run.ingested':
      return { run_id, project, suite, counts }
    case 'run.regressed':
    case 'run.recovered': {
      const { run_no: _, ...numbers } = compared ?? { run_no: 0 }
      return { run_id, project, suite, counts, compared: { run_id: other_run_id, ...numbers } }
    }
    case 'run.costlier':
    case 'run.slower': {
      const { run_no: _, ...numbers } = measured ?? { run_no: 0 }
      return { run_id, project, suite, counts, compared: { run_id: other_run_id, against: 'previous', ...numbers } }
    }
    case 'judge.changed':
      return { run_id, project, suite, counts, judge_changed: { run_id: other_run_id, metrics: judged?.metrics ?? 0 } }
    case 'suite.changed':
      return {
        run_id,
        project,
        suite,
        first_run_id: other_run_id,
        before: change ? pointFields(change.before) : null,
        after: change ? pointFields(change.after) : null,
      }
    case 'review.completed':
      return { project, suite, cause, reviewed: facts.reviewed ?? null }
    case 'baseline.pinned':
      return { run_id, project, suite }
    case 'baseline.unpinned':
      return { project, suite, cause }
    case 'run.deleted':
      return { run_id, project, suite, cause }
    case 'webhook.test':
      return { webhook_id }
  }
}

/** The body of a message: `{type, timestamp, data}` as Standard Webhooks recommends. It has names and numbers, never outputs. */
export const messageBody = (subject: MessageSubject, publicUrl: string | null): string => {
  const data = { ...messageParts(subject), url: pageOf(subject, publicUrl) }
  const body = JSON.stringify({ type: subject.event, timestamp: new Date(subject.at).toISOString(), data })
  const bytes = Buffer.byteLength(body)
  if (bytes > MAX_BODY_BYTES) throw new Error(`a message of ${bytes} bytes is larger than ${MAX_BODY_BYTES}`)
  return body
}
