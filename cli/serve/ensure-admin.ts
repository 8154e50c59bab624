import { newIds } from '../../http/identity/ids.ts'
import type { Passwords } from '../../http/identity/passwords.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { findSignIn } from '../../queries/access/sessions.ts'
import { findUserView } from '../../queries/access/users.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Config } from './config.ts'
import type { OpenService } from '../../runtime/services.ts'

/**
 * Ensures at each start that the configured admin exists. Creates the account, makes it an enabled admin again, or sets
 * the configured password if it has another. Records nothing if all of this holds already. Runs before the service is
 * ready, so that no client can create the first account. Throws `UserError` if the account belongs to an identity
 * provider, or is a service account.
 */
export const ensureBootstrapAdmin = async (
  { reader, commit }: Pick<OpenService, 'reader' | 'commit'>,
  passwords: Passwords,
  { adminUser: username, adminPassword: password }: Pick<Config, 'adminUser' | 'adminPassword'>,
): Promise<void> => {
  if (username === null || password === null) return
  const account = await reader.read(findSignIn(username))
  // A provider chooses the name of such an account, so a stranger could have the name of the admin.
  const view = account && (await reader.read(findUserView(account.id)))
  if (view?.service)
    throw new UserError(`SERVICE_ADMIN_USER: the account ${username} is a service account: name another account`)
  if (view?.identities.length)
    throw new UserError(
      `SERVICE_ADMIN_USER: the account ${username} belongs to a person at an identity provider: name another account`,
    )
  const isCurrent = await passwords.verify(account?.hash ?? null, password)
  await commit.ensureAdmin(SYSTEM, {
    username,
    user_id: newIds()(),
    found: account && { id: account.id, hash: account.hash },
    password_hash: isCurrent ? null : await passwords.hash(password),
  })
}
