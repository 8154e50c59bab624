import { listedNames } from '../../domain/text/listed-names.ts'
import { isKnown } from './known.ts'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import { MAX_VALUES } from '../../domain/run/scan.ts'
import { instant } from '../../domain/instants.ts'
import type { Importer, RunHead, Source, SourceRun } from '../importers/importer.ts'
import { mayHoldMedia } from '../../domain/evidence/media.ts'
import { collectEvidence, keepsOriginal, type RunEvidence } from './evidence/collect-evidence.ts'
import { mayNameFiles } from './evidence/file-references.ts'
import { fittedCase, FITTING_STEPS, type FittingStep } from './case/fitting.ts'
import { asIdentity, sha256, sha256OfStream } from './identity.ts'
import { verdictOptions, type ImportOptions } from './import-options.ts'
import { namesOf } from './case/score-names.ts'
import { newScores, type OffNames, type ScoreReport, type Scores } from './case/scores.ts'
import { limitedMembers } from './case/raw.ts'
import { newLosses, type Loss, type Losses } from './losses.ts'
import { ReadAgain } from './read-again.ts'
import { SourceRefused } from './source-refused.ts'
import type { SourceFile } from '../read/source-file.ts'
import { caseWriter } from './case/to-case.ts'
import { sourceTime } from './time/source-time.ts'
import { readTime } from './time/times.ts'
import { newDocumentText } from './document-text.ts'
import { compareCounts, contradictionsIn } from './tool-counts.ts'
import { newTotals } from './case/totals.ts'

/** How the time of a run was found: in the content, in the name of the file, by the option, or by the time of the file. */
export type Clock = 'content' | 'name' | 'option' | 'file'

/** A run of a source as a run document. */
export type ConvertedRun = {
  readonly run_id: string
  readonly bytes: Uint8Array
  /** The length of `bytes`, which are moved to another thread when the document is sent. */
  readonly size: number
  readonly project: string
  readonly suite: string
  readonly finished_at: string
  readonly clock: Clock
  readonly cases: number
  readonly statuses: Readonly<Record<string, number>>
  readonly losses: readonly Loss[]
  /** The scores that have no result in the source. */
  readonly scores: readonly ScoreReport[]
  /** What was kept apart from the document, which names its manifest. */
  readonly evidence: RunEvidence | null
}

/** Maximum size of a document, as the service accepts it. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
const DEFAULT_SUITE = 'eval'

/** What makes the documents of one source. */
export type Conversion = { readonly importer: Importer; readonly source: Source; readonly options: ImportOptions }

/**
 * Converts a run of a source. If the document is too large, it is converted again with less, step by step; and once
 * more if a later value shows that a score is not from 0 to 1. `offInSource` are the names of such scores in all
 * runs of the source. The same input and options give the same bytes. Throws `SourceRefused`.
 */
export const toRunDocument = async (
  conversion: Conversion,
  run: SourceRun,
  stamp: string,
  run_id: string,
  offInSource: () => Promise<OffNames>,
): Promise<ConvertedRun> => {
  let size = 0
  const off = { open: new Set<string>(), judged: new Set<string>() }
  /** Whether all scores were read with the final range of their values. */
  const isSettled = async (scores: Scores): Promise<boolean> => {
    const { open, judged } = scores.off()
    // If a source has several runs, the values of all of them decide the range of a score.
    const inSource = isKnown(run.part) && scores.hasOpen() ? (await offInSource()).open : []
    for (const name of [...open, ...inSource]) off.open.add(name)
    for (const name of judged) off.judged.add(name)
    return scores.agreesWith(off)
  }
  const ids = { run_id, stamp, identity: run.identity }
  for (const step of FITTING_STEPS) {
    const convert = () => convertWith(step, conversion, run, ids, newScores(conversion.options, off), isSettled)
    const result = await readingAgain(convert)
    if ('run_id' in result) return result
    size = result.tooLarge
  }
  throw new SourceRefused(
    `the run is too large even when it is shortened: more than ${size} bytes, or ${MAX_VALUES} values`,
  )
}

/** How often the cases of a run are read at most, until names and ranges of scores no longer change. */
const MAX_READS = 4

const readingAgain = async <T>(read: () => Promise<T>): Promise<T> => {
  for (let reads = 1; ; reads++)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ReadAgain) || reads === MAX_READS) throw error
    }
}

