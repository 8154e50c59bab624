import { randomInt } from 'node:crypto'

/** What a measure of the soak works with. */
export type Ground = {
  readonly say: (line: string) => void
  /** Notes a failure and goes on; the run then ends with an error. */
  readonly fail: (line: string) => void
  /** Says a line that is a failure unless it holds. */
  readonly expect: (holds: boolean, line: string) => void
  /** Draws from this alone, so that a failure can be repeated. */
  readonly seed: number
}

export type Soak = (ground: Ground) => Promise<void>

/** A number from the environment. */
export const setting = (name: string, standard: number): number => {
  const given = process.env[name]
  if (given === undefined || given === '') return standard
  const value = Number(given)
  if (!Number.isFinite(value)) throw new Error(`${name} must be a number, got ${given}`)
  return value
}

/** The seed of this run: `SOAK_SEED`, or a new one. */
export const seedOfRun = (): number => setting('SOAK_SEED', randomInt(2 ** 31))

/** A value of a sorted list, by its share of the way. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

export const MIB = 1024 * 1024

/**
 * Resident memory that no uploads may make the service pass, however large, many or odd; the documentation states it.
 */
export const MAX_RESIDENT_MIB = 2048

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
