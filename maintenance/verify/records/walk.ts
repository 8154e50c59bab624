import { z } from 'zod'
import { runAsync, type Steps } from '../../../storage/commit/steps.ts'
import { listRecordsOf, LogRecord } from '../../../storage/log/records.ts'
import { any, mapped, maybeOne, one, sql } from '../../../storage/sql.ts'
import type { Query } from '../../../storage/storage.ts'
import type { PartFiles } from '../../parts/strays.ts'
import type { PartBucket } from '../bucket.ts'
import { checkParts, type ExpectedManifest, type PartCheck } from '../parts.ts'
import { DIGEST_TYPES, digestsToVerify, type Digests, type Uncovered } from '../digests.ts'
import { listDocumentPieces, listMovedRuns } from '../../../storage/objects/run-objects.ts'
import { checkDocument, checkStrays } from '../documents.ts'
import { checkMovedDocument, checkMovedStrays } from '../moved.ts'
import { hasTable } from '../stored-tables.ts'
import { checkPlanTexts } from '../plan-texts.ts'
import { checkTargets, erasuresOf, listErasures, listWithBody, type Erasures, type KeptData } from './erasures.ts'
import { VerificationFailed } from '../finding.ts'
import { checkHead, checkRunNumber } from './head.ts'
import { growingTree, rootOfSubtrees } from './hex-tree.ts'
import { checkStrayNodes, compareNodes, readNodesState } from './nodes.ts'
import type { Range, RangeResult } from './range.ts'
import { RULED_TYPES, rulesOfLog, type Rules } from './rules.ts'
import { runRecords, type RunRecords } from './run-records.ts'
import type { Scanner } from './scanner.ts'
import { streamGaps } from './stream-gaps.ts'

/** What reads a store in one snapshot, and scans its records. */
export type Snapshot = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** The files of large parts of a state directory; null for a database. */
  readonly files: PartFiles | null
  /** The bucket of large parts; null if none is named. */
  readonly bucket: PartBucket | null
  /** Scans in this snapshot. */
  readonly here: Scanner
  /** Scans the ranges and yields the results in their order: in this snapshot, or in later ones that are cut at its size. */
  readonly scan: (ranges: readonly Range[]) => AsyncGenerator<RangeResult>
  /** The number of records of a range: a power of two, and a multiple of 256. */
  readonly rangeRecords: number
  /** Whether the schema differs from the migrations, so that no constraint can be relied on. */
  readonly isAltered: boolean
}

export type SetStage = (stage: string) => void

/** A log whose records were checked. */
export type WalkedLog = {
  readonly size: number
  readonly root: string
  /** The roots of the sizes that were asked for, as far as the log reaches. */
  readonly rootsAt: ReadonlyMap<number, string>
  readonly erased: number
  /** What an erasure keeps of a record; null if it keeps nothing, or the record was not erased. */
  readonly keptOf: (seq: number) => KeptData | null
  /** The first node that is not what the leaves give, or null. */
  readonly differentNode: string | null
  /** Checks the documents, and what else is stored next to the log. Throws `VerificationFailed`. */
  readonly checkRest: (
    parts: PartCheck,
    sampleSeed?: string,
  ) => Promise<{
    readonly documents: number
    readonly parts: number
    readonly uncovered: readonly Uncovered[]
    readonly partNotes: readonly string[]
  }>
}

/** Enough for 2^31 records. A number beyond them is forged: records before it are missing, and the scan says which. */
const MAX_RANGES = 2 ** 15

const Last = z.object({ last: z.number(), first: z.number() })
const findEnds = one(sql.type(Last)`SELECT coalesce(max(seq), 0) AS last, coalesce(min(seq), 1) AS first FROM events`)
const Stray = z.object({ n: z.number() })
const findStrayBody = (size: number) =>
  maybeOne(sql.type(Stray)`SELECT seq AS n FROM event_bodies WHERE seq < 1 OR seq > ${size} ORDER BY seq LIMIT 1`)
const findRepeatedVersion = maybeOne(sql.type(z.object({ seq: z.number(), version: z.number(), stream: z.string() }))`
  SELECT max(seq) AS seq, version, stream FROM event_bodies GROUP BY stream, version HAVING count(*) > 1 ORDER BY 1 LIMIT 1`)