/** The names of the scores of a source that have values out of their range. Reads all of its cases. */
export const offNamesOf = async ({ importer, source, options }: Conversion): Promise<OffNames> => {
  const scores = newScores(options)
  for await (const run of importer.open(source, options)) {
    if (run.document) continue
    await readingAgain(async () => {
      for await (const { asserts } of run.cases(newLosses())) for (const draft of asserts) scores.read(draft)
    })
  }
  return scores.off()
}

const convertWith = async (
  step: FittingStep,
  { importer, source, options }: Conversion,
  run: SourceRun,
  ids: Ids,
  scores: Scores,
  isSettled: (scores: Scores) => Promise<boolean>,
): Promise<ConvertedRun | { readonly tooLarge: number }> => {
  const isKept = options.evidence !== undefined && keepsOriginal(options.evidence, source, run)
  const lines = !isKept && options.evidence?.hasOriginal === true ? run.lines : undefined
  // What is left out of a shared file is in no original of the run.
  const losses = newLosses((isKept && !source.shared?.length) || lines !== undefined, options.evidence !== undefined)
  using evidence = options.evidence ? collectEvidence(options.evidence, losses, source.file) : null
  const writer = caseWriter(options, losses, scores)
  const totals = newTotals()
  const text = newDocumentText()
  let values = 0
  for await (const draft of run.cases(losses)) {
    const written = writer.toCase(draft)
    const json = JSON.stringify(written)
    const whole =
      evidence && (mayHoldMedia(json) || mayNameFiles(json)) ? evidence.withMediaAsParts(written, draft) : written
    const keepWhole = () => evidence?.addWhole(whole, draft) ?? false
    const item = fittedCase(whole, step, losses, draft.rest?.path ?? 'cases.*', keepWhole)
    totals.add(item)
    if (draft.evidence) await evidence?.addCase(item.case_key, draft.evidence)
    values += valuesIn(text.add(item === written ? json : JSON.stringify(item)))
    if (text.length() > MAX_DOCUMENT_BYTES || values > MAX_VALUES) {
      const tooLarge = text.length()
      text.discard()
      return { tooLarge }
    }
  }
  if (!(await isSettled(scores))) throw new ReadAgain()
  checkNames(options, writer.assertionNames(), losses)
  const problem = scores.problem()
  if (problem !== null) throw new SourceRefused(problem)
  if (totals.count() === 0) throw new SourceRefused('holds no cases')
  const head = await run.head(losses)
  if (isKnown(head.counts)) compareCounts(head.counts, totals.statuses(), losses, verdictOptions(options) !== null)
  const contradictions = contradictionsIn(losses)
  if (options.strict && contradictions !== null)
    throw new SourceRefused(`${contradictions}: it is refused because of --strict (strict)`)
  if (step !== FITTING_STEPS[0]) losses.addBytes('cut', '(the whole run)', 0, `too large for a document: ${step.name}`)
  const originals = isKept ? [source.file, ...source.companions] : []
  if (lines !== undefined) evidence?.addLines(`${run.part ?? run.identity}.jsonl`, lines())
  const kept = (await evidence?.finish(originals)) ?? null
  const document = runMembers(importer, source, options, head, ids, losses, kept)
  const summary = totals.summary()
  const start = `${JSON.stringify(document.members).slice(0, -1)},"cases":[`
  const bytes = text.finish(start, `],"summary":${JSON.stringify(summary)}}`)
  if (bytes.length > MAX_DOCUMENT_BYTES) return { tooLarge: bytes.length }
  evidence?.release()
  return {
    run_id: ids.run_id,
    bytes,
    size: bytes.length,
    project: document.members.project,
    suite: document.members.suite,
    finished_at: document.members.finished_at,
    clock: document.clock,
    cases: totals.count(),
    statuses: totals.statuses(),
    losses: losses.all(),
    scores: scores.report(),
    evidence: kept,
  }
}

/** An upper bound of the values in a JSON text: each one but the first of a container follows a comma, colon or bracket. */
const valuesIn = (pieces: readonly Uint8Array[]): number => {
  let count = 1
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
    }
  return count
}

/**
 * Throws `SourceRefused` if a case cannot be decided by the scorers that are named. Other options may be meant for other
 * runs of the import: a name that is not here is recorded.
 */
