import type { CachedCalls } from '../cache/cached-calls.ts'
import type { CacheMode } from '../cache/call-cache.ts'
import type { Ports } from '../ports.ts'
import type { Programs } from '../processes/program.ts'
import type { Redactor } from '../providers/redactor.ts'
import type { Headers } from '../providers/wire/declared-headers.ts'
import type { EmbeddingsProvider, GraderSpec } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'

/** What the graded assertions of a run need. */
export type GraderOptions = {
  readonly directory: string
  /** The grader of the suite; absent: none is configured. Its `timeout_ms` bounds all judges and programs. */
  readonly grader?: GraderSpec | undefined
  /** The first embeddings provider of the suite; absent: there is none. */
  readonly embeddings?: EmbeddingsProvider | undefined
  readonly calls: CachedCalls
  readonly mode: CacheMode
  /** Whether grading calls may use the cache: not with `--no-grader-cache` or `cache.grader: false`. */
  readonly usesCache: boolean
  readonly ports: Pick<Ports, 'http' | 'sleep' | 'now'>
  readonly env: Ports['env']
  readonly globalHeaders: Headers
  readonly templates: Templates
  readonly programs: Programs
  /** Replaces the secrets of the run in what programs write. */
  readonly redactor: Redactor
  /** Reads a `file://` reference of the suite as text. Throws an `Error` whose message names the file. */
  readonly readFile: (reference: string) => Promise<string>
}

/** The bound of a grading call where the suite has no grader. */
export const DEFAULT_TIMEOUT_MS = 120_000

/** The mode of grading calls. Null: only the cache may answer, but grading may not use it, so that no call is answered. */
export const gradingMode = ({ mode, usesCache }: Pick<GraderOptions, 'mode' | 'usesCache'>): CacheMode | null => {
  if (usesCache) return mode
  return mode === 'only' ? null : 'off'
}