const hasType = (type: string) =>
  mapped(any(sql.type(Stray)`SELECT seq AS n FROM events WHERE type = ${type} LIMIT 1`), (rows) => rows.length > 0)

/**
 * Checks all records in order: numbers, times, bodies, commitments, leaves, streams and versions, erasures, the root, the
 * nodes, and what the rules of holds and plans forbid. `sizes` are trees whose roots are needed. Throws
 * `VerificationFailed` with the first problem: the order of the checks is part of the contract of the command.
 */
export const walkLog = async (snapshot: Snapshot, sizes: readonly number[], setStage: SetStage): Promise<WalkedLog> => {
  const { read, rangeRecords } = snapshot
  setStage('reading what is stored next to the log')
  const digests = await runReads(digestsToVerify(), snapshot)
  setStage('reading the log')
  const erasures = erasuresOf(await read(listErasures))
  const { first, last } = await read(findEnds)
  const hasHolds = await read(hasType('HoldPlaced'))
  const marked = [...DIGEST_TYPES, ...RULED_TYPES, ...(hasHolds ? ['RunDeleted', 'EventErased'] : [])]

  const nodes = await readNodesState(read)
  const gaps = streamGaps(snapshot, erasures)
  const documents = runRecords()
  const rootsAt = new Map<number, string>(sizes.includes(0) ? [[0, rootOfSubtrees([])]] : [])
  const followed: number[] = []
  let differentNode: string | null = null
  const upper: string[][] = []
  const tree = growingTree((level, node) => (upper[level] ??= []).push(node), Math.log2(rangeRecords))
  let roots: readonly string[] = []
  let lastAt = 0
  let lastRun = 0

  setStage('reading the log after record 0')
  const ranges: Range[] = []
  const end = Math.min(last, MAX_RANGES * rangeRecords)
  for (let from = 0; from < end; from += rangeRecords) {
    const to = Math.min(end, from + rangeRecords)
    ranges.push({ from, to, sizes: sizes.filter((size) => size > from && size <= to), marked })
  }
  if (first < 1) throw new VerificationFailed('altered', `record ${first} exists, but records begin with 1`)
  for await (const result of snapshot.scan(ranges)) {
    const { range, finding } = result
    if (result.firstAt < lastAt && finding?.seq !== range.from + 1)
      throw new VerificationFailed('altered', `record ${range.from + 1} is older than the one before it`)
    lastAt = result.lastAt
    const { marks, ops } = await withBodiless(snapshot, result, erasures, gaps)
    if (finding) throw new VerificationFailed(finding.kind, finding.message)
    for (const mark of marks) followed.push(mark)
    for (let at = 0; at + 1 < ops.length; at += 2) {
      const [run_no = 0, seq = 0] = [ops[at], ops[at + 1]]
      lastRun = Math.max(lastRun, run_no)
      if (seq > 0) documents.set(run_no, seq)
      else documents.delete(run_no)
    }
    for (const { size, roots: inner } of result.partial) rootsAt.set(size, rootOfSubtrees([...roots, ...inner]))
    for (const [at, hashes] of result.nodes.entries())
      differentNode ??= await compareNodes(read, nodes, at + 1, range.from / 256 ** (at + 1), hashes)
    if (range.to - range.from === rangeRecords) {
      tree.append(result.roots[0] ?? '')
      roots = tree.roots()
    } else roots = [...tree.roots(), ...result.roots]
    setStage(`reading the log after record ${range.to}`)
  }
  for (const [level, hashes] of upper.entries())
    if (hashes) differentNode ??= await compareNodes(read, nodes, level, 0, hashes)
  differentNode ??= await checkStrayNodes(read, nodes, last)

  const root = rootOfSubtrees(roots)
  const strayBody = await read(findStrayBody(last))
  if (strayBody) throw new VerificationFailed('altered', `a body has the number ${strayBody.n}, but no record has it`)
  if (snapshot.isAltered) {
    const repeated = await read(findRepeatedVersion)
    if (repeated)
      throw new VerificationFailed(
        'altered',
        `record ${repeated.seq} repeats version ${repeated.version} of ${repeated.stream}`,
      )
  }
  await checkErasures(snapshot, erasures)

  await checkHead(read, { size: last, root, recorded_at: lastAt })
  await checkRunNumber(read, lastRun)
  return {
    size: last,
    root,
    rootsAt,
    erased: erasures.size,
    keptOf: (seq) => erasures.get(seq)?.kept ?? null,
    differentNode,
    checkRest: async (partCheck, sampleSeed) => {
      setStage('reading the records that rules apply to')
      const rules = rulesOfLog()
      let broken: VerificationFailed | null = null
      for await (const problem of followRecords(snapshot, followed, erasures, rules, digests)) broken ??= problem
      const manifests = await checkDocuments(snapshot, documents, erasures, setStage)
      await addAttached(snapshot, documents, erasures, manifests)
      setStage('reading the parts of evidence')
      const { parts: partCount, notes: partNotes } = await checkParts(snapshot, manifests, partCheck, sampleSeed)
      await checkPlanTexts(read, rules.plannedTexts())
      const uncovered = digests.check()
      if (broken) throw broken
      await checkHeldRuns(snapshot, erasures, rules)
      return { documents: documents.size(), parts: partCount, uncovered, partNotes }
    },
  }
}

