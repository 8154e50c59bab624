import { isObject } from '../plain/is-object.ts'

/** What a part is of its case; an `original` is of the whole run. */
export const CASE_ROLES = ['transcript', 'input', 'output', 'grading', 'other'] as const
export const PART_ROLES = ['original', ...CASE_ROLES] as const
export type PartRole = (typeof PART_ROLES)[number]

/** One entry of a manifest: a part, and what it is of. */
export type ManifestEntry = {
  readonly sha256: string
  readonly bytes: number
  readonly role: PartRole
  readonly case_key: string | null
  readonly name: string | null
  readonly media_type: string | null
  readonly from: { readonly sha256: string | null; readonly path: string | null } | null
}

/** A manifest as read tables need it. */
export type Manifest = { readonly entries: readonly ManifestEntry[] }

/** What an event says of a manifest. */
export type EvidenceData = {
  readonly manifest_bytes: number
  readonly manifest_sha256: string
  /** The bytes of its parts, each counted once. */
  readonly part_bytes: number
  /** The number of its parts, each counted once. */
  readonly part_count: number
}

/** Maximum bytes of a part: of the format, whatever a server accepts. */
export const MAX_PART_BYTES = 5 * 1024 ** 3
/** Entries and bytes of a manifest. */
export const MAX_ENTRIES = 100_000
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024
export const MAX_TRANSCRIPTS_PER_CASE = 8
const MAX_PARTS_PER_CASE = 1000
const MAX_NAME_BYTES = 400
const MAX_TYPE_BYTES = 200
const MAX_PATH_BYTES = 4096

/** Bytes are no manifest. The message names the field. */
export class InvalidManifest extends Error {
  override readonly name = 'InvalidManifest'
}

const DIGEST = /^[0-9a-f]{64}$/

/** Whether a text is the lower-case hex of a SHA-256, by which a part is named. */
export const isDigest = (value: unknown): value is string => typeof value === 'string' && DIGEST.test(value)

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** A text of at most some bytes, or null if it is left out. */
const optionalText = (value: unknown, maxBytes: number, field: string): string | null => {
  if (isAbsent(value)) return null
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0'))
    throw new InvalidManifest(`${field} must be a text`)
  if (new TextEncoder().encode(value).length > maxBytes)
    throw new InvalidManifest(`${field} must have at most ${maxBytes} bytes`)
  return value
}

const readOrigin = (value: unknown, field: string): ManifestEntry['from'] => {
  if (isAbsent(value)) return null
  if (!isObject(value)) throw new InvalidManifest(`${field} must be an object`)
  const { sha256 } = value
  if (!isAbsent(sha256) && !isDigest(sha256))
    throw new InvalidManifest(`${field}.sha256 must be 64 lower-case hex digits`)
  return {
    sha256: isDigest(sha256) ? sha256 : null,
    path: optionalText(value['path'], MAX_PATH_BYTES, `${field}.path`),
  }
}

const readEntry = (value: unknown, field: string): ManifestEntry => {
  if (!isObject(value)) throw new InvalidManifest(`${field} must be an object`)
  const { sha256, bytes, role } = value
  if (!isDigest(sha256)) throw new InvalidManifest(`${field}.sha256 must be 64 lower-case hex digits`)
  if (typeof bytes !== 'number' || !Number.isInteger(bytes) || bytes < 0 || bytes > MAX_PART_BYTES)
    throw new InvalidManifest(`${field}.bytes must be a whole number from 0 to ${MAX_PART_BYTES}`)
  const known = PART_ROLES.find((name) => name === role)
  if (known === undefined) throw new InvalidManifest(`${field}.role must be one of ${PART_ROLES.join(', ')}`)
  const case_key = isAbsent(value['case_key']) ? null : value['case_key']
  if (case_key !== null && typeof case_key !== 'string') throw new InvalidManifest(`${field}.case_key must be a text`)
  if (known === 'original' && case_key !== null)
    throw new InvalidManifest(`${field}.case_key must be left out: an original is of the whole run`)
  if (known !== 'original' && case_key === null)
    throw new InvalidManifest(`${field}.case_key is missing: the role ${known} is of a case`)
  return {
    sha256,
    bytes,
    role: known,
    case_key,
    name: optionalText(value['name'], MAX_NAME_BYTES, `${field}.name`),
    media_type: optionalText(value['media_type'], MAX_TYPE_BYTES, `${field}.media_type`),
    from: readOrigin(value['from'], `${field}.from`),
  }
}

const addTo = (counts: Map<string, number>, key: string): number => {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

/** The values that a manifest has at most, counted by the characters before them: more would take too much memory. */
const MAX_VALUES = 4_000_000

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b]

/** Whether JSON has more than `MAX_VALUES` of the characters `{`, `[` and `,` outside of its texts. */
const hasTooManyValues = (bytes: Uint8Array): boolean => {
  // Shorter ones need not be searched.
  if (bytes.length <= MAX_VALUES) return false
  let count = 0
  let isText = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) isText = !isText
    else if (isText) i += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count++
  }
  return count > MAX_VALUES
}

/**
 * Reads a manifest: a permanent format. Unknown members are ignored. Throws `InvalidManifest`, also if one digest has two sizes, or a case
 * too many parts.
 */
export const readManifest = (bytes: Uint8Array): Manifest => {
  if (hasTooManyValues(bytes)) throw new InvalidManifest(`the manifest has more than ${MAX_VALUES} values`)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    throw new InvalidManifest('the manifest is not JSON')
  }
  if (!isObject(value) || value['evidence'] !== 1) throw new InvalidManifest('evidence must be 1')
  const { parts } = value
  if (!Array.isArray(parts)) throw new InvalidManifest('parts must be an array')
  if (parts.length > MAX_ENTRIES)
    throw new InvalidManifest(`parts must have at most ${MAX_ENTRIES} entries, not ${parts.length}`)
  const entries = parts.map((part: unknown, i) => readEntry(part, `parts[${i}]`))
  const sizes = new Map<string, number>()
  const ofCases = new Map<string, number>()
  const transcripts = new Map<string, number>()
  for (const [i, { sha256, bytes, case_key, role }] of entries.entries()) {
    if ((sizes.get(sha256) ?? bytes) !== bytes)
      throw new InvalidManifest(`parts[${i}].bytes differs from that of another entry with the same sha256`)
    sizes.set(sha256, bytes)
    if (case_key === null) continue
    if (addTo(ofCases, case_key) > MAX_PARTS_PER_CASE)
      throw new InvalidManifest(`parts[${i}]: a case has at most ${MAX_PARTS_PER_CASE} parts`)
    if (role === 'transcript' && addTo(transcripts, case_key) > MAX_TRANSCRIPTS_PER_CASE)
      throw new InvalidManifest(`parts[${i}]: a case has at most ${MAX_TRANSCRIPTS_PER_CASE} transcripts`)
  }
  return { entries }
}

/** The parts of a manifest, each once, with their bytes. */
export const partsOf = ({ entries }: Manifest): ReadonlyMap<string, number> =>
  new Map(entries.map(({ sha256, bytes }) => [sha256, bytes]))
