import type * as z from 'zod'
import { UsageError } from '../../engine/json.ts'
import { send, unexpected } from '../client/baseline-server.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { errorText, isAbsent, readAnswer } from '../client/answer.ts'

/** What the service says is wrong with a request: the options of the caller are in it. */
const REFUSED: ReadonlySet<number> = new Set([400, 422])

/**
 * Reads a JSON document of the service; null for 404. Throws `UsageError` for a request that the service finds wrong, and
 * `HarnessError` if it cannot answer.
 */
export const readFromService = <T>(
  server: EngineServer,
  schema: z.ZodType<T>,
  path: string,
  maxBytes?: number,
): Promise<T | null> =>
  send(server, path, {}, async (response) => {
    if (await isAbsent(response)) return null
    if (REFUSED.has(response.status)) throw new UsageError(await errorText(response))
    if (response.status !== 200) throw await unexpected(server, response)
    return readAnswer(response, schema, maxBytes)
  })
