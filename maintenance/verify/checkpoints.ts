import { z } from 'zod'
import { fromBase64, toBase64 } from '../../domain/proof/base64.ts'
import { toHex } from '../../domain/proof/bytes.ts'
import { checkCheckpoint, type Trust } from '../../domain/proof/check.ts'
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { parseCosignature, verifySignature } from '../../domain/proof/cosignature.ts'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseVkey, vkeyOf, type Vkey } from '../../domain/proof/keys.ts'
import { signedNote, parseNote } from '../../domain/proof/note.ts'
import {
  cosignedNote,
  listCosignatures,
  StoredCheckpoint,
  type StoredCosignature,
} from '../../queries/log/checkpoints.ts'
import { listRecordsOf, recordedOf, type LogRecord } from '../../storage/log/records.ts'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Anchor } from './anchors.ts'
import type { Uncovered } from './digests.ts'
import { VerificationFailed } from './finding.ts'
import { hasColumn, hasTable } from './stored-tables.ts'

type Read = <T>(query: Query<T>) => Promise<T>

const Size = z.object({ size: z.number() })
const listSizes = any(sql.type(Size)`SELECT size FROM checkpoints ORDER BY size`)

/** The sizes of the checkpoints that the store keeps; empty for a store of an early version. */
export const readCheckpointSizes = async (read: Read): Promise<number[]> =>
  (await read(hasTable('checkpoints'))) ? (await read(listSizes)).map(({ size }) => size) : []

const ROWS_PER_READ = 500

const findNegativeSize = maybeOne(sql.type(Size)`SELECT size FROM checkpoints WHERE size < 0 ORDER BY size LIMIT 1`)
const findStrayCosignature = maybeOne(sql.type(Size)`
  SELECT size FROM cosignatures WHERE NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.size = cosignatures.size)
  ORDER BY size LIMIT 1`)

const TimedCheckpoint = StoredCheckpoint.extend({ time_line: z.string().nullable() })
type TimedCheckpoint = z.infer<typeof TimedCheckpoint>

const listCheckpointsAfter = (size: number, hasLines: boolean): Query<TimedCheckpoint[]> =>
  any(sql.type(TimedCheckpoint)`
    SELECT size, root, signed_at, note, ${hasLines ? sql.fragment`time_line` : sql.fragment`CAST(NULL AS text) AS time_line`}
    FROM checkpoints WHERE size > ${size} ORDER BY size LIMIT ${ROWS_PER_READ}`)

/** What the log was found to be. */
type Log = {
  readonly size: number
  readonly rootsAt: ReadonlyMap<number, string>
  /** What erasures keep of a record. */
  readonly keptOf: (seq: number) => { readonly data: unknown } | null
}

/** How the checkpoints were signed: by one process after the other, or by replicas, which may be of several versions. */
export type Signers = 'one' | 'replicas'

const TIMES = ['time of a checkpoint', 'times of checkpoints'] as const

/** The key that a record adopts; null if its body was erased without its data. */
const adoptedIn = async (
  record: LogRecord,
  { keptOf }: Pick<Log, 'keptOf'>,
  crypto: ProofCrypto,
): Promise<Vkey | null> => {
  try {
    const { data } = recordedOf(record) ?? keptOf(record.seq) ?? { data: null }
    const text = (data as { vkey?: unknown } | null)?.vkey
    return typeof text === 'string' ? await parseVkey(text, crypto) : null
  } catch (error) {
    if (!(error instanceof ProofFailed || error instanceof SyntaxError)) throw error
    throw new VerificationFailed('altered', `record ${record.seq} adopts a key that is none: ${error.message}`)
  }
}

/**
 * The record of the first start of a version that signs the times of checkpoints: only such starts name their static tokens.
 * Null if there was none.
 */
const findTimedStart = async (read: Read, { keptOf }: Pick<Log, 'keptOf'>): Promise<number | null> => {
  for (let after = 0; ;) {
    const records = await read(listRecordsOf('Started', after, ROWS_PER_READ))
    for (const record of records) {
      const { data } = recordedOf(record) ?? keptOf(record.seq) ?? { data: null }
      if (typeof data === 'object' && data !== null && 'static_tokens' in data) return record.seq
    }
    after = records.at(-1)?.seq ?? after
    if (records.length < ROWS_PER_READ) return null
  }
}

type AdoptedKey = { readonly vkey: Vkey; readonly seq: number }

