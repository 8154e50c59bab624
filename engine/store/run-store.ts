import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { manifestFile, partFile } from '../../domain/evidence/run-folder.ts'
import { errorCode } from '../../domain/plain/error-code.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { HarnessError } from '../json.ts'
import type { RunDocument } from '../runner/run-document.ts'
import { isFile, modifiedAt, readFolder, readText, wholeFileWriter } from './files.ts'
import { parseRun, parseRunHead, runChunks, type RunHead } from './run-file.ts'

/** The file of a run in its folder. */
export const RESULT_FILE = 'result.json'
/** An empty file next to the document of a run that was interrupted. It is no part of the document: no upload has it. */
const PARTIAL_FILE = 'partial'
/** The file that names the run that was stored last. */
const LATEST_FILE = 'latest'

/** A stored run, without its cases. */
export type StoredRun = {
  readonly id: string
  readonly path: string
  readonly run: RunHead
  /** Whether it was interrupted: some of its cells are missing. */
  readonly isPartial: boolean
}

/** What a run has apart from its document: its manifest, and the folder in which its parts are so far. */
export type RunEvidence = { readonly manifest: Uint8Array; readonly directory: string }

export type RunStore = {
  readonly directory: string
  /** Stores a run with its evidence, makes it the latest one, and returns the path of its document. Throws `HarnessError`. */
  readonly write: (run: RunDocument, evidence?: RunEvidence | null) => Promise<string>
  /** Stores an interrupted run, marked as partial, without making it the latest one. Throws `HarnessError`. */
  readonly writePartial: (run: RunDocument, evidence?: RunEvidence | null) => Promise<string>
  /** Stores a changed run again, without making it the latest one. Throws `HarnessError`. */
  readonly rewrite: (run: RunDocument) => Promise<string>
  /** The path of the document of a stored run; null if there is no such run. */
  readonly find: (id: string) => Promise<string | null>
  /** Whether a stored run was interrupted: some of its cells are missing. */
  readonly isPartial: (id: string) => Promise<boolean>
  /** The id of the run that was stored last: the pointer, or the newest whole run if it dangles. Null: no such run. */
  readonly latestId: () => Promise<string | null>
  /** The ids of all stored runs, newest first. Reads no documents. */
  readonly ids: () => Promise<readonly string[]>
  /** Reads stored runs without their cases, newest first. Files that are no run documents are skipped with a warning. */
  readonly list: () => AsyncGenerator<StoredRun>
  /** Reads one stored run. Null, with a warning, if it is no run document; null if there is no such run. */
  readonly read: (id: string) => Promise<RunDocument | null>
}

type StoreOptions = {
  readonly directory: string
  /** Identifies this process among the writers of the directory: part of the names of unfinished files. */
  readonly writer: string
  readonly warn: (message: string) => void
}

/** The folder of the local runs: SERVICE_RUNS_DIR, else `.service/runs` in the folder of the shell. */
export const runsDirectory = (env: Readonly<Record<string, string | undefined>>, cwd: string): string =>
  resolve(cwd, env['SERVICE_RUNS_DIR'] || join('.service', 'runs'))

