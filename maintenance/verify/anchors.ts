import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fromUtf8, toHex } from '../../domain/proof/bytes.ts'
import { checkCheckpoint, checkReceipt, type Trust } from '../../domain/proof/check.ts'
import { parseCheckpoint, type Checkpoint } from '../../domain/proof/checkpoint.ts'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { isPrivateKey } from '../../domain/proof/keys.ts'
import { rootOfPath } from '../../domain/proof/merkle.ts'
import { parseNote, type Note } from '../../domain/proof/note.ts'
import { openedLeaf, parseOpening } from '../../domain/proof/opening.ts'
import { parseProof } from '../../domain/proof/tlog-proof.ts'
import type { HeadNote } from '../../storage/sqlite/head-file.ts'

/**
 * A size and root that were noted elsewhere; `by` names what noted them. `leaf` is a record that a receipt shows. `note` is
 * a signed note whose signature must be by a key of the log: that of others is checked when they are read.
 */
export type Anchor = HeadNote & {
  readonly by?: string
  readonly note?: string
  readonly leaf?: { readonly index: number; readonly hash: string }
}

/** Anchors of one source. `isSigned` is false if no key was given that could check them. */
export type GivenAnchors = {
  readonly anchors: readonly Anchor[]
  readonly isSigned: boolean
  readonly notes: readonly string[]
}

/** The text is neither SIZE:ROOT nor a file or folder. */
export class NoAnchor extends Error {
  override readonly name = 'NoAnchor'
}

const SIZE_AND_ROOT = /^(\d{1,15}):([0-9a-f]{64})$/i
const MAX_FILE_BYTES = 256 * 1024 * 1024

/**
 * Reads what the log is compared with: SIZE:ROOT, a file of checkpoints, the folder of a monitor, or a receipt. With keys
 * or a policy, the signatures of all notes are checked first, and at least one note of each source must meet the policy.
 * Throws `NoAnchor`, and `ProofFailed` with the file in its message.
 */
export const readAnchors = async (given: string, trust: Trust | null, crypto: ProofCrypto): Promise<GivenAnchors> => {
  const parts = SIZE_AND_ROOT.exec(given)
  if (parts?.[1] !== undefined && parts[2] !== undefined)
    return { anchors: [{ size: Number(parts[1]), root: parts[2].toLowerCase() }], isSigned: false, notes: [] }
  const anchors: Anchor[] = []
  const notes: string[] = []
  let isMet = false
  let unmet: ProofFailed | null = null
  const read = filesOf(given)
  for (const file of read) {
    const bytes = fileBytes(file)
    if (bytes.subarray(0, PROOF.length).equals(PROOF)) {
      anchors.push(await named(file, () => anchorOfReceipt(noteText(bytes), file, trust, crypto)))
      isMet = true
      continue
    }
    const { complete, torn } = splitNotes(bytes)
    let incomplete = torn
    for (const noteBytes of complete)
      await named(file, async () => {
        const note = noteText(noteBytes)
        const parsed = parsedOrTorn(note)
        if (!parsed) {
          incomplete++
          return
        }
        const checkpoint = parseCheckpoint(parsed.text)
        if (trust) {
          try {
            await checkCheckpoint(note, { ...trust, policy: trust.policy && { ...trust.policy, quorum: null } }, crypto)
          } catch (error) {
            if (!isCut(parsed, error)) throw error
            incomplete++
            return
          }
          const failure = isMet ? null : await quorumFailure(note, trust, crypto)
          if (failure === null) isMet = true
          else unmet = failure
        }
        anchors.push(checkpointAnchor(checkpoint, file))
      })
    if (incomplete > 0)
      notes.push(
        incomplete === 1
          ? `one checkpoint of ${file} is not complete, and was not compared`
          : `${incomplete} checkpoints of ${file} are not complete, and were not compared`,
      )
  }
  if (anchors.length === 0) throw new ProofFailed(20, `${given} has no checkpoint`)
  const failed = unmet as ProofFailed | null
  if (trust?.policy && !isMet && failed) throw new ProofFailed(failed.code, `${given}: ${failed.message}`)
  return { anchors, isSigned: trust !== null, notes }
}

/** The anchor that a checkpoint is. */
export const checkpointAnchor = ({ size, root }: Checkpoint, by: string): Anchor => ({ size, root: toHex(root), by })

const PROOF = Buffer.from('c2sp.org/tlog-proof@')

