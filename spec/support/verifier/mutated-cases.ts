import type { ProofCase } from './cases.ts'
import { LOG, POLICY_BOTH, W1, W2, checkpointAt, consistencyAt, receiptAt } from './fixture-cases.ts'
import { drawFrom, mutated, type Draw } from './mutations.ts'
import { DOCUMENT } from './written-log.ts'

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

/** Proofs of random sizes, and 10,000 that are changed in one place. */
export const mutatedCases = () => {
  const draw = drawFrom(4)
  const clean = Array.from({ length: 1000 }, () => drawn(draw))
  const cases = Array.from({ length: COUNT }, (_, n) => mutated(...(clean[n % 1000] ?? drawn(draw)), draw))
  return { clean: clean.map(([each]) => each), cases }
}
