import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { verifyDatabase, verifyLog } from '../../../../maintenance/verify/log.ts'
import type { Verified, VerifyOptions } from '../../../../maintenance/verify/log.ts'
import { event, seal } from '../../../../storage/log/event.ts'
import { appendLeaf, emptyFrontier, encodeFrontier, treeRoot } from '../../../../storage/log/merkle.ts'
import { sql, statement } from '../../../../storage/sql.ts'
import { member } from '../../../support/access/viewers.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { earlierStore } from '../../../support/proof/earlier-store.ts'
import { onPostgres, openFreshService } from '../../../support/stores/open-fresh.ts'
import { uploadEvent } from '../../../support/stores/recorded-before.ts'

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Place = { readonly databaseUrl: string | null; readonly dataDir: string }
const verify = ({ databaseUrl, dataDir }: Place, options: VerifyOptions): Promise<Verified> =>
  databaseUrl === null
    ? verifyLog(join(dataDir, 'service.db'), null, undefined, options)
    : verifyDatabase(databaseUrl, null, undefined, options)

describe('a store on either storage', () => {
  it('is verified in threads as in one piece', async () => {
    const opened = await openFreshService({
      before: (numbers) => [
        uploadEvent(aDocument({ run_id: 'run-1' }), numbers),
        ...Array.from({ length: 600 }, (_, n) => event(`service/${n % 7}`, 'Started', { text: `n ${n} \u{1f600} é` })),
        uploadEvent(aDocument({ run_id: 'run-2' }), numbers),
      ],
    })
    closing.push(opened.close)
    const whole = await verify(opened, {})
    expect(whole).toMatchObject({ finding: null, documents: 2, notes: [] })
    expect(whole.root).toBe((await opened.service.head()).root)
    for (const rangeRecords of [256, 512]) expect(await verify(opened, { rangeRecords, threads: 2 })).toEqual(whole)
  })

  it('that has a wrong or missing node differs', async () => {
    const opened = await openFreshService({
      before: () => Array.from({ length: 600 }, (_, n) => event(`service/${n}`, 'Started', { n })),
    })
    closing.push(opened.close)
    expect(await verify(opened, {})).toMatchObject({ finding: null })
    await opened.sql.execute(
      'UPDATE log_nodes SET hash = (SELECT leaf FROM events WHERE seq = 3) WHERE level = 1 AND n = 1',
    )
    expect((await verify(opened, {})).finding).toMatchObject({ kind: 'differs' })
    await opened.sql.execute('DELETE FROM log_nodes WHERE level = 1 AND n = 1')
    expect((await verify(opened, { rangeRecords: 256 })).finding).toMatchObject({ kind: 'differs' })
  })

  it('of the release before is verified as that release left it', async () => {
    const sealed = Array.from({ length: 300 }, (_, n) =>
      seal({ actor: member.actor, data: { n }, request_id: null, stream: 'service/i', version: n + 1 }, 'Started', n),
    )
    const frontier = sealed.reduce((tree, { leaf }) => appendLeaf(tree, leaf), emptyFrontier())
    const { store, close } = await earlierStore([
      ...sealed.flatMap(({ body, salt, commitment, leaf }, n) => [
        statement`INSERT INTO events VALUES (${n + 1}, ${n}, 'Started', ${sql.binary(commitment)}, ${sql.binary(leaf)})`,
        statement`INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (${n + 1}, 'service/i', ${n + 1}, ${sql.binary(salt)}, ${body})`,
      ]),
      statement`INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, 300, ${sql.binary(encodeFrontier(frontier))}, 299)`,
    ])
    closing.push(close)
    const verified = await (store.kind === 'sqlite' ? verifyLog(store.file, null) : verifyDatabase(store.url, null))
    // On PostgreSQL, only the schema of this version can be compared.
    const finding = onPostgres ? { kind: 'unreadable' } : null
    expect(verified).toMatchObject({ finding, size: 300, root: treeRoot(frontier).toString('hex'), checkpoints: 0 })
  })
})
