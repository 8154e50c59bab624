import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rebuildTables } from '../../cli/rebuild-tables.ts'
import { Refused } from '../../commands/refused.ts'
import { project } from '../../projections/index.ts'
import { accountStep, commandOf, isTaken } from '../support/account-steps.ts'
import { readTables } from '../support/read-tables.ts'
import { commitAll, openStore } from '../support/store.ts'

const LONG = 20 * 24 * 60 * 60 * 1000

/** Commands in groups of random size; twenty days pass between groups. */
const history = fc.array(fc.array(accountStep, { minLength: 1, maxLength: 8 }), { minLength: 4, maxLength: 16, size: 'max' })

describe('accounts, sessions and keys', () => {
  it('are the same when the log is replayed, after any history, and what proves them is there as long as they are', () => {
    const happened = { done: 0, refused: 0, signedOut: 0, ranOut: 0, deleted: 0, revoked: 0, grantsTaken: 0 }
    fc.assert(
      fc.property(history, (groups) => {
        let at = 0
        const store = openStore({ project, now: () => (at += LONG) })
        const { database } = store.writer.connection
        const ids = (text: string): unknown[] => database.prepare(text).pluck().all()
        let hadAdmin = false
        for (const group of groups) {
          for (const outcome of commitAll(store.writer, ...group.map(commandOf))) {
            if (outcome.ok) happened.done++
            else happened.refused++
            if (!outcome.ok && !isTaken(outcome.error)) expect(outcome.error).toBeInstanceOf(Refused)
          }
          const admins = ids("SELECT id FROM users WHERE role = 'admin' AND NOT disabled").length
          // Once there is an enabled admin there always is one.
          if (hadAdmin) expect(admins).toBeGreaterThan(0)
          hadAdmin = admins > 0
          expect(ids('SELECT session_id FROM session_tokens ORDER BY 1')).toEqual(ids('SELECT id FROM sessions ORDER BY 1'))
          expect(ids('SELECT key_id FROM key_secrets ORDER BY 1')).toEqual(ids('SELECT id FROM api_keys ORDER BY 1'))
          expect(ids('SELECT user_id FROM password_hashes ORDER BY 1')).toEqual(ids('SELECT id FROM users ORDER BY 1'))
          for (const table of ['sessions', 'api_keys', 'grants']) expect(ids(`SELECT user_id FROM ${table} WHERE user_id NOT IN (SELECT id FROM users)`)).toEqual([])
          expect(ids('SELECT credential_id FROM credential_uses WHERE credential_id NOT IN (SELECT id FROM api_keys)')).toEqual([])
          expect(ids('SELECT label FROM users JOIN principals USING (id) GROUP BY label HAVING count(*) > 1')).toEqual([])
        }
        const counted = (type: string): number => ids(`SELECT seq FROM events WHERE type = '${type}'`).length
        happened.signedOut += counted('SignedOut')
        happened.deleted += counted('UserDeleted')
        happened.revoked += counted('KeyRevoked')
        happened.grantsTaken += counted('AccessRevoked')
        if (counted('UserDeleted') === 0) happened.ranOut += counted('SignedIn') - counted('SignedOut') - ids('SELECT id FROM sessions').length

        const inline = readTables(database)
        rebuildTables(store.writer)
        expect(readTables(database)).toEqual(inline)
        store.close()
      }),
      { numRuns: 60 },
    )
    // The histories were not idle.
    for (const [what, times] of Object.entries(happened)) expect({ what, times }).not.toEqual({ what, times: 0 })
  })
})
