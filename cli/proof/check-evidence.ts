import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckedReceipt } from '../../domain/proof/check.ts'
import { checkManifest, compareParts, type Measured } from '../../domain/proof/check-evidence.ts'
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

const fileOf = (folder: string, sha256: string): string | null =>
  [join(folder, sha256.slice(0, 2), sha256), join(folder, sha256)].find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  ) ?? null

/**
 * Checks a manifest against the record of a receipt, and parts against the manifest. Returns how many of how many parts were checked. Throws
 * `ProofFailed` 10 for one that is not what was recorded, `PartsMissing` unless they may be.
 */
export const checkEvidence = async (
  receipt: CheckedReceipt,
  { manifest, parts, files, isPartial }: GivenEvidence,
): Promise<{ readonly checked: number; readonly of: number }> => {
  const listed = await checkManifest(receipt, {
    name: manifest,
    measure: () => measure(manifest),
    read: () => readFile(manifest),
  })
  const found = parts === null ? [] : [...listed.keys()].map((sha256) => ({ sha256, name: fileOf(parts, sha256) }))
  const given = [
    ...files.map((name) => ({ sha256: null, name })),
    ...found.flatMap(({ sha256, name }) => (name === null ? [] : [{ sha256, name }])),
  ]
  const { of, checked, altered, missing } = await compareParts(
    listed,
    given.map((file) => ({ ...file, measure: () => measure(file.name) })),
  )
  const [first] = altered
  if (first)
    throw new ProofFailed(
      10,
      `${first.name} is ${first.sha256 === null ? 'no part of the manifest' : 'not the part that was recorded'}`,
    )
  if (missing.length > 0 && !isPartial)
    throw new PartsMissing(
      `${missing.length} of ${of} parts are missing: ${missing.slice(0, NAMED).join(', ')}${missing.length > NAMED ? ', …' : ''}`,
    )
  return { checked, of }
}
