import type { CaseFacts } from '../run/case-columns.ts'
import type { CaseStatus } from '../run/document.ts'

// The outline of a run: what a series over many runs needs of each case, in 28 bytes a case. All integers are unsigned
// and little-endian.
//
//   0  6 bytes  history key: the same case of the same suite
//   6  6 bytes  unit key: the same test with the same provider and prompt, whatever the repeat
//  12  4 bytes  digest of the prompt; 0 if it is unknown
//  16  4 bytes  digest of the provider; 0 if it is unknown
//  20  4 bytes  digest of the assertions; 0 if it is unknown
//  24  3 bytes  index of the case in the run
//  27  1 byte   mark: the status as a letter

const RECORD_BYTES = 28

/** A status as one letter; `.` means that the run does not have the case, `~` that its trials disagree. */
export const MARKS: Readonly<Record<CaseStatus, string>> = {
  pass: 'p',
  fail: 'f',
  error: 'e',
  skip: 's',
  xfail: 'x',
  xpass: 'X',
}
export const ABSENT = '.'
const MIXED = '~'

const CODES = Object.fromEntries(Object.entries(MARKS).map(([status, mark]) => [status, mark.charCodeAt(0)])) as Record<
  CaseStatus,
  number
>

/** Whether a mark is a verdict: passing, failing, or neither (null). */
export const isPassing = (mark: string): boolean | null =>
  mark === 'p' || mark === 'X' ? true : mark === 'f' || mark === 'e' ? false : null

/** The mark of trials that share a cell: one without a verdict gives way. */
export const foldedMark = (mark: string, other: string): string => {
  if (mark === MIXED || other === MIXED) return MIXED
  const [is, will] = [isPassing(mark), isPassing(other)]
  if (is === null) return will === null && mark !== ABSENT ? mark : other
  return will === null || is === will ? mark : MIXED
}

export type OutlinedCase = Pick<
  CaseFacts,
  | 'n'
  | 'history_key'
  | 'status'
  | 'provider_id'
  | 'prompt_id'
  | 'test_id'
  | 'prompt_digest'
  | 'provider_digest'
  | 'assert_digest'
>

/** Packs the cases of a run. */
export const packOutline = (cases: readonly OutlinedCase[]): Buffer => {
  const bytes = Buffer.allocUnsafe(cases.length * RECORD_BYTES)
  let at = 0
  for (const item of cases) {
    bytes.writeUIntLE(item.history_key, at, 6)
    bytes.writeUIntLE(unitKey(item), at + 6, 6)
    bytes.writeUInt32LE(shortDigest(item.prompt_digest), at + 12)
    bytes.writeUInt32LE(shortDigest(item.provider_digest), at + 16)
    bytes.writeUInt32LE(shortDigest(item.assert_digest), at + 20)
    bytes.writeUIntLE(item.n, at + 24, 3)
    bytes[at + 27] = CODES[item.status]
    at += RECORD_BYTES
  }
  return bytes
}

/** A packed run. Each function takes the place of a case in the outline, from 0 to `size - 1`. */
export type Outline = {
  readonly size: number
  readonly historyKey: (i: number) => number
  readonly unitKey: (i: number) => number
  readonly promptDigest: (i: number) => number
  readonly providerDigest: (i: number) => number
  readonly assertDigest: (i: number) => number
  /** Index of the case in the run. */
  readonly n: (i: number) => number
  readonly mark: (i: number) => string
}

const LETTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

/** Reads a packed run. */
export const readOutline = (bytes: Buffer): Outline => {
  // Six bytes, as four and two: twice as fast as `readUIntLE`.
  const key = (at: number): number => bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 0x1_0000_0000
  return {
    size: bytes.length / RECORD_BYTES,
    historyKey: (i) => key(i * RECORD_BYTES),
    unitKey: (i) => key(i * RECORD_BYTES + 6),
    promptDigest: (i) => bytes.readUInt32LE(i * RECORD_BYTES + 12),
    providerDigest: (i) => bytes.readUInt32LE(i * RECORD_BYTES + 16),
    assertDigest: (i) => bytes.readUInt32LE(i * RECORD_BYTES + 20),
    n: (i) => bytes.readUIntLE(i * RECORD_BYTES + 24, 3),
    mark: (i) => LETTERS[bytes[i * RECORD_BYTES + 27] ?? 0] ?? ABSENT,
  }
}

const unitKey = ({ provider_id, prompt_id, test_id }: OutlinedCase): number => {
  const text = `${provider_id.length}:${provider_id}${prompt_id === null ? '' : `${prompt_id.length}:`}${prompt_id ?? '-'}:${test_id}`
  return fnv1a(text, 0x811c9dc5) + (fnv1a(text, 0x9747b28c) & 0xffff) * 0x1_0000_0000
}

/** Four bytes that stand for a digest: 0 if it is unknown. */
const shortDigest = (digest: string | null): number => (digest ? fnv1a(digest, 0x811c9dc5) || 1 : 0)

/**
 * FNV-1a over UTF-16 units, with the finalizer of MurmurHash3, so that texts that differ in the last letter differ in
 * all bits. Uploads hash several texts a case, so a cryptographic hash would be too slow; nothing depends on collisions
 * being hard to find.
 */
const fnv1a = (text: string, seed: number): number => {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
