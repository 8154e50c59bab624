import { connect, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accessGranted, setRestricted } from '../../../commands/access/events.ts'
import { baselinePinned } from '../../../commands/baseline/events.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { aCase, aDocument, type ADocument } from '../../support/documents/documents.ts'
import { uploadEvent } from '../../support/stores/recorded-before.ts'

const DOT_ERROR = 'must not be . or .., which clients drop from an address'
const NAMES = ['.', '..'] as const

/** Runs of earlier versions with such a run id, project, suite or case key. */
const OLD_RUNS: readonly ADocument[] = [
  aDocument({ run_id: '..' }),
  aDocument({ run_id: '.' }),
  aDocument({ run_id: 'in-project', project: '..', suite: 'smoke' }),
  aDocument({ run_id: 'in-suite', project: 'chat', suite: '..' }),
  aDocument({ run_id: 'case', cases: [aCase({ case_key: '..' })] }),
]
let spec: SpecApp
beforeEach(async () => {
  spec = await openApp({
    before: (numbers) => [
      ...OLD_RUNS.map((document) => uploadEvent(document, numbers)),
      setRestricted({ project: '..', suite: null }),
      setRestricted({ project: 'chat', suite: '..' }),
      setRestricted({ project: 'chat', suite: '.' }),
      ...[null, '.', '..'].map((suite) => accessGranted({ level: 'view', project: 'chat', suite, user_id: 'ada' })),
      accessGranted({ level: 'view', project: '..', suite: null, user_id: 'ada' }),
      baselinePinned({ project: '..', suite: 'smoke', run_id: 'in-project' }),
      baselinePinned({ project: 'chat', suite: '..', run_id: 'in-suite' }),
      baselinePinned({ project: 'chat', suite: '.', run_id: 'in-suite' }),
    ],
  })
  await spec.addUser('ada')
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => spec.close())

/** Sends a request line unchanged: clients, `inject` included, remove such names even when they are escaped. */
const sendRaw = (method: string, path: string, body?: unknown): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const socket = connect((spec.app.server.address() as AddressInfo).port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', responseBody = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), body: responseBody })
    })
    const type =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
    socket.write(
      `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKENS.admin}\r\nconnection: close\r\n${type}\r\n${text}`,
    )
  })
const remove = (path: string) => spec.sendAs('admin')('DELETE', path)
const count = async (table: string): Promise<unknown> => (await spec.column(`SELECT count(*) FROM ${table}`))[0]
const statusOf = async (path: string): Promise<number> => (await spec.sendAs('admin')('GET', path)).statusCode
describe('a name that clients remove from a path', () => {
  const documentsWith = (name: string): ReadonlyArray<readonly [field: string, document: ADocument]> => [
    ['run_id', aDocument({ run_id: name, config_digest: 'new' })],
    ['project', aDocument({ run_id: 'new', project: name })],
    ['suite', aDocument({ run_id: 'new', suite: name })],
    ['suite', aDocument({ run_id: 'new', project: null, suite: name })],
    ['cases[1].case_key', aDocument({ run_id: 'new', cases: [aCase(), aCase({ case_key: name })] })],
  ]

  it.each(NAMES)('is rejected in an upload with an error that names the field: %s', async (name) => {
    const before = await count('events')
    for (const [field, document] of documentsWith(name)) {
      const answer = await spec.ingest(document, { caller: 'admin' })
      expect([answer.statusCode, answer.json()], field).toEqual([
        422,
        { error: `invalid run document: ${field}: ${DOT_ERROR}` },
      ])
    }
    expect(await count('events')).toBe(before)
  })

  it('is rejected with 403 if the caller has no access to its set, whether or not the run exists', async () => {
    for (const document of [
      aDocument({ run_id: 'in-project', project: '..', suite: 'smoke' }),
      aDocument({ run_id: 'new', project: '..' }),
    ])
      expect((await spec.ingest(document)).statusCode).toBe(403)
  })

  it.each(['...', '.a', '..a', 'a/..', ' ..', '%2e', '．'])(
    'is not confused with a name that only looks similar: %s',
    async (name) => {
      const document = aDocument({
        run_id: `alike ${name}`,
        project: name,
        suite: name,
        cases: [aCase({ case_key: name })],
      })
      expect((await spec.ingest(document)).statusCode).toBe(201)
      expect((await spec.ingest(aDocument({ run_id: name }))).statusCode).toBe(201)
    },
  )

  it.each([...NAMES.map((name) => name.replaceAll('.', '%2e')), '%2E%2E', '.%2e', '..'])(
    'is rejected in the path of a request that writes: %s',
    async (part) => {
      const before = [
        await count('events'),
        await count('restrictions'),
        await count('grants'),
        await count('baselines'),
      ]
      const rejection = (field: string) => ({ status: 422, body: JSON.stringify({ error: `${field}: ${DOT_ERROR}` }) })
      expect(await sendRaw('PUT', `/sets/${part}/restriction`)).toEqual(rejection('project'))
      expect(await sendRaw('PUT', `/sets/${part}/suites/smoke/restriction`)).toEqual(rejection('project'))
      expect(await sendRaw('PUT', `/sets/chat/suites/${part}/restriction`)).toEqual(rejection('suite'))
      expect(await sendRaw('PUT', `/sets/${part}/grants/ada`, { level: 'view' })).toEqual(rejection('project'))
      expect(await sendRaw('PUT', `/sets/chat/suites/${part}/grants/ada`, { level: 'view' })).toEqual(
        rejection('suite'),
      )
      expect(await sendRaw('PUT', `/projects/${part}/suites/smoke/baseline`, { run_id: 'in-project' })).toEqual(
        rejection('project'),
      )
      expect(await sendRaw('PUT', `/projects/chat/suites/${part}/baseline`, { run_id: 'in-suite' })).toEqual(
        rejection('suite'),
      )
      expect([
        await count('events'),
        await count('restrictions'),
        await count('grants'),
        await count('baselines'),
      ]).toEqual(before)
    },
  )
})

