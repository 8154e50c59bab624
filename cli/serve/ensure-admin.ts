import { newIds } from '../../http/identity/ids.ts'
import type { Passwords } from '../../http/identity/passwords.ts'
import { findSignIn } from '../../queries/access/sessions.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Config } from './config.ts'
import type { OpenService } from '../../runtime/open-service.ts'

/**
 * Makes sure, at each start, that the configured admin is there: created, made an enabled admin again, or given the
 * configured password where it has another. Nothing is recorded when all is as it should be. Before the service is
 * ready, so that nobody else makes the first account.
 */
export const ensureBootstrapAdmin = async (
  { reader, commit }: Pick<OpenService, 'reader' | 'commit'>,
  passwords: Passwords,
  { adminUser: username, adminPassword: password }: Pick<Config, 'adminUser' | 'adminPassword'>,
): Promise<void> => {
  if (username === null || password === null) return
  const known = await reader.read(findSignIn(username))
  const isRight = await passwords.verify(known?.hash ?? null, password)
  await commit('ensureAdmin', SYSTEM, {
    username,
    user_id: newIds()(),
    found: known && { id: known.id, hash: known.hash },
    password_hash: isRight ? null : await passwords.hash(password),
  })
}