const runReads = <T>(steps: Steps<T>, { read }: Pick<Snapshot, 'read'>): Promise<T> =>
  runAsync(steps, { read, run: () => Promise.reject(new Error('a verification writes nothing')) })

/**
 * Adds to the result of a range the records whose body was missing. A scan in a later snapshot lacks the bodies that were
 * erased since: this snapshot has them. Throws `VerificationFailed` for a body that is missing without an erasure, and for
 * a version whose predecessor is missing. `ops` has documents as the result of a range has them.
 */
const withBodiless = async (
  { here, read }: Snapshot,
  { range, bodiless, gaps, marked, documents }: RangeResult,
  erasures: Erasures,
  { add, addErased }: ReturnType<typeof streamGaps>,
): Promise<{ marks: readonly number[]; ops: ArrayLike<number> }> => {
  if (bodiless.length === 0 && gaps.length === 0) return { marks: marked, ops: documents }
  const ops: Array<readonly [number, number]> = []
  for (let at = 0; at + 1 < documents.length; at += 2) ops.push([documents[at] ?? 0, documents[at + 1] ?? 0])
  const marks = [...marked]
  const isGap = new Set(gaps)
  for (const seq of [...bodiless, ...gaps].toSorted((a, b) => a - b)) {
    if (isGap.has(seq)) {
      await add(seq)
      continue
    }
    const erasure = erasures.get(seq)
    if (erasure) {
      await addErased(seq, erasure.kept)
      if (erasure.followed) marks.push(seq)
      if (!erasure.kept) continue
      const document = documentNumbers((await read(findType(seq)))?.type ?? '', erasure.kept, seq)
      if (document) ops.push(document)
      marks.push(seq)
      continue
    }
    const again = await here.scan({ ...range, from: seq - 1, to: seq, sizes: [] })
    if (again.finding) throw new VerificationFailed(again.finding.kind, again.finding.message)
    if (again.bodiless.length > 0)
      throw new VerificationFailed(
        'missing',
        `record ${seq} (${(await read(findType(seq)))?.type ?? ''}) has no body, and no record erases it`,
      )
    if (again.gaps.length > 0) await add(seq)
    marks.push(...again.marked)
    if (again.documents.length > 0) ops.push([again.documents[0] ?? 0, again.documents[1] ?? 0])
  }
  return {
    marks: marks.toSorted((a, b) => a - b),
    ops: ops.toSorted(([, a], [, b]) => Math.abs(a) - Math.abs(b)).flat(),
  }
}

const documentNumbers = (type: string, { data }: KeptData, seq: number): readonly [number, number] | null =>
  type === 'RunIngested' ? [Number(data['run_no']), seq] : type === 'RunDeleted' ? [Number(data['run_no']), -seq] : null

const findType = (seq: number) =>
  maybeOne(sql.type(z.object({ type: z.string() }))`SELECT type FROM events WHERE seq = ${seq}`)

