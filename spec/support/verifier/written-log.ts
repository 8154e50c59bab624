import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import canonicalize from 'canonicalize'

// A small log of its own for fixtures. It shares no code with the service, so that a fixture is not right merely because
// the service wrote it.

export const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()

/** A signing key of C2SP signed-note. `line` signs the text of a note; with type 4, `seconds` is the time of the cosignature. */
export type NoteKey = {
  readonly name: string
  readonly vkey: string
  readonly line: (text: string, seconds?: number) => string
}

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key of a seed, 32 bytes in hexadecimal digits. Type 1 signs checkpoints, type 4 cosigns them. */
export const noteKey = (name: string, seed: string, type: 1 | 4): NoteKey => {
  const der = Buffer.concat([PKCS8_ED25519, Buffer.from(seed, 'hex')])
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const encoded = Buffer.concat([
    Buffer.of(type),
    createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32),
  ])
  const id = sha256(Buffer.from(`${name}\n`), encoded).subarray(0, 4)
  const line = (text: string, seconds = 1_777_885_300): string => {
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(BigInt(seconds))
    const signature =
      type === 1
        ? sign(null, Buffer.from(text), secret)
        : Buffer.concat([time, sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), secret)])
    return signatureLine(name, Buffer.concat([id, signature]))
  }
  return { name, vkey: `${name}+${id.toString('hex')}+${encoded.toString('base64')}`, line }
}

/** A signature line of a note; the bytes begin with the key id. */
export const signatureLine = (name: string, bytes: Uint8Array): string =>
  `— ${name} ${Buffer.from(bytes).toString('base64')}\n`

/** The seeds are public: they are those of examples of Go's note package and of Tessera, and RFC 8032 7.1. Never use them. */
export const SEEDS = {
  go: '810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173',
  tessera: 'eca663f499017d2365c27c7a7679158d43cfec1330bdb259290afbd0d21777a0',
  rfc1: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  rfc2: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  rfc3: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
}

/** A record as the log has it: the opening of its receipt, its entry, and its leaf. */
export type WrittenRecord = {
  readonly type: string
  readonly recorded_at: number
  readonly salt: string
  readonly body: string
  readonly entry: string
  readonly leaf: Buffer
}

/** The canonical JSON (RFC 8785) of a value. */
const canonical = (value: unknown): string => canonicalize(value) ?? ''

/** Seals a body: its commitment, its entry, and the leaf of RFC 6962. */
export const sealed = (type: string, recorded_at: number, body: string, salt: string): WrittenRecord => {
  const commitment = sha256(Buffer.from(salt, 'hex'), Buffer.from(body)).toString('hex')
  const entry = canonical({ commitment, recorded_at, type })
  return { type, recorded_at, salt, body, entry, leaf: sha256(Buffer.of(0), Buffer.from(entry)) }
}

/** A record of a static token. The salt is made of the time, so that fixtures are the same each time. */
export const written = (
  type: string,
  recorded_at: number,
  stream: string,
  version: number,
  data: unknown,
): WrittenRecord => {
  const actor = { address: null, credential_id: null, kind: 'static', scope: 'write', user_id: null }
  const salt = sha256(Buffer.from(`salt ${recorded_at}`))
    .toString('hex')
    .slice(0, 32)
  return sealed(type, recorded_at, canonical({ actor, data, request_id: null, stream, version }), salt)
}

/** The text of the document of each ingest of `writtenRuns`. */
export const DOCUMENT = '{"cases":[]}'

/** What an ingest records of its document. */
export const DOCUMENT_FACTS = {
  document_bytes: DOCUMENT.length,
  document_sha256: sha256(Buffer.from(DOCUMENT)).toString('hex'),
}

/** The ingest of a run. */
export const writtenRun = (recorded_at: number, runId: string, version = 1): WrittenRecord =>
  written('RunIngested', recorded_at, `run/${encodeURIComponent(runId)}`, version, {
    ...DOCUMENT_FACTS,
    project: 'chat',
    suite: 'smoke',
  })

/** The ingests of so many runs, one a millisecond. */
export const writtenRuns = (count: number): WrittenRecord[] =>
  Array.from({ length: count }, (_, index) => writtenRun(1_777_885_244_000 + index, `run ${index + 1}`))

const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1))

/** The Merkle tree hash of leaves (RFC 6962 2.1). */
export const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return first
  const left = splitOf(leaves.length)
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}

/** The audit path of a leaf (RFC 6962 2.1.1). */
const pathOf = (index: number, leaves: readonly Buffer[]): Buffer[] => {
  if (leaves.length < 2) return []
  const left = splitOf(leaves.length)
  return index < left
    ? [...pathOf(index, leaves.slice(0, left)), rootOf(leaves.slice(left))]
    : [...pathOf(index - left, leaves.slice(left)), rootOf(leaves.slice(0, left))]
}

/** The consistency proof from a smaller tree (RFC 6962 2.1.2); empty for sizes that have none. */
export const consistencyOf = (from: number, leaves: readonly Buffer[], isWhole = true): Buffer[] => {
  if (from < 1 || from > leaves.length) return []
  if (from === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const left = splitOf(leaves.length)
  return from <= left
    ? [...consistencyOf(from, leaves.slice(0, left), isWhole), rootOf(leaves.slice(left))]
    : [...consistencyOf(from - left, leaves.slice(left), false), rootOf(leaves.slice(0, left))]
}

/** The text of a checkpoint that is signed. */
const checkpointOf = (origin: string, size: number, root: Uint8Array): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** A checkpoint of the leaves, signed by each of the keys in their order. The first one's name is the origin. */
export const signedCheckpoint = (
  leaves: readonly Buffer[],
  [log, ...others]: readonly [NoteKey, ...NoteKey[]],
): string => {
  const text = checkpointOf(log.name, leaves.length, rootOf(leaves))
  return `${text}\n${[log, ...others].map((key) => key.line(text)).join('')}`
}

/** The text in the line `extra` of a receipt. */
const openingOf = ({ body, recorded_at, salt, type }: WrittenRecord): string =>
  canonical({ body, recorded_at, salt, type, v: 1 })

/** The text of a `tlog-proof`. */
const proofOf = (extra: string, index: number, path: readonly Uint8Array[], checkpoint: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `extra ${Buffer.from(extra).toString('base64')}`,
    `index ${index}`,
    ...path.map((hash) => Buffer.from(hash).toString('base64')),
    '',
    checkpoint,
  ].join('\n')

/** The receipt of a record under a checkpoint of these leaves. */
export const receiptOf = (
  record: WrittenRecord,
  index: number,
  leaves: readonly Buffer[],
  keys: readonly [NoteKey, ...NoteKey[]],
): string => proofOf(openingOf(record), index, pathOf(index, leaves), signedCheckpoint(leaves, keys))
