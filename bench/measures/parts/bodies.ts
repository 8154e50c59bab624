import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { randomOf, randomProse } from '../../documents.ts'
import { PIECE_BYTES } from '../../../runtime/evidence/part-store.ts'

/** Bytes of which the bodies are made, again and again: far more than the window of a compressor. */
const BLOCK_BYTES = 4 * PIECE_BYTES

/** Lines of a transcript of random words, which shrink to a third; or bytes that do not shrink. */
export type Kind = 'text' | 'noise'

const blockOf = (kind: Kind): Buffer => {
  const random = randomOf(7)
  const block = Buffer.alloc(BLOCK_BYTES)
  if (kind === 'noise')
    for (let at = 0; at < block.length; at += 4) block.writeUInt32LE(Math.floor(random() * 2 ** 32), at)
  else
    for (let at = 0, n = 0; at < block.length; n++)
      at += block.write(
        `${JSON.stringify({ type: 'message', id: `e${n}`, role: 'user', content: randomProse(random, 400) })}\n`,
        at,
      )
  return block
}

/** A body of so many bytes, whose pieces are read from one block of memory. */
export type Body = {
  readonly kind: Kind
  readonly bytes: number
  readonly sha256: string
  readonly piece: (n: number) => Buffer
  readonly pieces: number
}

/** Makes a body. Its first bytes are of its number, so that no two have the same digest. */
export const bodyOf = (kind: Kind, bytes: number, number = 0): Body => {
  const block = blockOf(kind)
  block.write(`${number} `)
  const piece = (n: number): Buffer => {
    const from = (n * PIECE_BYTES) % BLOCK_BYTES
    return block.subarray(from, from + Math.min(PIECE_BYTES, bytes - n * PIECE_BYTES))
  }
  const pieces = Math.ceil(bytes / PIECE_BYTES)
  const hash: Hash = createHash('sha256')
  for (let n = 0; n < pieces; n++) hash.update(piece(n))
  return { kind, bytes, sha256: hash.digest('hex'), piece, pieces }
}

/** Writes a body to a file. */
export const writeBody = async ({ pieces, piece }: Body, file: string): Promise<void> => {
  const stream = createWriteStream(file)
  for (let n = 0; n < pieces; n++) if (!stream.write(piece(n))) await once(stream, 'drain')
  stream.end()
  await once(stream, 'close')
}
