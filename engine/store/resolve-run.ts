import * as files from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf } from '../../domain/plain/message-of.ts'
import { UsageError } from '../json.ts'
import type { RunDocument } from '../runner/run-document.ts'
import { parseRun } from './run-file.ts'
import { RESULT_FILE, type RunStore } from './run-store.ts'

const MAX_LISTED_IDS = 5

export type ResolvedRun = {
  readonly run: RunDocument
  readonly path: string
  /** Whether the file is that of the run in the store. */
  readonly isStored: boolean
  /** Whether it is a stored run that was interrupted: some of its cells are missing. */
  readonly isPartial: boolean
}

/** Whether a reference may be the id of a run that is not stored here: it is no path, and not `latest`. */
export const mayBeId = (reference: string): boolean =>
  reference !== '' && reference !== 'latest' && !/[/\\]/.test(reference)

/**
 * Reads the run that a reference names: `latest`, the path of a document, a folder that holds `result.json`, or the
 * exact id of a stored run, in this order. Throws `UsageError` if there is none, or if the file is not a run document.
 */
export const resolveRun = async (reference: string, store: RunStore): Promise<ResolvedRun> => {
  if (reference === 'latest') {
    const id = await store.latestId()
    if (id === null) throw new UsageError(await noLatest(store))
    return readStored(id, store)
  }
  const path = await fileOf(reference)
  return path === null ? readStored(reference, store) : readFile(path, store)
}

const readStored = async (id: string, store: RunStore): Promise<ResolvedRun> => {
  const path = await store.find(id)
  if (path === null) throw new UsageError(await unknownRun(id, store))
  return readFile(path, store)
}

const noRun = ({ directory }: RunStore): string => `there is no stored run in ${directory}; \`ers run\` stores one`

/** Why no run is the latest one: the store is empty, or has interrupted runs only. */
const noLatest = async (store: RunStore): Promise<string> => {
  const [newest] = await store.ids()
  return newest === undefined
    ? noRun(store)
    : `no run in ${store.directory} is whole: ${newest} was interrupted; name its id, or \`ers run\` stores another`
}

const unknownRun = async (reference: string, store: RunStore): Promise<string> => {
  const ids = await store.ids()
  const known =
    ids.length === 0
      ? noRun(store)
      : `the newest runs in ${store.directory} are ${ids.slice(0, MAX_LISTED_IDS).join(', ')}`
  return `there is no run ${JSON.stringify(reference)}: give latest, a file, a folder with ${RESULT_FILE}, or the whole id of a stored run; ${known}`
}

/** The file that a path names: itself, or the document in a folder. Null if there is none. */
const fileOf = async (path: string): Promise<string | null> => {
  const kind = await pathKind(path)
  if (kind === 'file') return path
  const inside = join(path, RESULT_FILE)
  return kind === 'folder' && (await pathKind(inside)) === 'file' ? inside : null
}

const pathKind = async (path: string): Promise<'file' | 'folder' | null> => {
  try {
    const found = await files.stat(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null
  } catch (error) {
    const code = (error as { code?: string }).code ?? ''
    // A null byte makes the path invalid; an id may be too long for a name.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)) return null
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

const readFile = async (path: string, store: RunStore): Promise<ResolvedRun> => {
  try {
    const run = parseRun(await files.readFile(path))
    const isStored = resolve(path) === resolve(store.directory, run.run_id, RESULT_FILE)
    return { run, path, isStored, isPartial: isStored && (await store.isPartial(run.run_id)) }
  } catch (error) {
    throw new UsageError(`${path} is not a run document: ${messageOf(error)}`)
  }
}
