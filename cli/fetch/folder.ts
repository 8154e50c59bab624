import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWhole } from '../export/write-file.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** The name of the files that say how far a fetch is. `ers import` does not read files without an ending. */
const STATE_FILE = 'fetch-state'

const Progress = z.object({
  /** Pages that were written; those without rows are not. */
  pages: z.number().int().nonnegative(),
  /** Size of the last page. */
  bytes: z.number().int().nonnegative(),
  /** The cursor with which the last page was requested; null for the first page. */
  at: z.string().nullable(),
  /** The cursor of the next page; null after the last one. */
  next: z.string().nullable(),
})
const FolderState = z.record(z.string(), Progress)

/** How far the pages of one list are. */
export type Progress = z.infer<typeof Progress>

/** What a folder was filled with. */
export type FetchedFrom = { readonly tool: string; readonly url: string; readonly since: string | null }
const RootState = z.object({
  tool: z.string(),
  url: z.string(),
  since: z.string().nullable(),
  is_complete: z.boolean(),
})

/** A folder of pages of one experiment, or of the lists of experiments. */
export type PageFolder = {
  /** How far a list is; null if it was not begun. A last page that is not whole is not counted. */
  readonly progress: (list: string) => Progress | null
  readonly read: (list: string, page: number) => Buffer
  /** Writes a page and how far the list is then; null is a page without rows. The first page removes those of an earlier attempt. */
  readonly write: (list: string, body: Buffer | null, progress: Progress) => Promise<void>
  readonly hasDocument: (name: string) => boolean
  readonly content: (name: string) => unknown
  readonly writeDocument: (name: string, body: Buffer) => Promise<void>
}

/** The file of a page: in the order of the pages. */
const pageFile = (list: string, page: number): string => `${list}-${String(page).padStart(6, '0')}.json`

/** Opens a folder, and creates it with its first file. */
export const pageFolder = (path: string): PageFolder => {
  removeParts(path)
  const state = readState(join(path, STATE_FILE), FolderState) ?? {}
  const write = async (name: string, body: Buffer): Promise<void> => {
    mkdirSync(path, { recursive: true })
    await writeFile(join(path, name), body)
  }
  const isWhole = (list: string, { pages, bytes }: Progress): boolean => {
    if (pages === 0) return true
    const stats = statSync(join(path, pageFile(list, pages)), { throwIfNoEntry: false })
    return stats?.size === bytes && looksWhole(join(path, pageFile(list, pages)))
  }
  return {
    progress: (list) => {
      const found = state[list]
      if (found === undefined) return null
      if (isWhole(list, found)) return found
      // The last page is fetched again. What follows it is then decided by its new content.
      return found.pages <= 1 ? null : { ...found, pages: found.pages - 1, next: found.at }
    },
    read: (list, page) => readFileSync(join(path, pageFile(list, page))),
    write: async (list, body, progress) => {
      if (progress.pages === (body === null ? 0 : 1) && existsSync(path)) {
        const isOfList = new RegExp(`^${list}-\\d{6}\\.json$`)
        for (const name of readdirSync(path)) if (isOfList.test(name)) rmSync(join(path, name))
      }
      if (body !== null) await write(pageFile(list, progress.pages), body)
      state[list] = progress
      await write(STATE_FILE, Buffer.from(`${JSON.stringify(state)}\n`))
    },
    hasDocument: (name) => looksWhole(join(path, `${name}.json`)),
    content: (name) => JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8')) as unknown,
    writeDocument: (name, body) => write(`${name}.json`, body),
  }
}

/** Removes what an attempt left that was killed while it wrote. */
const removeParts = (path: string): void => {
  if (!existsSync(path)) return
  for (const name of readdirSync(path)) if (/^\..*\.[0-9a-f]{12}\.part$/.test(name)) rmSync(join(path, name))
}

/** Whether a file is there and ends like a JSON document. A file system that lost data leaves a shorter one, or zeros. */
const looksWhole = (path: string): boolean => {
  if (!existsSync(path)) return false
  const content = readFileSync(path)
  return /[}\]]\s*$/.test(content.subarray(-64).toString('latin1'))
}

/**
 * Takes a folder for a fetch: an empty or missing one, or one of the same fetch, which is then continued. Returns whether
 * that one is complete. Throws `UserError` for any other folder.
 */
export const takeFolder = async (path: string, from: FetchedFrom): Promise<boolean> => {
  const state = join(path, STATE_FILE)
  const found = existsSync(path) ? readState(state, RootState) : null
  if (found !== null) {
    const { tool, url, since } = found
    if (tool !== from.tool || url !== from.url || since !== from.since)
      throw new UserError(
        `${path} holds what was fetched from ${tool} at ${url}${since === null ? '' : ` since ${since}`}: name another folder with --out`,
      )
    return found.is_complete
  }
  try {
    mkdirSync(path, { recursive: true })
    if (readdirSync(path).length > 0)
      throw new UserError(`${path} is not empty, and not of an earlier fetch: name another folder with --out`)
    await writeRoot(path, from, false)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${path} cannot be used: ${(error as Error).message}`, { cause: error })
  }
  return false
}

/** Records that everything was fetched. */
export const completeFolder = (path: string, from: FetchedFrom): Promise<void> => writeRoot(path, from, true)

const writeRoot = (path: string, from: FetchedFrom, is_complete: boolean): Promise<void> =>
  writeFile(join(path, STATE_FILE), Buffer.from(`${JSON.stringify({ ...from, is_complete })}\n`))

const writeFile = (path: string, body: Buffer): Promise<void> =>
  writeWhole([body], path, {
    gzip: false,
    length: body.length,
    // A page is written to its end even if the command is interrupted.
    signal: new AbortController().signal,
  })

/** Null if the file is missing or damaged: what it describes is fetched again. */
const readState = <T>(path: string, schema: z.ZodType<T>): T | null => {
  if (!existsSync(path)) return null
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

const MAX_NAME_LENGTH = 60

/** Names that Windows reserves for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * A file name for an id of a service. An id of lower-case letters, digits, `-` and `_` is its own name; any other one is
 * escaped and gets a digest, so that no two ids share a name, on a file system that ignores case either.
 */
export const safeName = (id: string): string => {
  if (/^[a-z0-9][a-z0-9_-]*$/.test(id) && id.length <= MAX_NAME_LENGTH && !RESERVED.test(id)) return id
  const shown = id
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .slice(0, MAX_NAME_LENGTH - 20)
  return `x${shown}~${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
