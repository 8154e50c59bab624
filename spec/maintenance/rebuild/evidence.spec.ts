import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rebuildDatabase } from '../../../maintenance/rebuild/postgres.ts'
import { rebuildTables } from '../../../maintenance/rebuild/sqlite.ts'
import { project } from '../../../projections/index.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { json } from '../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, manifestOf, noise, sendEvidence } from '../../support/documents/parts.ts'
import { OWNER } from '../../support/postgres/databases.ts'
import { openApp } from '../../support/servers/app.ts'
import { uploadEvent } from '../../support/stores/recorded-before.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const KEY = aCase().case_key
const [picture, log, note] = [noise(300_000, 1), noise(900_000, 2), Buffer.from('a note')]
const entries = [
  { bytes: picture, role: 'output', case_key: KEY, name: 'screen.png', media_type: 'image/png' },
  { bytes: log, role: 'original', name: 'log.json' },
  { bytes: note, role: 'input', case_key: KEY, from: { sha256: digestOf(log), path: 'samples/1.json' } },
]
const named = digestOf(manifestOf(entries))

// Versions without evidence record a document that names a manifest too: to them it is a member that they do not know.
const old = aDocument({ run_id: 'old', evidence_manifest: named })
const spec = await openApp({ before: (numbers) => [uploadEvent(old, numbers)] })
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]

/** Evidence with an upload, added later, of a deleted run, of an erased run, and of a run of an older service. */
beforeAll(async () => {
  await sendEvidence(write, entries)
  for (const run_id of ['with', 'deleted', 'erased'])
    expect((await spec.ingest(aDocument({ run_id, evidence_manifest: named }))).statusCode).toBe(201)
  await spec.ingest(aDocument({ run_id: 'later' }))
  for (const run_id of ['with', 'later', 'old']) {
    const later = await sendEvidence(write, [{ bytes: noise(2000, 3), role: 'other', case_key: KEY, name: run_id }])
    expect((await attach(write, run_id, later)).statusCode).toBe(201)
  }
  expect((await admin('DELETE', '/runs/deleted')).statusCode).toBe(204)
  const body = JSON.stringify({ reference: 'T-1', run_id: 'erased' })
  expect((await admin('POST', '/erasures', { headers: json, body })).statusCode).toBe(200)
})

/** Rebuilds all read tables, as `ers rebuild` does, and returns from how many records. */
const rebuild = async (): Promise<number | null> => {
  if (spec.databaseUrl !== null) {
    const ownerUrl = Object.assign(new URL(spec.databaseUrl), { username: OWNER }).href
    return withSession(ownerUrl, (session) => rebuildDatabase(session))
  }
  const file = join(spec.dataDir, 'service.db')
  const writer = openSqliteWriter({ file, project, now: Date.now, instance: 'rebuild', checkRows: true })
  try {
    return rebuildTables(writer)
  } finally {
    writer.close()
  }
}
const rows = async () => ({
  parts: await spec.rows('SELECT * FROM case_parts ORDER BY run_no, seq, n'),
  manifests: await spec.rows('SELECT * FROM run_evidence ORDER BY run_no, seq'),
})

it('a rebuild gives the same rows of evidence, none for records of older services, and all of it stays readable', async () => {
  const before = await rows()
  expect([before.parts.length, before.manifests.length]).toEqual([3 + 3, 4])
  await spec.execute(
    "UPDATE run_evidence SET part_count = 0; DELETE FROM case_parts WHERE role = 'output'; UPDATE case_parts SET name = 'wrong'",
  )
  expect(await rebuild()).toBeGreaterThan(10)
  expect(await rows()).toEqual(before)
  expect((await verifyStore(spec, { parts: 'all' })).finding).toBeNull()
  for (const { bytes } of entries)
    expect((await spec.sendAs('read')('GET', `/runs/with/parts/${digestOf(bytes)}`)).rawPayload.equals(bytes)).toBe(
      true,
    )
  const ofCase = async (run_id: string) =>
    (await spec.getJson<{ parts: Array<{ name: string }> }>(`/runs/${run_id}/cases/${KEY}/parts`)).parts.map(
      ({ name }) => name,
    )
  expect(await ofCase('with')).toEqual(['screen.png', null, 'with'])
  expect(await ofCase('old')).toEqual(['old'])
})
