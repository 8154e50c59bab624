import { equal } from './bytes.ts'
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import { verifySignature } from './cosignature.ts'
import type { ProofCrypto } from './crypto.ts'
import { ProofFailed } from './failed.ts'
import type { Vkey } from './keys.ts'
import { rootOfPath } from './merkle.ts'
import { parseNote, type Note } from './note.ts'
import { openedLeaf, parseOpening, type Opening } from './opening.ts'
import { meetsQuorum, quorumText, wordText, type Policy } from './policy.ts'
import { parseRecord, type OpenedRecord } from './record.ts'
import { parseProof } from './tlog-proof.ts'

/** What the reader trusts: keys of logs and of witnesses, and a policy or null. */
export type Trust = { readonly keys: readonly Vkey[]; readonly policy: Policy | null }

/**
 * A cosignature that was verified. `vkey` is the text of its key: several keys may have one name. `at` is the time that the
 * witness states, in seconds since the epoch.
 */
export type WitnessTime = { readonly name: string; readonly vkey: string; readonly at: number }

/** A checkpoint whose signatures were checked. */
export type CheckedCheckpoint = Checkpoint & {
  /** The vkeys of the log that signed. */
  readonly signed_by: readonly string[]
  /** Not those without a time, and of keys with the log's own name only those that the policy has as witnesses. */
  readonly witnesses: readonly WitnessTime[]
  /** Names of trusted witnesses that signed, but whose signature type this platform cannot check. */
  readonly unchecked: readonly string[]
}

/** Checks the signatures of a note. Throws `ProofFailed`: 20 unreadable, 14 wrong or by no trusted key, 15 policy not met. */
export const checkCheckpoint = async (note: string, trust: Trust, crypto: ProofCrypto): Promise<CheckedCheckpoint> => {
  const parsed = parseNote(note)
  return checkNote(parsed, parseCheckpoint(parsed.text), trust, crypto)
}

// Signatures of a log are Ed25519: an ML-DSA-44 key cannot be checked by every reader. A policy may list one, for other
// readers; it matches no log here.
const policyLogKeys = (policy: Policy | null): Vkey[] =>
  (policy?.logs ?? []).map(({ vkey }) => vkey).filter(({ type }) => type === 1)

const logKeys = ({ keys, policy }: Trust, origin: string): Vkey[] =>
  [...keys, ...policyLogKeys(policy)].filter(({ name, type }) => name === origin && type === 1)

const checkNote = async (
  note: Note,
  checkpoint: Checkpoint,
  trust: Trust,
  crypto: ProofCrypto,
): Promise<CheckedCheckpoint> => {
  const trustedLogs = logKeys(trust, checkpoint.origin)
  if (trustedLogs.length === 0)
    throw new ProofFailed(14, `none of the given keys belongs to the log ${JSON.stringify(checkpoint.origin)}`)
  const signed = await verifyLines(note, [...trustedLogs, ...otherKeys(trust, trustedLogs)], crypto)
  const isOfLog = (vkey: Vkey): boolean => trustedLogs.some(({ text }) => text === vkey.text)

  const signed_by = [
    ...new Set(signed.flatMap(({ vkey, seconds }) => (isOfLog(vkey) && seconds !== 'unchecked' ? [vkey.text] : []))),
  ]
  if (signed_by.length === 0)
    throw new ProofFailed(14, `no given key of ${JSON.stringify(checkpoint.origin)} signed the checkpoint`)
  const { policy } = trust
  const isPolicyWitness = (vkey: Vkey): boolean => (policy?.witnesses ?? []).some(hasKeyText(vkey.text))
  // A key of the log's own name is not independent of the log, unless the policy says that it is a witness.
  const cosigned = signed.filter(({ vkey }) => vkey.name !== checkpoint.origin || isPolicyWitness(vkey))
  const witnesses = cosigned.flatMap(({ vkey: { name, text }, seconds }) =>
    // Without a time, a witness does not state that it saw no larger tree (c2sp.org/tlog-cosignature).
    typeof seconds === 'number' && seconds > 0 ? [{ name, vkey: text, at: seconds }] : [],
  )
  if (policy) checkQuorum(policy, witnesses, cosigned)
  return {
    ...checkpoint,
    signed_by,
    witnesses,
    unchecked: cosigned.flatMap(({ vkey, seconds }) => (seconds === 'unchecked' ? [vkey.name] : [])),
  }
}

const hasKeyText =
  (text: string) =>
  ({ vkey }: Policy['witnesses'][number]): boolean =>
    vkey.text === text

const checkQuorum = (policy: Policy, witnesses: readonly WitnessTime[], cosigned: readonly VerifiedLine[]): void => {
  const counted = policy.witnesses.filter(({ vkey }) => witnesses.some((witness) => witness.vkey === vkey.text))
  if (meetsQuorum(policy, new Set(counted.map(({ name }) => name)))) return
  const whose = (isMeant: (seconds: VerifiedLine['seconds']) => boolean): string =>
    cosigned
      .filter(({ seconds }) => isMeant(seconds))
      .flatMap(({ vkey }) => policy.witnesses.filter(hasKeyText(vkey.text)).map(({ name }) => wordText(name)))
      .join(', ')
  const undated = whose((seconds) => seconds === 0)
  const unchecked = whose((seconds) => seconds === 'unchecked')
  throw new ProofFailed(
    15,
    [
      counted.length === 0
        ? 'no witness of the policy has signed'
        : `of the witnesses of the policy, only ${counted.map(({ name }) => wordText(name)).join(', ')} signed`,
      ...(undated === '' ? [] : [`${undated} states no time, and does not count`]),
      ...(unchecked === '' ? [] : [`the signature of ${unchecked} cannot be checked here`]),
      `it asks for ${quorumText(policy)}`,
    ].join('; '),
  )
}

