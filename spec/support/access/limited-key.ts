import { expect } from 'vitest'
import type { Scope } from '../../../queries/access/viewer.ts'
import type { SpecUser } from '../servers/app.ts'
import { json } from './access-requests.ts'

/** Makes a key of an account, limited to a project or a suite, or with an end. Returns its secret. */
export const limitedKey = async (
  { send }: Pick<SpecUser, 'send'>,
  body: {
    readonly project?: string
    readonly suite?: string | null
    readonly scope?: Scope
    readonly expires_at?: string
  },
): Promise<string> => {
  const answer = await send('POST', '/apikeys', { headers: json, body: JSON.stringify(body) })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<{ key: string }>().key
}
