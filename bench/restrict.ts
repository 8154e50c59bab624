import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Server } from './servers.ts'

type RunSet = { readonly project: string; readonly suite: string | null }

/** The same server, used with a static read token that sees only unrestricted run sets. */
export const readerOf = (server: Server): Server => ({
  ...server,
  headers: { ...server.headers, authorization: 'Bearer reader' },
})

/** Restricts exactly these sets, by writing to the tables directly. */
export const hideOnly = (dataDir: string, hidden: readonly RunSet[]): void => {
  const db = new Database(join(dataDir, 'service.db'))
  const insert = db.prepare('INSERT INTO restrictions (scope_key, project, suite, created_at) VALUES (?, ?, ?, 0)')
  db.transaction(() => {
    db.exec('DELETE FROM restrictions')
    for (const { project, suite } of hidden) insert.run(JSON.stringify([project, suite]), project, suite)
  }).immediate()
  db.close()
}

/** Restricts every set that has runs, except these. */
export const hideAllBut = (dataDir: string, visible: readonly RunSet[]): void => {
  const db = new Database(join(dataDir, 'service.db'), { readonly: true })
  const sets = db.prepare('SELECT project, suite FROM sets').all() as RunSet[]
  db.close()
  hideOnly(
    dataDir,
    sets.filter((set) => !visible.some(({ project, suite }) => set.project === project && set.suite === suite)),
  )
}
