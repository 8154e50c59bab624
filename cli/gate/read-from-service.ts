import type * as z from 'zod'
import { UsageError } from '../../engine/json.ts'
import { readFound, unexpected } from '../client/baseline-server.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { errorText, readAnswer } from '../client/answer.ts'

/** The statuses of a wrong request. The caller's options are part of the request. */
const WRONG_REQUEST: ReadonlySet<number> = new Set([400, 422])

/**
 * Reads a JSON document of the service; null for 404. Throws `UsageError` for a request that the service finds wrong, and
 * `HarnessError` if it cannot answer.
 */
export const readFromService = <T>(
  server: EngineServer,
  schema: z.ZodType<T>,
  path: string,
  maxBytes?: number,
): Promise<T | null> => readFound(server, path, (response) => readAnswer(response, schema, maxBytes), errorFor)

const errorFor = async (server: EngineServer, response: Response): Promise<Error> =>
  WRONG_REQUEST.has(response.status) ? new UsageError(await errorText(response)) : unexpected(server, response)
