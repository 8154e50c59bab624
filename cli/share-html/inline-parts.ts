import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { contentTypeOf, TYPE_BYTES } from '../../domain/evidence/content-type.ts'
import {
  InvalidManifest,
  isDigest,
  MAX_MANIFEST_BYTES,
  readManifest,
  type ManifestEntry,
} from '../../domain/evidence/manifest.ts'
import { manifestNumber, partFile } from '../../domain/evidence/run-folder.ts'
import { causeText } from '../../domain/plain/cause-text.ts'
import { MAX_SHARED_FILE_BYTES, type SharedFilePart } from '../../domain/report/shared-parts.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { dataElement, fileElement } from '../../queries/share/data-element.ts'
import { answerParts } from '../client/answer.ts'
import { readFound, readJson } from '../client/baseline-server.ts'
import type { engineServer } from '../client/engine-server.ts'

/** Which parts of cases a page has: `images`, `transcripts`, and digests. */
export type WantedParts = ReadonlySet<string>

/** Reads the evidence of a run. Throws `HarnessError` if it cannot be read. */
export type PartSource = {
  readonly manifests: () => Promise<readonly Buffer[]>
  /** A part that a manifest lists; null if it is not there. */
  readonly read: (sha256: string, bytes: number) => Promise<Buffer | null>
}

const MAX_NAMES = 10

/**
 * Reads the wanted parts of runs in the order of their manifests, as long as there is room for them. Returns elements of the page,
 * and what is left out. Throws `UsageError` if a digest is that of no part, and `HarnessError` if a part cannot be read.
 */
export const inlineParts = async (
  runs: ReadonlyArray<{ readonly id: string; readonly evidence: PartSource }>,
  wanted: WantedParts,
): Promise<{ readonly elements: readonly string[]; readonly warning: string | null }> => {
  /** The types of the parts that are in the page. */
  const types = new Map<string, string>()
  const elements: string[] = []
  const leftOut: string[] = []
  const unseen = new Set([...wanted].filter(isDigest))
  let room = MAX_SHARED_FILE_BYTES
  for (const [n, run] of runs.entries()) {
    const parts: SharedFilePart[] = []
    for (const entry of await entriesOf(run, wanted)) {
      const { sha256, bytes } = entry
      unseen.delete(sha256)
      if (!types.has(sha256)) {
        const content = bytes > room ? null : await readChecked(run, entry)
        if (content === null) {
          leftOut.push(entry.name ?? sha256.slice(0, 12))
          continue
        }
        room -= bytes
        types.set(sha256, contentTypeOf(content.subarray(0, TYPE_BYTES)).type)
        elements.push(fileElement(`part-${sha256}`, content))
      }
      parts.push({ ...entry, from: null, type: types.get(sha256) ?? '' })
    }
    elements.push(dataElement(`parts-${n}`, JSON.stringify(parts)))
  }
  for (const sha256 of unseen) throw new UsageError(`--parts: ${sha256} is no part of a case of these runs`)
  const more = leftOut.length - MAX_NAMES
  return {
    elements,
    warning:
      leftOut.length === 0
        ? null
        : `parts that are missing, or for which the ${MAX_SHARED_FILE_BYTES / 1024 / 1024} MiB of a page leave no room: ${leftOut.slice(0, MAX_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  }
}

const isWanted = (wanted: WantedParts, { role, media_type, sha256 }: ManifestEntry): boolean =>
  wanted.has(sha256) ||
  (wanted.has('transcripts') && role === 'transcript') ||
  (wanted.has('images') && (media_type ?? '').startsWith('image/'))

const entriesOf = async (
  { id, evidence }: { readonly id: string; readonly evidence: PartSource },
  wanted: WantedParts,
): Promise<readonly ManifestEntry[]> => {
  try {
    const entries = (await evidence.manifests()).flatMap((bytes) => readManifest(bytes).entries)
    return entries.filter((entry) => entry.case_key !== null && isWanted(wanted, entry))
  } catch (error) {
    if (error instanceof InvalidManifest)
      throw new HarnessError(`the evidence of ${id}: ${error.message}`, { cause: error })
    throw error
  }
}

const readChecked = async (
  { id, evidence }: { readonly id: string; readonly evidence: PartSource },
  { sha256, bytes }: ManifestEntry,
): Promise<Buffer | null> => {
  const content = await evidence.read(sha256, bytes)
  if (content !== null && createHash('sha256').update(content).digest('hex') !== sha256)
    throw new HarnessError(`the evidence of ${id}: the bytes of the part ${sha256} are other ones`)
  return content
}

const Evidence = z.object({ evidence: z.array(z.object({ n: z.int().min(0) })) })

/** The evidence of a run of the service, by the path of the run. */
export const partsOnService = (server: ReturnType<typeof engineServer>, path: string): PartSource => {
  const bytesAt = (address: string, maxBytes: number): Promise<Buffer | null> =>
    readFound(server, `${path}/${address}`, async (response) =>
      Buffer.concat(await Array.fromAsync(answerParts(response, { maxBytes }))),
    )
  return {
    manifests: async () => {
      const found: Buffer[] = []
      for (const { n } of (await readJson(server, Evidence, `${path}/evidence`))?.evidence ?? []) {
        const manifest = await bytesAt(`evidence/${n}`, MAX_MANIFEST_BYTES)
        if (manifest) found.push(manifest)
      }
      return found
    },
    read: (sha256, bytes) => bytesAt(`parts/${sha256}`, bytes),
  }
}

/** The evidence of a run in a folder of this machine. */
export const partsInFolder = (folder: string): PartSource => {
  const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new HarnessError(`${folder} cannot be read: ${causeText(error)}`, { cause: error })
    }
  }
  return {
    manifests: async () => {
      const names = ((await orNull(readdir(folder))) ?? []).filter((name) => manifestNumber(name) !== null)
      const found = names.toSorted((a, b) => (manifestNumber(a) ?? 0) - (manifestNumber(b) ?? 0))
      return (await Promise.all(found.map((name) => orNull(readFile(join(folder, name)))))).filter(
        (bytes) => bytes !== null,
      )
    },
    read: (sha256) => orNull(readFile(join(folder, partFile(sha256)))),
  }
}
