import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidManifest, partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { isObject } from '../../domain/plain/is-object.ts'
import type { CheckedReceipt } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { cannotRead } from './trust.ts'

/** The evidence to check with a receipt: the manifest, and its parts in a folder or as files. */
export type GivenEvidence = {
  readonly manifest: string
  readonly parts: string | null
  readonly files: readonly string[]
  /** Parts may be missing. */
  readonly isPartial: boolean
}

/** Parts of a manifest were not given. */
export class PartsMissing extends Error {
  override readonly name = 'PartsMissing'
  readonly code = 12
}

/** How many missing parts an error names. */
const NAMED = 10

type Measured = { readonly sha256: string; readonly bytes: number }

const measure = async (path: string): Promise<Measured> => {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
    }
  } catch (error) {
    throw cannotRead(path, error)
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** What a record says of its manifest; null if it names none. */
const manifestOf = ({ type, data }: CheckedReceipt['record']): { sha256: unknown; bytes: unknown } | null => {
  const said = type === 'EvidenceAttached' ? data : type === 'RunIngested' ? data['evidence'] : null
  return isObject(said) ? { sha256: said['manifest_sha256'], bytes: said['manifest_bytes'] } : null
}

const fileOf = (folder: string, sha256: string): string | null =>
  [join(folder, sha256.slice(0, 2), sha256), join(folder, sha256)].find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  ) ?? null

/**
 * Checks a manifest against the record of a receipt, and parts against the manifest. Returns how many of how many parts were checked. Throws
 * `ProofFailed` 10 for one that is not what was recorded, `PartsMissing` unless they may be.
 */
export const checkEvidence = async (
  { record }: CheckedReceipt,
  { manifest, parts, files, isPartial }: GivenEvidence,
): Promise<{ readonly checked: number; readonly of: number }> => {
  const recorded = manifestOf(record)
  if (!recorded) throw new ProofFailed(10, `the record of the receipt, ${record.type}, names no evidence`)
  const measured = await measure(manifest)
  if (measured.sha256 !== recorded.sha256 || measured.bytes !== recorded.bytes)
    throw new ProofFailed(10, `${manifest} is not the manifest that was recorded`)
  const listed = await listedIn(manifest)
  const found = new Map<string, string>()
  for (const path of files) {
    const { sha256, bytes } = await measure(path)
    if (listed.get(sha256) !== bytes) throw new ProofFailed(10, `${path} is no part of the manifest`)
    found.set(sha256, path)
  }
  const missing: string[] = []
  for (const [sha256, bytes] of listed) {
    if (found.has(sha256)) continue
    const path = parts === null ? null : fileOf(parts, sha256)
    if (path === null) missing.push(sha256)
    else {
      const part = await measure(path)
      if (part.sha256 !== sha256 || part.bytes !== bytes)
        throw new ProofFailed(10, `${path} is not the part that was recorded`)
      found.set(sha256, path)
    }
  }
  if (missing.length > 0 && !isPartial)
    throw new PartsMissing(
      `${missing.length} of ${listed.size} parts are missing: ${missing.slice(0, NAMED).join(', ')}${missing.length > NAMED ? ', …' : ''}`,
    )
  return { checked: found.size, of: listed.size }
}

const listedIn = async (manifest: string): Promise<ReadonlyMap<string, number>> => {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(manifest)) chunks.push(chunk as Buffer)
  try {
    return partsOf(readManifest(Buffer.concat(chunks)))
  } catch (error) {
    if (error instanceof InvalidManifest) throw new ProofFailed(20, `${manifest} is no manifest: ${error.message}`)
    throw error
  }
}
