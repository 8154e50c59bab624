import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../domain/plain/message-of.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { Unavailable } from '../../storage/errors.ts'
import { readAddress, redactedUrl } from '../../storage/postgres/address.ts'
import { connectTo } from '../../storage/postgres/connect.ts'
import { checkEncoding } from '../../storage/postgres/encoding.ts'
import { asUnavailable } from '../../storage/postgres/errors.ts'
import { delayBefore } from '../client/backoff.ts'

type Options = {
  readonly url: string
  /** How long to retry, in milliseconds; 0 tries once. */
  readonly patience: number
  /** Called before each wait. The fields contain no secret. */
  readonly onWait: (fields: { readonly database: string; readonly reason: string }) => void
  readonly clock?: () => number
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

/**
 * Resolves once the database accepts a connection. If the service and the database are started together, the service
 * may be ready first, and must not fail for that reason. Throws `Unavailable` if the database takes too long. Throws
 * `UserError` at once if the database rejects the connection, or if its encoding is not UTF8. The messages name the
 * variable and the address.
 */
export const awaitDatabase = async ({
  url,
  patience,
  onWait,
  clock = () => performance.now(),
  wait = delay,
}: Options): Promise<void> => {
  const deadline = clock() + patience
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
      const reason = messageOf(error)
      const remainingMs = deadline - clock()
      if (!(error instanceof Unavailable) || remainingMs <= 0) {
        const message = `SERVICE_DATABASE_URL: ${redactedUrl(url)} cannot be used: ${reason}`
        throw error instanceof Unavailable
          ? new Unavailable(message, { cause: error })
          : new UserError(message, { cause: error })
      }
      onWait({ database: redactedUrl(url), reason })
      await wait(Math.min(remainingMs, delayBefore(n, null, Math.random)))
    }
  }
}
