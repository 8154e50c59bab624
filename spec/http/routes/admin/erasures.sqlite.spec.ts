import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { openApp, type SpecApp, type SpecUser } from '../../../support/servers/app.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
type Event = {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly data: { readonly kept: unknown }
}

const JSON_BODY = { 'content-type': 'application/json' }

const eraseWith =
  (spec: SpecApp) =>
  async (body: object): Promise<Answer> => {
    const { statusCode, body: text } = await spec.sendAs('admin')('POST', '/erasures', {
      headers: JSON_BODY,
      body: JSON.stringify({ reference: 'CASE-1', ...body }),
    })
    return { status: statusCode, body: JSON.parse(text) as Answer['body'] }
  }
const counts = (records: number, kept: number, documents: number) => ({
  status: 200,
  body: {
    ...{ erasure_id: expect.any(String) as string, records, kept, documents, dry_run: false },
    ...{ parts: 0, shared_parts: 0, objects_pending: 0 },
  },
})
const events = async (spec: SpecApp, query: string): Promise<Event[]> =>
  (await spec.sendAs('admin')('GET', `/audit?limit=200&${query}`)).json<{ events: Event[] }>().events.toReversed()
/** The numbers of the records whose bodies are erased. */
const erased = (spec: SpecApp) =>
  spec.column('SELECT seq FROM events WHERE seq NOT IN (SELECT seq FROM event_bodies) ORDER BY seq')
const seqsOf = async (spec: SpecApp, type: string) =>
  (await spec.column(`SELECT seq FROM events WHERE type = '${type}' ORDER BY seq`)).map(Number)

describe('erasing a run', () => {
  let spec: SpecApp
  beforeEach(async () => {
    spec = await openApp()
    await spec.ingest(aDocument({ run_id: 'a' }))
    await spec.ingest(aDocument({ run_id: 'other' }))
    await spec.service.commit.pinBaseline(SYSTEM, { project: 'chat', suite: 'smoke', run_id: 'a' })
  })
  afterEach(() => spec.close())

  it('deletes it with its pin, and everything that the log says about it', async () => {
    const erase = eraseWith(spec)
    expect(await erase({ run_id: 'a', dry_run: true })).toEqual({
      status: 200,
      body: { ...counts(3, 0, 1).body, dry_run: true },
    })
    expect(await erased(spec)).toEqual([])
    expect(await erase({ run_id: 'a' })).toEqual(counts(3, 0, 1))
    const [ingested] = await seqsOf(spec, 'RunIngested')
    expect(await erased(spec)).toEqual([
      ingested,
      ...(await seqsOf(spec, 'BaselinePinned')),
      ...(await seqsOf(spec, 'RunDeleted')),
    ])
    expect(await spec.column('SELECT id FROM runs')).toEqual(['other'])
    expect(await spec.column('SELECT DISTINCT run_no FROM document_frames')).toEqual([2])
    expect((await events(spec, 'type=BaselineUnpinned')).map(({ data }) => data)).toMatchObject([
      { cause: 'run_deleted' },
    ])
    expect((await events(spec, 'type=EventErased')).map(({ data }) => data)).toEqual(
      (await erased(spec)).map((seq) => ({
        cause: 'run',
        erasure_id: expect.any(String) as string,
        followed: null,
        kept: null,
        reference: 'CASE-1',
        seq,
      })),
    )
    expect((await spec.sendAs('admin')('GET', '/runs/a')).statusCode).toBe(404)
  })

  it('has then never seen it, and a later upload begins at version 1', async () => {
    expect(await eraseWith(spec)({ run_id: 'a' })).toEqual(counts(3, 0, 1))
    expect(await eraseWith(spec)({ run_id: 'a' })).toEqual({ status: 404, body: { error: 'run not found' } })
    expect((await spec.ingest(aDocument({ run_id: 'a' }))).statusCode).toBe(201)
    expect((await events(spec, 'stream=run/a')).map(({ type, version }) => [type, version])).toEqual([
      ['RunIngested', 1],
    ])
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('erases a run that was deleted before, and each of several runs with the same id', async () => {
    for (const config_digest of ['one', 'two']) {
      await spec.ingest(aDocument({ run_id: 'b', config_digest }))
      await spec.sendAs('admin')('DELETE', '/runs/b')
    }
    expect(await eraseWith(spec)({ run_id: 'b' })).toEqual(counts(4, 0, 0))
    expect(await events(spec, 'stream=run/b')).toEqual([])
  })
})

describe('erasing a run with an unusual id', () => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp()))
  afterAll(() => spec.close())

  it.each(['a^b', '100%', 'a_b', 'a"b', String.raw`a\b`, 'ä/3 🙂', "it's"])(
    'erases its pins too: %s',
    async (run_id) => {
      await spec.ingest(aDocument({ run_id }))
      await spec.ingest(aDocument({ run_id: `${run_id}!` }))
      for (const pinned of [run_id, `${run_id}!`])
        await spec.service.commit.pinBaseline(SYSTEM, { project: 'chat', suite: 'smoke', run_id: pinned })
      expect(await eraseWith(spec)({ run_id })).toEqual(counts(3, 0, 1))
      const bodies = (await spec.column('SELECT body FROM event_bodies')) as string[]
      expect(bodies.filter((body) => body.includes(`:${JSON.stringify(run_id)}`))).toEqual([])
      expect(bodies.filter((body) => body.includes(`:${JSON.stringify(`${run_id}!`)}`))).toHaveLength(1)
    },
  )

  it.each([
    ['a lone surrogate', '\ud800'],
    ['NUL', 'a\0b'],
    ['a long one of %', '%'.repeat(31_000)],
    ['a long one of _', '_'.repeat(31_000)],
    ['the replacement of a lone surrogate', '\ufffd'],
  ])('has never seen an id that no run and no account has: %s', async (_, id) => {
    expect(await eraseWith(spec)({ run_id: id })).toEqual({ status: 404, body: { error: 'run not found' } })
    expect(await eraseWith(spec)({ user_id: id })).toEqual({ status: 404, body: { error: 'user not found' } })
  })
})

