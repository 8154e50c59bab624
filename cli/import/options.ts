import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import type { JobOptions } from '../../interchange/convert/import-job.ts'
import {
  parsePassThreshold,
  parseScoreRange,
  type ScoreRange,
  type EVIDENCE_CHOICES,
} from '../../interchange/document/import-options.ts'
import { checkTimeZone } from '../../interchange/document/time/times.ts'
import { FORMATS, formatFor } from '../../interchange/importers/index.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { parseTime } from './parse-time.ts'

/** The options of an import, apart from those of its target. */
export type ConversionOptions = {
  readonly from?: string
  readonly map?: string
  readonly project?: string
  readonly suite?: string
  readonly provider?: string
  readonly tag?: readonly string[]
  readonly branch?: string
  readonly commit?: string
  readonly scorer?: readonly string[]
  readonly passThreshold?: Thresholds
  readonly score?: ScoreRanges
  readonly lowerIsBetter?: readonly string[]
  readonly higherIsBetter?: readonly string[]
  readonly timeZone?: string
  readonly createdAt?: string
  readonly since?: number
  readonly until?: number
  readonly aggregates?: true
  readonly strict?: true
  readonly replace?: true
  readonly asNew?: true
  readonly verify?: true
  readonly evidence?: EvidenceChoice
  /** False with `--no-original`. */
  readonly original?: boolean
  readonly files?: string
}

type EvidenceChoice = (typeof EVIDENCE_CHOICES)[number]

const AUTO = 'auto'

/** The values of `--from`. */
export const FROM_VALUES: readonly string[] = [AUTO, ...FORMATS]

/** Thresholds by the name of a score; `all` is for scores without a threshold of their own. */
export type Thresholds = { readonly all?: number; readonly byName: Readonly<Record<string, number>> }

/** Parses `--pass-threshold`: a number in the units of the score, or `NAME=X`. */
export const parseThreshold = (text: string, { all, byName }: Thresholds = { byName: {} }): Thresholds => {
  const found = parsePassThreshold(text)
  if (found === null) throw new InvalidArgumentError('It must be a number, or NAME=X for one score.')
  const { name, value } = found
  if (name === null) return { all: value, byName }
  return { ...(all !== undefined && { all }), byName: { ...byName, [name]: value } }
}

/** Ranges of scores by their name. */
export type ScoreRanges = Readonly<Record<string, ScoreRange>>

/** Parses `--score`: `NAME=MIN..MAX`. */
export const parseScoreRangeOption = (text: string, ranges: ScoreRanges = {}): ScoreRanges => {
  const found = parseScoreRange(text)
  if (found === null) throw new InvalidArgumentError('It must be NAME=MIN..MAX, such as judge=1..5.')
  return { ...ranges, [found.name]: found.range }
}

/** Parses `--created-at`. Returns RFC 3339. */
export const parseCreatedAt = (text: string): string => new Date(parseTime(text)).toISOString()

/** Parses `--time-zone`: an IANA name. */
export const parseTimeZone = (text: string): string => {
  try {
    checkTimeZone(text)
    return text
  } catch {
    throw new InvalidArgumentError('It must be an IANA time zone, such as Europe/Berlin.')
  }
}

/** Bytes of a part where the database has all parts: its log takes every byte twice. */
export const MAX_DATABASE_PART_BYTES = 268_435_456

/**
 * The job of an import with these options. `evidenceFolder` is where the bytes of evidence wait until they are sent; null
 * if none is kept. `maxPartBytes` is what a part has at most in the target, as far as it is known. Throws `UserError` if the map cannot be read.
 */
export const importJob = (
  options: ConversionOptions,
  evidenceFolder: string | null,
  maxPartBytes?: number,
): JobOptions => ({
  format: formatFor(options.from === AUTO ? null : (options.from ?? null), options.map),
  verify: options.verify ?? false,
  onChanged: options.replace ? 'replace' : options.asNew ? 'as-new' : 'report',
  options: {
    project: options.project,
    suite: options.suite,
    provider: options.provider,
    tags: options.tag,
    branch: options.branch,
    commit: options.commit,
    scorers: options.scorer,
    passThreshold: options.passThreshold?.all,
    passThresholds: options.passThreshold?.byName,
    scoreRanges: options.score,
    lowerIsBetter: options.lowerIsBetter,
    higherIsBetter: options.higherIsBetter,
    timeZone: options.timeZone,
    importedAt: Date.now(),
    createdAt: options.createdAt,
    since: options.since,
    until: options.until,
    aggregates: options.aggregates,
    strict: options.strict,
    map: options.map === undefined ? undefined : mapText(options.map),
    evidence:
      evidenceFolder === null
        ? undefined
        : {
            folder: evidenceFolder,
            hasOriginal: options.evidence !== 'transcripts' && options.original !== false,
            hasOthers: options.evidence !== 'transcripts',
            files: options.files,
            ...(maxPartBytes !== undefined && { maxPartBytes }),
          },
  },
})

const mapText = (path: string): string => {
  if (path.startsWith('preset:')) return path
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError(`--map: ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
