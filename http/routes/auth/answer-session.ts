import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { SignedIn } from '../../../queries/access/sessions.ts'
import { findUserView } from '../../../queries/access/users.ts'
import { mustExist } from '../../errors.ts'
import { sessionCookie } from '../../identity/cookies.ts'
import type { Services } from '../../services.ts'

/** The answer of a sign-in. Sets the cookie of the session, whose secret is `token`. */
export const answerSession = async (
  { reader, config }: Pick<Services, 'reader' | 'config'>,
  reply: FastifyReply,
  token: string,
  user_id: string,
): Promise<z.infer<typeof SignedIn>> => {
  const user = mustExist(await reader.read(findUserView(user_id)), 'user')
  const cookie = sessionCookie(token, { secure: config.cookieSecure })
  void reply.header('set-cookie', cookie).header('cache-control', 'no-store')
  return { token, user }
}
