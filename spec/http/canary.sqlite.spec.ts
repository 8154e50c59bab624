import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hiddenRun, DEFAULT_NAMES, RULES } from '../support/access/access-rules.ts'
import { fillPath } from '../support/http/routes.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

// Secrets pass through every route of the real program, used correctly and incorrectly. Afterwards no part of a secret
// may be stored, logged or returned, except in the one response that shows it.

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
/** Too short to be a password. */
const SHORT = randomBytes(5).toString('base64url')
/** Secrets that users put in the wrong place: a password as a name, a token in a query, a truncated key. */
const MISPLACED = {
  username: canary(),
  query: canary(),
  header: canary(),
  basic: canary(),
  cookie: canary(),
  body: canary(),
  raw: canary(),
} as const

type Received = { readonly what: string; readonly text: string; readonly shown: Set<string> }

const received: Received[] = []
const logs: Array<RunningServer['log']> = []
const issued = { tokens: [] as string[], keys: [] as string[], links: [] as string[] }
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

type RequestParts = {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly path?: string
}
type SpecResponse = { readonly status: number; readonly body: string; readonly shows: (secret: string) => string }

const request = async (
  method: string,
  path: string,
  { token, headers = {}, json, body }: RequestParts = {},
): Promise<SpecResponse> => {
  const payload = json === undefined ? body : JSON.stringify(json)
  const response = await fetch(`${server.url}${path.startsWith('/metrics') ? '' : '/api/v1'}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const responseBody = await response.text()
  const shown = new Set<string>()
  received.push({
    what: `${method} ${path.split('?', 1)[0]} ${response.status}`,
    text: JSON.stringify([...response.headers]) + responseBody,
    shown,
  })
  return {
    status: response.status,
    body: responseBody,
    shows: (secret) => {
      expect(responseBody).toContain(secret)
      shown.add(secret)
      return secret
    },
  }
}

const expectStatus = async (status: number, pending: Promise<SpecResponse>): Promise<SpecResponse> => {
  const response = await pending
  expect(response.status, response.body).toBe(status)
  return response
}

const recordSession = (response: SpecResponse): string => {
  const token = response.shows((JSON.parse(response.body) as { token: string }).token)
  issued.tokens.push(token)
  return token
}
const signIn = async (username: string, password: string): Promise<string> =>
  recordSession(await expectStatus(200, request('POST', '/auth/login', { json: { username, password } })))

const mint = async (token: string): Promise<{ readonly id: string; readonly key: string }> => {
  const response = await expectStatus(201, request('POST', '/apikeys', { token, json: { name: 'ci', scope: 'read' } }))
  const minted = JSON.parse(response.body) as { id: string; key: string }
  issued.keys.push(response.shows(minted.key))
  return minted
}

/** Sends bytes that are not HTTP, with secrets where a parser might quote them. */
const sendRaw = async (bytes: string): Promise<void> => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const reply = await text(socket)
  expect(reply).toMatch(/^HTTP\/1\.1 4/)
  received.push({ what: 'no HTTP', text: reply, shown: new Set() })
}

const sendBadBodies = async (path: string, method = 'POST', token?: string): Promise<void> => {
  const send = (parts: RequestParts) => request(method, path, { ...parts, ...(token === undefined ? {} : { token }) })
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

/** The first start: there is no account yet. */
const firstRun = async (): Promise<void> => {
  await sendBadBodies('/auth/setup')
  await expectStatus(400, request('POST', '/auth/setup', { json: { username: 'root', password: SHORT } }))
  const root = recordSession(
    await expectStatus(201, request('POST', '/auth/setup', { json: { username: 'root', password: PASSWORDS.setup } })),
  )
  await expectStatus(409, request('POST', '/auth/setup', { json: { username: 'root', password: PASSWORDS.again } }))

  await signIn('root', PASSWORDS.setup)
  await expectStatus(
    401,
    request('POST', '/auth/login', { json: { username: MISPLACED.username, password: PASSWORDS.wrong } }),
  )
  await sendBadBodies('/auth/login')
  // Until sign-in is throttled.
  for (let i = 0; i < 12; i++)
    expect([401, 429]).toContain(
      (await request('POST', '/auth/login', { json: { username: 'somebody', password: PASSWORDS.wrong } })).status,
    )

  await sendBadBodies('/users', 'POST', root)
  await expectStatus(
    400,
    request('POST', '/users', { token: root, json: { username: 'ann', password: SHORT, role: 'member' } }),
  )
  const { id: ann } = JSON.parse(
    (
      await expectStatus(
        201,
        request('POST', '/users', { token: root, json: { username: 'ann', password: PASSWORDS.user, role: 'member' } }),
      )
    ).body,
  ) as { id: string }
  await expectStatus(
    409,
    request('POST', '/users', { token: root, json: { username: 'ann', password: PASSWORDS.taken, role: 'member' } }),
  )
  const firstSession = await signIn('ann', PASSWORDS.user)
  await sendBadBodies('/auth/invite')
  const linkOf = async (path: string, json?: object): Promise<string> => {
    const response = await expectStatus(201, request('POST', path, { token: root, ...(json ? { json } : {}) }))
    const secret = response.shows((JSON.parse(response.body) as { secret: string }).secret)
    issued.links.push(secret)
    return secret
  }
  const invite = await linkOf('/links', { role: 'viewer' })
  const account = { secret: invite, username: 'ivo', password: PASSWORDS.user }
  await expectStatus(200, request('POST', '/auth/invite', { json: { secret: invite } }))
  await expectStatus(404, request('POST', '/auth/reset', { json: { secret: invite } }))
  await expectStatus(409, request('POST', '/auth/invite/accept', { json: { ...account, username: 'ann' } }))
  recordSession(await expectStatus(201, request('POST', '/auth/invite/accept', { json: account })))
  await expectStatus(404, request('POST', '/auth/invite/accept', { json: account }))
  const reset = await linkOf(`/users/${ann}/reset-link`)
  await expectStatus(200, request('POST', '/auth/reset', { json: { secret: reset } }))
  await expectStatus(400, request('POST', '/auth/reset/password', { json: { secret: reset, password: SHORT } }))
  await expectStatus(422, request('POST', '/auth/reset/password', { json: { secret: reset, code: PASSWORDS.shape } }))
  await expectStatus(200, request('PATCH', `/users/${ann}`, { token: root, json: { password: PASSWORDS.changed } }))
  await expectStatus(400, request('PATCH', `/users/${ann}`, { token: root, json: { password: SHORT } }))
  await expectStatus(401, request('POST', '/auth/login', { json: { username: 'ann', password: PASSWORDS.user } }))
  const secondSession = await signIn('ann', PASSWORDS.changed)

  const { id, key } = await mint(firstSession)
  await mint(key)
  await mint(root)
  await expectStatus(204, request('DELETE', `/apikeys/${id}`, { token: secondSession }))
  await expectStatus(401, request('GET', '/runs', { token: key }))
  await expectStatus(401, request('GET', `/runs`, { token: `${firstSession.slice(0, -1)}x` }))
  await expectStatus(404, request('DELETE', `/apikeys/never-was`, { token: secondSession }))

  await sendMisplaced(firstSession)
  await expectStatus(
    403,
    request('POST', '/runs', {
      headers: { cookie: `service_session=${secondSession}`, origin: 'https://elsewhere.example' },
      json: hiddenRun('forged'),
    }),
  )
  for (const token of [STATIC.write, STATIC.admin, secondSession])
    await expectStatus(
      token === STATIC.write ? 201 : 200,
      request('POST', '/runs', { token, json: hiddenRun('hidden') }),
    )
  await expectStatus(403, request('POST', '/runs', { token: STATIC.read, json: hiddenRun('refused') }))
  await expectStatus(201, request('POST', '/runs', { token: STATIC.write, json: hiddenRun('seen') }))
  await expectStatus(204, request('PUT', '/sets/secret/restriction', { token: root }))
  await expectStatus(204, request('PUT', `/sets/secret/grants/${ann}`, { token: root, json: { level: 'manage' } }))
  await expectStatus(200, request('POST', '/auth/logout', { headers: { cookie: `service_session=${secondSession}` } }))
  await browse(STATIC.admin)
  await browse(STATIC.read)
  await browse(root)
  await expectStatus(204, request('DELETE', `/users/${ann}`, { token: root }))
}

/** Sends secrets in wrong places, and uploads that are rejected. */
const sendMisplaced = async (token: string): Promise<void> => {
  const json = { ...hiddenRun('refused'), token: MISPLACED.body }
  for (const headers of [
    { authorization: `Bearer ${MISPLACED.header}` },
    { authorization: MISPLACED.header },
    { authorization: `Basic ${Buffer.from(`me:${MISPLACED.basic}`).toString('base64')}` },
    { authorization: `Bearer mses_${MISPLACED.header}` },
    { authorization: `Bearer service_${MISPLACED.header}` },
    { cookie: `service_session=${MISPLACED.cookie}; other=${MISPLACED.cookie}` },
    // Cookies can only hold session tokens.
    { cookie: `service_session=${STATIC.admin}` },
    { 'x-api-key': MISPLACED.header },
  ])
    await expectStatus(401, request('POST', '/runs', { headers, json }))
  for (const method of ['GET', 'POST', 'DELETE']) {
    await request(method, `/runs?token=${MISPLACED.query}`, { token })
    await request(method, `/nowhere?token=${MISPLACED.query}`, { token })
    await request(method, `/runs/%FF?token=${MISPLACED.query}`, { token })
    await request(method, `/auth/me?access_token=${MISPLACED.query}`, { token })
  }
  await expectStatus(405, request('PUT', '/runs', { token, json: { password: MISPLACED.body } }))
  await expectStatus(404, request('GET', '/audit/password', { token: STATIC.admin }))
  await sendRaw(`GET /api/v1/runs HTTP/9.9\r\nauthorization: Bearer ${MISPLACED.raw}\r\n\r\n`)
  await sendRaw(`${MISPLACED.raw}\r\n\r\n`)
  await sendRaw(
    `GET /api/v1/runs HTTP/1.1\r\nhost: x\r\n: ${MISPLACED.raw}\r\nauthorization: Bearer ${MISPLACED.raw}\r\n\r\n`,
  )
  await sendRaw(`GET /api/v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${MISPLACED.raw.repeat(1000)}\r\n\r\n`)
}

/** Requests every read route. */
const browse = async (token: string): Promise<void> => {
  for (const [route, { query, names }] of Object.entries(RULES)) {
    const [method = '', url = ''] = route.split(' ')
    // A stream has no end.
    if (method !== 'GET' || url === '/health' || url.endsWith('/stream')) continue
    const path = fillPath(url.replace('/api/v1', ''), {
      ...DEFAULT_NAMES,
      ...names?.({ fresh: '', doomed: '', spare: '', made: '', scratch: '' }),
    })
    expect((await request('GET', query ? `${path}?${query}` : path, { token })).status, path).toBeLessThan(500)
  }
}

/** The pieces and encodings of a secret that must not appear: part of a secret is already too much. */
const piecesOf = (secret: string): string[] => {
  // Lists show the start of a key, and the prefixes are no secret.
  const own = secret.replace(/^mses_|^service_/, '')
  // Ten hexadecimal digits are in one of the many digests by chance in one of 30,000 runs.
  const length = Math.min(/^[0-9a-f]+$/.test(own) ? 14 : 10, own.length)
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
  ...issued.links,
]

const leaksIn = (place: string, content: string, shown: ReadonlySet<string> = new Set()): string[] =>
  secrets()
    .filter((secret) => !shown.has(secret))
    .flatMap((secret) =>
      piecesOf(secret)
        .filter((piece) => content.includes(piece))
        .map((piece) => `${piece} in ${place}`),
    )

/** Random bytes that the first start writes, before any secret exists, and that nothing changes. */
const RESERVE = 'reserve'
const digestOfReserve = (): string =>
  createHash('sha256')
    .update(readFileSync(join(dataDir, RESERVE)))
    .digest('hex')

const filesInDataDir = (): ReadonlyArray<readonly [name: string, text: string]> =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== RESERVE)
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString('latin1')])

let filesWhileRunning: ReturnType<typeof filesInDataDir> = []
let audit: Array<{ readonly type: string }> = []
let firstReserve: string

beforeAll(async () => {
  await start()
  firstReserve = digestOfReserve()
  await firstRun()
  await server.stop({ keep: true })

  // A second start, with an admin from the environment.
  await start({ SERVICE_ADMIN_USER: 'boss', SERVICE_ADMIN_PASSWORD: PASSWORDS.bootstrap })
  const boss = await signIn('boss', PASSWORDS.bootstrap)
  await expectStatus(401, request('POST', '/auth/login', { json: { username: 'boss', password: PASSWORDS.wrong } }))
  await mint(boss)
  await browse(boss)
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await expectStatus(
      200,
      request('GET', `/audit?limit=200${cursor && `&cursor=${cursor}`}`, { token: boss }),
    )
    const page = JSON.parse(body) as { events: typeof audit; next_cursor: string | null }
    audit = [...audit, ...page.events]
    cursor = page.next_cursor
  }
  for (const { seq } of audit as unknown as Array<{ seq: number }>)
    await expectStatus(200, request('GET', `/audit/${seq}`, { token: boss }))
  // While the write-ahead log still exists.
  filesWhileRunning = filesInDataDir()
  await server.stop({ keep: true })
})
afterAll(async () => {
  server.process.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

describe('a secret', () => {
  it('was sent through every kind of route', () => {
    const statuses = new Set(received.map(({ what }) => what.slice(-3)))
    for (const status of ['200', '201', '204', '400', '401', '403', '404', '405', '409', '413', '415', '422', '429'])
      expect(statuses).toContain(status)
    expect(new Set(audit.map(({ type }) => type))).toEqual(
      new Set([
        'Started',
        'LogKeyAdopted',
        'UserCreated',
        'UserChanged',
        'UserDeleted',
        'SignedIn',
        'SignedOut',
        'SignInRefused',
        'KeyMinted',
        'KeyRevoked',
        'InviteMade',
        'ResetLinkMade',
        'LinkUsed',
        'RunIngested',
        'SetRestricted',
        'AccessGranted',
        'AccessRevoked',
      ]),
    )
    expect([issued.tokens.length, issued.keys.length]).toEqual([6, 4])
  })

  it('is detected where it does occur, even in part', () => {
    const [token = ''] = issued.tokens
    const [key = ''] = issued.keys
    const digests = issued.keys.map((issuedKey) => createHash('sha256').update(issuedKey).digest('hex'))
    expect(leaksIn('x', `… ${token.slice(20, 40)} …`)).not.toEqual([])
    expect(leaksIn('x', key.slice(0, 12))).toEqual([])
    for (const { text: body, shown } of received) for (const secret of shown) expect(body).toContain(secret)
    const files = filesWhileRunning.map(([, content]) => content).join('')
    // Only of keys that still exist: deleted bytes are overwritten.
    expect(digests.filter((digest) => files.includes(digest))).not.toEqual([])
    expect(files).toContain('$argon2id$')
    expect(filesWhileRunning.map(([name]) => name)).toEqual(expect.arrayContaining(['service.db', 'service.db-wal']))
    expect(logs.flat().filter(({ msg }) => msg === 'response').length).toBeGreaterThan(100)
  })

  it('is in no file, while the service runs and after it stopped', () => {
    for (const [name, content] of [...filesWhileRunning, ...filesInDataDir()])
      expect(leaksIn(name, content)).toEqual([])
    expect(digestOfReserve()).toBe(firstReserve)
  })

  it('is in no log line, at the most verbose level', () => expect(leaksIn('the log', JSON.stringify(logs))).toEqual([]))

  it('is in no response except the one that shows it', () => {
    for (const { what, text: body, shown } of received) expect(leaksIn(what, body, shown)).toEqual([])
  })
})
