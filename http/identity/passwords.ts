import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash as argon2, verify as matches } from '@node-rs/argon2'
import { encodeBase64NoPadding } from '@oslojs/encoding'
import PQueue from 'p-queue'
import { Busy } from '../../storage/errors.ts'

// Argon2id, as OWASP recommends it: 19 MiB, two passes, one lane.
const RECOMMENDED = { memoryKib: 19_456, passes: 2 } as const
const LANES = 1
const SALT_BYTES = 16
const HASH_BYTES = 32

/** How many may wait for their turn; some two seconds of work on one core. */
const MAX_WAITING = 200

export type Passwords = {
  /** The PHC string to store. Throws `Unavailable` when too many wait. */
  readonly hash: (password: string) => Promise<string>
  /**
   * Whether this password was hashed. Without a hash (null or '') it was not, told after the same work. Throws
   * `Unavailable` when too many wait.
   */
  readonly verify: (hash: string | null, password: string) => Promise<boolean>
}

type Cost = { readonly memoryKib: number; readonly passes: number }

type Options = {
  readonly atOnce?: number
  readonly mostWaiting?: number
  /** What a hash takes: OWASP's recommendation unless given. Less is for specifications alone. */
  readonly cost?: Cost
}

/**
 * Hashes and checks passwords, a few at once: each takes a core for some 10 ms and a thread of libuv's pool, and those
 * who only read must always find one of either.
 */
export const openPasswords = ({
  atOnce = spare(),
  mostWaiting = MAX_WAITING,
  cost = RECOMMENDED,
}: Options = {}): Passwords => {
  const queue = new PQueue({ concurrency: atOnce })
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= mostWaiting) throw new Busy('too many passwords are being checked')
    return queue.add(work)
  }
  const nobodys = unmatchable(cost)
  return {
    hash: (password) =>
      inTurn(() =>
        argon2(password, {
          memoryCost: cost.memoryKib,
          timeCost: cost.passes,
          parallelism: LANES,
          outputLen: HASH_BYTES,
          salt: randomBytes(SALT_BYTES),
        }),
      ),
    verify: async (hash, password) => {
      const isThere = hash !== null && hash !== ''
      const matched = await inTurn(() => matches(isThere ? hash : nobodys, password))
      return isThere && matched
    },
  }
}

/** A hash of the same parameters that no password has: whoever has none takes as long to refuse as everybody else. */
const unmatchable = ({ memoryKib, passes }: Cost): string => {
  const random = (bytes: number): string => encodeBase64NoPadding(randomBytes(bytes))
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${random(SALT_BYTES)}$${random(HASH_BYTES)}`
}

/** One core and one thread of libuv's pool are left to others, where there are several. */
const spare = (): number =>
  Math.max(1, Math.min(availableParallelism(), Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 4) - 1)