const checkNames = (options: ImportOptions, names: ReadonlySet<string>, losses: Losses): void => {
  const there = new Set([...names].flatMap(namesOf))
  const known = () => listedNames([...names].sort()) || 'none'
  const missing = (options.scorers ?? []).filter((name) => !there.has(name))
  if (missing.length > 0)
    throw new SourceRefused(`--scorer: no assertion is named ${missing.join(', ')}; there are ${known()}`)
  const { passThresholds = {}, scoreRanges = {}, lowerIsBetter = [], higherIsBetter = [] } = options
  const others = [...Object.keys(passThresholds), ...Object.keys(scoreRanges), ...lowerIsBetter, ...higherIsBetter]
  for (const name of new Set(others))
    if (!there.has(name)) losses.addBytes('left_out', '(options)', 0, `no score is named ${name}; there are ${known()}`)
}

type Ids = { readonly run_id: string; readonly stamp: string; readonly identity: string }

const runMembers = (
  importer: Importer,
  source: Source,
  options: ImportOptions,
  head: RunHead,
  { run_id, stamp, identity }: Ids,
  losses: Losses,
  evidence: RunEvidence | null,
) => {
  const { clock, started_at, finished_at } = runTimes(source, options, head, losses)
  const config = head.config?.rest() ?? {}
  const rest = isKnown(head.rest) ? limitedMembers({ ...head.rest }, losses, '', 'the rest of the run') : null
  // The service reads `import` and shows `description`: members of the tool with these names are moved.
  const { import: ownImport, description: ownDescription, ...ownConfig } = config
  const git = {
    branch: named(options.branch ?? head.git?.branch, losses, '(branch)'),
    commit: options.commit ?? head.git?.commit ?? undefined,
    dirty: head.git?.dirty ?? false,
  }
  const ci = without({ provider: named(head.ci?.provider, losses, '(ci)'), run_url: head.ci?.runUrl })
  const origin = without({
    actor: !isKnown(head.origin?.actor) ? null : asIdentity(head.origin.actor, losses, '(actor)'),
    host: head.origin?.host,
    version: head.origin?.version,
    note: [head.origin?.note ?? head.description, contradictionsIn(losses)].filter(Boolean).join('; '),
  })
  const tags = [...(head.tags ?? []), ...(options.tags ?? [])].map((tag) => asIdentity(tag, losses, '(tags)'))
  const threshold = thresholdOptions(options)
  const verdicts = verdictOptions(options)
  const suite = options.suite ?? firstLine(head.suite) ?? DEFAULT_SUITE
  const members = {
    schema_version: 3,
    run_id,
    project: asIdentity(options.project ?? head.project ?? importer.format, losses, '(project)'),
    suite: asIdentity(suite, losses, '(suite)'),
    started_at,
    finished_at,
    config_digest: `sha256:${sha256(canonicalJson(config))}`,
    config_snapshot: {
      ...(isKnown(head.description) && { description: head.description }),
      import: {
        format: importer.format,
        ...(isKnown(head.formatVersion) && { format_version: head.formatVersion }),
        converter: importer.converter,
        id: asIdentity(identity, losses, '(identity)'),
        stamp,
        clock,
        ...(threshold !== null && { threshold }),
        ...(verdicts !== null && { verdicts }),
        ...(rest !== null && { rest }),
        losses: losses.forDocument(),
      },
      ...ownConfig,
      ...(ownImport !== undefined && { import_of_tool: ownImport }),
      ...(ownDescription !== undefined && { description_of_tool: ownDescription }),
    },
    ...((git.branch !== undefined || git.commit !== undefined) && { git }),
    ...(ci && { ci }),
    ...(origin && { origin }),
    filters: tags.length > 0 ? { tags: [...new Set(tags)] } : {},
    ...(evidence && { evidence_manifest: evidence.manifest }),
  }
  return { clock, members }
}

/** A text that is an id in the document; undefined if it is unknown. */
const named = (text: string | null | undefined, losses: Losses, path: string): string | undefined =>
  isKnown(text) ? asIdentity(text, losses, path) : undefined

/** The thresholds that the user has set; null if none. */
const thresholdOptions = ({ passThreshold, passThresholds }: ImportOptions) =>
  passThresholds && Object.keys(passThresholds).length > 0
    ? { ...passThresholds, ...(passThreshold !== undefined && { '*': passThreshold }) }
    : (passThreshold ?? null)

