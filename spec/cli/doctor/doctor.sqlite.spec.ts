import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkPublicUrl, certificateFinding } from '../../../cli/doctor/public-url.ts'
import { diskFinding } from '../../../cli/doctor/state-directory.ts'
import type { Finding } from '../../../cli/doctor/finding.ts'
import { backupName } from '../../../maintenance/backup/folder.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { openService } from '../../../runtime/open-service.ts'
import { sealedTargets } from '../../../runtime/webhooks/targets.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { startReverseProxy } from '../../support/servers/reverse-proxy.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { ecKey } from '../../support/sso/certificate.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-doctor-'))
const TOKENS = 'admin:spec-admin-token-long'
let server: RunningServer
const stops: Array<() => unknown> = []
beforeAll(async () => {
  server = await startServer({ env: { SERVICE_TOKENS: TOKENS } })
  chmodSync(server.dataDir, 0o700)
})
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

type Report = { readonly ok: boolean; readonly checks: readonly Finding[] }
type Place = {
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly dataDir?: string
}

const report = async ({ env = {}, args = [], dataDir = server.dataDir }: Place = {}): Promise<
  Report & { code: number | null }
> => {
  const { code, stdout, stderr } = await runErs(['doctor', '--json', '--data-dir', dataDir, ...args], {
    env: { SERVICE_TOKENS: TOKENS, SERVICE_PUBLIC_URL: server.url, ...env },
  })
  expect(stderr).toBe('')
  return { ...(JSON.parse(stdout) as Report), code }
}
/** What a report says other than ok. */
const badOf = ({ checks }: Report): string[] =>
  checks.filter(({ status }) => status !== 'ok').map(({ check, status, message }) => `${status} ${check}: ${message}`)

/** The files of a store that was closed, in a folder of its own. */
const storeOf = async (
  work: (service: Awaited<ReturnType<typeof openService>>) => Promise<unknown> = async () => {},
) => {
  const dataDir = mkdtempSync(join(root, 'store-'))
  const service = await openService({ dataDir })
  await work(service)
  await service.close()
  for (const name of ['service.db']) chmodSync(join(dataDir, name), 0o600)
  return dataDir
}

const backups = (): string => join(root, 'backups')