const otherKeys = ({ keys, policy }: Trust, logs: readonly Vkey[]): Vkey[] =>
  [...keys, ...policyLogKeys(policy), ...(policy?.witnesses ?? []).map(({ vkey }) => vkey)].filter(
    ({ text }) => !logs.some((log) => log.text === text),
  )

type VerifiedLine = { readonly vkey: Vkey; readonly seconds: number | null | 'unchecked' }

/**
 * Verifies every line that has the name and the id of a trusted key; one wrong line refuses the note. Lines of unknown
 * keys mean nothing. A key that signed twice counts once, with its latest time.
 */
const verifyLines = async (note: Note, keys: readonly Vkey[], crypto: ProofCrypto): Promise<VerifiedLine[]> => {
  const lines = new Map<string, VerifiedLine>()
  for (const signature of note.signatures)
    for (const vkey of keys.filter(({ name, id }) => name === signature.name && id === signature.id)) {
      const verified = await verifySignature(vkey, note, signature, crypto)
      if (verified?.valid === false)
        throw new ProofFailed(14, `the signature of ${JSON.stringify(vkey.name)} (key ${vkey.id}) is wrong`)
      const seconds = verified ? verified.seconds : 'unchecked'
      const earlier = lines.get(vkey.text)?.seconds ?? -1
      if (seconds === 'unchecked' || seconds === null || earlier === 'unchecked' || earlier < seconds)
        lines.set(vkey.text, { vkey, seconds })
    }
  return [...lines.values()]
}

/** Length in bytes and SHA-256 (hexadecimal digits) of a document, as it was before any compression. */
export type GivenDocument = { readonly bytes: number; readonly sha256: string }

/**
 * Reads a document, but no more than `maxBytes` of it: a longer one is another one. Throws `ProofFailed` 10 if it is longer
 * or damaged. `maxBytes` is null if the record has only the digest.
 */
export type ReadDocument = (maxBytes: number | null) => Promise<GivenDocument>

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
 * about the document, which is not read before. Throws `ProofFailed` at the first that fails: 20, 14 or 15, 10, 10.
 */
export const checkReceipt = async (
  text: string,
  { document, ...trust }: Trust & { readonly document?: GivenDocument | ReadDocument },
  crypto: ProofCrypto,
): Promise<CheckedReceipt> => {
  const { extra, index, path, checkpoint: noteText } = parseProof(text)
  if (extra === null) throw new ProofFailed(20, 'this proof does not contain a record; a receipt does')
  const opening = parseOpening(extra)
  const note = parseNote(noteText)
  const checkpoint = await checkNote(note, parseCheckpoint(note.text), trust, crypto)

  const { size } = checkpoint
  if (index >= size) throw new ProofFailed(10, `the checkpoint covers ${size} records, and this is number ${index + 1}`)
  const leaf = await openedLeaf(opening, crypto.sha256)
  const root = await rootOfPath({ index, size, leaf, path }, crypto.sha256)
  if (root === null) throw new ProofFailed(10, 'the number of hashes does not belong to this place in the log')
  if (!equal(root, checkpoint.root))
    throw new ProofFailed(10, 'the record and its hashes do not give the root of the checkpoint')

  const record = parseRecord(opening)
  if (document) await compareDocument(record, document)
  return { index, leaf, opening, record, checkpoint, document: document ? 'matches' : 'not given' }
}

/** Thrown if a document is not the one that was recorded. */
export class DocumentDiffers extends ProofFailed {
  readonly given: GivenDocument
  readonly recorded: NonNullable<OpenedRecord['document']>

  constructor(given: GivenDocument, recorded: NonNullable<OpenedRecord['document']>) {
    super(
      10,
      `the document has ${given.bytes} bytes and SHA-256 ${given.sha256}, but recorded are ${recorded.bytes ?? 'unknown'} bytes and ${recorded.sha256}. ${FIRST_COUNTS}`,
    )
    this.given = given
    this.recorded = recorded
  }
}

const compareDocument = async (record: OpenedRecord, document: GivenDocument | ReadDocument): Promise<void> => {
  const { document: recorded } = record
  if (!recorded) throw new ProofFailed(10, `a record of type ${record.type} is not about a document`)
  const given = typeof document === 'function' ? await document(recorded.bytes) : document
  if (recorded.sha256 === given.sha256 && (recorded.bytes === null || recorded.bytes === given.bytes)) return
  throw new DocumentDiffers(given, recorded)
}

/** The refusal of a document of which more than the recorded bytes were read. */
export const longerDocument = (maxBytes: number): ProofFailed =>
  new ProofFailed(10, `the document is longer than the ${maxBytes} bytes that are recorded. ${FIRST_COUNTS}`)

const FIRST_COUNTS = 'If it was uploaded again in other bytes, the first upload counts: `ers export` downloads it'
