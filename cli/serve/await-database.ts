import { setTimeout as delay } from 'node:timers/promises'
import { UserError } from '../../maintenance/user-error.ts'
import { Unavailable } from '../../storage/errors.ts'
import { readAddress, redacted } from '../../storage/postgres/address.ts'
import { connectTo } from '../../storage/postgres/connect.ts'
import { checkEncoding } from '../../storage/postgres/encoding.ts'
import { asUnavailable } from '../../storage/postgres/errors.ts'
import { delayBefore } from '../client/backoff.ts'

type Options = {
  readonly url: string
  /** Milliseconds to go on trying; 0 tries once. */
  readonly patience: number
  /** Told before each wait, with nothing secret. */
  readonly onWait: (fields: { readonly database: string; readonly reason: string }) => void
  readonly clock?: () => number
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

/**
 * Settles when the database takes a connection: a service that is started together with it must not fail because it was
 * quicker. Throws `Unavailable`, naming the variable and where it leads, when it does not in time; and at once
 * `UserError`, with what it says, when it refuses, or when its encoding is not UTF8.
 */
export const awaitDatabase = async ({
  url,
  patience,
  onWait,
  clock = () => performance.now(),
  wait = delay,
}: Options): Promise<void> => {
  const until = clock() + patience
  for (let n = 1; ; n++) {
    try {
      const { client } = await connectTo(readAddress(url))
      try {
        await checkEncoding((text) => client.query<Record<string, unknown>>(text))
      } finally {
        await client.end()
      }
      return
    } catch (thrown) {
      const error = asUnavailable(thrown)
      const reason = error instanceof Error ? error.message : String(error)
      const left = until - clock()
      if (!(error instanceof Unavailable) || left <= 0) {
        const told = `SERVICE_DATABASE_URL: ${redacted(url)} cannot be used: ${reason}`
        throw error instanceof Unavailable
          ? new Unavailable(told, { cause: error })
          : new UserError(told, { cause: error })
      }
      onWait({ database: redacted(url), reason })
      await wait(Math.min(left, delayBefore(n, null, Math.random)))
    }
  }
}