describe('erasing a run that followed a plan', () => {
  let spec: SpecApp
  let plan = ''
  const upload = (run_id: string) =>
    spec.sendAs('write')('POST', `/runs?plan=${plan}`, {
      headers: JSON_BODY,
      body: JSON.stringify(aDocument({ run_id })),
    })
  const planOf = async (run_id: string) =>
    (await spec.sendAs('read')('GET', `/runs/${run_id}`)).json<{ plan: { attempt: number; attempts: number } }>().plan
  const attempts = async () =>
    (await spec.sendAs('read')('GET', `/plans/${plan}`)).json<{ attempts: number }>().attempts
  const planRuns = () => spec.rows('SELECT attempt, run_no FROM plan_runs ORDER BY attempt')
  beforeEach(async () => {
    spec = await openApp()
    const registered = await spec.sendAs('write')('POST', '/plans', {
      headers: JSON_BODY,
      body: JSON.stringify({ project: 'chat', suite: 'smoke', text: 'Nine of ten.' }),
    })
    plan = registered.json<{ id: string }>().id
    for (const run_id of ['first', 'second', 'third']) expect((await upload(run_id)).statusCode).toBe(201)
  })
  afterEach(() => spec.close())

  it('keeps the number of the attempt, but not the run', async () => {
    expect(await eraseWith(spec)({ run_id: 'third' })).toEqual(counts(2, 0, 1))
    expect((await events(spec, 'type=EventErased')).map(({ data }) => data)).toMatchObject([
      { followed: { attempt: 3, plan_id: plan }, kept: null },
      { followed: null, kept: null },
    ])
    const bodies = (await spec.column('SELECT body FROM event_bodies')) as string[]
    expect(bodies.filter((body) => body.includes('third'))).toEqual([])
    expect(await attempts()).toBe(3)
    expect(await planRuns()).toEqual([
      { attempt: 1, run_no: 1 },
      { attempt: 2, run_no: 2 },
      { attempt: 3, run_no: null },
    ])
  })

  it('leaves its number to no later run', async () => {
    await eraseWith(spec)({ run_id: 'third' })
    expect((await upload('fourth')).statusCode).toBe(201)
    expect(await planOf('fourth')).toMatchObject({ attempt: 4, attempts: 4 })
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('keeps the plan of a run that stays with its other facts', async () => {
    const [seq] = await seqsOf(spec, 'RunIngested')
    expect(await eraseWith(spec)({ seqs: [seq] })).toEqual(counts(1, 1, 0))
    expect((await events(spec, 'type=EventErased')).at(-1)?.data).toMatchObject({
      followed: null,
      kept: { data: { attempt: 1, plan_id: plan } },
    })
    expect(await planOf('first')).toMatchObject({ attempt: 1, attempts: 3 })
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

describe('erasing an account', () => {
  let spec: SpecApp
  let ada: SpecUser
  beforeEach(async () => {
    spec = await openApp()
    ada = await spec.addUser('ada', 'admin')
    await spec.addUser('ben')
    await spec.grant('ada', 'view', 'chat')
    const key = await ada.send('POST', '/apikeys', { headers: JSON_BODY, body: JSON.stringify({ name: 'of ada' }) })
    expect(key.statusCode).toBe(201)
    for (const run_id of ['stays', 'goes'])
      await ada.send('POST', '/runs', { headers: JSON_BODY, body: JSON.stringify(aDocument({ run_id })) })
    await spec.ingest(aDocument({ run_id: 'of another' }))
    await ada.send('PUT', '/sets/secret/restriction')
    await ada.send('PUT', '/sets/secret/grants/ben', { headers: JSON_BODY, body: JSON.stringify({ level: 'view' }) })
    await ada.send('DELETE', '/runs/goes')
    await ada.send('DELETE', '/runs/of%20another')
  })
  afterEach(() => spec.close())

  const eraseAda = async (): Promise<Answer> => {
    const root = { user_id: 'root', username: 'root', password_hash: '', role: 'admin' } as const
    await spec.service.commit.createUser(SYSTEM, root)
    await spec.service.commit.deleteUser(SYSTEM, { user_id: 'ada' })
    return eraseWith(spec)({ user_id: 'ada' })
  }

  it('is refused until the account is deleted', async () => {
    for (const dry_run of [true, false])
      expect(await eraseWith(spec)({ user_id: 'ada', dry_run })).toEqual({
        status: 409,
        body: { error: 'delete the account first' },
      })
    expect(await eraseWith(spec)({ user_id: 'nobody' })).toEqual({ status: 404, body: { error: 'user not found' } })
  })

  it('keeps facts of its acts on what stays, and nothing else', async () => {
    // Kept: the upload that stays, the deletion of another's upload, the restriction and the grant to ben.
    const answer = await eraseAda()
    expect(answer).toMatchObject({ status: 200, body: { kept: 4, documents: 0 } })
    const rows = await spec.rows(
      'SELECT e.type, b.seq AS stored FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq',
    )
    const typesErased = rows.filter(({ stored }) => stored === null).map(({ type }) => type)
    expect(typesErased.toSorted()).toEqual([
      'AccessGranted',
      'AccessGranted',
      'AccessRevoked',
      'KeyMinted',
      'RunDeleted',
      'RunDeleted',
      'RunIngested',
      'RunIngested',
      'SetRestricted',
      'SignedIn',
      'UserCreated',
      'UserDeleted',
    ])
    expect(answer.body['records']).toBe(typesErased.length)
    const bodies = (await spec.column('SELECT body FROM event_bodies')) as string[]
    expect(bodies.filter((body) => body.includes('"ada"'))).toEqual([])
    expect(await spec.column("SELECT label FROM principals WHERE label LIKE '%ada%'")).toEqual([])
    expect(await spec.rows('SELECT id, uploaded_by FROM runs')).toEqual([{ id: 'stays', uploaded_by: null }])
    expect(await spec.column('SELECT created_by FROM restrictions')).toEqual([null])
    expect(await spec.column('SELECT created_by FROM grants')).toEqual([null])
  })

  it('shows nobody where the account was, and passes over what is erased', async () => {
    await eraseAda()
    const run = await spec.sendAs('admin')('GET', '/runs/stays')
    expect(run.json<{ uploaded_by: string | null }>().uploaded_by).toBeNull()
    expect((await spec.sendAs('admin')('GET', '/access')).statusCode).toBe(200)
    expect((await spec.sendAs('admin')('GET', '/sets/secret/access')).statusCode).toBe(200)
    expect(await eraseWith(spec)({ user_id: 'ada' })).toEqual(counts(0, 0, 0))
  })

  it('continues the versions of streams with kept facts', async () => {
    await eraseAda()
    await spec.ingest(aDocument({ run_id: 'of another' }))
    expect((await events(spec, 'stream=run/of%2520another')).map(({ version }) => version)).toEqual([1, 3])
    await spec.lift('secret')
    expect((await events(spec, 'stream=access/secret')).map(({ version }) => version)).toEqual([3])
  })

  it('keeps the deletion of a run whose upload was kept', async () => {
    await eraseAda()
    expect(await eraseWith(spec)({ run_id: 'stays' })).toEqual(counts(1, 1, 1))
    expect(await spec.column('SELECT id FROM runs')).toEqual([])
  })
})

describe('erasing records by their numbers', () => {
  let spec: SpecApp
  beforeEach(async () => {
    spec = await openApp()
    await spec.addUser('ben')
    await spec.ingest(aDocument({ run_id: 'a' }))
    await spec.ingest(aDocument({ run_id: 'gone' }))
    await spec.sendAs('admin')('DELETE', '/runs/gone')
  })
  afterEach(() => spec.close())

  it('keeps the facts of an upload whose run stays, but not the uploader', async () => {
    const [seq] = await seqsOf(spec, 'RunIngested')
    expect(await eraseWith(spec)({ seqs: [seq] })).toEqual(counts(1, 1, 0))
    expect(await spec.rows('SELECT id, uploaded_by FROM runs')).toEqual([{ id: 'a', uploaded_by: null }])
    expect(await eraseWith(spec)({ seqs: [seq] })).toEqual(counts(0, 0, 0))
  })

  it('refuses a part of a whole, an erasure, an account, and what the log has never seen', async () => {
    const erase = eraseWith(spec)
    const [stays, ingested] = await seqsOf(spec, 'RunIngested')
    await erase({ seqs: [stays] })
    const [deleted] = await seqsOf(spec, 'RunDeleted')
    const [erasure] = await seqsOf(spec, 'EventErased')
    const [created] = await seqsOf(spec, 'UserCreated')
    const refusals = [
      [409, [ingested], `record ${ingested} is a part of the records of a deleted run: erase the run`],
      [409, [deleted], `record ${deleted} is a part of the records of a deleted run: erase the run`],
      [409, [erasure], `record ${erasure} is an erasure, which cannot be erased`],
      [409, [created], `record ${created} belongs to an account: delete the account first`],
      [404, [1, 999_999], 'record 999999 not found'],
    ] as const
    for (const [status, seqs, error] of refusals) expect(await erase({ seqs })).toEqual({ status, body: { error } })
    expect(await erase({ seqs: [ingested, deleted] })).toEqual(counts(2, 0, 0))
    await spec.service.commit.deleteUser(SYSTEM, { user_id: 'ben' })
    expect(await erase({ seqs: [created] })).toMatchObject({
      status: 409,
      body: { error: `record ${created} is a part of the records of an account: erase the account` },
    })
  })

  it('takes null as not given', async () => {
    const absent = { run_id: 'never', user_id: null, seqs: null }
    for (const dry_run of [null, true])
      expect(await eraseWith(spec)({ ...absent, dry_run })).toEqual({ status: 404, body: { error: 'run not found' } })
    expect(await eraseWith(spec)({ run_id: null, user_id: null, seqs: null })).toMatchObject({ status: 422 })
    const [seq] = await seqsOf(spec, 'RunIngested')
    expect(await eraseWith(spec)({ seqs: [seq], run_id: null, dry_run: null })).toEqual(counts(1, 1, 0))
  })

  it('refuses a body without exactly one target, or with a reference that is prose', async () => {
    const erase = eraseWith(spec)
    for (const body of [{}, { run_id: 'a', user_id: 'ben' }])
      expect(await erase(body)).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('give exactly one of run_id, user_id and seqs') as string },
      })
    expect(await erase({ run_id: 'a', reference: 'a word' })).toMatchObject({ status: 422 })
    expect(await erase({ seqs: [] })).toMatchObject({ status: 422 })
    expect(await erase({ seqs: Array.from({ length: 1001 }, (_, i) => i + 1) })).toMatchObject({ status: 422 })
  })
})

describe('an erasure of more records than one commit takes', () => {
  let spec: SpecApp
  afterAll(() => spec.close())

  it('erases all of them', async () => {
    spec = await openApp()
    await spec.addUser('ben')
    // One commit erases 1,000 records.
    await spec.service.commit.deleteUser(SYSTEM, { user_id: 'ben' })
    const signIns = Array.from({ length: 1100 }, (_, n) =>
      spec.service.commit.refuseSignIn(SYSTEM, {
        attempt_id: `attempt ${n}`,
        count: 1,
        reason: 'disabled',
        user_id: 'ben',
      }),
    )
    await Promise.all(signIns)
    expect(await eraseWith(spec)({ user_id: 'ben', dry_run: true })).toMatchObject({ body: { records: 1103 } })
    expect(await eraseWith(spec)({ user_id: 'ben' })).toEqual(counts(1103, 0, 0))
    expect(await erased(spec)).toHaveLength(1103)
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

it('a held run is erased neither alone nor with an account or by number', async () => {
  const spec = await openApp()
  const ada = await spec.addUser('ada')
  await ada.send('POST', '/runs', {
    headers: JSON_BODY,
    body: JSON.stringify(aDocument({ run_id: 'a', cases: [aCase()] })),
  })
  // Without a comment or a title of its own account, an erasure of the account meets the upload alone.
  const bea = await spec.addUser('bea')
  for (const [method, path, body] of [
    ['POST', '/runs/a/comments', { text: 'Wrong city.' }],
    ['PATCH', '/runs/a/annotations', { title: 'Second try' }],
  ] as const)
    await bea.send(method, path, { headers: JSON_BODY, body: JSON.stringify(body) })
  const placed = await spec.sendAs('admin')('POST', '/holds', {
    headers: JSON_BODY,
    body: JSON.stringify({ project: 'chat', reference: 'LAW-1' }),
  })
  const { id } = placed.json<{ id: string }>()
  await spec.service.commit.deleteUser(SYSTEM, { user_id: 'ada' })
  await spec.service.commit.deleteUser(SYSTEM, { user_id: 'bea' })
  const numbers = await Promise.all(['RunIngested', 'RunCommented', 'RunAnnotated'].map((type) => seqsOf(spec, type)))
  const users = ['ada', 'bea'].map((user_id) => ({ user_id }))
  for (const target of [{ run_id: 'a' }, ...users, ...numbers.map((seqs) => ({ seqs }))])
    expect(await eraseWith(spec)(target)).toEqual({ status: 409, body: { error: `run is under legal hold ${id}` } })
  expect(await erased(spec)).toEqual([])
  await spec.close()
})
