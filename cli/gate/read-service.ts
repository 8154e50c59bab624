import type * as z from 'zod'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { send, unexpected } from '../client/baseline-server.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { bodyText, errorText } from '../client/service-client.ts'

/** What the service says is wrong with a request: the options of the caller are in it. */
const REFUSED: ReadonlySet<number> = new Set([400, 422])

/**
 * Reads a JSON document of the service; null for 404. Throws `UsageError` for a request that the service finds wrong, and
 * `HarnessError` if it cannot answer.
 */
export const readService = async <T>(server: EngineServer, schema: z.ZodType<T>, path: string): Promise<T | null> => {
  const text = await send(server, path, {}, async (response) => {
    if (response.status === 404) {
      await response.body?.cancel()
      return null
    }
    if (REFUSED.has(response.status)) throw new UsageError(await errorText(response))
    if (response.status !== 200) throw await unexpected(server, response)
    return bodyText(response)
  })
  if (text === null) return null
  const found = schema.safeParse(parsed(text))
  if (found.success) return found.data
  throw new HarnessError(`${server.client.url} does not answer like an evaluation results service; check the address`)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Another site: its answer is not JSON, and no schema takes this.
    return undefined
  }
}

/** Reads all pages of a list. `path` has a query. Throws like `readService`. */
export async function* readPages<T extends { readonly next_cursor: string | null }>(
  server: EngineServer,
  schema: z.ZodType<T>,
  path: string,
): AsyncGenerator<T> {
  for (let cursor: string | null = null; ;) {
    const page: T | null = await readService(
      server,
      schema,
      cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    )
    if (page === null) return
    yield page
    cursor = page.next_cursor
    if (cursor === null) return
  }
}