describe('ers doctor', () => {
  it('finds nothing wrong with a service that runs well', async () => {
    expect(await runErs(['backup', backups(), '--data-dir', server.dataDir])).toMatchObject({ code: 0 })
    const well = await report({ args: ['--backups', backups()] })
    expect(badOf(well).filter((line) => !line.includes(' disk: '))).toEqual([])
    expect(well.checks.map(({ check }) => check)).toEqual([
      'configuration',
      'disk',
      'permissions',
      'schema',
      'clock',
      'checkpoint key',
      'webhooks',
      'backup',
      'public URL',
      'TLS',
      'proxy headers',
      'proxy buffering',
    ])
  })

  it('prints a line for each check, and what to do below those that need it', async () => {
    const { code, stdout } = await runErs(['doctor', '--data-dir', server.dataDir], {
      env: { SERVICE_TOKENS: TOKENS, SERVICE_AUTH_MODE: 'open' },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^warning {2}configuration: SERVICE_AUTH_MODE is open.*\n {9}set it to closed/m)
    expect(stdout).toMatch(/^ok {7}permissions: /m)
  })

  it('ends with 2 for wrong usage', async () =>
    expect(await runErs(['doctor', '--url', 'nonsense'])).toMatchObject({ code: 2 }))

  it('names each variable that is wrong', async () => {
    const { code, ...bad } = await report({ env: { SERVICE_AUTH_MODE: 'shut', SERVICE_CACHE_MAX_BYTES: 'many' } })
    expect(code).toBe(1)
    expect(badOf(bad)).toEqual([
      expect.stringContaining('error configuration: SERVICE_AUTH_MODE: must be'),
      expect.stringContaining('error configuration: SERVICE_CACHE_MAX_BYTES: must be'),
    ])
  })

  it.each([
    ['a misspelt variable', { SERVICE_CACHE_MAX_BYTE: '1' }, 'warning configuration: SERVICE_CACHE_MAX_BYTE is not'],
    [
      'a short secret',
      { SERVICE_TOKENS: 'admin:short' },
      'warning configuration: SERVICE_TOKENS: the secret of entry 1',
    ],
    [
      'an identity provider that does not answer',
      {
        SERVICE_OIDC_PROVIDERS: 'corp',
        SERVICE_OIDC_CORP_ISSUER: 'http://127.0.0.1:1/',
        SERVICE_OIDC_CORP_CLIENT_ID: 'i',
        SERVICE_OIDC_CORP_CLIENT_SECRET: 's',
      },
      'error single sign-on corp: ',
    ],
    [
      'metadata that cannot be fetched',
      { SERVICE_SAML_PROVIDERS: 'corp', SERVICE_SAML_CORP_IDP_METADATA_URL: 'http://127.0.0.1:1/' },
      'error single sign-on corp: ',
    ],
    ['a public URL where nothing answers', { SERVICE_PUBLIC_URL: 'http://127.0.0.1:1' }, 'error public URL: '],
  ])('finds %s', async (_, env, expected) => {
    expect(badOf(await report({ env }))).toEqual(expect.arrayContaining([expect.stringContaining(expected)]))
  })

  it('misses a public URL', async () => {
    const { SERVICE_PUBLIC_URL: _, ...env } = { SERVICE_PUBLIC_URL: '', SERVICE_TOKENS: TOKENS }
    const { stdout } = await runErs(['doctor', '--data-dir', server.dataDir, '--json'], { env })
    expect(badOf(JSON.parse(stdout) as Report)).toContainEqual(
      expect.stringContaining('warning public URL: SERVICE_PUBLIC_URL is not set'),
    )
  })

  it('finds a folder that is missing, a file, or open to others', async () => {
    expect(badOf(await report({ dataDir: join(root, 'none') }))).toContainEqual(
      expect.stringMatching(/^error permissions: .*does not exist/),
    )
    const file = join(root, 'file')
    writeFileSync(file, '')
    expect(badOf(await report({ dataDir: file }))).toContainEqual(
      expect.stringMatching(/^error permissions: .*is a file/),
    )
    const dataDir = await storeOf()
    chmodSync(join(dataDir, 'service.db'), 0o644)
    const open = await report({ dataDir })
    expect(open.checks).toContainEqual({
      check: 'permissions',
      status: 'warning',
      message: expect.stringContaining('(mode 644)') as string,
      remedy: `chmod 600 ${join(dataDir, 'service.db')}`,
    })
  })

  it('finds a store that is missing, damaged, of an older or of a newer version', async () => {
    const empty = mkdtempSync(join(root, 'empty-'))
    expect(badOf(await report({ dataDir: empty }))).toContainEqual(
      expect.stringContaining('warning store: there is no service.db'),
    )
    writeFileSync(join(empty, 'service.db'), 'not a database, but long enough to be read as one'.repeat(100))
    expect(badOf(await report({ dataDir: empty }))).toContainEqual(
      expect.stringMatching(/^error schema: .*(?:damaged|not a)/),
    )
    const older = await storeOf()
    const database = new Database(join(older, 'service.db'))
    database.exec('DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)')
    database.close()
    expect(badOf(await report({ dataDir: older }))).toContainEqual(
      expect.stringMatching(/^error schema: .*older version/),
    )
    const newer = await storeOf()
    const later = new Database(join(newer, 'service.db'))
    later.exec("INSERT INTO migrations (number, name, sha256, applied_at) VALUES (9999, '9999-later.sql', '', 0)")
    later.close()
    const { code, checks } = await report({ dataDir: newer })
    expect(code).toBe(1)
    expect(checks.filter(({ check }) => ['schema', 'clock', 'webhooks'].includes(check))).toEqual([
      {
        check: 'schema',
        status: 'error',
        message: 'the store holds migration 9999-later.sql, which this build does not know: a newer build wrote it',
        remedy: expect.stringContaining('run the version that wrote it') as string,
      },
    ])
  })

  it('finds a clock that is behind the newest record', async () => {
    const dataDir = mkdtempSync(join(root, 'clock-'))
    const later = Date.now() + 3 * 3_600_000
    const service = await openService({ dataDir, now: () => later })
    await service.commit.restrictSet(CLI, { project: 'p', suite: null })
    await service.close()
    expect(badOf(await report({ dataDir }))).toContainEqual(expect.stringMatching(/^error clock: /))
  })

  it('finds that the key of checkpoints is missing', async () => {
    const own = await startServer({ env: { SERVICE_TOKENS: TOKENS } })
    stops.push(() => own.stop())
    renameSync(join(own.dataDir, 'checkpoint-key'), join(root, 'former-key'))
    const { code, ...missing } = await report({ dataDir: own.dataDir, env: { SERVICE_PUBLIC_URL: own.url } })
    expect(code).toBe(1)
    expect(badOf(missing)).toContainEqual(
      expect.stringMatching(/^error checkpoint key: the key that signs this log is missing/),
    )
  })

  it('finds webhooks that cannot be decrypted, or may not be sent', async () => {
    const key = randomBytes(32)
    const dataDir = await storeOf(async (service) => {
      await service.commit.createUser(CLI, { user_id: 'u', username: 'u', password_hash: '', role: 'admin' })
      await service.commit.signIn(CLI, { user_id: 'u', password_hash: '', session_id: 's', token_hash: 'h' })
      const sealed = sealedTargets(key).seal('w', {
        url: 'http://127.0.0.1:9/hook',
        format: 'standard',
        secret: 's',
        former: null,
      })
      const owner = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, null)
      await service.commit.createWebhook(owner, {
        webhook_id: 'w',
        project: null,
        suite: null,
        events: ['run.ingested'],
        sealed,
      })
    })
    const env = { SERVICE_SECRET_KEY: key.toString('base64') }
    expect(badOf(await report({ dataDir, env }))).toContainEqual(
      expect.stringContaining('warning webhooks: the webhook w cannot be sent'),
    )
    expect(badOf(await report({ dataDir }))).toContainEqual(
      expect.stringContaining('error webhooks: SERVICE_SECRET_KEY: must be set'),
    )
    const other = { SERVICE_SECRET_KEY: randomBytes(32).toString('base64') }
    expect(badOf(await report({ dataDir, env: other }))).toContainEqual(
      expect.stringContaining('error webhooks: SERVICE_SECRET_KEY: is not the key'),
    )
  })

  it('finds backups that are missing, damaged or old', async () => {
    const none = mkdtempSync(join(root, 'none-'))
    expect(badOf(await report({ args: ['--backups', none] }))).toContainEqual(
      expect.stringMatching(/^error backup: .*holds no backup/),
    )
    const made_at = new Date(Date.now() - 50 * 3_600_000)
    const old = join(none, backupName(made_at.getTime()))
    mkdirSync(old)
    const files = { head: 1, 'service.db': 1 }
    for (const name of Object.keys(files)) writeFileSync(join(old, name), 'x')
    // The root of a log without records, which every log begins with.
    const empty = createHash('sha256').digest('hex')
    const manifest = { format: 1, version: '1', made_at: made_at.toISOString(), size: 0, root: empty, files }
    writeFileSync(join(old, 'backup.json'), JSON.stringify(manifest))
    expect(badOf(await report({ args: ['--backups', none] }))).toContainEqual(
      expect.stringMatching(/^warning backup: .*is 50 hours old/),
    )
    const later = new Date(Date.now() + 50 * 3_600_000)
    const future = join(none, backupName(later.getTime()))
    mkdirSync(future)
    for (const name of Object.keys(files)) writeFileSync(join(future, name), 'x')
    writeFileSync(join(future, 'backup.json'), JSON.stringify({ ...manifest, made_at: later.toISOString() }))
    expect(badOf(await report({ args: ['--backups', none] }))).toContainEqual(
      expect.stringMatching(/^warning backup: .*is of the future/),
    )
    rmSync(future, { recursive: true })
    writeFileSync(join(old, 'service.db'), 'longer')
    expect(badOf(await report({ args: ['--backups', none] }))).toContainEqual(
      expect.stringMatching(/^error backup: .*should have 1 bytes/),
    )
  })

  it('finds a backup of another store, and of records that this one has lost', async () => {
    const folder = mkdtempSync(join(root, 'foreign-'))
    expect(await runErs(['backup', folder, '--data-dir', server.dataDir])).toMatchObject({ code: 0 })
    const dataDir = await storeOf()
    const foreign = [expect.stringMatching(/^error backup: .* is of another store: .* its \d+ records?$/)]
    const ofBackups = async (dir: string) =>
      badOf(await report({ dataDir: dir, args: ['--backups', folder] })).filter((text) => text.includes('backup'))
    expect(await ofBackups(dataDir)).toEqual(foreign)
    const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('backup-'))
    const file = join(folder, name, 'backup.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { size: number }
    writeFileSync(file, JSON.stringify({ ...manifest, size: manifest.size + 1000 }))
    expect(await ofBackups(server.dataDir)).toEqual(foreign)
    writeFileSync(file, JSON.stringify({ ...manifest, root: 'a'.repeat(64) }))
    expect(await ofBackups(server.dataDir)).toEqual(foreign)
  })

  it('judges a disk by its free space, and a certificate by its last day', () => {
    const GIB = 2 ** 30
    expect(diskFinding(50 * GIB, 100 * GIB).status).toBe('ok')
    expect(diskFinding(5 * GIB, 100 * GIB).status).toBe('warning')
    expect(diskFinding(GIB / 2, 2 * GIB).status).toBe('warning')
    expect(diskFinding(10 * 2 ** 20, 100 * GIB).status).toBe('error')
    const at = Date.parse('2026-05-01T00:00:00Z')
    expect(certificateFinding('May 20 00:00:00 2026 GMT', at).status).toBe('ok')
    expect(certificateFinding('May 5 00:00:00 2026 GMT', at).status).toBe('warning')
  })
})

