import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { checkEvidence, PartsMissing } from '../../cli/proof/check-evidence.ts'
import type { CheckedReceipt } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { randomOf } from '../../bench/documents.ts'
import { digestOf, manifestOf, noise } from '../support/documents/parts.ts'
import { asBytes } from '../support/verifier/cases.ts'
import { pageEvidenceCode } from '../support/verifier/page.ts'
import { pythonEvidenceCodes, type EvidenceCase } from '../support/verifier/python.ts'

const PARTS = [noise(0), noise(1, 5), noise(70, 6), noise(3000, 7)]
const MANIFEST = manifestOf([
  ...PARTS.map((bytes) => ({ bytes, role: 'output', case_key: 'k', name: 'n' })),
  { bytes: PARTS[2] ?? noise(0), role: 'original' },
])
const fileOf = (bytes: Buffer): string => `parts/${digestOf(bytes).slice(0, 2)}/${digestOf(bytes)}`
const text = (bytes: Buffer): string => `base64:${bytes.toString('base64')}`
const evidence = { manifest_sha256: digestOf(MANIFEST), manifest_bytes: MANIFEST.length, part_bytes: 1, part_count: 4 }
const CLEAN: EvidenceCase = {
  name: 'clean',
  record: { type: 'RunIngested', data: { evidence } },
  files: { manifest: text(MANIFEST), ...Object.fromEntries(PARTS.map((bytes) => [fileOf(bytes), text(bytes)])) },
  single: [],
  isPartial: false,
}

type Change = (random: () => number) => Partial<EvidenceCase>
const anyOf = <T>(random: () => number, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there are no items')
  return item
}
const flipped = (random: () => number, bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes)
  const at = Math.floor(random() * bytes.length)
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
  return changed
}
const FULL = PARTS.slice(1)
const withFile = (path: string, bytes: Buffer) => ({ files: { ...CLEAN.files, [path]: text(bytes) } })
const without = (path: string) => ({
  files: Object.fromEntries(Object.entries(CLEAN.files).filter(([name]) => name !== path)),
})
/** A manifest with its own digest in the record: only its form is wrong. */
const forged = (value: unknown): Partial<EvidenceCase> => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const recorded = { manifest_sha256: digestOf(bytes), manifest_bytes: bytes.length }
  return { ...withFile('manifest', bytes), record: { type: 'EvidenceAttached', data: recorded } }
}
const ENTRY = { sha256: digestOf(noise(1, 5)), bytes: 1, role: 'original' }