/** Records per read. The list is filled up with 0, so that one statement serves all reads. */
const RECORDS_PER_READ = 200

const listRecordsAmong = (numbers: readonly number[]): Query<LogRecord[]> =>
  any(sql.type(LogRecord)`
    SELECT e.seq, e.recorded_at, e.type, e.commitment, e.leaf, b.stream, b.version, b.salt, b.body
    FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq
    WHERE e.seq IN (${sql.join(filled(numbers), sql.fragment`, `)}) ORDER BY e.seq`)

const filled = (numbers: readonly number[]): number[] => [
  ...numbers,
  ...Array.from({ length: RECORDS_PER_READ - numbers.length }, () => 0),
]

const parts = (numbers: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(numbers.length / RECORDS_PER_READ) }, (_, n) =>
    numbers.slice(n * RECORDS_PER_READ, (n + 1) * RECORDS_PER_READ),
  )

function* documentBatches(documents: RunRecords): Generator<ReadonlyArray<readonly [run_no: number, seq: number]>> {
  let part: Array<readonly [number, number]> = []
  for (const entry of documents.entries()) {
    part.push(entry)
    if (part.length < RECORDS_PER_READ) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

const checkErasures = async ({ read }: Snapshot, erasures: Erasures): Promise<void> => {
  checkTargets(erasures)
  for (const part of parts([...erasures.keys()])) {
    const [present] = await read(listWithBody(filled(part)))
    if (present)
      throw new VerificationFailed(
        'altered',
        `record ${present.n} has a body, but record ${erasures.get(present.n)?.by ?? 0} erased it`,
      )
  }
}

type Data = Readonly<Record<string, unknown>>

/** The data of a sealed body. Throws `VerificationFailed` for a body that the service cannot have written. */
const dataIn = (seq: number, body: string): Data => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw new VerificationFailed('altered', `the body of record ${seq} is not JSON: ${String(error)}`)
  }
  const data = (value as { readonly data?: unknown } | null)?.data
  if (typeof data !== 'object' || data === null)
    throw new VerificationFailed('altered', `the body of record ${seq} has no data`)
  return data as Data
}

/** Follows records in order, and yields what breaks a rule. */
async function* followRecords(
  { read }: Snapshot,
  numbers: readonly number[],
  erasures: Erasures,
  rules: Rules,
  digests: Pick<Digests, 'follow'>,
): AsyncGenerator<VerificationFailed> {
  for (const part of parts(numbers))
    for (const { seq, type, stream, body } of await read(listRecordsAmong(part))) {
      const { by = 0, kept = null, followed = null } = erasures.get(seq) ?? {}
      if (followed && (kept || type !== 'RunIngested')) {
        yield new VerificationFailed('altered', `record ${by} keeps an attempt of record ${seq}, which left none`)
        continue
      }
      const left: Readonly<Record<string, unknown>> | null = kept?.data ?? followed
      const data = body === null ? left : dataIn(seq, body)
      if (!data) continue
      digests.follow({ seq, type, data, isErased: body === null })
      const erased = type === 'EventErased' ? erasures.get(Number(data['seq'])) : undefined
      const problem =
        rules.follow({ seq, type, stream: stream ?? kept?.stream ?? null, data }) ??
        (erased?.kept ? rules.followErasure({ ...erased, ...erased.kept }) : null)
      if (problem !== null) yield new VerificationFailed('altered', problem)
    }
}

const Typed = z.object({ seq: z.number(), type: z.string() })

const listTypesOfStream = (stream: string) =>
  any(sql.type(Typed)`
    SELECT e.seq, e.type FROM event_bodies b JOIN events e ON e.seq = b.seq WHERE b.stream = ${stream}`)

/**
 * A hold on one run can only be placed while the run is stored. While it stands, an upload from before it must be left, in
 * the log or kept by an erasure, and no deletion after it.
 */