/** Opens the local store of runs: `<id>/result.json`, and the pointer `latest`. Nothing is created before a write. */
export const runStore = ({ directory, writer, warn }: StoreOptions): RunStore => {
  const writeWhole = wholeFileWriter(writer)
  const pathOf = (id: string): string => join(directory, id, RESULT_FILE)
  const partialPathOf = (id: string): string => join(directory, id, PARTIAL_FILE)

  const isPartial = (id: string): Promise<boolean> => isFile(partialPathOf(id))

  /** Moves the parts that a manifest names to their run, and writes the manifest. */
  const writeEvidence = async (id: string, evidence: RunEvidence): Promise<void> => {
    const folder = join(directory, id)
    for (const [sha256] of partsOf(readManifest(evidence.manifest))) {
      await mkdir(join(folder, dirname(partFile(sha256))), { recursive: true })
      await rename(join(evidence.directory, partFile(sha256)), join(folder, partFile(sha256)))
    }
    await writeWhole(join(folder, manifestFile(0)), Buffer.from(evidence.manifest).toString())
  }

  /** Moves the parts back, if the run was not stored: the caller has them as before. */
  const returnEvidence = async (id: string, evidence: RunEvidence): Promise<void> => {
    const folder = join(directory, id)
    for (const name of [...[...partsOf(readManifest(evidence.manifest)).keys()].map(partFile), manifestFile(0)])
      await rename(join(folder, name), join(evidence.directory, name)).catch((error: unknown) => {
        // It was not moved.
        if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
      })
  }

  const writeRun = async (
    run: RunDocument,
    { marked = false, evidence = null }: { readonly marked?: boolean; readonly evidence?: RunEvidence | null } = {},
  ): Promise<string> => {
    const path = pathOf(run.run_id)
    if (!isStorableId(run.run_id))
      throw new HarnessError(`the run id ${JSON.stringify(run.run_id)} cannot be the name of a folder`)
    try {
      await mkdir(join(directory, run.run_id), { recursive: true })
      // First: a partial run is never found without its mark.
      if (marked) await writeWhole(partialPathOf(run.run_id), '')
      // Before the document, which names it.
      if (evidence !== null) await writeEvidence(run.run_id, evidence)
      await writeWhole(path, { [Symbol.iterator]: () => runChunks(run) })
      return path
    } catch (error) {
      const reason = `${path} cannot be written: ${messageOf(error)}`
      try {
        if (evidence !== null) await returnEvidence(run.run_id, evidence)
      } catch (second) {
        throw new HarnessError(`${reason}; its parts are in its folder: ${messageOf(second)}`, { cause: error })
      }
      throw new HarnessError(reason)
    }
  }

  const find = async (id: string): Promise<string | null> =>
    isStorableId(id) && (await isFile(pathOf(id))) ? pathOf(id) : null

  const ids = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      (await readFolder(directory)).filter(isStorableId).map(async (id) => {
        const time = ulidTime(id) ?? (await modifiedAt(pathOf(id)))
        return time === null || !(await isFile(pathOf(id))) ? [] : [{ id, time }]
      }),
    )
    return found
      .flat()
      .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id)
  }

  /** Null, with a warning, for a file that cannot be read as a run. */
  const readWith = async <T>(id: string, parse: (bytes: Uint8Array) => T): Promise<T | null> => {
    try {
      return parse(await readFile(pathOf(id)))
    } catch (error) {
      warn(`${pathOf(id)} is skipped: ${messageOf(error)}`)
      return null
    }
  }

  return {
    directory,
    write: async (run, evidence = null) => {
      const path = await writeRun(run, { evidence })
      const pointer = join(directory, LATEST_FILE)
      try {
        await writeWhole(pointer, `${run.run_id}\n`)
      } catch (error) {
        throw new HarnessError(`${pointer} cannot be written: ${messageOf(error)}`)
      }
      return path
    },
    writePartial: (run, evidence = null) => writeRun(run, { marked: true, evidence }),
    rewrite: (run) => writeRun(run),
    find,
    isPartial,
    latestId: async () => {
      const id = (await readText(join(directory, LATEST_FILE)))?.trim()
      if (id !== undefined && (await find(id)) !== null) return id
      for (const newest of await ids()) if (!(await isPartial(newest))) return newest
      return null
    },
    ids,
    list: async function* () {
      for (const id of await ids()) {
        const run = await readWith(id, parseRunHead)
        if (run !== null) yield { id, path: pathOf(id), run, isPartial: await isPartial(id) }
      }
    },
    read: async (id) => ((await find(id)) === null ? null : readWith(id, parseRun)),
  }
}

/** Whether an id can be the name of a folder of the store: one path segment that is not hidden. */
const isStorableId = (id: string): boolean => id !== '' && !id.startsWith('.') && !/[/\\\0]/.test(id)

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The time in a ULID, in epoch milliseconds; null for another id (github.com/ulid/spec). */
const ulidTime = (id: string): number | null =>
  ULID.test(id) ? [...id.slice(0, 10)].reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0) : null
