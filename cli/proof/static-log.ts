import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseCheckpoint, type Checkpoint } from '../../domain/proof/checkpoint.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { cosignedNote, findNewestCheckpoint, listCosignatures } from '../../queries/log/checkpoints.ts'
import { entryBundle, listEntries } from '../../queries/log/entries.ts'
import { TILE_WIDTH, tilePath, type TilePath } from '../../queries/log/tile-paths.ts'
import { isTreeComplete, readTile, rootAt } from '../../queries/log/tree.ts'
import { writtenCosignatures } from '../../runtime/proof/deliveries.ts'
import { listRecords, listRecordsOf, recordedOf, type LogRecord } from '../../storage/log/records.ts'
import type { Reader } from '../../storage/storage.ts'
import { writeWhole } from '../export/write-file.ts'

/** What an export wrote. */
export type ExportedLog = { readonly size: number; readonly root: string; readonly files: number }

type Options = { readonly bodies: boolean; readonly signal: AbortSignal }

const CONCURRENCY = 8

const ERASURES_PER_QUERY = 200

/**
 * Writes the newest checkpoint of a store with its tiles and entries into a folder, in the static layout of
 * c2sp.org/tlog-tiles. With `bodies`, `bodies/<N>` has a JSON line for each of the 256 records of the bundle N. Only what
 * the checkpoint in the folder lacks is written, and the checkpoint last, so that the folder is complete at any time.
 * Bodies name people and addresses: only their owner may read them. Throws `UserError`, also if the folder has another log.
 */
export const exportLog = async (
  reader: Reader,
  folder: string,
  { signal, ...options }: Options,
): Promise<ExportedLog> => {
  const newest = await reader.read(findNewestCheckpoint)
  if (!newest) throw new UserError('no checkpoint was signed yet: start the service with a key')
  if (!(await isTreeComplete(reader)))
    throw new UserError('the tree of the log is not complete yet: start the service, which completes it')
  const { size } = newest
  // Bodies that an earlier export wrote have to keep up, or those of later records would look removed.
  const bodies = options.bodies || existsSync(join(folder, 'bodies'))
  const earlier = await readEarlier(reader, folder, parseCheckpoint(parseNote(newest.note).text))
  const erased = bodies ? await listErased(reader, earlier, size) : new Set<number>()

  const writes: Array<() => Promise<void>> = []
  const add = (path: string, read: () => Promise<Buffer>, isPrivate = false): void => {
    writes.push(async () => writeFile(join(folder, path), await read(), signal, isPrivate))
  }
  for (let level = 0; nodesAt(size, level) > 0; level++)
    for (const tile of tilesOf(nodesAt(size, level), nodesAt(earlier, level)))
      add(join('tile', String(level), tilePath(tile)), () => tileBytes(reader, level, tile))
  for (const tile of tilesOf(size, earlier))
    add(join('tile', 'entries', tilePath(tile)), async () =>
      entryBundle(await reader.read(listEntries(tile.n * TILE_WIDTH, tile.width))),
    )
  if (bodies)
    for (const tile of tilesOf(size, 0)) {
      const path = join('bodies', tilePath(tile))
      const isNew = (tile.n + 1) * TILE_WIDTH > earlier
      if (isNew || erased.has(tile.n) || !existsSync(join(folder, path)))
        add(path, () => bodyLines(reader, tile, size), true)
    }

  // Bodies make folders that others cannot enter, and this one is not theirs alone.
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < writes.length; at += CONCURRENCY) {
    signal.throwIfAborted()
    // After a failure, nothing may still be writing into the folder.
    const results = await Promise.allSettled(writes.slice(at, at + CONCURRENCY).map((write) => write()))
    const failure = results.find((result) => result.status === 'rejected')
    if (failure) throw failure.reason
  }
  const note = cosignedNote(newest, writtenCosignatures(null, await reader.read(listCosignatures(size, size))))
  await writeFile(join(folder, 'checkpoint'), Buffer.from(note), signal)
  // A partial bundle that a larger one has replaced may have bodies that are erased later.
  const [last] = tilesOf(earlier, earlier)
  if (last && earlier < size) await rm(join(folder, 'bodies', tilePath(last)), { force: true })
  return { size, root: newest.root.toString('hex'), files: writes.length + 1 }
}

