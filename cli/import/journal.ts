import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import type { RunFile } from './run-files.ts'

/** The documents that earlier imports finished, and a way to add to them. */
export type ImportJournal = {
  readonly has: (file: RunFile, line: number | null) => boolean
  /** Resolves when the entry is written to the file (not yet synced), so that it survives a kill of the process. */
  readonly add: (file: RunFile, line: number | null) => Promise<void>
  readonly close: () => Promise<void>
}

/** Target, absolute path, size, modification time, line (null if the file is one document). */
const Entry = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number().nullable()])

/**
 * Opens or creates the journal, which has one JSON array per line. Skips invalid lines, such as an incomplete last line
 * after a killed import: the document is then sent again, which has no effect. Ignores entries of other targets.
 */
export const openImportJournal = async (path: string, target: string): Promise<ImportJournal> => {
  const handle = await open(path, 'a+')
  const done = await read(handle, target)
  await endLastLine(handle)
  return {
    has: (file, line) => done.get(fileKey(file))?.has(line) ?? false,
    add: (file, line) =>
      handle.appendFile(
        `${JSON.stringify([target, resolve(file.path), file.size, file.mtime_ms, line] satisfies z.infer<typeof Entry>)}\n`,
      ),
    close: async () => {
      await handle.sync()
      await handle.close()
    },
  }
}

/** A journal that stores nothing. */
export const noJournal: ImportJournal = { has: () => false, add: async () => {}, close: async () => {} }

const read = async (handle: FileHandle, target: string) => {
  const done = new Map<string, Set<number | null>>()
  const input = handle.createReadStream({ autoClose: false, start: 0 })
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    const entry = entryOf(text)
    if (entry?.[0] !== target) continue
    const [, path, size, mtime_ms, line] = entry
    const key = fileKey({ path, size, mtime_ms })
    const lines = done.get(key) ?? new Set()
    done.set(key, lines.add(line))
  }
  return done
}

const entryOf = (text: string): z.infer<typeof Entry> | null => {
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

const fileKey = ({ path, size, mtime_ms }: Pick<RunFile, 'path' | 'size' | 'mtime_ms'>): string =>
  JSON.stringify([resolve(path), size, mtime_ms])
