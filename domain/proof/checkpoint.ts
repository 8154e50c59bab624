import { fromBase64, toBase64 } from './base64.ts'
import { ProofFailed } from './failed.ts'

/** What a checkpoint of C2SP tlog-checkpoint says: the log's identity, its number of records, and its RFC 6962 root. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array }

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/

/** A number written in decimal digits without leading zeros, up to 2^53 − 1; null for any other text. */
export const parseDecimal = (text: string): number | null => {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

/** The text of a checkpoint that is signed. It has no extension lines. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${toBase64(root)}\n`

/**
 * Parses the text of a note as a checkpoint. Extension lines are allowed and mean nothing. Throws `ProofFailed` 20 if it
 * is none.
 */
export const parseCheckpoint = (noteText: string): Checkpoint => {
  const lines = noteText.split('\n')
  if (lines.pop() !== '' || lines.length < 3 || lines.includes(''))
    throw new ProofFailed(20, 'a checkpoint has at least three lines, and none is empty')
  const [origin = '', sizeText = '', rootText = ''] = lines
  const size = parseDecimal(sizeText)
  if (size === null) throw new ProofFailed(20, 'the second line of the checkpoint is not a size')
  const root = fromBase64(rootText)
  if (root?.length !== 32) throw new ProofFailed(20, 'the third line of the checkpoint is not a root of 32 bytes')
  return { origin, size, root }
}
