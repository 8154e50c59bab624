import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { json } from '../../../support/access/access-requests.ts'
import { answersForPart, hidePart } from '../../../support/access/answers-for-part.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import {
  answerOf,
  attach,
  digestOf,
  manifestOf,
  noise,
  putPart,
  sendEvidence,
} from '../../../support/documents/parts.ts'
import { storedObjects } from '../../../support/documents/stored-objects.ts'
import { openApp } from '../../../support/servers/app.ts'
import { databaseStore } from '../../../support/stores/database.ts'
import { differencesIn } from '../../../support/stores/deep-comparison.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock++ })
afterAll(() => spec.close())
const [write, read, admin] = [spec.sendAs('write'), spec.sendAs('read'), spec.sendAs('admin')]
const KEY = aCase().case_key
const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(300_000, 5)])
const note = Buffer.from('What the judge said.')

const upload = (run_id: string, evidence_manifest?: unknown, more: object = {}) =>
  spec.ingest({
    ...aDocument({ run_id, ...more }),
    ...(evidence_manifest !== undefined && { evidence_manifest }),
  })
const evidenceOf = async (path: string) => (await read('GET', path)).json<{ evidence?: object }>().evidence
const evidenceIn = (body: string) => (JSON.parse(body) as { case: { evidence?: object } }).case.evidence
const countOf = async (table: string, where = 'TRUE') =>
  Number((await spec.column(`SELECT count(*) FROM ${table} WHERE ${where}`))[0])