describe('data recorded under such a name', () => {
  it('gets 200 for the same upload, by bytes and by content, and 422 for another one', async () => {
    for (const document of OLD_RUNS) {
      for (const text of [JSON.stringify(document), JSON.stringify(document, null, 1)]) {
        const answer = await spec.ingest(text, { caller: 'admin' })
        expect([answer.statusCode, answer.json<{ id: string }>().id]).toEqual([200, document.run_id])
      }
    }
    expect((await spec.ingest(aDocument({ run_id: '..', config_digest: 'other' }))).statusCode).toBe(422)
  })

  it('is listed, and can be read by its escaped path', async () => {
    const { runs } = (await spec.sendAs('admin')('GET', '/runs?limit=200')).json<{ runs: Array<{ id: string }> }>()
    expect(OLD_RUNS.every(({ run_id }) => runs.some(({ id }) => id === run_id))).toBe(true)
    expect((await sendRaw('GET', '/runs/%2e%2e')).status).toBe(200)
    expect((await sendRaw('GET', '/runs/case/cases/%2e%2e')).body).toContain('"case_key":".."')
  })

  it('is deleted through a query, and neighboring sets stay', async () => {
    const expectDeleted = async (path: string): Promise<void> =>
      expect([(await remove(path)).statusCode, (await remove(path)).statusCode, path]).toEqual([204, 404, path])
    await expectDeleted('/restrictions?project=..')
    await expectDeleted('/restrictions?project=chat&suite=..')
    expect(await spec.rows('SELECT project, suite FROM restrictions')).toEqual([{ project: 'chat', suite: '.' }])
    await expectDeleted('/grants?project=..&user_id=ada')
    await expectDeleted('/grants?project=chat&suite=..&user_id=ada')
    expect(await spec.column('SELECT suite FROM grants ORDER BY suite IS NULL, suite')).toEqual(['.', null])
    await expectDeleted('/baselines?project=..&suite=smoke')
    await expectDeleted('/baselines?project=chat&suite=..')
    expect(await spec.column('SELECT suite FROM baselines')).toEqual(['.'])
    await expectDeleted('/runs?run_id=..')
    expect([
      (await sendRaw('GET', '/runs/%2e%2e')).status,
      (await sendRaw('GET', '/runs/%2e')).status,
      await statusOf('/runs/case'),
    ]).toEqual([404, 200, 200])
  })

  it('is also deleted through its escaped path if a client sends it unchanged', async () => {
    expect((await sendRaw('DELETE', '/sets/chat/suites/%2e/restriction')).status).toBe(204)
    expect((await sendRaw('DELETE', '/sets/chat/suites/%2e/grants/ada')).status).toBe(204)
    expect((await sendRaw('DELETE', '/projects/chat/suites/%2e/baseline')).status).toBe(204)
    expect((await sendRaw('DELETE', '/runs/%2e')).status).toBe(204)
    for (const table of ['restrictions', 'baselines', 'grants'])
      expect(await spec.column(`SELECT count(*) FROM ${table} WHERE suite = '.'`), table).toEqual([0])
  })
})

describe('deleting by query', () => {
  it.each([
    ['/runs', 'run_id'],
    ['/runs?id=case', 'run_id'],
    ['/runs?run_id=case&run_no=1', 'run_no'],
    ['/runs?run_id=case&run_id=case', 'run_id'],
    ['/restrictions?suite=..', 'project'],
    ['/restrictions?project=chat&suit=..', 'suit'],
    ['/grants?project=chat', 'user_id'],
    ['/grants?project=chat&user_id=ada&level=view', 'level'],
    ['/baselines?project=chat', 'suite'],
    ['/baselines?project=chat&suite=smoke&run_id=case', 'run_id'],
  ])('names a missing or unknown parameter: %s', async (path, field) => {
    const answer = await remove(path)
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, expect.stringContaining(field)])
  })

  it('takes only run ids, not run numbers, and checks access like a deletion by path', async () => {
    const [run_no] = await spec.column("SELECT run_no FROM runs WHERE id = 'case'")
    expect((await remove(`/runs?run_id=${String(run_no)}`)).json()).toEqual({ error: 'run not found' })
    expect((await spec.sendAs('write')('DELETE', '/runs?run_id=case')).statusCode).toBe(403)
    expect((await spec.sendAs(null)('DELETE', '/runs?run_id=case')).statusCode).toBe(401)
    await spec.sendAs('write')('PUT', '/projects/chat/suites/smoke/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'case' },
    })
    expect((await remove('/runs?run_id=case')).statusCode).toBe(204)
    expect([
      await statusOf('/runs/case'),
      await spec.column("SELECT run_id FROM baselines WHERE project = 'chat' AND suite = 'smoke'"),
    ]).toEqual([404, []])
  })
})
