import {
  InvalidManifest,
  MAX_MANIFEST_BYTES,
  partsOf,
  readManifest,
  type EvidenceData,
  type Manifest,
} from '../../domain/evidence/manifest.ts'
import {
  findNamedParts,
  findPartBytesOfRun,
  listDigestsOfRun,
  stagedBy,
  type NamedPart,
  findPartSet,
  type PartSet,
} from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { UnlockedReader } from '../../storage/command.ts'
import { framesConcurrently, type Frame } from '../../storage/documents/frames.ts'
import { PartAway } from '../../storage/objects/part-away.ts'
import { objectReader } from '../../storage/objects/read-object.ts'
import { readPart } from '../../storage/objects/read-part.ts'
import {
  dropParts,
  findLastPartNo,
  insertPartFrames,
  insertParts,
  listPartPieces,
  MAX_FRAMED_BYTES,
  PART_CUT,
  setLastPartNo,
} from '../../storage/objects/rows.ts'
import { ObjectDamaged } from '../../storage/objects/seal.ts'
import { constant, insertRows, sql, statement, type Fragment } from '../../storage/sql.ts'
import type { Query, Statement } from '../../storage/storage.ts'
import { Refused } from '../refused.ts'

/** A small manifest is stored as frames already. */
const NO_FRAMES = { frames: null, pending: Promise.resolve() }

/** How many missing parts an error names. */
const NAMED_MISSING = 10

/** A manifest that the viewer may name, read outside of the lock; null if there is none. */
export type PreparedEvidence = {
  readonly manifest_sha256: string
  readonly manifest_bytes: number
  readonly manifest: Manifest
  /** Frames of a manifest that is not stored as frames yet: a rebuild reads manifests from the database. */
  readonly frames: readonly Frame[] | null
  /** Settles when the frames are complete. */
  readonly pending: Promise<void>
}

/** The bytes of a manifest that the viewer may name, and whether they are in frames; null if there are none. */
const readNamed = async (
  reader: UnlockedReader,
  viewer: Viewer,
  sha256: string,
  run_no: number | null,
  damaged?: { readonly part_no: number; readonly error: ObjectDamaged },
): Promise<{ readonly bytes: Buffer; readonly isFramed: boolean } | null> => {
  const named = (await reader.read(findNamedParts(viewer, [sha256], run_no))).get(sha256)
  const part_no = named?.staged ?? named?.ofRun ?? null
  if (!named || part_no === null) return null
  // It was not dropped meanwhile: its bytes are gone.
  if (damaged?.part_no === part_no) throw damaged.error
  if (named.bytes > MAX_MANIFEST_BYTES)
    throw new Refused('unprocessable', `the manifest has more than ${MAX_MANIFEST_BYTES} bytes`)
  if (reader.fetched?.part_no === part_no) {
    if ('bytes' in reader.fetched) return { bytes: reader.fetched.bytes, isFramed: false }
    if (!(reader.fetched.error instanceof ObjectDamaged)) throw reader.fetched.error
    return readNamed({ ...reader, fetched: undefined }, viewer, sha256, run_no, {
      part_no,
      error: reader.fetched.error,
    })
  }
  const pieces: Buffer[] = []
  const stored = await reader.read(listPartPieces(part_no))
  if (stored.some(({ place }) => place === 's3')) throw new PartAway(part_no, stored)
  try {
    for await (const piece of readPart(reader.read, objectReader(reader), part_no, 0, named.bytes)) pieces.push(piece)
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error
    return readNamed(reader, viewer, sha256, run_no, { part_no, error })
  }
  return { bytes: Buffer.concat(pieces), isFramed: stored.length === 0 }
}

/**
 * Reads the manifest of evidence by its digest, for a run that is there or a new one. Returns null if the viewer has not sent it and sees no run that has it. Refuses:
 * unprocessable (it is no manifest).
 */
export const prepareEvidence = async (
  reader: UnlockedReader,
  viewer: Viewer,
  manifest_sha256: string,
  run_no: number | null,
): Promise<PreparedEvidence | null> => {
  const found = await readNamed(reader, viewer, manifest_sha256, run_no)
  if (found === null) return null
  const { bytes, isFramed } = found
  try {
    const manifest = readManifest(bytes)
    const own = bytes.length > MAX_FRAMED_BYTES || !isFramed ? framesConcurrently(bytes, PART_CUT) : NO_FRAMES
    return { manifest_sha256, manifest_bytes: bytes.length, manifest, ...own }
  } catch (error) {
    if (error instanceof InvalidManifest) throw new Refused('unprocessable', `invalid manifest: ${error.message}`)
    throw error
  }
}

