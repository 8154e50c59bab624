import { hash } from 'node:crypto'

/**
 * Returns 48 bits of SHA-256 over (project, suite, case_key): a small index key that finds one case of one suite in
 * every run. Different keys may collide, so queries also compare the case_key.
 */
export const historyKey = (project: string | null, suite: string | null, case_key: string): number =>
  Number.parseInt(hash('sha256', JSON.stringify([project, suite, case_key]), 'hex').slice(0, 12), 16)
