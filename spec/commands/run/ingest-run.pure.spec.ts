import { createHash } from 'node:crypto'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import { runIngested } from '../../../commands/run/events.ts'
import { ingestPrepared, ingestRun, type FreshUpload, type Upload } from '../../../commands/run/ingest-run.ts'
import { storedRun } from '../../../commands/run/stored-run.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import type { Recorded, UnlockedReader } from '../../../storage/command.ts'
import { rawFrame, SMALL_FRAMES } from '../../../storage/documents/frames.ts'
import { Stale } from '../../../storage/errors.ts'
import { member } from '../../support/access/viewers.ts'
import { given } from '../../support/decisions.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

const bytesOf = (document: unknown): Buffer => Buffer.from(JSON.stringify(document))
const body = bytesOf(aDocument({ run_id: 'a/b', cases: [aCase(), aCase({ cell: { repeat: 1 } })] }))

/** A reader that returns one row, or none, for every read before the lock. */
const readerWith = (row: unknown, dialect: UnlockedReader['dialect'] = 'sqlite'): UnlockedReader => ({
  dialect,
  read: (query) => query.shape(row === null ? [] : [row]),
})
const emptySource = readerWith(null)

const claim = {
  run_no: 3,
  id: 'a/b',
  project: 'chat',
  suite: 'smoke',
  content_hash: prepareRun(body).run.content_hash,
  hash_version: 1,
}

const ingest = (upload: Partial<Upload> = {}) => ingestRun(member, { body, encoding: null, ...upload })
/** Prepares an upload and waits for its pending work, as the queue does. */
const prepare = async (upload: Partial<Upload>, reader: UnlockedReader) => {
  const prepared = await ingest(upload).prepare(reader)
  if (prepared.kind === 'fresh') await prepared.pending
  return prepared
}
const fresh = await prepare({}, emptySource)
const duplicate = await prepare({}, readerWith(claim))

