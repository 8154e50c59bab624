import { LOG } from './fixture-cases.ts'
import { DOCUMENT, DOCUMENT_FACTS, rootOf, signedCheckpoint, written, writtenRun } from './written-log.ts'
import type { WrittenRecord } from './written-log.ts'

/** The files of an exported log, by path. */
export type StaticLog = ReadonlyMap<string, Buffer>

/** A record of an exported log; `isErased` if its body is gone. */
export type LoggedRecord = WrittenRecord & { readonly isErased?: boolean }

/** The part of a path that C2SP tlog-tiles gives a tile: 1234067 is `x001/x234/067`. */
export const tileName = (n: number, width: number): string => {
  const digits = String(n)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? []
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return width === 256 ? path : `${path}.p/${width}`
}

const chunksOf = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / 256) }, (_, n) => items.slice(n * 256, n * 256 + 256))

const bundleEntry = (entry: string): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(entry))
  return Buffer.concat([length, Buffer.from(entry)])
}

/** The layout of C2SP tlog-tiles with the bodies, and a signed checkpoint. */
export const staticLog = (records: readonly LoggedRecord[]): StaticLog => {
  const leaves = records.map(({ leaf }) => leaf)
  const files = new Map([['checkpoint', Buffer.from(signedCheckpoint(leaves, [LOG]))]])
  for (const [n, chunk] of chunksOf(records).entries()) {
    const name = tileName(n, chunk.length)
    files.set(`tile/entries/${name}`, Buffer.concat(chunk.map(({ entry }) => bundleEntry(entry))))
    const lines = chunk.map(({ salt, body, isErased }, at) =>
      JSON.stringify({ seq: n * 256 + at + 1, salt: isErased ? null : salt, body: isErased ? null : body }),
    )
    files.set(`bodies/${name}`, Buffer.from(`${lines.join('\n')}\n`))
  }
  let hashes: readonly Buffer[] = leaves
  for (let level = 0; hashes.length > 0; level += 1) {
    const chunks = chunksOf(hashes)
    for (const [n, chunk] of chunks.entries())
      files.set(`tile/${level}/${tileName(n, chunk.length)}`, Buffer.concat(chunk))
    hashes = chunks.filter(({ length }) => length === 256).map(rootOf)
  }
  return files
}

/** An erasure of one record, which keeps what the tables need, or nothing. */
export const erasureOf = (recorded_at: number, seq: number, kept: unknown): WrittenRecord =>
  written('EventErased', recorded_at, `erasure/${seq}`, 1, {
    cause: 'records',
    erasure_id: String(seq),
    kept,
    reference: 'R-1',
    seq,
  })

const erased = (record: WrittenRecord): LoggedRecord => ({ ...record, isErased: true })
const deletionOf = (recorded_at: number, runId: string, version: number): WrittenRecord =>
  written('RunDeleted', recorded_at, `run/${runId}`, version, { cause: 'request' })

/**
 * A history with everything that a log can hold: a run that is deleted and comes back, an erasure that keeps the facts, and
 * an erased run that comes back. It ends with runs, up to a second tile.
 */
export const HISTORY: readonly LoggedRecord[] = [
  written('Started', 1, 'service/a', 1, { version: '1' }),
  writtenRun(2, 'a'),
  deletionOf(3, 'a', 2),
  writtenRun(4, 'a', 3),
  erased(writtenRun(5, 'b')),
  erasureOf(6, 5, { data: DOCUMENT_FACTS, stream: 'run/b', version: 1 }),
  erased(writtenRun(7, 'gone')),
  erased(deletionOf(8, 'gone', 2)),
  erasureOf(9, 7, null),
  erasureOf(9, 8, null),
  writtenRun(10, 'gone'),
  ...Array.from({ length: 259 }, (_, at) => writtenRun(11 + at, `.run/${at}`)),
]

/** What `ers export` writes of some of the runs. */
export const DOCUMENTS: StaticLog = new Map(
  ['a', 'b', 'gone', '%2Erun%2F7'].map((name) => [`${name}.json`, Buffer.from(DOCUMENT)]),
)