describe('a run with evidence', () => {
  it('names its manifest, and shows how much there is', async () => {
    const entries = [
      { bytes: picture, role: 'output', case_key: KEY, name: '../"picture"\n.png', media_type: 'text/html' },
      { bytes: note, role: 'grading', case_key: KEY, from: { sha256: digestOf(note), path: 'a/b.json' } },
      { bytes: note, role: 'original', name: 'log.eval' },
    ]
    const manifest = await sendEvidence(write, entries)
    expect((await upload('first', manifest)).statusCode).toBe(201)
    expect(await evidenceOf('/runs/first')).toEqual({ parts: 2, bytes: picture.length + note.length })
    expect(await evidenceOf(`/runs/first/cases/${KEY}`)).toEqual({
      ...{ parts: 2, bytes: picture.length + note.length, transcripts: 0 },
    })
    expect((await read('GET', '/runs/first/evidence')).json()).toEqual({
      evidence: [
        {
          n: 0,
          manifest_sha256: manifest,
          manifest_bytes: manifestOf(entries).length,
          part_count: 2,
          part_bytes: picture.length + note.length,
          attached_at: expect.any(String) as string,
        },
      ],
      originals: [
        {
          ...{ sha256: digestOf(note), bytes: note.length, role: 'original', case_key: null },
          ...{ name: 'log.eval', media_type: null, from: null },
        },
      ],
    })
    expect(evidenceIn((await read('GET', `/runs/first/cases/${KEY}/in-suite`)).body)).toEqual({
      parts: 2,
      bytes: picture.length + note.length,
      transcripts: 0,
    })
    expect((await read('GET', '/runs/first/evidence/0')).rawPayload.equals(manifestOf(entries))).toBe(true)
    expect((await read('GET', '/runs/first/evidence/1')).statusCode).toBe(404)
    const { parts } = (await read('GET', `/runs/first/cases/${KEY}/parts`)).json<{ parts: object[] }>()
    expect(parts).toMatchObject([
      { sha256: digestOf(picture), role: 'output', media_type: 'text/html', from: null },
      { sha256: digestOf(note), role: 'grading', from: { sha256: digestOf(note), path: 'a/b.json' } },
    ])
    // What a run names is no longer staged.
    expect(await countOf('staged_parts')).toBe(0)
    expect((await read('GET', '/runs/first/export')).json()).toMatchObject({ evidence_manifest: manifest })
  })

  it('has the content hash that it has without', async () => {
    await upload('plain')
    const document = aDocument({ run_id: 'plain' })
    const manifest = await sendEvidence(write, [{ bytes: note, role: 'original' }])
    expect((await spec.ingest({ ...document, evidence_manifest: manifest })).statusCode).toBe(200)
    expect(await evidenceOf('/runs/plain')).toBeUndefined()
    expect(await evidenceOf(`/runs/plain/cases/${KEY}`)).toBeUndefined()
  })

  it('stores an evidence_manifest of another type as before', async () => {
    for (const [i, value] of [1, null, 'no digest', ['x']].entries()) {
      expect((await upload(`other type ${i}`, value)).statusCode).toBe(201)
      expect(await evidenceOf(`/runs/other%20type%20${i}`)).toBeUndefined()
    }
  })

  it('is refused without its parts, and nothing is recorded', async () => {
    const sha256 = digestOf(noise(10, 77))
    expect(answerOf(await upload('lacks its manifest', sha256))).toEqual([422, { error: `missing parts: ${sha256}` }])
    const many = Array.from({ length: 12 }, (_, i) => ({ bytes: noise(10, 100 + i), role: 'original' }))
    const manifest = manifestOf(many)
    await putPart(write, manifest)
    const [status, body] = answerOf(await upload('lacks its parts', digestOf(manifest)))
    expect([status, body]).toEqual([
      422,
      {
        error: `missing parts: ${many
          .slice(0, 10)
          .map(({ bytes }) => digestOf(bytes))
          .join(', ')}, … 12 in all`,
      },
    ])
    expect((await read('GET', '/runs/lacks%20its%20parts')).statusCode).toBe(404)
  })

  it.each([
    ['no JSON', Buffer.from('{'), 'the manifest is not JSON'],
    ['another version', Buffer.from('{"evidence":2,"parts":[]}'), 'evidence must be 1'],
    [
      'a case that the run does not have',
      manifestOf([{ bytes: note, role: 'output', case_key: 'none' }]),
      'parts[0].case_key names no case of the run',
    ],
    [
      'a wrong size',
      Buffer.from(JSON.stringify({ evidence: 1, parts: [{ sha256: digestOf(note), bytes: 1, role: 'original' }] })),
      'parts[0].bytes is 1, but the part has 20',
    ],
    ['a role that there is not', manifestOf([{ bytes: note, role: 'judge' }]), 'parts[0].role must be one of'],
    [
      'a name that is too long',
      manifestOf([{ bytes: note, role: 'original', name: 'x'.repeat(401) }]),
      'parts[0].name must have at most 400 bytes',
    ],
    [
      '100,001 entries',
      Buffer.from(`{"evidence":1,"parts":[${'{},'.repeat(100_000)}{}]}`),
      'parts must have at most 100000 entries, not 100001',
    ],
    [
      'too many values, which takes too much memory',
      Buffer.from(`{"evidence":1,"parts":[],"other":[${'0,'.repeat(4_000_000)}0]}`),
      'the manifest has more than 4000000 values',
    ],
  ])('refuses a manifest with %s', async (what, manifest, error) => {
    await putPart(write, note)
    await putPart(write, manifest)
    const [status, body] = answerOf(await upload(`with ${what}`, digestOf(manifest)))
    expect([status, body.error]).toEqual([422, expect.stringContaining(`invalid manifest: ${error}`)])
  })

  it('has a large manifest as a part too, before and after it is attached, and can be built again', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => ({ bytes: note, role: 'original', name: `note ${i}, [{"` }))
    const [first, second] = [manifestOf(names), manifestOf([...names, { bytes: note, role: 'original' }])]
    expect(first.length).toBeGreaterThan(262_144)
    const [listed, again] = [
      manifestOf([{ bytes: first, role: 'original' }]),
      manifestOf([{ bytes: second, role: 'original' }]),
    ]
    for (const bytes of [note, first, second, listed, again]) expect((await putPart(write, bytes)).statusCode).toBe(200)
    for (const run_id of ['as a part', 'shares it']) {
      await upload(run_id)
      expect((await attach(write, run_id, digestOf(listed))).statusCode).toBe(201)
      expect((await attach(write, run_id, digestOf(first))).statusCode).toBe(201)
      if (run_id === 'as a part') {
        for (const bytes of [second, again]) expect((await attach(write, run_id, digestOf(bytes))).statusCode).toBe(201)
        const bytes = first.length + second.length + note.length
        expect(await evidenceOf(`/runs/${encodeURIComponent(run_id)}`)).toEqual({ parts: 3, bytes })
      }
      expect((await verifyStore(spec)).finding).toBeNull()
      // Its copies of before are dropped, and nothing else is.
      for (const bytes of [first, second])
        expect(
          await countOf('part_objects', `part_no IN (SELECT part_no FROM parts WHERE sha256 = '${digestOf(bytes)}')`),
        ).toBe(0)
      const path = `/runs/${encodeURIComponent(run_id)}`
      expect((await read('GET', `${path}/evidence/2`)).rawPayload.equals(first)).toBe(true)
      expect((await read('GET', `${path}/parts/${digestOf(first)}`)).rawPayload.equals(first)).toBe(true)
    }
  })

  it('is not asked for the manifest of a run that is there, nor of one that the caller may not upload', async () => {
    const broken = Buffer.from('{"evidence":2}')
    await putPart(write, broken)
    await upload('there')
    expect((await upload('there', digestOf(broken))).statusCode).toBe(200)
    await upload('closed', undefined, { project: 'closed', suite: 's' })
    const member = await spec.addUser('ben')
    await putPart(member.send, broken)
    await spec.restrict('closed')
    await spec.grant('ben', 'view', 'closed')
    expect((await attach(member.send, 'closed', digestOf(broken))).statusCode).toBe(403)
    await spec.grant('ben', 'upload', 'closed')
    expect((await attach(member.send, 'closed', digestOf(broken))).statusCode).toBe(422)
  })

  it('gets more evidence later: once, by whom may upload, and never of a run that the caller cannot see', async () => {
    await upload('later', undefined, { project: 'guarded', suite: 's' })
    const member = await spec.addUser('mia')
    const manifest = await sendEvidence(member.send, [{ bytes: picture, role: 'output', case_key: KEY }])
    expect((await attach(read, 'later', manifest)).statusCode).toBe(403)
    await spec.restrict('guarded')
    const absent = await attach(member.send, 'absent', manifest)
    const hidden = await attach(member.send, 'later', manifest)
    expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
    await spec.grant('mia', 'view', 'guarded')
    expect((await attach(member.send, 'later', manifest)).statusCode).toBe(403)
    await spec.grant('mia', 'upload', 'guarded')
    expect(answerOf(await attach(member.send, 'later', manifest))).toEqual([201, { n: 1 }])
    expect(answerOf(await attach(member.send, 'later', manifest))).toEqual([200, { n: 1 }])
    const second = await sendEvidence(member.send, [{ bytes: note, role: 'original' }])
    expect(answerOf(await attach(member.send, 'later', second))).toEqual([201, { n: 2 }])
    expect((await verifyStore(spec)).finding).toBeNull()
    // A revoked grant ends what was visible.
    const path = `/runs/later/parts/${digestOf(picture)}`
    expect((await member.send('GET', path, { headers: { range: 'bytes=0-9' } })).statusCode).toBe(206)
    await spec.revoke('mia', 'guarded')
    expect((await member.send('GET', path, { headers: { range: 'bytes=0-9' } })).statusCode).toBe(404)
  })

  it('does not show whether a hidden run has a part: it is missing, and sent and answered like any other', async () => {
    const secret = await hidePart(spec)
    const { send } = await spec.addUser('nat')
    const answers = await answersForPart(spec, send, secret, 1)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200, 422, 422, 200, 200, 201, 201])
    expect(answers).toEqual(await answersForPart(spec, send, noise(secret.length, 405), 2))
    // Another copy: a part of a run is not shared with one that its uploader cannot see.
    expect(await countOf('parts', `sha256 = '${digestOf(secret)}'`)).toBe(2)
  })

  it('answers alike, in bytes and headers, for a hidden run, an absent run, and a part of another run', async () => {
    const { send } = await spec.addUser('una')
    const entries = [
      { bytes: picture, role: 'output', case_key: KEY },
      { bytes: note, role: 'transcript', case_key: KEY },
    ]
    for (const [run_id, project] of [
      ['shows it', 'shown'],
      ['without', 'shown'],
      ['hides it', 'hidden too'],
    ] as const) {
      await upload(run_id, undefined, { project, suite: 's' })
      if (run_id === 'without') continue
      expect((await attach(write, run_id, await sendEvidence(write, entries))).statusCode).toBe(201)
    }
    await spec.restrict('hidden too')
    const manifest = await sendEvidence(send, [{ bytes: note, role: 'original' }])
    const transcript = `/transcripts/${digestOf(note)}`
    const ofPart = [
      `/parts/${digestOf(picture)}`,
      ...['', '/outline', '/events', '/events/1', '/find?q=judge'].map((path) => transcript + path),
    ]
    const ofRun = ['/evidence', '/evidence/1', `/cases/${KEY}/parts`, '/receipt?evidence=1']
    const requests = [...ofRun, ...ofPart].flatMap((path) =>
      (['GET', 'HEAD'] as const).map((method) => ({ method, path, parts: { headers: { range: 'bytes=0-9' } } })),
    )
    const attaching = { headers: json, body: JSON.stringify({ manifest }) }
    for (const { method, path, parts } of [
      ...requests,
      { method: 'POST', path: '/evidence', parts: attaching } as const,
    ]) {
      const ask = async (run: string) => {
        const { statusCode, headers, rawPayload } = await send(method, `/runs/${encodeURIComponent(run)}${path}`, parts)
        return {
          statusCode,
          headers: { ...headers, date: '', 'x-request-id': '' },
          body: rawPayload.toString('latin1'),
        }
      }
      const absent = await ask('absent')
      expect([method, path, absent.statusCode]).toEqual([method, path, 404])
      expect([path, await ask('hides it')]).toEqual([path, absent])
      if (ofPart.includes(path)) {
        expect([path, await ask('without')]).toEqual([path, absent])
        expect([200, 206], path).toContain((await ask('shows it')).statusCode)
      }
    }
  })
})

