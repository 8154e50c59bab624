import { describe, expect, it } from 'vitest'
import { browserCrypto } from '../../webapp/check-receipt/browser-crypto.ts'
import { asBytes, type ProofCase } from '../support/verifier/cases.ts'
import { LOG, POLICY_BOTH, W1, W2, checkpointAt, consistencyAt, receiptAt } from '../support/verifier/fixture-cases.ts'
import { drawFrom, mutated, type Draw } from '../support/verifier/mutations.ts'
import { pageCodes } from '../support/verifier/page.ts'
import { pyodideCodes, systemPythonCodes } from '../support/verifier/python.ts'
import { typescriptCodes } from '../support/verifier/typescript.ts'
import { DOCUMENT } from '../support/verifier/written-log.ts'

const COUNT = 10_000

/** The policy requires all three lines of a note, so that no line may change. */
const KEYS = [LOG, W1, W2] as const
const trusted = { code: 0, keys: [], policy: POLICY_BOTH }

const cleanReceipt = (size: number, index: number): ProofCase => ({
  ...trusted,
  name: `receipt of record ${index} of ${size}`,
  command: 'receipt',
  files: [receiptAt(index, size, KEYS), DOCUMENT],
})
const cleanCheckpoint = (size: number): ProofCase => ({
  ...trusted,
  name: `checkpoint of ${size}`,
  command: 'checkpoint',
  files: [checkpointAt(size, KEYS)],
})
const cleanConsistency = (from: number, to: number): ProofCase => ({
  ...trusted,
  name: `consistency of ${from} with ${to}`,
  command: 'consistency',
  files: [consistencyAt(from, to), checkpointAt(from, KEYS), checkpointAt(to, KEYS)],
})

/** A case of a random size, and its file to change: −1 is the policy. */
const drawn = (draw: Draw): [ProofCase, number] => {
  const size = 1 + draw(300)
  const kind = draw(20)
  if (kind < 11) return [cleanReceipt(size, draw(size)), 0]
  if (kind < 12) return [cleanReceipt(size, draw(size)), 1]
  if (kind < 15) return [cleanCheckpoint(size), 0]
  if (kind < 17) return [cleanConsistency(1 + draw(size), size), draw(3)]
  return [cleanReceipt(size, draw(size)), -1]
}

/** By the Python of this machine, which is ten times as fast; in WebAssembly where there is none. */
const pythonCodes = async (cases: readonly ProofCase[]): Promise<number[]> =>
  systemPythonCodes(cases) ?? (await pyodideCodes(cases))

const inWords = ({ command, name, files, policy }: ProofCase, ...codes: readonly (number | undefined)[]): string =>
  [command, name, codes.join(' and '), ...files.map((file) => asBytes(file).toString()), policy].join('\n')

describe('mutations of receipts, checkpoints, consistency proofs and policies', () => {
  const draw = drawFrom(4)
  const clean = Array.from({ length: 1000 }, () => drawn(draw))
  const cases = Array.from({ length: COUNT }, (_, n) => mutated(...(clean[n % 1000] ?? drawn(draw)), draw))

  it('are all refused, with the same code by the service and by the Python verifier', async () => {
    const ours = await typescriptCodes(cases)
    const theirs = await pythonCodes(cases)
    const wrong = cases.flatMap((each, at) =>
      ours[at] === theirs[at] && each.allowed.includes(ours[at] ?? 0) ? [] : [inWords(each, ours[at], theirs[at])],
    )
    expect(wrong).toEqual([])
    expect([...new Set(ours)].sort()).toEqual([10, 14, 15, 20])
  })

  it('get the same codes from Python in WebAssembly', async () => {
    const some = cases.slice(0, 500)
    expect(await pyodideCodes(some)).toEqual(await typescriptCodes(some))
  })

  it.each(['WebCrypto', 'script'])('get the same codes on the page with %s', async (kind) => {
    const crypto = await browserCrypto(kind === 'script' ? undefined : globalThis.crypto.subtle)
    const receipts = [...clean.map(([each]) => each), ...cases].filter(({ command }) => command === 'receipt')
    // Each check takes milliseconds in script.
    const some = receipts.filter((_, at) => at % (kind === 'script' ? 20 : 4) === 0)
    expect(await pageCodes(some, crypto)).toEqual(await typescriptCodes(some))
  })

  it('raise no alarm where nothing was changed', async () => {
    const unchanged = clean.map(([each]) => each)
    const alarms = async (codes: Promise<number[]>) => (await codes).filter((code) => code !== 0)
    expect(await alarms(typescriptCodes(unchanged))).toEqual([])
    expect(await alarms(pythonCodes(unchanged))).toEqual([])
  })
})
