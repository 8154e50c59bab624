import { hash } from 'node:crypto'

/**
 * 48 bits of SHA-256 over (project, suite, case_key): a small index key under which one case of one suite is found in
 * every run. Collisions are told apart by the case_key itself.
 */
export const historyKey = (project: string | null, suite: string | null, case_key: string): number =>
  Number.parseInt(hash('sha256', JSON.stringify([project, suite, case_key]), 'hex').slice(0, 12), 16)