describe('the end of a run', () => {
  const shared = noise(400_000, 31)
  const own = noise(400_000, 32)

  it('deletes the keys of its parts in the same commit, and leaves a part that another run has', async () => {
    const [first, second] = [
      await sendEvidence(write, [
        { bytes: shared, role: 'original' },
        { bytes: own, role: 'original' },
      ]),
      manifestOf([{ bytes: shared, role: 'original' }]),
    ]
    await upload('ends', first)
    await putPart(write, second)
    await upload('stays', digestOf(second))
    expect(await countOf('parts', `sha256 = '${digestOf(shared)}'`)).toBe(1)
    const stored = await spec.column(`
      SELECT object_id FROM part_objects WHERE part_no IN (SELECT part_no FROM parts WHERE sha256 = '${digestOf(own)}')`)
    await spec.services.partStore.removeDropped()
    expect((await admin('DELETE', '/runs/ends')).statusCode).toBe(204)
    expect(await spec.rows(`SELECT state, key FROM objects WHERE object_id = '${String(stored[0])}'`)).toEqual([
      { state: 'deleting', key: null },
    ])
    expect((await read('GET', `/runs/stays/parts/${digestOf(shared)}`)).rawPayload.equals(shared)).toBe(true)
    expect((await verifyStore(spec)).finding).toBeNull()
    expect(await spec.services.partStore.removeDropped()).toBe(1)
    expect(await storedObjects(spec)).not.toContain(String(stored[0]))
    await admin('DELETE', '/runs/stays')
    expect(await countOf('parts', `sha256 = '${digestOf(shared)}'`)).toBe(0)
  })

  it('is refused under a hold, and evidence can still be added', async () => {
    await upload('held', await sendEvidence(write, [{ bytes: own, role: 'original' }]))
    await spec.service.commit.placeHold(SYSTEM, {
      ...{ hold_id: 'h', run_id: 'held', project: null, suite: null, reference: 'case-1', note: null },
    })
    expect((await admin('DELETE', '/runs/held')).statusCode).toBe(409)
    const erasure = { headers: json, body: JSON.stringify({ reference: 'case-1', run_id: 'held' }) }
    expect((await admin('POST', '/erasures', erasure)).statusCode).toBe(409)
    expect(
      (await attach(write, 'held', await sendEvidence(write, [{ bytes: note, role: 'original' }]))).statusCode,
    ).toBe(201)
    expect((await read('GET', `/runs/held/parts/${digestOf(own)}`)).rawPayload.equals(own)).toBe(true)
  })

  it('erased, leaves no part, no key and no row that names it', async () => {
    await upload('also', await sendEvidence(write, [{ bytes: shared, role: 'original' }]))
    await upload(
      'erased',
      await sendEvidence(write, [
        { bytes: own, role: 'original' },
        { bytes: shared, role: 'original' },
      ]),
    )
    await attach(write, 'erased', await sendEvidence(write, [{ bytes: note, role: 'other', case_key: KEY, name: 'n' }]))
    const [run_no] = await spec.column("SELECT run_no FROM runs WHERE id = 'erased'")
    const erasure = { headers: json, body: JSON.stringify({ reference: 'case-1', run_id: 'erased' }) }
    const planned = { ...erasure, body: JSON.stringify({ reference: 'case-1', run_id: 'erased', dry_run: true }) }
    // Small parts are copied, not shared.
    const counts = { documents: 1, parts: 1, shared_parts: 2, objects_pending: 0 }
    expect((await admin('POST', '/erasures', planned)).json()).toMatchObject(counts)
    expect((await admin('POST', '/erasures', erasure)).json()).toMatchObject(counts)
    for (const table of ['run_parts', 'run_evidence', 'case_parts'])
      expect(await countOf(table, `run_no = ${String(run_no)}`)).toBe(0)
    // The answer does not wait for the bytes, which nothing can read any more.
    await spec.services.partStore.removeDropped()
    expect(await countOf('objects', "state <> 'stored'")).toBe(0)
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

it('the rows of all evidence, and what is left of erased and deleted runs, are those of a replay', async () => {
  const { databaseUrl: url, dataDir } = spec
  const store = url === null ? ({ kind: 'sqlite', file: join(dataDir, 'service.db') } as const) : databaseStore(url)
  expect(await countOf('case_parts')).toBeGreaterThan(3)
  expect(await differencesIn(store)).toBeNull()
})
