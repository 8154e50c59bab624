import { hash } from 'node:crypto'
import type { Question } from './rubric.ts'

/** A run of a queue with one judge, and how many of its cases that judge passed, failed or did neither. Counts outlive the run. */
export type QueueRun = {
  readonly run_no: number
  readonly document_sha256: string
  readonly judge_id: string | null
  readonly passed: number
  readonly failed: number
  readonly other: number
}

/** The index of its run in `runs`, the index of the case in that run, the judge's verdict, and the digest of its criterion. */
type ItemCase = readonly [run: number, case_n: number, verdict: 0 | 1 | null, criterion: string | null]
/** Which case of a pair a person was shown first: A or B. */
export type Side = 'ab' | 'ba'

/** One case, or two for a preference. Items are numbered from 1. */
export type QueueItem = ItemCase | readonly [...ItemCase, ...ItemCase]

/**
 * The order in which a person sees the cases of a pair, by the parity of the first byte of the SHA-256 of the seed of the queue, a NUL,
 * the id of the account, a NUL and the number of the item: even is A first. It cannot be chosen, and differs between people.
 */
export const sideOf = (seed: string, user_id: string, n: number): Side =>
  hash('sha256', `${seed}\0${user_id}\0${n}`, 'buffer').readUInt8(0) % 2 === 0 ? 'ab' : 'ba'

/**
 * Answers as they are stored, where `a` of a preference is the case A, from answers as a person sees them, where `a` is the case that is
 * shown first; and the other way round.
 */
export const turnedAnswers = (
  questions: readonly Question[],
  side: Side | null,
  answers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const key = side === 'ba' ? questions.find(({ kind }) => kind === 'preference')?.key : undefined
  if (key === undefined || !Object.hasOwn(answers, key)) return answers
  const answer = answers[key]
  return { ...answers, [key]: answer === 'a' ? 'b' : answer === 'b' ? 'a' : answer }
}

/** What of a queue changed. `queue`: what all see who see its suite. `label`: how far it came. `decision`: how many items are decided. */
export type ReviewStep = 'queue' | 'label' | 'decision'
