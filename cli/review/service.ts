import type { z } from 'zod'
import { UsageError } from '../../engine/json.ts'
import { errorText, readAnswer } from '../client/answer.ts'
import { send, sendOnce, unexpected } from '../client/baseline-server.ts'
import type { EngineServer } from '../client/engine-server.ts'

const FOR_USERS: ReadonlySet<number> = new Set([400, 403, 404, 409, 413, 422])

/** The answer of a service that did what was asked. Throws `UsageError` for what the user can correct, else `HarnessError`. */
const accepted = async <T>(
  server: EngineServer,
  response: Response,
  read: (response: Response) => Promise<T>,
): Promise<T> => {
  if (response.ok) return read(response)
  if (FOR_USERS.has(response.status)) throw new UsageError(`${server.client.url}: ${await errorText(response)}`)
  throw await unexpected(server, response)
}

/** Reads what a service has, in any form. */
export const readBytesFrom = <T>(
  server: EngineServer,
  path: string,
  read: (response: Response) => Promise<T>,
): Promise<T> => send(server, path, {}, (response) => accepted(server, response, read))

/** Reads what a service has. */
export const readFrom = <T>(server: EngineServer, path: string, schema: z.ZodType<T>): Promise<T> =>
  readBytesFrom(server, path, (response) => readAnswer(response, schema))

/** Sends a change once: a second attempt could do it twice. */
export const sendTo = <T>(server: EngineServer, path: string, body: object, schema: z.ZodType<T>): Promise<T> =>
  sendOnce(
    server,
    path,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    (response) => accepted(server, response, (answer) => readAnswer(answer, schema)),
  )

/** Sends a file once, as bytes. */
export const sendFileTo = <T>(
  server: EngineServer,
  path: string,
  content: Uint8Array<ArrayBuffer>,
  schema: z.ZodType<T>,
): Promise<T> =>
  sendOnce(
    server,
    path,
    { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: content },
    (response) => accepted(server, response, (answer) => readAnswer(answer, schema)),
  )