/** Changes with the code that each must have. */
const CHANGES: Readonly<Record<string, readonly [code: number, change: Change]>> = {
  'a bit of a part': [
    10,
    (random) => {
      const part = anyOf(random, FULL)
      return withFile(fileOf(part), flipped(random, part))
    },
  ],
  'a part that is cut': [
    10,
    (random) => {
      const part = anyOf(random, FULL)
      return withFile(fileOf(part), part.subarray(0, Math.floor(random() * part.length)))
    },
  ],
  'a part that is longer': [10, (random) => withFile(fileOf(anyOf(random, PARTS)), noise(3001, 8))],
  'a part in the place of another': [10, (random) => withFile(fileOf(anyOf(random, FULL)), PARTS[0] ?? noise(0))],
  'a part that is missing': [12, (random) => without(fileOf(anyOf(random, PARTS)))],
  'a part that may be missing': [0, (random) => ({ ...without(fileOf(anyOf(random, PARTS))), isPartial: true })],
  'a bit of the manifest': [10, (random) => withFile('manifest', flipped(random, MANIFEST))],
  'another manifest': [10, () => withFile('manifest', manifestOf([]))],
  'a file more': [
    10,
    (random) => ({ ...withFile('more', noise(9, 1 + Math.floor(random() * 1e6))), single: ['more'] }),
  ],
  'a part given by itself': [
    0,
    (random) => {
      const part = anyOf(random, PARTS)
      return { ...withFile('one', part), single: ['one'] }
    },
  ],
  'another digest in the record': [
    10,
    (random) => ({
      record: {
        type: 'RunIngested',
        data: { evidence: { ...evidence, manifest_sha256: digestOf(noise(9, 1 + Math.floor(random() * 1e6))) } },
      },
    }),
  ],
  'another size in the record': [
    10,
    (random) => ({
      record: {
        type: 'RunIngested',
        data: { evidence: { ...evidence, manifest_bytes: 1 + Math.floor(random() * MANIFEST.length) - 1 } },
      },
    }),
  ],
  'a record without evidence': [
    10,
    (random) => ({ record: { type: anyOf(random, ['RunIngested', 'RunDeleted']), data: {} } }),
  ],
  'a manifest of another form': [
    20,
    (random) =>
      forged(
        anyOf<unknown>(random, [
          ...[
            '{',
            '[]',
            '{"evidence":1}',
            '{"evidence":2,"parts":[]}',
            '{"evidence":true,"parts":[]}',
            '{"evidence":1,"parts":[],"x":NaN}',
          ],
          ...[
            { ...ENTRY, sha256: 'x' },
            { ...ENTRY, bytes: -1 },
            { ...ENTRY, bytes: 1.5 },
            { ...ENTRY, bytes: 6e9 },
          ].map((part) => ({ evidence: 1, parts: [part] })),
          ...[{ ...ENTRY, role: 'x' }, { ...ENTRY, case_key: 'k' }, { ...ENTRY, role: 'input' }, 5, null].map(
            (part) => ({ evidence: 1, parts: [part] }),
          ),
          { evidence: 1, parts: [ENTRY, { ...ENTRY, bytes: 2 }] },
        ]),
      ),
  ],
}

/** The exit code of `ers check-receipt` for evidence. */
const ownCode = async (folder: string, { record, files, single, isPartial }: EvidenceCase): Promise<number> => {
  mkdirSync(join(folder, 'parts'), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), asBytes(content))
  }
  const given = { manifest: join(folder, 'manifest'), parts: join(folder, 'parts') }
  try {
    const receipt = { record } as unknown as CheckedReceipt
    await checkEvidence(receipt, { ...given, files: single.map((path) => join(folder, path)), isPartial })
    return 0
  } catch (error) {
    if (error instanceof ProofFailed || error instanceof PartsMissing) return error.code
    throw error
  }
}

/** 2,000 with `SPEC_RUNS=10`. */
const MUTATIONS = 200 * (Number(process.env['SPEC_RUNS']) || 1)

it('each mutation of a manifest, its parts and its record has its code, by the service, by the Python verifier and by the page', async () => {
  const random = randomOf(Number(process.env['SPEC_SEED']) || 7)
  const names = Object.keys(CHANGES)
  const cases = Array.from({ length: MUTATIONS }, (_, n) => {
    const name = names[n % names.length] ?? ''
    const [code, change] = CHANGES[name] ?? [0, () => ({})]
    return { expected: code, case: { ...CLEAN, name, ...change(random) } }
  })
  using root = mkdtempDisposableSync(join(tmpdir(), 'ers-evidence-'))
  const all = [CLEAN, ...cases.map((each) => each.case)]
  const theirs = await pythonEvidenceCodes(all)
  const wrong: string[] = []
  for (const [at, each] of all.entries()) {
    const ours = await ownCode(join(root.path, String(at)), each)
    const expected = at === 0 ? 0 : (cases[at - 1]?.expected ?? 0)
    // The page has no word for parts that may be missing: it says which are.
    const page = each.isPartial ? expected : await pageEvidenceCode(each)
    if (ours !== expected || theirs[at] !== expected || page !== expected)
      wrong.push(`${each.name}: ${ours}, ${theirs[at]} and ${page}, not ${expected}`)
  }
  expect(wrong).toEqual([])
})
