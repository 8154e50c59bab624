import { BLOCK_EVENTS, type OutlineEntry } from '../../domain/transcript/outline.ts'
import type { Reader } from '../../storage/storage.ts'
import { blockOf, readBlock, readOutlineHead } from './outline-state.ts'
import { outlineOf, type StoredTranscript } from './transcript.ts'

const NUMBER = /^[1-9]\d{0,8}$/

/** What the outline has of the n-th event of a transcript, or null. */
export const findEvent = async (reader: Reader, part: StoredTranscript, n: string): Promise<OutlineEntry | null> => {
  if (!NUMBER.test(n)) return null
  const key = outlineOf(part)
  const head = await readOutlineHead(reader, key)
  const entries = await readBlock(reader, key, head, blockOf(Number(n)))
  return entries[(Number(n) - 1) % BLOCK_EVENTS] ?? null
}
