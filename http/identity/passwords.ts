import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash as argon2, verify as matches } from '@node-rs/argon2'
import { encodeBase64NoPadding } from '@oslojs/encoding'
import PQueue from 'p-queue'
import { Busy } from '../../storage/errors.ts'

// Argon2id with the parameters that OWASP recommends: 19 MiB, two passes, one lane.
const RECOMMENDED = { memoryKib: 19_456, passes: 2 } as const
const LANES = 1
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Maximum number of queued hashes: about two seconds of work on one core. */
const MAX_WAITING = 200

export type Passwords = {
  /** Returns the PHC string to store. Throws `Unavailable` if the queue is full. */
  readonly hash: (password: string) => Promise<string>
  /**
   * Returns whether the password matches the hash. Without a hash (null or '') it returns false after the same work.
   * Throws `Unavailable` if the queue is full.
   */
  readonly verify: (hash: string | null, password: string) => Promise<boolean>
}

type Cost = { readonly memoryKib: number; readonly passes: number }

type Options = {
  readonly concurrency?: number
  readonly maxWaiting?: number
  /** The cost of a hash; by default OWASP's recommendation. Only specs use lower costs. */
  readonly cost?: Cost
}

/**
 * Hashes and checks passwords, a few at a time. Each hash occupies a core and a thread of libuv's pool for about 10 ms.
 * At least one core and one thread must always stay free for requests that only read.
 */
export const openPasswords = ({
  concurrency = availableThreads(),
  maxWaiting = MAX_WAITING,
  cost = RECOMMENDED,
}: Options = {}): Passwords => {
  const queue = new PQueue({ concurrency })
  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxWaiting) throw new Busy('too many passwords are being checked')
    return queue.add(work)
  }
  const unmatchable = unmatchableHash(cost)
  return {
    hash: (password) =>
      queued(() =>
        argon2(password, {
          memoryCost: cost.memoryKib,
          timeCost: cost.passes,
          parallelism: LANES,
          outputLen: HASH_BYTES,
          salt: randomBytes(SALT_BYTES),
        }),
      ),
    verify: async (hash, password) => {
      const hasHash = hash !== null && hash !== ''
      const isMatch = await queued(() => matches(hasHash ? hash : unmatchable, password))
      return hasHash && isMatch
    },
  }
}

/**
 * A hash that no password matches, with the same parameters as real hashes. So an account without a password takes as
 * long to reject as a wrong password.
 */
const unmatchableHash = ({ memoryKib, passes }: Cost): string => {
  const random = (bytes: number): string => encodeBase64NoPadding(randomBytes(bytes))
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${random(SALT_BYTES)}$${random(HASH_BYTES)}`
}

/** The number of concurrent hashes that leaves one core and one thread of libuv's pool free; at least one. */
const availableThreads = (): number =>
  Math.max(1, Math.min(availableParallelism(), Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 4) - 1)
