import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hiddenRun, NAMES, RULES } from '../support/access/access-rules.ts'
import { filled } from '../support/http/routes.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

// Secrets go through the whole surface of the real program, rightly and wrongly used. Afterwards no piece of one may
// stand anywhere but in the one answer that shows it.

const canary = (): string => randomBytes(18).toString('base64url')

const STATIC = { admin: canary(), write: canary(), read: canary() } as const
const PASSWORDS = {
  setup: canary(),
  again: canary(),
  user: canary(),
  changed: canary(),
  taken: canary(),
  bootstrap: canary(),
  wrong: canary(),
  malformed: canary(),
  shape: canary(),
  large: canary(),
} as const
/** Too short to be one. */
const SHORT = randomBytes(5).toString('base64url')
/** What people put where it does not belong: a password for a name, a token in a query, a key that lost its end. */
const MISPLACED = {
  username: canary(),
  query: canary(),
  header: canary(),
  basic: canary(),
  cookie: canary(),
  body: canary(),
  raw: canary(),
} as const

type Heard = { readonly what: string; readonly text: string; readonly shown: Set<string> }

const heard: Heard[] = []
const logs: Array<RunningServer['log']> = []
const issued = { tokens: [] as string[], keys: [] as string[] }
const dataDir = mkdtempSync(join(tmpdir(), 'ers-canary-'))
let server: RunningServer

const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  server = await startServer({
    dataDir,
    env: {
      SERVICE_TOKENS: `admin:${STATIC.admin},write:${STATIC.write},read:${STATIC.read}`,
      RUST_LOG: 'trace',
      ...env,
    },
  })
  logs.push(server.log)
}

type Sent = {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly path?: string
}
type Answer = { readonly status: number; readonly body: string; readonly shows: (secret: string) => string }

const ask = async (method: string, path: string, { token, headers = {}, json, body }: Sent = {}): Promise<Answer> => {
  const sent = json === undefined ? body : JSON.stringify(json)
  const answer = await fetch(`${server.url}${path.startsWith('/metrics') ? '' : '/api/v1'}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const received = await answer.text()
  const shown = new Set<string>()
  heard.push({
    what: `${method} ${path.split('?', 1)[0]} ${answer.status}`,
    text: JSON.stringify([...answer.headers]) + received,
    shown,
  })
  return {
    status: answer.status,
    body: received,
    shows: (secret) => {
      expect(received).toContain(secret)
      shown.add(secret)
      return secret
    },
  }
}

const expectStatus = async (status: number, answer: Promise<Answer>): Promise<Answer> => {
  const found = await answer
  expect(found.status, found.body).toBe(status)
  return found
}

const signedIn = (answer: Answer): string => {
  const token = answer.shows((JSON.parse(answer.body) as { token: string }).token)
  issued.tokens.push(token)
  return token
}
const signIn = async (username: string, password: string): Promise<string> =>
  signedIn(await expectStatus(200, ask('POST', '/auth/login', { json: { username, password } })))

const mint = async (token: string): Promise<{ readonly id: string; readonly key: string }> => {
  const answer = await expectStatus(201, ask('POST', '/apikeys', { token, json: { name: 'ci', scope: 'read' } }))
  const made = JSON.parse(answer.body) as { id: string; key: string }
  issued.keys.push(answer.shows(made.key))
  return made
}

/** Bytes that are no HTTP, with secrets where a parser might quote them. */
const sendRaw = async (bytes: string): Promise<void> => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const received = await text(socket)
  expect(received).toMatch(/^HTTP\/1\.1 4/)
  heard.push({ what: 'no HTTP', text: received, shown: new Set() })
}

const badBodies = async (path: string, method = 'POST', token?: string): Promise<void> => {
  const send = (sent: Sent) => ask(method, path, { ...sent, ...(token === undefined ? {} : { token }) })
  const { malformed, shape, large } = PASSWORDS
  for (const body of [
    `{"password":${malformed}}`,
    `{"password":"${malformed}`,
    malformed,
    `{"password":"${malformed}" ${malformed}}`,
    `{"username":"a","password":"${malformed}",}`,
  ])
    await expectStatus(400, send({ body }))
  await expectStatus(400, send({ body: `{"password":"${malformed}"}`, headers: { 'content-type': 'text/plain' } }))
  await expectStatus(400, send({ body: `{"password":"${malformed}"}`, headers: { 'content-encoding': 'gzip' } }))
  await expectStatus(415, send({ body: `{"password":"${malformed}"}`, headers: { 'content-encoding': 'br' } }))
  for (const json of [
    { username: 'a', password: [shape] },
    { username: { [shape.length]: shape }, password: shape, role: shape },
    [shape],
    shape,
    { password: shape, more: shape },
  ])
    await expectStatus(422, send({ json }))
  await expectStatus(413, send({ body: JSON.stringify({ username: 'a', password: large.repeat(50_000) }) }))
}

