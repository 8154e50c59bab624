import { fromBase64, toBase64 } from './base64.ts'
import { parseDecimal } from './checkpoint.ts'
import { ProofFailed } from './failed.ts'

/**
 * A proof of C2SP tlog-proof. `index` counts from 0; `checkpoint` is the signed note, verbatim; `extra` is null if the
 * proof has no such line.
 */
export type TlogProof = {
  readonly extra: Uint8Array | null
  readonly index: number
  readonly path: readonly Uint8Array[]
  readonly checkpoint: string
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'
/** A path is never longer: sizes are below 2^53. */
const MAX_HASHES = 63

/** 16 signatures of post-quantum size must fit. */
export const MAX_PROOF_BYTES = 256 * 1024

/** The text of a proof. */
export const proofText = ({ extra, index, path, checkpoint }: TlogProof): string =>
  [
    FIRST_LINE,
    ...(extra ? [`extra ${toBase64(extra)}`] : []),
    `index ${index}`,
    ...path.map(toBase64),
    '',
    checkpoint,
  ].join('\n')

/**
 * Throws `ProofFailed` 20 unless a text begins as a proof does. The message distinguishes a file that is none from one
 * whose line ends were changed, as editors, mail and `git` do.
 */
export const checkFirstLine = (text: string): void => {
  const [first = ''] = text.split('\n', 1)
  if (first.replace(/^\ufeff/, '').replace(/\r$/, '') !== FIRST_LINE)
    throw new ProofFailed(20, `this is not a receipt (its first line is not ${FIRST_LINE})`)
  if (first !== FIRST_LINE || text.includes('\r'))
    throw new ProofFailed(20, 'the file was changed on its way (line ends or byte order mark): get it again')
}

/** Parses a proof, but not its checkpoint. Throws `ProofFailed` 20 unless it has exactly the form of C2SP tlog-proof. */
export const parseProof = (text: string): TlogProof => {
  // Most characters are one byte, and none is less than one: an exact count is needed of short texts only.
  if (text.length > MAX_PROOF_BYTES || new TextEncoder().encode(text).length > MAX_PROOF_BYTES)
    throw new ProofFailed(20, `the receipt has more than ${MAX_PROOF_BYTES / 1024} KiB`)
  checkFirstLine(text)
  const end = text.indexOf('\n\n')
  if (end < 0) throw new ProofFailed(20, 'the receipt has no empty line before its checkpoint')
  const [, ...lines] = text.slice(0, end).split('\n')
  const extra = lines[0]?.startsWith('extra ') ? parseExtra(lines.shift() ?? '') : null
  const indexLine = lines.shift() ?? ''
  const index = indexLine.startsWith('index ') ? parseDecimal(indexLine.slice('index '.length)) : null
  if (index === null) throw new ProofFailed(20, 'the receipt has no line with the index of its record')
  if (lines.length > MAX_HASHES) throw new ProofFailed(20, `the receipt has more than ${MAX_HASHES} hashes`)
  return { extra, index, path: lines.map(parseHash), checkpoint: text.slice(end + 2) }
}

const parseExtra = (line: string): Uint8Array => {
  const extra = fromBase64(line.slice('extra '.length))
  if (!extra || extra.length === 0) throw new ProofFailed(20, 'the extra data is not canonical base64')
  return extra
}

const parseHash = (line: string): Uint8Array => {
  const hash = fromBase64(line)
  if (hash?.length !== 32)
    throw new ProofFailed(20, `${JSON.stringify(line.slice(0, 100))} is not a hash of 32 bytes in canonical base64`)
  return hash
}