describe('a public URL', () => {
  /** A proxy that forwards to the server, and does `handle` instead where that returns true. */
  const proxied = async (handle: (...args: Parameters<RequestListener>) => boolean): Promise<string> => {
    const proxy = createServer((incoming, response) => {
      if (handle(incoming, response)) return
      const outgoing = request(
        `${server.url}${incoming.url}`,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, { ...answer.headers, via: '1.1 stand-in' })
          answer.pipe(response)
        },
      )
      outgoing.on('error', () => response.destroy())
      response.on('close', () => outgoing.destroy())
      incoming.pipe(outgoing)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    stops.push(() => {
      proxy.close()
      proxy.closeAllConnections()
    })
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  }
  const check = (url: string, trustedProxies: readonly string[] = []) =>
    checkPublicUrl({
      url,
      config: { trustedProxies, cookieSecure: false },
      token: 'spec-admin-token-long',
      now: Date.now,
      streamMs: 2_000,
    })
  const badLines = async (...args: Parameters<typeof check>) => badOf({ ok: true, checks: await check(...args) })

  it('is well behind a proxy that is trusted', async () => {
    expect(await badLines(await proxied(() => false), ['127.0.0.1'])).toEqual([])
  })

  it('shows a proxy that is not trusted', async () => {
    expect(await badLines(await proxied(() => false))).toEqual([
      expect.stringContaining('SERVICE_TRUSTED_PROXIES is empty'),
    ])
  })

  it('shows a proxy that drops the credential, or the headers of answers', async () => {
    const url = await proxied(({ headers }) => {
      delete headers.authorization
      delete headers['x-request-id']
      return false
    })
    expect(await badLines(url, ['127.0.0.1'])).toEqual([
      expect.stringContaining('changes or removes headers'),
      expect.stringContaining('a token of SERVICE_TOKENS is refused'),
      expect.stringContaining('not checked: the event stream answers 401'),
    ])
  })

  it('shows a proxy that collects the event stream', async () => {
    // It answers nothing until the stream ends, which it never does.
    const url = await proxied(({ url: path }) => path?.includes('/events/stream') === true)
    expect(await badLines(url, ['127.0.0.1'])).toEqual([
      expect.stringMatching(/^error proxy buffering: .*does not begin/),
    ])
  })

  it('shows a certificate that browsers do not trust', async () => {
    const proxy = await startReverseProxy(ecKey('P-256'))
    stops.push(proxy.close)
    proxy.forwardTo(server.url)
    expect(await badLines(proxy.url)).toEqual([expect.stringMatching(/^error TLS: /)])
  })
})
