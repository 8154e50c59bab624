import { sha256 } from '@noble/hashes/sha2.js'
import { InvalidManifest, isDigest, readManifest } from '../../domain/evidence/manifest.ts'
import { toHex } from '../../domain/proof/bytes.ts'
import type { CheckedReceipt } from '../../domain/proof/check.ts'
import { checkManifest, compareParts, type Measured } from '../../domain/proof/check-evidence.ts'
import { formatCount, plural } from '../text/format.ts'
import { visibleLine } from '../text/visible-text.ts'
import { refusal, type Outcome } from './outcome.ts'
import type { ReceiptFact } from './receipt-facts.ts'

/** How many altered or missing parts are named each. */
const MAX_NAMED = 1_000

/** Checks the manifest and the parts. Each part that is altered or missing is named. */
export const checkParts = async (
  checked: CheckedReceipt,
  manifest: File,
  files: readonly File[],
): Promise<{ readonly fact: ReceiptFact; readonly refused: Outcome | null }> => {
  const read = () => manifest.arrayBuffer().then((buffer) => new Uint8Array(buffer))
  const listed = await checkManifest(checked, { name: manifest.name, measure: () => measure(manifest), read })
  const names = namesOf(await read())
  const given = files.map((file) => ({ name: file.name, sha256: digestIn(file.name), measure: () => measure(file) }))
  const { of, checked: found, altered, missing } = await compareParts(listed, given)
  const fact = { name: 'Evidence', text: `${formatCount(found)} of ${plural(of, 'part')} given, as recorded` }
  if (altered.length === 0 && missing.length === 0) return { fact, refused: null }
  const facts: ReceiptFact[] = [
    fact,
    ...altered.slice(0, MAX_NAMED).map(({ name, sha256 }) => ({
      name: 'Altered',
      code: visibleLine(name),
      note: sha256 === null ? 'no part of the manifest' : 'not the part that was recorded',
    })),
    ...missing.slice(0, MAX_NAMED).map((sha256) => ({
      name: 'Missing',
      code: sha256,
      note: visibleLine(names.get(sha256) ?? ''),
    })),
  ]
  const sentence = [
    ...(altered.length > 0 ? [`${plural(altered.length, 'file')} altered`] : []),
    ...(missing.length > 0 ? [`${formatCount(missing.length)} of ${plural(of, 'part')} missing`] : []),
  ].join(', ')
  return { fact, refused: refusal(altered.length > 0 ? 10 : 12, `${sentence}. The receipt itself is good`, { facts }) }
}

/** The names that a manifest gives to its parts. */
const namesOf = (bytes: Uint8Array): ReadonlyMap<string, string> =>
  new Map(readManifest(bytes).entries.map(({ sha256, name }) => [sha256, name ?? '']))

/** The digest that the name of a file is; null if it is another name. */
const digestIn = (name: string): string | null => (isDigest(name) ? name : null)

/** A file of at most this length may be a manifest. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024

/** Whether a file is the manifest of evidence. */
export const isManifest = async (file: File): Promise<boolean> => {
  if (file.size > MAX_MANIFEST_BYTES || !/"evidence"\s*:\s*1\b/.test(await file.slice(0, 4096).text())) return false
  try {
    readManifest(new Uint8Array(await file.arrayBuffer()))
    return true
  } catch (error) {
    if (error instanceof InvalidManifest) return false
    throw error
  }
}

/** Whether a file is named as parts of an export are. */
export const isNamedAsPart = ({ name }: File): boolean => isDigest(name)

/** Length and SHA-256 of a file as it is, in constant memory. */
const measure = async (file: File): Promise<Measured> => {
  const digest = sha256.create()
  const reader = file.stream().getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) digest.update(part.value)
  return { bytes: file.size, sha256: toHex(digest.digest()) }
}