const readAdoptedKeys = async (read: Read, log: Pick<Log, 'keptOf'>, crypto: ProofCrypto): Promise<AdoptedKey[]> => {
  const keys: AdoptedKey[] = []
  for (let after = 0; ;) {
    const records = await read(listRecordsOf('LogKeyAdopted', after, ROWS_PER_READ))
    for (const record of records) {
      const vkey = await adoptedIn(record, log, crypto)
      if (vkey) keys.push({ vkey, seq: record.seq })
    }
    after = records.at(-1)?.seq ?? after
    if (records.length < ROWS_PER_READ) return keys
  }
}

/** Keys and a policy of the caller. */
export type GivenTrust = Trust

/**
 * Checks every kept checkpoint: its note is that of its row, its root is the root of its size, a key that the log had
 * adopted by then or a given key signed it, and every cosignature of a given witness is valid. Notes of anchors must be
 * signed by a key that the log adopted at any time, or a given one. With a policy, at least one
 * checkpoint must meet it; `metSize` is the size of the newest that does. `signed_at` must be the time that a key of the log
 * signed; checkpoints of earlier versions have no such signature and are counted as `untimed`. Returns the number of
 * checkpoints, and of cosignatures of witnesses that were not given.
 * Throws `VerificationFailed`.
 */
export const checkKeptCheckpoints = async (
  read: Read,
  log: Log,
  anchors: readonly Anchor[],
  trust: GivenTrust,
  crypto: ProofCrypto,
  signers: Signers,
): Promise<{
  readonly checkpoints: number
  readonly unchecked: number
  readonly untimed: readonly Uncovered[]
  readonly metSize: number | null
}> => {
  if (!(await read(hasTable('checkpoints')))) return { checkpoints: 0, unchecked: 0, untimed: [], metSize: null }
  const hasLines = await read(hasColumn('checkpoints', 'time_line'))
  const timedFrom = signers === 'one' ? await findTimedStart(read, log) : null
  let untimed = 0
  const negative = await read(findNegativeSize)
  if (negative) throw new VerificationFailed('altered', `a checkpoint is stored with the size ${negative.size}`)
  const stray = await read(findStrayCosignature)
  const adopted = await readAdoptedKeys(read, log, crypto)
  for (const { note, by = '' } of anchors)
    if (note !== undefined)
      await asSignature(by, () =>
        checkCheckpoint(note, { keys: [...adopted.map(({ vkey }) => vkey), ...trust.keys], policy: null }, crypto),
      )
  let checkpoints = 0
  let unchecked = 0
  let unmet = 'the store has no checkpoint'
  let metSize: number | null = null
  for (let after = -1; ;) {
    const rows = await read(listCheckpointsAfter(after, hasLines))
    const lines = Map.groupBy(
      rows.length === 0 ? [] : await read(listCosignatures(after + 1, rows.at(-1)?.size ?? after)),
      ({ size }) => size,
    )
    for (const row of rows) {
      const cosignatures = lines.get(row.size) ?? []
      checkRow(row, log)
      for (const cosignature of cosignatures) checkLine(cosignature)
      const known = adopted.filter(({ seq }) => seq <= row.size).map(({ vkey }) => vkey)
      const { quorum, ofOthers } = await checkSignatures(
        row,
        cosignatures,
        { ...trust, keys: [...known, ...trust.keys] },
        crypto,
      )
      if (row.time_line !== null) await checkTime(row, row.time_line, [...known, ...trust.keys], crypto)
      else if (timedFrom !== null && row.size >= timedFrom)
        throw new VerificationFailed('altered', `the checkpoint of size ${row.size} has lost the signature of its time`)
      else untimed++
      if (quorum === null) metSize = row.size
      else unmet = quorum
      unchecked += ofOthers
      checkpoints++
    }
    if (rows.length < ROWS_PER_READ) break
    after = rows.at(-1)?.size ?? after
  }
  if (stray)
    throw new VerificationFailed(
      'altered',
      `a cosignature is of size ${stray.size}, but the store has no such checkpoint`,
    )
  if (trust.policy && metSize === null) throw new VerificationFailed('policy', unmet)
  return {
    checkpoints,
    unchecked,
    untimed: untimed === 0 ? [] : [{ nouns: TIMES, count: untimed }],
    metSize: trust.policy ? metSize : null,
  }
}

