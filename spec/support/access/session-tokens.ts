import type { SpecApp } from '../servers/app.ts'

/**
 * Session tokens of a few accounts, one of them an admin. A token is resolved by a read the first time and after a
 * change of access, and from memory otherwise.
 */
export const signIn = async (app: SpecApp) => ({
  ann: (await app.addUser('ann')).token,
  ben: (await app.addUser('ben')).token,
  cat: (await app.addUser('cat')).token,
  root: (await app.addUser('root', 'admin')).token,
})
export type SessionTokens = Awaited<ReturnType<typeof signIn>>