/** The number of nodes of a level in a tree of a size. */
const nodesAt = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level)

/** The tiles of `count` nodes that a folder with the tiles of `earlier` nodes lacks: full ones, then the partial one. */
const tilesOf = (count: number, earlier: number): TilePath[] => {
  const tiles: TilePath[] = []
  for (let n = Math.floor(earlier / TILE_WIDTH); n * TILE_WIDTH < count; n++)
    tiles.push({ n, width: Math.min(TILE_WIDTH, count - n * TILE_WIDTH) })
  return tiles
}

/** The size of the checkpoint in a folder; 0 if there is none. Throws `UserError` if it is not a prefix of the log. */
const readEarlier = async (reader: Reader, folder: string, { origin, size }: Checkpoint): Promise<number> => {
  const file = join(folder, 'checkpoint')
  if (!existsSync(file)) return 0
  let found: Checkpoint
  try {
    found = parseCheckpoint(parseNote(readFileSync(file, 'utf8')).text)
  } catch (cause) {
    if (!(cause instanceof ProofFailed)) throw cause
    throw new UserError(`${file} is not a checkpoint: ${cause.message}`, { cause })
  }
  if (found.origin !== origin)
    throw new UserError(`${folder} has the log ${found.origin}, and the store ${origin}: use another folder`)
  if (found.size > size || !(await rootAt(reader, found.size)).equals(found.root))
    throw new UserError(
      `${folder} has a checkpoint of ${found.size} records that is not a part of this log: the log was rolled back or rewritten`,
    )
  return found.size
}

/** The numbers of the bundles with records that were erased since a size. */
const listErased = async (reader: Reader, earlier: number, size: number): Promise<ReadonlySet<number>> => {
  const bundles = new Set<number>()
  for (let after = earlier; ;) {
    const records = await reader.read(listRecordsOf('EventErased', after, ERASURES_PER_QUERY))
    const last = records.at(-1)
    if (!last) return bundles
    checkCovered(last, size)
    for (const record of records) {
      const erasure = recordedOf(record)?.data as { readonly seq: number } | undefined
      if (erasure) bundles.add(Math.floor((erasure.seq - 1) / TILE_WIDTH))
    }
    after = last.seq
  }
}

/** Throws `UserError` if the checkpoint does not cover an erasure: the body that it names would look removed. */
const checkCovered = (erasure: LogRecord | undefined, size: number): void => {
  if (erasure && erasure.seq > size)
    throw new UserError('a record was erased after the newest checkpoint: export again when the next one is signed')
}

const tileBytes = async (reader: Reader, level: number, { n, width }: TilePath): Promise<Buffer> => {
  const bytes = await readTile(reader, level, n, width)
  if (!bytes) throw new Error(`the log lacks tile ${n} of level ${level}`)
  return bytes
}

/**
 * A line for each record: its number, and what opens its commitment, null if that was erased. Throws `UserError` if one was
 * erased by now that the checkpoint does not cover.
 */
const bodyLines = async (reader: Reader, { n, width }: TilePath, size: number): Promise<Buffer> => {
  const records = await reader.read(listRecords(n * TILE_WIDTH, width))
  // Read after the bodies, so that it names every erasure that took one of them.
  checkCovered((await reader.read(listRecordsOf('EventErased', size, 1)))[0], size)
  const lines = records.map(
    ({ seq, salt, body }) => `${JSON.stringify({ seq, salt: salt?.toString('hex') ?? null, body })}\n`,
  )
  return Buffer.from(lines.join(''))
}

const writeFile = async (path: string, bytes: Buffer, signal: AbortSignal, isPrivate = false): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, ...(isPrivate ? { mode: 0o700 } : {}) })
  await writeWhole([bytes], path, { gzip: false, length: bytes.length, signal, ...(isPrivate ? { mode: 0o600 } : {}) })
}