const checkRow = ({ size, root, note }: StoredCheckpoint, log: Log): void => {
  const place = `the checkpoint of size ${size}`
  // SQLite stores any type in a column.
  if (typeof note !== 'string' || !Buffer.isBuffer(root))
    throw new VerificationFailed('altered', `${place} is not stored as a text and a hash`)
  const signed = orFinding('altered', place, () => parseCheckpoint(parseNote(note).text))
  if (signed.size !== size || toHex(signed.root) !== root.toString('hex'))
    throw new VerificationFailed('altered', `${place} is stored with another size or root than its note says`)
  if (size > log.size)
    throw new VerificationFailed(
      'rolled_back',
      `the log ends at record ${log.size}, yet it signed a checkpoint of size ${size}`,
    )
  if (log.rootsAt.get(size) !== root.toString('hex'))
    throw new VerificationFailed(
      'rolled_back',
      `another history: the first ${size} records are not those of the checkpoint that was signed, whose root is ${root.toString('hex')}`,
    )
}

/** The time of a checkpoint must be the one that a known key of the log signed together with its note. */
const checkTime = async (
  { size, note, signed_at }: StoredCheckpoint,
  line: string,
  keys: readonly Vkey[],
  crypto: ProofCrypto,
): Promise<void> => {
  const place = `the time of the checkpoint of size ${size}`
  const { text } = parseNote(note)
  const timed = orFinding('altered', place, () => parseNote(signedNote(text, [line])))
  const [signature, ...others] = timed.signatures
  if (others.length > 0) throw new VerificationFailed('altered', `${place} has more than one signature`)
  for (const { type, name, key } of keys) {
    if (type !== 1 || !signature || signature.name !== name) continue
    const vkey = await vkeyOf(name, 4, key, crypto)
    if (vkey.id !== signature.id) continue
    const verified = await verifySignature(vkey, timed, signature, crypto)
    if (verified?.valid !== true) throw new VerificationFailed('signature', `${place}: its signature is wrong`)
    if (verified.seconds !== null && verified.seconds * 1000 === signed_at) return
    throw new VerificationFailed('altered', `${place} is not the one that was signed`)
  }
  throw new VerificationFailed('signature', `${place}: no known key of the log signed it`)
}

/** A stored cosignature must be the line of its key and time. */
const checkLine = ({ size, key_name, key_id, line, at }: StoredCosignature): void => {
  const encoded =
    typeof line === 'string' && line.startsWith(`— ${key_name} `) ? line.slice(`— ${key_name} `.length) : ''
  const bytes = fromBase64(encoded)
  const time = bytes && toBase64(bytes) === encoded ? parseCosignature(bytes.slice(4)) : null
  if (!bytes || toHex(bytes.subarray(0, 4)) !== key_id || time?.seconds !== at)
    throw new VerificationFailed(
      'altered',
      `the cosignature of ${key_name} on the checkpoint of size ${size} is stored with another key or time than its line has`,
    )
}

const checkSignatures = async (
  row: StoredCheckpoint,
  cosignatures: readonly StoredCosignature[],
  trust: Trust,
  crypto: ProofCrypto,
): Promise<{ readonly quorum: string | null; readonly ofOthers: number }> => {
  const note = cosignedNote(row, cosignatures)
  const { policy } = trust
  const check = (used: Trust) => checkCheckpoint(note, used, crypto)
  return asSignature(`the checkpoint of size ${row.size}`, async () => {
    await check({ ...trust, policy: policy && { ...policy, quorum: null } })
    const given = [...trust.keys, ...(policy?.witnesses ?? []).map(({ vkey }) => vkey)]
    const ofOthers = cosignatures.filter(
      ({ key_name, key_id }) => !given.some(({ name, id }) => name === key_name && id === key_id),
    ).length
    if (!policy) return { quorum: null, ofOthers }
    return { ofOthers, quorum: await quorumFailure(() => check(trust)) }
  })
}

const asSignature = async <T>(place: string, check: () => Promise<T>): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new VerificationFailed(error.code === 20 ? 'altered' : 'signature', `${place}: ${error.message}`)
  }
}

const quorumFailure = async (check: () => Promise<unknown>): Promise<string | null> => {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof ProofFailed && error.code === 15) return error.message
    throw error
  }
}

const orFinding = <T>(kind: 'altered', place: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new VerificationFailed(kind, `${place} cannot be read: ${error.message}`)
  }
}
