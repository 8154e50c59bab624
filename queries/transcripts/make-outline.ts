import { MAX_EVENTS, outliner, rowsOfEntries, type OutlineBlock } from '../../domain/transcript/outline.ts'
import {
  findOutlineSecret,
  sealOutlineRow,
  SPANS_ROW,
  STATE_ROW,
  type OutlineKey,
  type OutlineRow,
} from '../../storage/objects/outlines.ts'
import { newObjectKey } from '../../storage/objects/seal.ts'
import { readOutlineState } from './outline-state.ts'
import { outlineOf, transcriptBytes, type PartSource, type StoredTranscript } from './transcript.ts'

/** Bytes and blocks of one step. A step has the whole of the longest line, so that each gets further. */
const STEP_BYTES = 24 * 1024 * 1024
const STEP_BLOCKS = 100

/** Bytes of the first step, after which the first events are shown. */
const FIRST_BYTES = 1024 * 1024

/** Rows to store, the key under which they are sealed, and up to which byte they are the outline. */
type OutlineStep = OutlineKey & {
  readonly secret: Uint8Array
  readonly outlined: number
  readonly rows: readonly OutlineRow[]
}

/** Makes the next step of the outline of a transcript, from where the stored one ends. */
export const makeOutlineStep = async (source: PartSource, part: StoredTranscript): Promise<OutlineStep> => {
  const key = outlineOf(part)
  const secret = (await source.reader.read(findOutlineSecret(key.part_no))) ?? newObjectKey()
  const stored = await readOutlineState(source.reader, key)
  const rows: OutlineRow[] = []
  const add = (row: Omit<OutlineRow, 'bytes'>, value: unknown) =>
    rows.push({ ...row, bytes: sealOutlineRow(value, secret, { ...key, n: row.n }) })
  const addBlock = ({ entries, ...row }: OutlineBlock) => add(row, rowsOfEntries(entries))
  const builder = outliner(stored, addBlock)
  const from = stored.line.offset
  const to = Math.min(part.bytes, from + STEP_BYTES)
  let read = from
  for await (const chunk of transcriptBytes(source, part, from, to)) {
    builder.push(chunk)
    read += chunk.length
    if (rows.length >= STEP_BLOCKS || (from === 0 && read >= FIRST_BYTES && builder.state().totals.events > 0)) break
  }
  if (read === part.bytes) builder.end()
  const { spans, bins, tail, ...rest } = builder.state()
  // What is after the last event that is listed is not read.
  const outlined = rest.totals.events >= MAX_EVENTS ? part.bytes : rest.line.offset
  const state = {
    ...rest,
    line: { ...rest.line, offset: outlined },
    tail: { ...tail, entries: rowsOfEntries(tail.entries) },
  }
  add({ n: SPANS_ROW, start: 0, firstMessage: 0 }, { spans, bins })
  add({ n: STATE_ROW, start: outlined, firstMessage: 0 }, state)
  return { ...key, secret, outlined, rows }
}