/** Refuses a manifest that names a case which the run does not have. */
export const refuseUnknownCases = ({ manifest }: PreparedEvidence, cases: ReadonlySet<string>): void => {
  const at = manifest.entries.findIndex(({ case_key }) => case_key !== null && !cases.has(case_key))
  if (at >= 0) throw new Refused('unprocessable', `invalid manifest: parts[${at}].case_key names no case of the run`)
}

/** What decides about the parts of a manifest, read under the lock. */
export type EvidenceFacts = {
  readonly named: Query<ReadonlyMap<string, NamedPart>>
  readonly ofRun: Query<ReadonlyMap<string, number>>
  readonly bytesOfRun: Query<number>
  readonly lastPartNo: Query<number>
  readonly partSet: Query<PartSet>
}

/** A run to which evidence is given: its set, and its number if it is there already. */
type EvidenceRun = { readonly run_no: number | null; readonly project: string | null; readonly suite: string | null }

const NO_PARTS: ReadonlyMap<string, NamedPart> = new Map()
const NO_DIGESTS: ReadonlyMap<string, number> = new Map()

/** The facts about a manifest for a run that is there; without a manifest they need no read. */
export const evidenceFacts = (
  viewer: Viewer,
  evidence: PreparedEvidence | null,
  { run_no, project, suite }: EvidenceRun,
): EvidenceFacts => ({
  named: evidence
    ? findNamedParts(viewer, [evidence.manifest_sha256, ...partsOf(evidence.manifest).keys()], run_no)
    : constant(NO_PARTS),
  ofRun: evidence && run_no !== null ? listDigestsOfRun(run_no) : constant(NO_DIGESTS),
  bytesOfRun: evidence && run_no !== null ? findPartBytesOfRun(run_no) : constant(0),
  lastPartNo: evidence ? findLastPartNo : constant(0),
  partSet: evidence ? findPartSet(project, suite) : constant({ set_no: 0, isNew: false }),
})

type Facts = { readonly [K in keyof EvidenceFacts]: EvidenceFacts[K] extends Query<infer T> ? T : never }

/** Why parts are refused that the viewer would have to send first. */
export const missingParts = (missing: readonly string[]): Refused => {
  const more = missing.length > NAMED_MISSING ? `, … ${missing.length} in all` : ''
  return new Refused('unprocessable', `missing parts: ${missing.slice(0, NAMED_MISSING).join(', ')}${more}`)
}

/**
 * Decides on the parts of a manifest: what the event says of it. `maxBytes` is what the parts of a run may have together. Refuses:
 * unprocessable (parts that the viewer has not sent and does not see, a wrong size, too many bytes).
 */
export const evidenceData = (
  { manifest, manifest_bytes, manifest_sha256 }: PreparedEvidence,
  { named, ofRun, bytesOfRun }: Facts,
  maxBytes: number,
): EvidenceData => {
  const parts = partsOf(manifest)
  const missing = [manifest_sha256, ...parts.keys()].filter((sha256) => !named.has(sha256))
  if (missing.length > 0) throw missingParts(missing)
  for (const [i, { sha256, bytes }] of manifest.entries.entries()) {
    const stored = named.get(sha256)
    if (stored && stored.bytes !== bytes)
      throw new Refused(
        'unprocessable',
        `invalid manifest: parts[${i}].bytes is ${bytes}, but the part has ${stored.bytes}`,
      )
  }
  const part_bytes = [...parts.values()].reduce((sum, bytes) => sum + bytes, 0)
  // Those that the run has already count once.
  const added = [...parts].filter(([sha256]) => ofRun.get(sha256) !== 0)
  const together = added.reduce((sum, [, bytes]) => sum + bytes, bytesOfRun)
  if (together > maxBytes)
    throw new Refused(
      'unprocessable',
      `the parts of the run would have ${together} bytes together, more than ${maxBytes}`,
    )
  return { manifest_bytes, manifest_sha256, part_bytes, part_count: parts.size }
}

/**
 * The rows that give the parts of a manifest to a run. A copy that the viewer staged is dropped in favour of one of a run that it sees, if
 * it is large enough to matter.
 */
