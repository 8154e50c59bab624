import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as commands from '../../commands/index.ts'
import { Refused } from '../../commands/refused.ts'
import { rebuildTables } from '../../maintenance/rebuild/sqlite.ts'
import { project } from '../../projections/index.ts'
import { LEVELS } from '../../queries/access/levels.ts'
import type { AnyCommand } from '../../storage/command.ts'
import { admin } from '../support/access/viewers.ts'
import { aDocument } from '../support/documents/documents.ts'
import { runCount } from '../support/random/runs.ts'
import { onPostgres } from '../support/stores/open-fresh.ts'
import { openStorage } from '../support/stores/open-storage.ts'
import { readTables } from '../support/stores/read-tables.ts'

const scope = fc.record({ project: fc.constantFrom('', 'ä/b'), suite: fc.constantFrom(null, 'smoke') })
const user_id = fc.constantFrom('u1', 'u2', 'u3')
const user = (id: string) => ({ user_id: id, username: `name of ${id}`, password_hash: '' })

const step: fc.Arbitrary<{ readonly what: string; readonly command: AnyCommand }> = fc.oneof(
  scope.map((setScope) => ({ what: 'restrict', command: commands.restrictSet(admin, setScope) })),
  scope.map((setScope) => ({ what: 'lift', command: commands.liftRestriction(admin, setScope) })),
  fc.record({ setScope: scope, user_id, level: fc.constantFrom(...LEVELS) }).map(({ setScope, ...given }) => ({
    what: 'grant',
    command: commands.grantAccess(admin, { ...setScope, ...given }),
  })),
  fc.record({ setScope: scope, user_id }).map(({ setScope, ...given }) => ({
    what: 'revoke',
    command: commands.revokeAccess(admin, { ...setScope, ...given }),
  })),
  user_id.map((id) => ({ what: 'create', command: commands.createUser(admin, { ...user(id), role: 'member' }) })),
  user_id.map((id) => ({ what: 'delete user', command: commands.deleteUser(admin, { user_id: id }) })),
  scope.map((setScope) => ({
    what: 'upload',
    command: commands.ingestRun(admin, { body: Buffer.from(JSON.stringify(aDocument(setScope))), encoding: null }),
  })),
  fc.constant({ what: 'delete run', command: commands.deleteRun(admin, { run_id: 'run-1' }) }),
)

it('restrictions and grants survive a replay, even with deleted users and runs', async () => {
  const counts = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      const { dialect, writer, commitAll, commitGroup, read, head, sql, close } = await openStorage({ project })
      await commitAll(...['u1', 'u2'].map((id) => commands.createUser(admin, { ...user(id), role: 'member' })))
      for (const { what, command } of steps) {
        const prepared = await command.prepare({ dialect, read })
        await (prepared as { pending?: Promise<unknown> } | null)?.pending
        const before = (await head()).size
        const [outcome] = await commitGroup([{ command, prepared }])
        if (!outcome?.ok) expect(outcome?.error).toBeInstanceOf(Refused)
        if ((await head()).size > before) counts.set(what, (counts.get(what) ?? 0) + 1)
      }
      // A grant is deleted with its user.
      expect(await sql.column('SELECT count(*) FROM grants WHERE user_id NOT IN (SELECT id FROM users)')).toEqual([0])
      if (writer) {
        const { database } = writer.connection
        const inline = readTables(database)
        rebuildTables(writer)
        expect(readTables(database)).toEqual(inline)
      }
      await close()
    }),
    { numRuns: runCount(40, 6) },
  )
  // On PostgreSQL there are only a few random histories, so some kind of step may be missing.
  if (!onPostgres)
    for (const what of ['restrict', 'lift', 'grant', 'revoke', 'create', 'delete user', 'upload', 'delete run'])
      expect(counts.get(what) ?? 0, what).toBeGreaterThan(0)
})
