import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createPool, sql } from 'slonik'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unavailable } from '../../../storage/errors.ts'
import { readAddress, type SslMode } from '../../../storage/postgres/address.ts'
import { connectTo } from '../../../storage/postgres/connect.ts'
import { openPool } from '../../../storage/postgres/pool.ts'
import { certificateFolder, type Authority } from '../../support/postgres/certificates.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres/server.ts'

let certificates: ReturnType<typeof certificateFolder>
let ownAuthority: Authority
let unknown: Authority
let plain: PostgresServer
let tls: PostgresServer
let client: { readonly cert: string; readonly key: string }

beforeAll(async () => {
  certificates = certificateFolder()
  ownAuthority = certificates.authority('ours')
  unknown = certificates.authority('unknown')
  // The certificate is for localhost only. A client that uses the IP address sees a wrong host name.
  const server = ownAuthority.issue('server', 'DNS:localhost')
  const user = ownAuthority.issue('by_certificate')
  client = { cert: join(certificates.folder, 'client.crt'), key: join(certificates.folder, 'client.key') }
  writeFileSync(client.cert, user.certificate)
  writeFileSync(client.key, user.key)
  plain = await startPostgres()
  tls = await startPostgres({
    settings: { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key', ssl_ca_file: 'root.crt' },
    files: {
      'server.crt': server.certificate,
      'server.key': server.key,
      'root.crt': readFileSync(ownAuthority.file, 'utf8'),
    },
    access: [
      'local all all trust',
      'hostssl all by_certificate all cert',
      'hostssl all in_the_clear all reject',
      'hostnossl all encrypted all reject',
      'host all all all trust',
    ],
  })
  const { client: superuser } = await connectTo(readAddress(tls.url()))
  await superuser.query('CREATE ROLE by_certificate LOGIN; CREATE ROLE in_the_clear LOGIN; CREATE ROLE encrypted LOGIN')
  await superuser.end()
})

afterAll(async () => {
  await Promise.all([plain, tls].map((server) => server.stop()))
  certificates.remove()
})

/** Returns `encrypted` or `clear`, as the server sees the session, or the error that prevented the session. */
const outcome = async (url: string): Promise<string> => {
  const address = readAddress(url)
  try {
    const { client: session, ssl } = await connectTo(address)
    try {
      const { rows } = await session.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      expect(rows[0]?.ssl).toBe(ssl !== false)
      return rows[0]?.ssl ? 'encrypted' : 'clear'
    } finally {
      await session.end()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns the same for a session of slonik. */
const throughSlonik = async (url: string): Promise<string> => {
  const address = readAddress(url)
  const { client: first, ssl } = await connectTo(address)
  await first.end()
  const pool = await createPool(address.dsn, { ...(ssl ? { ssl } : {}), queryRetryLimit: 0, typeParsers: [] })
  try {
    const row = await pool.one(
      sql.unsafe`SELECT ssl, current_setting('application_name') AS name FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
    )
    expect(row).toMatchObject({ name: 'ers' })
    return (row as { ssl: boolean }).ssl ? 'encrypted' : 'clear'
  } finally {
    await pool.end()
  }
}

const NO_TLS = /does not support SSL/
const WRONG_HOST = /IP: 127\.0\.0\.1 is not in the cert|does not match certificate/
const UNKNOWN = /unable to|self-signed|certificate/

describe('a TLS mode', () => {
  /**
   * The outcomes of a mode on a server without TLS, and on a server with TLS: without a root certificate (empty: not
   * tested), with the right one, by another host name, and with the root of another authority.
   */
  type Case = readonly [
    mode: SslMode,
    noTls: string | RegExp,
    bare: string,
    good: string,
    wrongHost: string | RegExp,
    unknownAuthority: string | RegExp,
  ]
  const CASES: readonly Case[] = [
    ['disable', 'clear', 'clear', 'clear', 'clear', 'clear'],
    ['allow', 'clear', 'clear', 'clear', 'clear', 'clear'],
    // As in libpq: prefer continues unencrypted if it does not trust the authority.
    ['prefer', 'clear', 'encrypted', 'encrypted', 'encrypted', 'clear'],
    ['require', NO_TLS, 'encrypted', 'encrypted', 'encrypted', UNKNOWN],
    ['verify-ca', NO_TLS, '', 'encrypted', 'encrypted', UNKNOWN],
    ['verify-full', NO_TLS, '', 'encrypted', WRONG_HOST, UNKNOWN],
  ]
  const urlOf = (
    server: PostgresServer,
    mode: SslMode,
    { host = 'localhost', root = null as string | null, user = 'postgres' } = {},
  ): string =>
    `postgresql://${user}@${host}:${server.port}/postgres?sslmode=${mode}${root === null ? '' : `&sslrootcert=${encodeURIComponent(root)}`}`
  const check = async (url: string, expected: string | RegExp): Promise<void> => {
    const result = await outcome(url)
    if (typeof expected === 'string') expect(result).toBe(expected)
    else expect(result).toMatch(expected)
    if (expected === 'encrypted' || expected === 'clear') expect(await throughSlonik(url)).toBe(expected)
  }

  it.each(CASES)(
    '%s has the same meaning as in libpq',
    async (mode, noTls, bare, good, wrongHost, unknownAuthority) => {
      await check(urlOf(plain, mode, { root: ownAuthority.file }), noTls)
      if (bare !== '') {
        await check(urlOf(plain, mode), noTls)
        await check(urlOf(tls, mode), bare)
      }
      await check(urlOf(tls, mode, { root: ownAuthority.file }), good)
      await check(urlOf(tls, mode, { host: '127.0.0.1', root: ownAuthority.file }), wrongHost)
      await check(urlOf(tls, mode, { root: unknown.file }), unknownAuthority)
    },
  )

  it.each([
    ['disable', /no encryption/, 'clear'],
    ['allow', 'encrypted', 'clear'],
    ['prefer', 'encrypted', 'clear'],
    ['require', 'encrypted', /rejects connection/],
  ] as const)(
    '%s changes between TLS and no TLS after a rejection only if it allows both',
    async (mode, encrypted, clear) => {
      await check(urlOf(tls, mode, { user: 'encrypted' }), encrypted)
      await check(urlOf(tls, mode, { user: 'in_the_clear' }), clear)
    },
  )

  it('presents the client certificate if the URL names one', async () => {
    const own = `&sslcert=${encodeURIComponent(client.cert)}&sslkey=${encodeURIComponent(client.key)}`
    await check(`${urlOf(tls, 'verify-full', { root: ownAuthority.file, user: 'by_certificate' })}${own}`, 'encrypted')
    expect(await outcome(urlOf(tls, 'verify-full', { root: ownAuthority.file, user: 'by_certificate' }))).toMatch(
      /requires a valid client certificate/,
    )
  })

  it('requests no TLS on a socket', async () => {
    for (const url of [
      `postgresql://postgres@${encodeURIComponent(tls.socketDir)}:${tls.port}/postgres?sslmode=require`,
      `postgresql://postgres@/postgres?host=${tls.socketDir}&port=${tls.port}`,
    ]) {
      expect(readAddress(url).ssl).toBe(false)
      await check(url, 'clear')
    }
  })
})

it('certificate files are rejected if they do not match', () => {
  const url = (cert: string, key: string) =>
    `postgres://h?sslmode=require&sslcert=${encodeURIComponent(cert)}&sslkey=${encodeURIComponent(key)}`
  expect(() => readAddress(url(client.cert, client.key))).not.toThrow()
  expect(() => readAddress(url(ownAuthority.file, client.key))).toThrow(/cannot be used together/)
  expect(() => readAddress(url(client.cert, client.cert))).toThrow(/sslkey: .* contains nothing in PEM that fits/)
})

describe('an unreachable server', () => {
  it('gets one attempt, and the error is that of the attempt', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    await expect(connectTo(readAddress(`postgres://u@127.0.0.1:${port}/d`))).rejects.toThrow(/ECONNREFUSED/)
  })

  it('that closes the connection gets no unencrypted attempt', async () => {
    let attempts = 0
    const server = createServer((socket) => {
      attempts++
      socket.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expect(
      connectTo(readAddress(`postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`)),
    ).rejects.toThrow()
    expect(attempts).toBe(1)
    server.close()
  })

  it('that has no TLS and never closes its connection does not delay the error', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      // Like a frozen peer: it neither sends anything nor closes the connection.
      socket.on('error', () => {}).once('data', () => socket.write('N'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expect(
      connectTo(readAddress(`postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d?sslmode=require`)),
    ).rejects.toThrow('does not support SSL')
    server.close()
  })
})

it('slonik connects to a database of any name, with the session options of the URL', async () => {
  const { client: superuser } = await connectTo(readAddress(plain.url()))
  await superuser.query('CREATE DATABASE "a/b c%"')
  await superuser.end()
  const options = encodeURIComponent('-c statement_timeout=1234 -c search_path=public')
  const url = `postgresql://postgres@127.0.0.1:${plain.port}/${encodeURIComponent('a/b c%')}?options=${options}`
  expect(await throughSlonik(url)).toBe('clear')
  const { client: session } = await connectTo(readAddress(url))
  const { rows } = await session.query<{ name: string; timeout: string }>(
    "SELECT current_database() AS name, current_setting('statement_timeout') AS timeout",
  )
  await session.end()
  expect(rows).toEqual([{ name: 'a/b c%', timeout: '1234ms' }])
})

it('a pool that started with TLS never continues without TLS, even if handshakes fail', async () => {
  let isCut = false
  let cut = 0
  let clear = 0
  const proxy = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (first: Buffer) => {
        // A TLS request has a special number in place of the protocol version.
        if (first.readUInt32BE(4) !== 80_877_103) clear++
        if (isCut) {
          cut++
          socket.once('data', () => socket.end()).write('S')
          return
        }
        const server = connect(tls.port, '127.0.0.1', () => void server.write(first)).on('error', () => {})
        socket.pipe(server).pipe(socket)
      })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const pool = await openPool({
    url: `postgres://postgres@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`,
    connections: 2,
    statementTimeoutMs: 30_000,
  })
  try {
    isCut = true
    // The first connection is in use, so the second must be opened.
    await pool.withConnection(async () =>
      expect(pool.withConnection(async () => {})).rejects.toBeInstanceOf(Unavailable),
    )
    expect({ cut, clear }).toEqual({ cut: 1, clear: 0 })
  } finally {
    await pool.close()
    proxy.close()
  }
})