/** The first start: nobody is there yet. */
const firstLife = async (): Promise<void> => {
  await badBodies('/auth/setup')
  await expectStatus(400, ask('POST', '/auth/setup', { json: { username: 'root', password: SHORT } }))
  const root = signedIn(
    await expectStatus(201, ask('POST', '/auth/setup', { json: { username: 'root', password: PASSWORDS.setup } })),
  )
  await expectStatus(409, ask('POST', '/auth/setup', { json: { username: 'root', password: PASSWORDS.again } }))

  await signIn('root', PASSWORDS.setup)
  await expectStatus(
    401,
    ask('POST', '/auth/login', { json: { username: MISPLACED.username, password: PASSWORDS.wrong } }),
  )
  await badBodies('/auth/login')
  // Until guessing is slowed down.
  for (let i = 0; i < 12; i++)
    expect([401, 429]).toContain(
      (await ask('POST', '/auth/login', { json: { username: 'somebody', password: PASSWORDS.wrong } })).status,
    )

  await badBodies('/users', 'POST', root)
  await expectStatus(
    400,
    ask('POST', '/users', { token: root, json: { username: 'ann', password: SHORT, role: 'member' } }),
  )
  const { id: ann } = JSON.parse(
    (
      await expectStatus(
        201,
        ask('POST', '/users', { token: root, json: { username: 'ann', password: PASSWORDS.user, role: 'member' } }),
      )
    ).body,
  ) as { id: string }
  await expectStatus(
    409,
    ask('POST', '/users', { token: root, json: { username: 'ann', password: PASSWORDS.taken, role: 'member' } }),
  )
  const first = await signIn('ann', PASSWORDS.user)
  await expectStatus(200, ask('PATCH', `/users/${ann}`, { token: root, json: { password: PASSWORDS.changed } }))
  await expectStatus(400, ask('PATCH', `/users/${ann}`, { token: root, json: { password: SHORT } }))
  await expectStatus(401, ask('POST', '/auth/login', { json: { username: 'ann', password: PASSWORDS.user } }))
  const second = await signIn('ann', PASSWORDS.changed)

  const { id, key } = await mint(first)
  await mint(key)
  await mint(root)
  await expectStatus(204, ask('DELETE', `/apikeys/${id}`, { token: second }))
  await expectStatus(401, ask('GET', '/runs', { token: key }))
  await expectStatus(401, ask('GET', `/runs`, { token: `${first.slice(0, -1)}x` }))
  await expectStatus(404, ask('DELETE', `/apikeys/never-was`, { token: second }))

  await misplaced(first)
  await expectStatus(
    403,
    ask('POST', '/runs', {
      headers: { cookie: `service_session=${second}`, origin: 'https://elsewhere.example' },
      json: hiddenRun('forged'),
    }),
  )
  for (const token of [STATIC.write, STATIC.admin, second])
    await expectStatus(token === STATIC.write ? 201 : 200, ask('POST', '/runs', { token, json: hiddenRun('hidden') }))
  await expectStatus(403, ask('POST', '/runs', { token: STATIC.read, json: hiddenRun('refused') }))
  await expectStatus(201, ask('POST', '/runs', { token: STATIC.write, json: hiddenRun('seen') }))
  await expectStatus(204, ask('PUT', '/sets/secret/restriction', { token: root }))
  await expectStatus(204, ask('PUT', `/sets/secret/grants/${ann}`, { token: root, json: { level: 'manage' } }))
  await expectStatus(200, ask('POST', '/auth/logout', { headers: { cookie: `service_session=${second}` } }))
  await browse(STATIC.admin)
  await browse(STATIC.read)
  await browse(root)
  await expectStatus(204, ask('DELETE', `/users/${ann}`, { token: root }))
}