const refusalOf = async (upload: Partial<Upload>): Promise<Refused> => {
  try {
    await prepare(upload, emptySource)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('preparing an upload', () => {
  it('hashes the decoded bytes and stores them in frames', async () => {
    for (const upload of [{}, { body: gzipSync(body), encoding: 'gzip' }] as const) {
      const prepared = await prepare(upload, emptySource)
      if (prepared.kind !== 'fresh') throw new Error('should be fresh')
      expect(prepared).toMatchObject({ id: 'a/b', project: 'chat', suite: 'smoke', raw_bytes: body.length })
      expect(prepared.document_sha256).toBe(createHash('sha256').update(body).digest('hex'))
      expect(Buffer.concat(prepared.frames.map(rawFrame))).toEqual(body)
    }
  })

  it('parses nothing if the same bytes are stored already', async () => {
    const junk = Buffer.from('not even JSON')
    expect(await prepare({ body: junk }, readerWith(claim))).toMatchObject({
      kind: 'known',
      id: 'a/b',
      run_no: 3,
      raw_bytes: junk.length,
    })
  })

  it('has the size of its body, but at least 1, because 0 means a command without a document', () => {
    expect(ingest().bytes).toBe(body.length)
    expect(ingest({ body: Buffer.alloc(0) }).bytes).toBe(1)
  })

  it.each([
    ['bad_request', 'invalid JSON body:', Buffer.from('{')],
    ['bad_request', 'invalid JSON body:', Buffer.alloc(0)],
    ['bad_request', 'missing schema_version', Buffer.from('[]')],
    ['bad_request', 'missing schema_version', bytesOf({ ...aDocument(), schema_version: '3' })],
    ['unprocessable', 'schema_version 1', bytesOf({ ...aDocument(), schema_version: 1 })],
    ['unprocessable', 'invalid run document:', bytesOf({ ...aDocument(), run_id: '' })],
  ] as const)('refuses as %s with "%s"', async (reason, message, invalidBody) => {
    const refused = await refusalOf({ body: invalidBody })
    expect({ reason: refused.reason, message: refused.message }).toMatchObject({
      reason,
      message: expect.stringContaining(message) as string,
    })
  })

  it('makes what read tables store compressed or indexed: for SQLite no vectors, for PostgreSQL one for each case', async () => {
    const [file, database] = [await prepare({}, emptySource), await prepare({}, readerWith(null, 'postgres'))]
    if (file.kind !== 'fresh' || database.kind !== 'fresh') throw new Error('not a new document')
    expect(zstdDecompressSync(file.document.configBytes).toString()).toBe(file.document.run.config)
    expect(database.document.configBytes).toEqual(file.document.configBytes)
    expect(file.document.vectors).toBeNull()
    expect(database.document.vectors?.cases).toHaveLength(2)
  })

  it('refuses a body that is not compressed as declared', async () =>
    expect((await refusalOf({ encoding: 'gzip' })).reason).toBe('bad_request'))
})

/** The facts about the evidence of a document that names none. */
const NO_EVIDENCE = {
  named: new Map(),
  ofRun: new Map<string, number>(),
  bytesOfRun: 0,
  lastPartNo: 0,
  partSet: { set_no: 1, isNew: true },
} as const

describe('ingesting a run', () => {
  const { run, cases } = prepareRun(body)
  const ingested = runIngested(
    'a/b',
    {
      attempt: null,
      case_count: cases.length,
      content_hash: run.content_hash,
      document_bytes: body.length,
      document_sha256: createHash('sha256').update(body).digest('hex'),
      hash_version: 1,
      plan_id: null,
      project: 'chat',
      run_no: 42,
      suite: 'smoke',
    },
    storedRun(prepareRun(body), { withVectors: false }),
    [],
  )

  it('records a new run with the next number', () =>
    given({ level: 'upload', claim: null }, { prepared: fresh, run_no: 41 }).when(ingest()).then(ingested))

  it('records an event with the document for the projections and the frames for the database', () => {
    if (fresh.kind !== 'fresh') throw new Error('should be fresh')
    const [event] = given({ level: 'upload', claim: null }, { prepared: fresh, run_no: 41 }).when(ingest()).decides()
    expect(event?.attached).toBe(fresh.document)
    expect(event?.statements).toMatchObject([
      { table: 'document_frames', rows: [[42, SMALL_FRAMES.first, body.length, expect.any(Buffer)]] },
    ])
  })

  it('records nothing for the same content in other bytes', () =>
    given({ level: 'upload', claim }, { prepared: fresh }).when(ingest()).then())

  it('records nothing for the same bytes', () =>
    given({ level: 'upload', claim }, { prepared: duplicate }).when(ingest()).then())

  it.each([
    ['other content', { ...claim, content_hash: 'sha256:00' }],
    ['a hash of another version', { ...claim, hash_version: 2 }],
  ])('refuses %s under an existing id and names the id', (_, other) => {
    const decision = given({ level: 'upload', claim: other }, { prepared: fresh }).when(ingest())
    decision.refused('conflict', 'another run exists under this id')
    expect(decision.decides).toThrow(expect.objectContaining({ extra: { id: 'a/b' } }))
  })

  it.each(['view', null])('requires the upload level, not %s, for new runs and duplicates', (level) => {
    given({ level, claim: null }, { prepared: fresh })
      .when(ingest())
      .refused('forbidden', 'you need an upload grant on it')
    given({ level, claim }, { prepared: fresh }).when(ingest()).refused('forbidden')
    given({ level, claim }, { prepared: duplicate }).when(ingest()).refused('forbidden')
  })

  it.each([
    ['was deleted', null],
    ['was deleted and ingested again', { ...claim, run_no: 4 }],
  ])('must be prepared again if the run with the same bytes %s meanwhile', (_, currentClaim) =>
    given({ level: 'upload', claim: currentClaim }, { prepared: duplicate }).when(ingest()).throws(Stale),
  )

  it('reads the level on the set of the document', () => {
    const { level, claim: runClaim } = ingest().facts(fresh)
    expect(level.token?.values).toContain('smoke')
    expect(runClaim.token?.values).toEqual(['a/b'])
  })

  it('returns whether it created the run', () => {
    const recorded = [{ ...ingested, seq: 1, version: 1, recorded_at: 0, actor: member.actor, request_id: null }]
    const currentAccess = { scope: 'write', sees_all: false } as const
    expect(
      ingest().result(recorded, fresh, { level: 'upload', claim: null, plan: null, currentAccess, ...NO_EVIDENCE }),
    ).toEqual({
      id: 'a/b',
      created: true,
      hidden_cases: 0,
    })
    expect(
      ingest().result([], duplicate, { level: 'upload', claim, plan: null, currentAccess, ...NO_EVIDENCE }),
    ).toEqual({
      id: 'a/b',
      created: false,
      hidden_cases: 0,
    })
  })

  it('records and returns how many cases repeat a key', async () => {
    const bytes = Buffer.from(JSON.stringify(aDocument({ cases: [aCase(), aCase(), aCase()] })))
    const command = ingestRun(member, { body: bytes, encoding: null })
    const prepared = await command.prepare(emptySource)
    const [event] = given({ level: 'upload', claim: null, plan: null }, { prepared }).when(command).decides()
    expect(event?.data).toMatchObject({ case_count: 1, hidden_cases: 2 })
    const currentAccess = { scope: 'write', sees_all: false } as const
    const facts = { level: 'upload', claim: null, plan: null, currentAccess, ...NO_EVIDENCE } as const
    expect(command.result([{} as Recorded], prepared, facts)).toMatchObject({ hidden_cases: 2 })
    expect(command.result([], prepared, facts)).toMatchObject({ created: false, hidden_cases: 0 })
  })
})

describe('a document that another thread prepared', () => {
  const { pending: _, ...crossed } = structuredClone({ ...(fresh as FreshUpload), pending: null })
  const command = ingestPrepared(member, crossed)
  const prepared = command.prepare(emptySource)

  it('is recorded like one prepared in this thread', async () => {
    const ready = await prepared
    const facts = { level: 'upload', claim: null }
    given(facts, { prepared: ready })
      .when(command)
      .then(...given(facts, { prepared: fresh }).when(ingest()).decides())
    given({ level: 'upload', claim }, { prepared: ready }).when(command).then()
    given({ level: null, claim: null }, { prepared: ready }).when(command).refused('forbidden')
    given({ level: 'upload', claim: { ...claim, content_hash: 'other' } }, { prepared: ready })
      .when(command)
      .refused('conflict')
  })

  it('counts its decoded bytes', () => expect(command.bytes).toBe(body.length))
})
