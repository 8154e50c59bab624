import { InvalidManifest, partsOf, readManifest } from '../evidence/manifest.ts'
import { isObject } from '../plain/is-object.ts'
import type { CheckedReceipt } from './check.ts'
import { ProofFailed } from './failed.ts'

// Evidence against a receipt: the manifest against the record, and parts against the manifest.

export type Measured = { readonly sha256: string; readonly bytes: number }

/** A file that was given, and the part that its name says it is, if it says one. */
export type GivenFile = {
  readonly name: string
  readonly sha256: string | null
  readonly measure: () => Promise<Measured>
}

export type GivenManifest = Pick<GivenFile, 'name' | 'measure'> & { readonly read: () => Promise<Uint8Array> }

/** How the given files and the parts of a manifest agree. */
export type EvidenceResult = {
  /** Parts that the manifest names, each once, and those of them that were given. */
  readonly of: number
  readonly checked: number
  /** Files that are no part of the manifest, or not the one that their name says. */
  readonly altered: ReadonlyArray<{ readonly name: string; readonly sha256: string | null }>
  /** Digests of parts that were not given. */
  readonly missing: readonly string[]
}

/** What a record says of its manifest; null if it names none. */
export const recordedManifest = ({ type, data }: CheckedReceipt['record']): Measured | null => {
  const said = type === 'EvidenceAttached' ? data : type === 'RunIngested' ? data['evidence'] : null
  if (!isObject(said)) return null
  const { manifest_sha256, manifest_bytes } = said
  return typeof manifest_sha256 === 'string' && typeof manifest_bytes === 'number'
    ? { sha256: manifest_sha256, bytes: manifest_bytes }
    : null
}

/** The parts of a manifest that is the recorded one. Throws `ProofFailed` for any other, 20 for one that is no manifest. */
export const checkManifest = async (
  { record }: CheckedReceipt,
  { name, measure, read }: GivenManifest,
): Promise<ReadonlyMap<string, number>> => {
  const recorded = recordedManifest(record)
  if (!recorded) throw new ProofFailed(10, `the record of the receipt, ${record.type}, names no evidence`)
  const { sha256, bytes } = await measure()
  if (sha256 !== recorded.sha256 || bytes !== recorded.bytes)
    throw new ProofFailed(10, `${name} is not the manifest that was recorded`)
  try {
    return partsOf(readManifest(await read()))
  } catch (error) {
    if (error instanceof InvalidManifest) throw new ProofFailed(20, `${name} is no manifest: ${error.message}`)
    throw error
  }
}

/** Compares files with the parts of a manifest. */
export const compareParts = async (
  listed: ReadonlyMap<string, number>,
  files: Iterable<GivenFile>,
): Promise<EvidenceResult> => {
  const found = new Set<string>()
  const altered: { name: string; sha256: string | null }[] = []
  for (const { name, sha256: named, measure } of files) {
    const { sha256, bytes } = await measure()
    if (listed.get(sha256) === bytes && (named === null || named === sha256)) found.add(sha256)
    else altered.push({ name, sha256: named })
  }
  // One that was given altered is not missing.
  const given = new Set(altered.map(({ sha256 }) => sha256))
  const missing = [...listed.keys()].filter((sha256) => !found.has(sha256) && !given.has(sha256))
  return { of: listed.size, checked: found.size, altered, missing }
}