/** Secrets that go where none belong, and uploads that are not let in. */
const misplaced = async (token: string): Promise<void> => {
  const json = { ...hiddenRun('refused'), token: MISPLACED.body }
  for (const headers of [
    { authorization: `Bearer ${MISPLACED.header}` },
    { authorization: MISPLACED.header },
    { authorization: `Basic ${Buffer.from(`me:${MISPLACED.basic}`).toString('base64')}` },
    { authorization: `Bearer mses_${MISPLACED.header}` },
    { authorization: `Bearer service_${MISPLACED.header}` },
    { cookie: `service_session=${MISPLACED.cookie}; other=${MISPLACED.cookie}` },
    // Only sessions come in cookies.
    { cookie: `service_session=${STATIC.admin}` },
    { 'x-api-key': MISPLACED.header },
  ])
    await expectStatus(401, ask('POST', '/runs', { headers, json }))
  for (const method of ['GET', 'POST', 'DELETE']) {
    await ask(method, `/runs?token=${MISPLACED.query}`, { token })
    await ask(method, `/nowhere?token=${MISPLACED.query}`, { token })
    await ask(method, `/runs/%FF?token=${MISPLACED.query}`, { token })
    await ask(method, `/auth/me?access_token=${MISPLACED.query}`, { token })
  }
  await expectStatus(405, ask('PUT', '/runs', { token, json: { password: MISPLACED.body } }))
  await expectStatus(404, ask('GET', '/audit/password', { token: STATIC.admin }))
  await sendRaw(`GET /api/v1/runs HTTP/9.9\r\nauthorization: Bearer ${MISPLACED.raw}\r\n\r\n`)
  await sendRaw(`${MISPLACED.raw}\r\n\r\n`)
  await sendRaw(
    `GET /api/v1/runs HTTP/1.1\r\nhost: x\r\n: ${MISPLACED.raw}\r\nauthorization: Bearer ${MISPLACED.raw}\r\n\r\n`,
  )
  await sendRaw(`GET /api/v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${MISPLACED.raw.repeat(1000)}\r\n\r\n`)
}

/** Every read that there is. */
const browse = async (token: string): Promise<void> => {
  for (const [route, { query, names }] of Object.entries(RULES)) {
    const [method = '', url = ''] = route.split(' ')
    if (method !== 'GET' || url === '/health') continue
    const path = filled(url.replace('/api/v1', ''), {
      ...NAMES,
      ...names?.({ fresh: '', doomed: '', spare: '', made: '', scratch: '' }),
    })
    expect((await ask('GET', query ? `${path}?${query}` : path, { token })).status, path).toBeLessThan(500)
  }
}

/** Whole, and in pieces: part of a secret is too much. */
const piecesOf = (secret: string): string[] => {
  // The start of a key is shown in lists; the start of either kind is no secret.
  const own = secret.replace(/^mses_|^service_/, '')
  const length = Math.min(10, own.length)
  const windows = Array.from({ length: own.length - length + 1 }, (_, i) => own.slice(i, i + length))
  return [...windows, Buffer.from(secret).toString('base64').replaceAll('=', ''), Buffer.from(secret).toString('hex')]
}

