import { hash } from 'node:crypto'

/** The share of all parts whose content a sample reads, and the number that it reads at least. */
const SAMPLED = 0.01
const MIN_SAMPLED = 1000

/** The share of so many parts whose content a sample reads: all of a few, 1 % of many. */
export const sampledShare = (total: number): number => Math.max(SAMPLED, Math.min(1, MIN_SAMPLED / Math.max(1, total)))

/** Says which parts a sample reads. Its seed decides, by the first digits of a hash, so that a repetition reads the same. */
export const samplerOf = (seed: string, share: number) => (run_no: number, sha256: string) =>
  Number.parseInt(hash('sha256', `${seed} ${run_no} ${sha256}`, 'hex').slice(0, 8), 16) / 2 ** 32 < share
