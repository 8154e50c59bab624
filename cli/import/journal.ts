import { open, type FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import type { RunFile } from './run-files.ts'

/** The documents that earlier imports finished, and a way to add to them. */
export type ImportJournal = {
  readonly has: (file: RunFile, part: Part) => boolean
  /** The parts of a file that are finished. */
  readonly partsOf: (file: RunFile) => ReadonlyArray<string | null>
  /** Resolves when the entry is written to the file (not yet synced), so that it survives a kill of the process. */
  readonly add: (file: RunFile, part: Part) => Promise<void>
  readonly close: () => Promise<void>
}

/** A part of a file: a line, the name of a run in it, or null if the file is one run. */
export type Part = number | string | null

type KeyedFile = Pick<RunFile, 'path' | 'size' | 'mtime_ms'>

/** Target, absolute path, size, modification time, part. */
const Entry = z.tuple([z.string(), z.string(), z.number(), z.number(), z.union([z.number(), z.string()]).nullable()])

/**
 * Opens or creates the journal, which has one JSON array per line. Skips invalid lines, such as an incomplete last line
 * after a killed import: the document is then sent again, which has no effect. Ignores entries of other targets.
 */
export const openImportJournal = async (path: string, target: string): Promise<ImportJournal> => {
  const handle = await open(path, 'a+')
  const done = await read(handle, target)
  await endLastLine(handle)
  return {
    has: (file, part) => done.get(fileKey(file))?.has(part) ?? false,
    partsOf: (file) => [...(done.get(fileKey(file)) ?? [])].filter((part) => typeof part !== 'number'),
    add: (file, part) =>
      handle.appendFile(
        `${JSON.stringify([target, resolve(file.path), file.size, file.mtime_ms, part] satisfies z.infer<typeof Entry>)}\n`,
      ),
    close: async () => {
      await handle.sync()
      await handle.close()
    },
  }
}

/** A journal that stores nothing. */
export const noJournal: ImportJournal = {
  has: () => false,
  partsOf: () => [],
  add: async () => {},
  close: async () => {},
}

const read = async (handle: FileHandle, target: string) => {
  const done = new Map<string, Set<Part>>()
  const input = handle.createReadStream({ autoClose: false, start: 0 })
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    const entry = parseEntry(text)
    if (entry?.[0] !== target) continue
    const [, path, size, mtime_ms, part] = entry
    const key = fileKey({ path, size, mtime_ms })
    const parts = done.get(key) ?? new Set()
    done.set(key, parts.add(part))
  }
  return done
}

const parseEntry = (text: string): z.infer<typeof Entry> | null => {
  try {
    return Entry.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const endLastLine = async (handle: FileHandle) => {
  const { size } = await handle.stat()
  if (size === 0) return
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  if (buffer[0] !== 0x0a) await handle.appendFile('\n')
}

const fileKey = ({ path, size, mtime_ms }: KeyedFile): string => JSON.stringify([resolve(path), size, mtime_ms])