const filesOf = (given: string): string[] => {
  const status = statSync(given, { throwIfNoEntry: false })
  if (!status)
    throw new NoAnchor(
      `--against takes SIZE:ROOT (a number and 64 hex digits), a file of checkpoints, a folder of ers monitor, or a receipt; ${isPrivateKey(given) ? 'this is a private key, which nothing but the service needs' : `there is no file ${given}`}`,
    )
  if (!status.isDirectory()) return [given]
  const folder = join(given, 'checkpoints')
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.txt'))
      .toSorted()
      .map((name) => join(folder, name))
  } catch (error) {
    throw new NoAnchor(`${given} is not a folder of ers monitor: ${String(error)}`, { cause: error })
  }
}

const fileBytes = (file: string): Buffer => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new NoAnchor(`${file} cannot be read: ${String(error)}`, { cause: error })
  }
  if (bytes.length > MAX_FILE_BYTES) throw new ProofFailed(20, `${file} has more than ${MAX_FILE_BYTES} bytes`)
  return bytes
}

const noteText = (bytes: Uint8Array): string => {
  const text = fromUtf8(bytes)
  if (text === null) throw new ProofFailed(20, 'not UTF-8 text')
  return text
}

const named = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new ProofFailed(error.code, `${file}: ${error.message}`)
  }
}

const quorumFailure = async (note: string, trust: Trust, crypto: ProofCrypto): Promise<ProofFailed | null> => {
  try {
    await checkCheckpoint(note, trust, crypto)
    return null
  } catch (error) {
    if (error instanceof ProofFailed && error.code === 15) return error
    throw error
  }
}

const SIGNATURE = Buffer.from('— ')

/** The end of the note that begins at an offset: its text, an empty line, and signature lines. Null if it is not complete. */
const endOfNote = (bytes: Buffer, start: number): number | null => {
  const text = bytes.indexOf('\n\n', start)
  if (text <= start) return null
  const signatures = text + 2
  let end = signatures
  while (bytes.subarray(end, end + SIGNATURE.length).equals(SIGNATURE)) {
    const lineEnd = bytes.indexOf('\n', end)
    if (lineEnd < 0) break
    end = lineEnd + 1
  }
  return end === signatures ? null : end
}

const EMPTY_LINE = '\n\n'

/**
 * Splits notes, each followed by an empty line. A crash tears a note while it is written, also inside of a character; what is
 * written next ends it with an empty line.
 */
const splitNotes = (bytes: Buffer): { readonly complete: readonly Buffer[]; readonly torn: number } => {
  const complete: Buffer[] = []
  let torn = 0
  for (let start = 0; start < bytes.length;) {
    if (bytes[start] === LINE_END) {
      start++
      continue
    }
    const end = endOfNote(bytes, start)
    if (end !== null) complete.push(bytes.subarray(start, end))
    // A signature line that was torn, or its first byte, is a part of the torn note before it.
    else if (bytes[start] !== SIGNATURE[0] || start === 0) torn++
    const next = end ?? bytes.indexOf(EMPTY_LINE, start)
    start = next < 0 ? bytes.length : next
  }
  return { complete, torn }
}

/** Signatures of all types are at least as long. */
const SIGNATURE_BYTES = 64

/** A parsed note; null if its last signature line was torn. Throws `ProofFailed` for any other text that is no note. */
const parsedOrTorn = (text: string): Note | null => {
  try {
    return parseNote(text)
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    const lastLine = text.lastIndexOf('\n— ') + 1
    if (lastLine === 0 || !isNote(`${text.slice(0, lastLine)}— x AAAAAAAA\n`)) throw error
    return null
  }
}

/** Whether a signature that is wrong may have been cut: base64 without its end may be base64 as well. */
const isCut = ({ signatures }: Note, error: unknown): boolean =>
  error instanceof ProofFailed && error.code === 14 && (signatures.at(-1)?.bytes.length ?? 0) < SIGNATURE_BYTES

const isNote = (text: string): boolean => {
  try {
    parseNote(text)
    return true
  } catch (error) {
    if (error instanceof ProofFailed) return false
    throw error
  }
}

const LINE_END = 0x0a

const anchorOfReceipt = async (
  text: string,
  file: string,
  trust: Trust | null,
  crypto: ProofCrypto,
): Promise<Anchor> => {
  if (trust) await checkReceipt(text, trust, crypto)
  const { extra, index, path, checkpoint: note } = parseProof(text)
  if (extra === null) throw new ProofFailed(20, 'this proof has no opening of a record')
  const checkpoint = parseCheckpoint(parseNote(note).text)
  const leaf = await openedLeaf(parseOpening(extra), crypto.sha256)
  const root = await rootOfPath({ index, size: checkpoint.size, leaf, path }, crypto.sha256)
  if (!root || toHex(root) !== toHex(checkpoint.root))
    throw new ProofFailed(10, 'the record and its path do not give the root of its checkpoint')
  return { ...checkpointAnchor(checkpoint, file), leaf: { index, hash: toHex(leaf) } }
}