const secrets = (): string[] => [
  ...Object.values(STATIC),
  ...Object.values(PASSWORDS),
  SHORT,
  ...Object.values(MISPLACED),
  ...issued.tokens,
  ...issued.keys,
]

const found = (where: string, hay: string, shown: ReadonlySet<string> = new Set()): string[] =>
  secrets()
    .filter((secret) => !shown.has(secret))
    .flatMap((secret) =>
      piecesOf(secret)
        .filter((piece) => hay.includes(piece))
        .map((piece) => `${piece} in ${where}`),
    )

const filesOf = (): ReadonlyArray<readonly [name: string, text: string]> =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString('latin1')])

let live: ReturnType<typeof filesOf> = []
let audit: Array<{ readonly type: string }> = []

beforeAll(async () => {
  await start()
  await firstLife()
  await server.stop({ keep: true })

  // Again, with an admin of the environment.
  await start({ SERVICE_ADMIN_USER: 'boss', SERVICE_ADMIN_PASSWORD: PASSWORDS.bootstrap })
  const boss = await signIn('boss', PASSWORDS.bootstrap)
  await expectStatus(401, ask('POST', '/auth/login', { json: { username: 'boss', password: PASSWORDS.wrong } }))
  await mint(boss)
  await browse(boss)
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await expectStatus(
      200,
      ask('GET', `/audit?limit=200${cursor && `&cursor=${cursor}`}`, { token: boss }),
    )
    const page = JSON.parse(body) as { events: typeof audit; next_cursor: string | null }
    audit = [...audit, ...page.events]
    cursor = page.next_cursor
  }
  for (const { seq } of audit as unknown as Array<{ seq: number }>)
    await expectStatus(200, ask('GET', `/audit/${seq}`, { token: boss }))
  // While the write-ahead log is still there.
  live = filesOf()
  await server.stop({ keep: true })
})
afterAll(async () => {
  server.process.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

describe('a secret', () => {
  it('went through everything', () => {
    const statuses = new Set(heard.map(({ what }) => what.slice(-3)))
    for (const status of ['200', '201', '204', '400', '401', '403', '404', '405', '409', '413', '415', '422', '429'])
      expect(statuses).toContain(status)
    expect(new Set(audit.map(({ type }) => type))).toEqual(
      new Set([
        'Started',
        'UserCreated',
        'UserChanged',
        'UserDeleted',
        'SignedIn',
        'SignedOut',
        'SignInRefused',
        'KeyMinted',
        'KeyRevoked',
        'RunIngested',
        'SetRestricted',
        'AccessGranted',
        'AccessRevoked',
      ]),
    )
    expect([issued.tokens.length, issued.keys.length]).toEqual([5, 4])
  })

  it('would be found', () => {
    const [token = ''] = issued.tokens
    const [key = ''] = issued.keys
    expect(found('x', `… ${token.slice(20, 40)} …`)).not.toEqual([])
    expect(found('x', key.slice(0, 12))).toEqual([])
    for (const { text: answer, shown } of heard) for (const secret of shown) expect(answer).toContain(secret)
    const files = live.map(([, content]) => content).join('')
    expect(files).toContain(createHash('sha256').update(key).digest('hex'))
    expect(files).toContain('$argon2id$')
    expect(live.map(([name]) => name)).toEqual(expect.arrayContaining(['service.db', 'service.db-wal']))
    expect(logs.flat().filter(({ msg }) => msg === 'response').length).toBeGreaterThan(100)
  })

  it('stands in no file, neither while the service runs nor after', () => {
    for (const [name, content] of [...live, ...filesOf()]) expect(found(name, content)).toEqual([])
  })

  it('stands in no line of the log, however much is logged', () => {
    expect(found('the log', JSON.stringify(logs))).toEqual([])
  })

  it('stands in no answer but the one that shows it', () => {
    for (const { what, text: answer, shown } of heard) expect(found(what, answer, shown)).toEqual([])
  })
})
