import { afterAll, describe, expect, it } from 'vitest'
import { listMissing } from '../../../queries/evidence/staged.ts'
import { json } from '../../support/access/access-requests.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { answerOf, digestOf, manifestOf, putPart, sendEvidence } from '../../support/documents/parts.ts'
import { openApp, type Send } from '../../support/servers/app.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { queryPlan } from '../../support/stores/query-plan.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const spec = await openApp()
afterAll(() => spec.close())
const admin = spec.sendAs('admin')

let runs = 0
/** Uploads a run with a part into a set. */
const uploadInto = async (project: string, suite: string, bytes: Buffer): Promise<string> => {
  const run_id = `run-${runs++}`
  const evidence_manifest = await sendEvidence(admin, [{ bytes, role: 'original' }])
  const document = { ...aDocument({ run_id, project, suite }), evidence_manifest }
  expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
  return run_id
}
const missing = async (send: Send, parts: readonly Buffer[]) => {
  const body = JSON.stringify({ sha256: parts.map(digestOf) })
  const answer = (await send('POST', '/parts/missing', { headers: json, body })).json() as { missing: string[] }
  return parts.filter((bytes) => answer.missing.includes(digestOf(bytes))).map(String)
}
const part = (text: string) => Buffer.from(text)

describe('the parts that a caller may name', () => {
  it('are those of the sets that it can see, between sets that it cannot', async () => {
    const names = ['open 1', 'hidden 1', 'open 2', 'hidden 2', 'granted', 'hidden 3', 'open 3']
    for (const name of names) {
      await uploadInto(name, 's', part(name))
      await uploadInto(name, 's', part('in all'))
      await uploadInto(name, 'other', part(`other of ${name}`))
    }
    for (const name of ['hidden 1', 'hidden 2', 'granted', 'hidden 3']) await spec.restrict(name)
    await spec.restrict('open 3', 'other')
    const { send, viewer } = await spec.addUser('ada')
    await spec.grant('ada', 'view', 'granted', 's')
    const all = [...names, 'in all', ...names.map((name) => `other of ${name}`), 'unknown'].map(part)
    expect(await missing(send, all)).toEqual([
      ...['hidden 1', 'hidden 2', 'hidden 3', 'other of hidden 1', 'other of hidden 2', 'other of granted'],
      ...['other of hidden 3', 'other of open 3', 'unknown'],
    ])
    expect(await missing(admin, all)).toEqual(['unknown'])
    const limit = { project: 'open 2', suite: 's', all: false }
    const limited = await spec.service.reader.read(listMissing({ ...viewer, limit }, all.map(digestOf)))
    expect(all.filter((bytes) => !limited.includes(digestOf(bytes))).map(String)).toEqual(['open 2', 'in all'])
  })

  it('are named by a run of such a set, and not by others', async () => {
    const { send } = await spec.addUser('eve')
    const named = async (bytes: Buffer) => {
      const manifest = manifestOf([{ bytes, role: 'original' }])
      await putPart(send, manifest)
      const document = { ...aDocument({ run_id: `by-eve-${runs++}`, project: 'open 1', suite: 's' }) }
      const body = JSON.stringify({ ...document, evidence_manifest: digestOf(manifest) })
      return answerOf(await send('POST', '/runs', { headers: json, body }))[0]
    }
    expect([await named(part('open 2')), await named(part('in all'))]).toEqual([201, 201])
    expect([await named(part('hidden 2')), await named(part('granted')), await named(part('new'))]).toEqual([
      422, 422, 422,
    ])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('are found without a look at other rows: the time does not show how many hidden runs have a part', async () => {
    const { viewer } = await spec.addUser('joe')
    const { token } = listMissing(viewer, [digestOf(part('in all'))])
    if (!token) throw new Error('the query reads nothing')
    const plan = await queryPlan({ sql: spec }, token)
    const reads = plan.filter((line) => line.includes(onPostgres ? 'set_no >= seen' : 'SEARCH run_parts'))
    expect(reads.length).toBeGreaterThan(0)
    for (const line of reads)
      expect(line).toContain(
        onPostgres
          ? 'AND (set_no >= seen.first_no) AND (set_no <= seen.last_no)'
          : 'COVERING INDEX run_parts_by_digest (sha256=? AND set_no>? AND set_no<?)',
      )
  })

  it('are forgotten with the last run of a set, and with them the name of the set', async () => {
    const [first, second] = [await uploadInto('ends', 's', part('x')), await uploadInto('ends', 's', part('y'))]
    const count = async () =>
      (await spec.rows("SELECT run_count FROM part_sets WHERE project = 'ends'")).map(({ run_count }) =>
        Number(run_count),
      )
    expect(await count()).toEqual([2])
    await admin('DELETE', `/runs/${first}`)
    expect(await count()).toEqual([1])
    await admin('DELETE', `/runs/${second}`)
    expect(await count()).toEqual([])
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})