const checkHeldRuns = async ({ read }: Snapshot, erasures: Erasures, rules: Rules): Promise<void> => {
  const held = rules.heldStreams()
  if (held.size === 0) return
  const left = new Map<string, Array<z.infer<typeof Typed>>>()
  for (const stream of held.keys()) left.set(stream, await read(listTypesOfStream(stream)))
  for (const [seq, { kept }] of erasures)
    if (kept) left.get(kept.stream)?.push({ seq, type: (await read(findType(seq)))?.type ?? '' })
  for (const [stream, hold] of held) {
    const records = (left.get(stream) ?? []).toSorted((a, b) => a.seq - b.seq)
    if (records.at(-1)?.type === 'RunDeleted')
      throw new VerificationFailed('altered', `${stream} was deleted, but legal hold ${hold.id} stands`)
    if (!records.some(({ seq, type }) => type === 'RunIngested' && seq < hold.seq))
      throw new VerificationFailed('altered', `${stream} was erased, but legal hold ${hold.id} stands`)
  }
}

const checkDocuments = async (
  snapshot: Snapshot,
  documents: RunRecords,
  erasures: Erasures,
  setStage: SetStage,
): Promise<Manifests> => {
  const manifests: Manifests = new Map()
  // A store of an early version has no such table, and in most no document was moved.
  const hasMoved =
    (await snapshot.read(hasTable('run_objects'))) && (await snapshot.read(listMovedRuns(0, 1))).length > 0
  for (const part of documentBatches(documents)) {
    const byNumber = new Map(part.map(([run_no, seq]) => [seq, run_no]))
    for (const { seq, stream: ownStream, body } of await snapshot.read(listRecordsAmong([...byNumber.keys()]))) {
      const kept = erasures.get(seq)?.kept
      const data = body === null ? kept?.data : dataIn(seq, body)
      const stream = ownStream ?? kept?.stream ?? ''
      setStage(`reading the document of record ${seq} (${stream})`)
      const document = {
        seq,
        stream,
        sha256: String(data?.['document_sha256']),
        bytes: Number(data?.['document_bytes']),
      }
      const run_no = byNumber.get(seq) ?? 0
      const pieces = hasMoved ? await snapshot.read(listDocumentPieces(run_no)) : []
      if (!(await runReads(checkDocument(run_no, document, pieces.length > 0), snapshot)))
        await checkMovedDocument(snapshot, pieces, document)
      const evidence = data?.['evidence']
      if (typeof evidence === 'object' && evidence !== null)
        addManifest(
          manifests,
          { seq, stream, run_no: byNumber.get(seq) ?? 0 },
          { ...setOf(data ?? {}), ...(evidence as Data) },
        )
    }
  }
  setStage('reading the documents')
  await runReads(checkStrays(documents), snapshot)
  if (hasMoved) await checkMovedStrays(snapshot, documents)
  return manifests
}

/** The manifests that records name, by the number of their run: only of runs that have some. */
type Manifests = Map<number, ExpectedManifest[]>

const setOf = (data: Data): Pick<ExpectedManifest, 'project' | 'suite'> => {
  const { project, suite } = data
  return { project: typeof project === 'string' ? project : null, suite: typeof suite === 'string' ? suite : null }
}

const addManifest = (
  manifests: Manifests,
  record: { readonly seq: number; readonly stream: string; readonly run_no: number },
  data: Data,
): void => {
  const manifest = {
    ...record,
    sha256: String(data['manifest_sha256']),
    bytes: Number(data['manifest_bytes']),
    ...setOf(data),
  }
  manifests.set(record.run_no, [...(manifests.get(record.run_no) ?? []), manifest])
}

/** Adds the manifests that were attached to stored runs later. */
const addAttached = async (
  { read }: Snapshot,
  documents: RunRecords,
  erasures: Erasures,
  manifests: Manifests,
): Promise<void> => {
  for (let after = 0; ;) {
    const records = await read(listRecordsOf('EvidenceAttached', after, RECORDS_PER_READ))
    for (const { seq, stream, body } of records) {
      after = seq
      const kept = erasures.get(seq)?.kept
      const data = body === null ? kept?.data : dataIn(seq, body)
      const run_no = Number(data?.['run_no'])
      if (data && documents.has(run_no))
        addManifest(manifests, { seq, stream: stream ?? kept?.stream ?? '', run_no }, data)
    }
    if (records.length < RECORDS_PER_READ) return
  }
}
