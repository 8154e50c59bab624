import { randomInt } from 'node:crypto'

/** What a measure of the soak receives. */
export type SoakContext = {
  readonly print: (line: string) => void
  /** Records a failure and continues; the run then ends with an error. */
  readonly fail: (line: string) => void
  /** Prints a line; records it as a failure if the condition is false. */
  readonly expect: (condition: boolean, line: string) => void
  /** The only source of randomness, so that a failure can be repeated. */
  readonly seed: number
}

export type Soak = (context: SoakContext) => Promise<void>

/** A number from an environment variable, or `fallback`. */
export const setting = (name: string, fallback: number): number => {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isFinite(value)) throw new Error(`${name} must be a number, but is ${text}`)
  return value
}

/** The seed of this run: `SOAK_SEED`, or a new one. */
export const seedOfRun = (): number => setting('SOAK_SEED', randomInt(2 ** 31))

/** The quantile `q`, from 0 to 1, of values. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

export const MIB = 1024 * 1024

/**
 * Maximum resident memory of the service, whatever is uploaded. The documentation states this limit.
 */
export const MAX_RESIDENT_MIB = 2048

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