export const evidenceStatements = (
  viewer: Viewer,
  { manifest, manifest_bytes, manifest_sha256, frames }: PreparedEvidence,
  { named, ofRun, lastPartNo, partSet: { set_no, isNew } }: Facts,
  { run_no, project, suite }: EvidenceRun & { readonly run_no: number },
): Statement[] => {
  const actor = stagedBy(viewer)
  const ownManifest = frames !== null ? lastPartNo + 1 : null
  const parts = partsOf(manifest)
  const isListed = (sha256: string): number => (parts.has(sha256) ? 0 : 1)
  const rows = [...new Set([manifest_sha256, ...parts.keys()])]
    .filter((sha256) => !ofRun.has(sha256))
    .map((sha256) => {
      if (sha256 === manifest_sha256 && ownManifest !== null)
        return [run_no, sha256, ownManifest, isListed(sha256), set_no]
      const part = named.get(sha256)
      const part_no =
        part && part.bytes > MAX_FRAMED_BYTES ? (part.ofRun ?? part.staged) : (part?.staged ?? part?.ofRun)
      if (part_no === null || part_no === undefined) throw new Error(`part ${sha256} has no stored copy`)
      return [run_no, sha256, part_no, isListed(sha256), set_no]
    })
  const nowOfRun = sql.fragment`
    staged_parts.actor = ${actor}
    AND staged_parts.sha256 IN (SELECT run_parts.sha256 FROM run_parts WHERE run_parts.run_no = ${run_no})`
  /** The same bytes, if the run has them as a part that is not stored as frames. */
  const storedManifest = sql.fragment`run_no = ${run_no} AND sha256 = ${manifest_sha256}`
  const nowListed = [...parts.keys()].filter((sha256) => ofRun.get(sha256) === 1)
  return [
    ...(ownManifest !== null && frames !== null
      ? [
          setLastPartNo(ownManifest),
          insertParts([{ part_no: ownManifest, sha256: manifest_sha256, bytes: manifest_bytes }]),
          insertPartFrames([{ part_no: ownManifest, frames }]),
        ]
      : []),
    ...(ownManifest !== null && ofRun.has(manifest_sha256)
      ? [
          ...dropParts(
            sql.fragment`SELECT part_no FROM run_parts own WHERE ${storedManifest} AND ${noOtherRun(run_no)}`,
          ),
          statement`UPDATE run_parts SET part_no = ${ownManifest}, set_no = abs(set_no) WHERE ${storedManifest}`,
        ]
      : []),
    ...(nowListed.length > 0
      ? [
          statement`
            UPDATE run_parts SET manifest = 0
            WHERE run_no = ${run_no} AND sha256 IN (${sql.join(nowListed, sql.fragment`, `)})`,
        ]
      : []),
    insertRows('run_parts', ['run_no', 'sha256', 'part_no', 'manifest', 'set_no'], rows),
    ...(ofRun.size > 0
      ? []
      : isNew
        ? [insertRows('part_sets', ['set_no', 'project', 'suite', 'run_count'], [[set_no, project, suite, 1]])]
        : [statement`UPDATE part_sets SET run_count = run_count + 1 WHERE set_no = ${set_no}`]),
    ...dropParts(sql.fragment`
      SELECT staged_parts.part_no FROM staged_parts
      WHERE ${nowOfRun} AND staged_parts.part_no NOT IN (SELECT part_no FROM run_parts WHERE run_no = ${run_no})`),
    statement`DELETE FROM staged_parts WHERE ${nowOfRun}`,
  ]
}

/** Whether a row of `part_sets` is that of a run with parts. */
const isSetOf = (run_no: number): Fragment => sql.fragment`
  set_no = (SELECT abs(own.set_no) FROM run_parts own WHERE own.run_no = ${run_no} LIMIT 1)`

/** Whether no other run has the part of the row `own`. */
const noOtherRun = (run_no: number): Fragment => sql.fragment`
  NOT EXISTS (SELECT 1 FROM run_parts other WHERE other.part_no = own.part_no AND other.run_no <> ${run_no})`

/** Deletes the parts of a run that no other run has, with the keys of their objects: what is left of them can be read by no one. */
export const deletePartsOf = (run_no: number): Statement[] => [
  ...dropParts(sql.fragment`
    SELECT own.part_no FROM run_parts own WHERE own.run_no = ${run_no} AND ${noOtherRun(run_no)}`),
  statement`DELETE FROM part_sets WHERE run_count = 1 AND ${isSetOf(run_no)}`,
  statement`UPDATE part_sets SET run_count = run_count - 1 WHERE ${isSetOf(run_no)}`,
  statement`DELETE FROM run_parts WHERE run_no = ${run_no}`,
]
