import { equal } from './bytes.ts'
import { parseCheckpoint } from './checkpoint.ts'
import type { Checkpoint } from './checkpoint.ts'
import { verifySignature } from './cosignature.ts'
import type { ProofCrypto } from './crypto.ts'
import { ProofFailed } from './failed.ts'
import type { Vkey } from './keys.ts'
import { rootOfPath } from './merkle.ts'
import { parseNote } from './note.ts'
import type { Note } from './note.ts'
import { leafOf, parseOpening } from './opening.ts'
import type { Opening } from './opening.ts'
import { meetsQuorum, wordText } from './policy.ts'
import type { Policy } from './policy.ts'
import { parseRecord } from './record.ts'
import type { OpenedRecord } from './record.ts'
import { parseProof } from './tlog-proof.ts'

/** What the reader trusts: keys of logs and of witnesses, and a policy or null. */
export type Trust = { readonly keys: readonly Vkey[]; readonly policy: Policy | null }

/** A cosignature that was verified. `at` is the time that the witness states, in seconds since the epoch. */
export type WitnessTime = { readonly name: string; readonly at: number }

/** A checkpoint whose signatures were checked. */
export type CheckedCheckpoint = Checkpoint & {
  /** The vkeys of the log that signed. */
  readonly signed_by: readonly string[]
  readonly witnesses: readonly WitnessTime[]
  /** Names of trusted keys that signed, but whose signature type this platform cannot check. */
  readonly unchecked: readonly string[]
}

/** Checks the signatures of a note. Throws `ProofFailed`: 20 unreadable, 14 wrong or by no trusted key, 15 policy not met. */
export const checkCheckpoint = async (note: string, trust: Trust, crypto: ProofCrypto): Promise<CheckedCheckpoint> => {
  const parsed = parseNote(note)
  return checkNote(parsed, parseCheckpoint(parsed.text), trust, crypto)
}

// Signatures of a log are Ed25519: an ML-DSA-44 key cannot be checked by every reader, and it counts as a witness.
const logKeys = ({ keys, policy }: Trust, origin: string): Vkey[] =>
  [...keys, ...(policy?.logs ?? []).map(({ vkey }) => vkey)].filter(({ name, type }) => name === origin && type === 1)

const checkNote = async (
  note: Note,
  checkpoint: Checkpoint,
  trust: Trust,
  crypto: ProofCrypto,
): Promise<CheckedCheckpoint> => {
  const trustedLogs = logKeys(trust, checkpoint.origin)
  if (trustedLogs.length === 0)
    throw new ProofFailed(14, `no given key is of ${JSON.stringify(checkpoint.origin)}, the origin of the checkpoint`)
  const signed = await verifyLines(note, [...trustedLogs, ...otherKeys(trust, trustedLogs)], crypto)
  const isOfLog = (vkey: Vkey): boolean => trustedLogs.some(({ text }) => text === vkey.text)

  const signed_by = [
    ...new Set(signed.flatMap(({ vkey, seconds }) => (isOfLog(vkey) && seconds !== 'unchecked' ? [vkey.text] : []))),
  ]
  if (signed_by.length === 0)
    throw new ProofFailed(14, `no given key of ${JSON.stringify(checkpoint.origin)} signed the checkpoint`)
  const cosigned = signed.flatMap(({ vkey, seconds }) =>
    isOfLog(vkey) || typeof seconds !== 'number' ? [] : [{ vkey, at: seconds }],
  )
  const { policy } = trust
  const verified = (policy?.witnesses ?? []).filter((witness) =>
    cosigned.some(({ vkey }) => vkey.text === witness.vkey.text),
  )
  if (policy && !meetsQuorum(policy, new Set(verified.map(({ name }) => name))))
    throw new ProofFailed(
      15,
      `the cosignatures of ${listed(verified.map(({ name }) => wordText(name)))} do not meet the policy`,
    )
  return {
    ...checkpoint,
    signed_by,
    witnesses: cosigned.map(({ vkey: { name }, at }) => ({ name, at })),
    unchecked: signed.flatMap(({ vkey, seconds }) => (seconds === 'unchecked' ? [vkey.name] : [])),
  }
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'no witness' : names.join(', '))

