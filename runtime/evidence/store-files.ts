import { open } from 'node:fs/promises'
import { Refused } from '../../commands/refused.ts'
import { listMissing } from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Reader } from '../../storage/storage.ts'
import { PIECE_BYTES, type NamedBytes, type PartStore } from './part-store.ts'

/** A file with the bytes of a part. */
export type PartFile = { readonly sha256: string; readonly bytes: number; readonly path: string }

/** Small parts of one commit. */
const MAX_TOGETHER = 500
const MAX_TOGETHER_BYTES = 16 * 1024 * 1024
/** Digests of one question. */
const MAX_ASKED = 10_000

type Stores = {
  readonly reader: Reader
  readonly partStore: Pick<PartStore, 'storeMany' | 'storePiece'>
  /** Bytes of one part. */
  readonly maxBytes: number
}

/**
 * Stores files as parts, before a run of this process names them: those that the viewer may not name yet, or all. A run that is about to be
 * deleted may have the others. Refuses: too_large, conflict (too much that no run names).
 */
export const storeFiles = async (
  { reader, partStore, maxBytes }: Stores,
  viewer: Viewer,
  files: readonly PartFile[],
  { isAll = false }: { readonly isAll?: boolean } = {},
): Promise<void> => {
  const large = files.find(({ bytes }) => bytes > maxBytes)
  if (large) throw new Refused('too_large', `a part of ${large.bytes} bytes is larger than ${maxBytes}`)
  const missing = isAll ? null : await missingOf(reader, viewer, files)
  let [together, bytes]: [NamedBytes[], number] = [[], 0]
  const store = async (): Promise<void> => {
    if (together.length > 0) await partStore.storeMany(viewer, together)
    ;[together, bytes] = [[], 0]
  }
  for (const file of files) {
    if (missing?.has(file.sha256) === false) continue
    if (file.bytes > PIECE_BYTES) {
      await storeLarge(partStore, viewer, file)
      continue
    }
    together.push({ sha256: file.sha256, bytes: await readRange(file, 0, file.bytes) })
    bytes += file.bytes
    if (together.length >= MAX_TOGETHER || bytes >= MAX_TOGETHER_BYTES) await store()
  }
  await store()
}

const missingOf = async (reader: Reader, viewer: Viewer, files: readonly PartFile[]): Promise<ReadonlySet<string>> => {
  const missing = new Set<string>()
  for (let at = 0; at < files.length; at += MAX_ASKED) {
    const digests = files.slice(at, at + MAX_ASKED).map(({ sha256 }) => sha256)
    for (const sha256 of await reader.read(listMissing(viewer, digests))) missing.add(sha256)
  }
  return missing
}

const storeLarge = async (
  { storePiece }: Pick<PartStore, 'storePiece'>,
  viewer: Viewer,
  file: PartFile,
): Promise<void> => {
  for (let n = 0; n * PIECE_BYTES < file.bytes; n++) {
    const length = Math.min(PIECE_BYTES, file.bytes - n * PIECE_BYTES)
    const body = await readRange(file, n * PIECE_BYTES, length)
    await storePiece(viewer, file.sha256, { n, total: file.bytes, body })
  }
}

/** A range of a file, in memory of its own. A file that became shorter gives fewer bytes, whose digest is another one. */
const readRange = async ({ path }: PartFile, offset: number, length: number): Promise<Uint8Array> => {
  await using file = await open(path, 'r')
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