const firstLine = (text: string | null | undefined): string | null => {
  const line = text?.split(/\r?\n/, 1)[0]?.trim()
  return line === undefined || line === '' ? null : line
}

const without = <T extends Record<string, string | null | undefined>>(members: T) => {
  const known = Object.fromEntries(Object.entries(members).filter(([, value]) => isKnown(value) && value !== ''))
  return Object.keys(known).length > 0 ? known : null
}

/** A time of 8 or 14 digits, or with separators, in the name of a file: `test_run_20261122_045649`. */
const TIME_IN_NAME = /(\d{4})-?([01]\d)-?([0-3]\d)[T_-]([0-2]\d)[-:]?([0-5]\d)[-:]?([0-5]\d)/

/** When the run started and finished, and how that is known. */
const runTimes = (source: Source, options: ImportOptions, head: RunHead, losses: Losses) => {
  const content = {
    start: checkedTime(head.startedAt, options, losses, '(started_at)'),
    end: checkedTime(head.finishedAt, options, losses, '(finished_at)'),
  }
  if (content.start !== null || content.end !== null) {
    const start = content.start ?? content.end!
    const end = content.end ?? content.start!
    const isBefore = Date.parse(end) < Date.parse(start)
    if (isBefore) losses.add('changed', '(finished_at)', end, 'before the start: the start')
    return { clock: 'content' as Clock, started_at: start, finished_at: isBefore ? start : end }
  }
  const { clock, time } = clockOf(source, options, losses)
  return { clock, started_at: time, finished_at: time }
}

const clockOf = (source: Source, options: ImportOptions, losses: Losses): { clock: Clock; time: string } => {
  const { file } = source
  const [, ...digits] = TIME_IN_NAME.exec(file.name) ?? []
  const [year, month, day, hour, minute, second] = digits
  const named =
    digits.length > 0 ? readTime(`${year}-${month}-${day}T${hour}:${minute}:${second}`, options.timeZone) : null
  if (checkedTime(named, options, losses, '(name)') !== null && named !== null) {
    losses.add('assumed', '(time)', named, `from the name of the file, in ${options.timeZone ?? 'UTC'}`)
    return { clock: 'name', time: named }
  }
  if (options.createdAt !== undefined) return { clock: 'option', time: instant(options.createdAt) }
  const time = sourceTime(file.mtimeMs, options, losses, '(the time of the file)')
  if (time === null)
    throw new SourceRefused(
      'neither its content nor its name has a time from 2000 up to a day from now: give one with --created-at (created_at)',
    )
  losses.add('assumed', '(time)', time, 'the time of the file: neither its content nor its name has one')
  return { clock: 'file', time }
}

/** A time of a head, which has its zone, as the document has it; null for one that cannot be right. */
const checkedTime = (time: string | null | undefined, options: ImportOptions, losses: Losses, path: string) => {
  const read = sourceTime(time, { ...options, timeZone: 'UTC' }, losses, path)
  return read === null ? null : instant(read)
}

/**
 * The stamp of a run: its own, else the SHA-256 of all bytes of its source. Options that decide verdicts are
 * part of it: with other options, the same source has another stamp.
 */
export const stampOf = async ({ stamp }: SourceRun, { source, options }: Conversion): Promise<string> => {
  const content = stamp ?? (await contentHash(source))
  const verdicts = verdictOptions(options)
  return verdicts === null ? content : sha256(`${content}\0${canonicalJson(verdicts)}`)
}

/** The digests of files that several sources have. */
const sharedHashes = new WeakMap<SourceFile, Promise<string>>()

const sharedHash = (file: SourceFile): Promise<string> => {
  const found = sharedHashes.get(file) ?? sha256OfStream(file.bytes())
  sharedHashes.set(file, found)
  return found
}

const contentHash = async ({ file, companions, shared = [] }: Source): Promise<string> => {
  const hashes = [await sha256OfStream(file.bytes())]
  for (const companion of companions) hashes.push(await sha256OfStream(companion.bytes()))
  for (const other of shared) hashes.push(await sharedHash(other))
  return hashes.length === 1 ? hashes[0]! : sha256(hashes.sort().join('\n'))
}