const otherKeys = ({ keys, policy }: Trust, logs: readonly Vkey[]): Vkey[] =>
  [
    ...keys,
    ...(policy?.logs ?? []).map(({ vkey }) => vkey),
    ...(policy?.witnesses ?? []).map(({ vkey }) => vkey),
  ].filter(({ text }) => !logs.some((log) => log.text === text))

type VerifiedLine = { readonly vkey: Vkey; readonly seconds: number | null | 'unchecked' }

/**
 * Verifies every line that has the name and the id of a trusted key; one wrong line refuses the note. Lines of unknown
 * keys mean nothing. A key that signed twice counts once.
 */
const verifyLines = async (note: Note, keys: readonly Vkey[], crypto: ProofCrypto): Promise<VerifiedLine[]> => {
  const lines = new Map<string, VerifiedLine>()
  for (const signature of note.signatures)
    for (const vkey of keys.filter(({ name, id }) => name === signature.name && id === signature.id)) {
      const verified = await verifySignature(vkey, note, signature, crypto)
      if (verified?.valid === false)
        throw new ProofFailed(14, `the signature of ${JSON.stringify(vkey.name)} (key ${vkey.id}) is wrong`)
      if (!lines.has(vkey.text)) lines.set(vkey.text, { vkey, seconds: verified ? verified.seconds : 'unchecked' })
    }
  return [...lines.values()]
}

/** Length in bytes and SHA-256 (hexadecimal digits) of a document, as it was before any compression. */
export type GivenDocument = { readonly bytes: number; readonly sha256: string }

export type CheckedReceipt = {
  /** From 0. The number of the record is one more. */
  readonly index: number
  /** The leaf hash of the record. */
  readonly leaf: Uint8Array
  readonly opening: Opening
  readonly record: OpenedRecord
  readonly checkpoint: CheckedCheckpoint
  readonly document: 'matches' | 'not given'
}

/**
 * Checks a receipt in four steps: its form, the signatures, the way from the record to the root, and what the record says
 * about the document. Throws `ProofFailed` at the first that fails: 20, 14 or 15, 10, 10.
 */
export const checkReceipt = async (
  text: string,
  { document, ...trust }: Trust & { readonly document?: GivenDocument },
  crypto: ProofCrypto,
): Promise<CheckedReceipt> => {
  const { extra, index, path, checkpoint: noteText } = parseProof(text)
  if (extra === null) throw new ProofFailed(20, 'this proof does not contain a record; a receipt does')
  const opening = parseOpening(extra)
  const note = parseNote(noteText)
  const checkpoint = await checkNote(note, parseCheckpoint(note.text), trust, crypto)

  const { size } = checkpoint
  if (index >= size) throw new ProofFailed(10, `the checkpoint covers ${size} records, and this is number ${index + 1}`)
  const leaf = await leafOf(opening, crypto.sha256)
  const root = await rootOfPath({ index, size, leaf, path }, crypto.sha256)
  if (root === null) throw new ProofFailed(10, 'the number of hashes does not belong to this place in the log')
  if (!equal(root, checkpoint.root))
    throw new ProofFailed(10, 'the record and its hashes do not give the root of the checkpoint')

  const record = parseRecord(opening)
  if (document) compareDocument(record, document)
  return { index, leaf, opening, record, checkpoint, document: document ? 'matches' : 'not given' }
}

/** Thrown if a document is not the one that was recorded. */
export class DocumentDiffers extends ProofFailed {
  readonly given: GivenDocument
  readonly recorded: NonNullable<OpenedRecord['document']>

  constructor(given: GivenDocument, recorded: NonNullable<OpenedRecord['document']>) {
    super(
      10,
      `the document has ${given.bytes} bytes and SHA-256 ${given.sha256}, but recorded are ${recorded.bytes ?? 'unknown'} bytes and ${recorded.sha256}. If it was uploaded again in other bytes, the first upload counts: \`ers export\` downloads it`,
    )
    this.given = given
    this.recorded = recorded
  }
}

const compareDocument = (record: OpenedRecord, given: GivenDocument): void => {
  const { document } = record
  if (!document) throw new ProofFailed(10, `a record of type ${record.type} is not about a document`)
  if (document.sha256 === given.sha256 && (document.bytes === null || document.bytes === given.bytes)) return
  throw new DocumentDiffers(given, document)
}
