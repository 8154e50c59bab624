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

/** Maximum number of queued hashes; some two seconds of work on one core. */
const MAX_WAITING = 200

export type Passwords = {
  /** Returns the PHC string to store. Throws `Unavailable` if the queue is full. */
  readonly hash: (password: string) => Promise<string>
  /**
   * Whether this password has that hash. Without a hash (null or '') it returns false after the same work. Throws
   * `Unavailable` if the queue is full.
   */
  readonly verify: (hash: string | null, password: string) => Promise<boolean>
}

type Cost = { readonly memoryKib: number; readonly passes: number }

type Options = {
  readonly concurrency?: number
  readonly maxWaiting?: number
  /** The cost of a hash: OWASP's recommendation unless given. Lower costs are for specs alone. */
  readonly cost?: Cost
}

/**
 * Hashes and checks passwords, a few at a time. Each takes a core for some 10 ms and a thread of libuv's pool, and
 * requests that only read must always have one of both.
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

/** A hash with the same parameters that no password has: an account without a password takes as long to reject. */
const unmatchableHash = ({ memoryKib, passes }: Cost): string => {
  const random = (bytes: number): string => encodeBase64NoPadding(randomBytes(bytes))
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${random(SALT_BYTES)}$${random(HASH_BYTES)}`
}

/** One core and one thread of libuv's pool stay free, if there are several. */
const availableThreads = (): number =>
  Math.max(1, Math.min(availableParallelism(), Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 4) - 1)
