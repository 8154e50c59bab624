// Entry point of `npm start`, `npm test` and `npm run sso:demo`. Plain JavaScript with built-in modules only, because it must run on Node
// 20 before anything is installed.
/* global fetch, AbortSignal */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mayReadKeys, packagePaths, showInstalling, watchKeys } from './bootstrap/terminal.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const sample = 'spec/data/swe-bench/lite/aider_gpt-4o-opus.json.gz'

/** An error that the user can fix. Printed as one sentence, without a stack. */
export class UserError extends Error {}

/**
 * Whether npm's record of the installed packages matches the lock file. Optional packages may be missing (other
 * platforms).
 */
export const isInstalled = (lock, installed) =>
  Object.entries(lock.packages).every(([path, wanted]) => {
    const found = installed.packages[path]
    return (
      path === '' ||
      (found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional === true)
    )
  }) && Object.keys(installed.packages).every((path) => path in lock.packages)

/**
 * Returns the path of Node 24 or newer: the running Node if it is new enough, else the binary that the lock file
 * installs for this platform.
 */
export const findNode = ({ version, execPath, platform, arch, modules }, exists = existsSync) => {
  if (Number(version.split('.')[0]) >= 24) return execPath
  const os = platform === 'win32' ? 'win' : platform
  const installed = join(modules, `node-${os}-${arch}`, 'bin', os === 'win' ? 'node.exe' : 'node')
  if (exists(installed)) return installed
  throw new UserError(
    `Node 24 or newer is needed (this is ${version}), and no node-${os}-${arch} is installed: run \`npm ci\`, or install Node 24`,
  )
}

/** `findNode` for this process and this checkout. */
export const thisNode = () => {
  const { versions, execPath, platform, arch } = process
  return findNode({ version: versions.node, execPath, platform, arch, modules: join(root, 'node_modules') })
}

/** Parses `npm start -- …` into the port, the state directory, and the remaining arguments for the server. */
export const startOptions = (args, env) => {
  const { values, tokens } = parseArgs({
    args,
    options: { port: { type: 'string' }, 'data-dir': { type: 'string' } },
    strict: false,
    tokens: true,
  })
  const consumed = new Set()
  for (const token of tokens) {
    if (token.kind !== 'option' || !['port', 'data-dir'].includes(token.name)) continue
    consumed.add(token.index)
    if (token.inlineValue === false) consumed.add(token.index + 1)
  }
  const given = values.port ?? (env.PORT || '8321')
  const port = Number(given)
  if (!/^\d+$/.test(String(given)) || port > 65535)
    throw new UserError(`--port must be a number from 0 to 65535, not ${given}`)
  if (values['data-dir'] === true) throw new UserError('--data-dir must name a folder')
  return { port, dataDir: values['data-dir'] ?? 'data', rest: args.filter((_, index) => !consumed.has(index)) }
}

/**
 * Creates a folder and its parents, accessible to the owner only. Does not use `recursive`: with it, Node never returns
 * on /proc and similar file systems.
 */
const makeFolder = (path) => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Returns the token of a state directory, which is created if it is missing. Throws `UserError` with the folder's name
 * if it cannot be written.
 */
export const tokenIn = (folder) => {
  const advice = 'Name a folder that you may write: npm start -- --data-dir FOLDER'
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UserError(`The data folder ${folder} is a file, not a folder. ${advice}`)
  try {
    makeFolder(folder)
    return localToken(join(folder, 'token'))
  } catch (cause) {
    throw new UserError(`The data folder ${folder} cannot be written (${cause.code ?? cause.message}). ${advice}`, {
      cause,
    })
  }
}

/** Returns the secret in `file`. The first run creates it, readable by its owner only. */
export const localToken = (file) => {
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (stored) return stored
  const token = randomBytes(32).toString('hex')
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  return token
}

const runsStored = (runs) => {
  if (runs === null) return ''
  return runs === 0 ? 'No run is stored yet.\n' : `${runs} ${runs === 1 ? 'run is' : 'runs are'} stored.\n`
}

/**
 * Returns the next steps for a new user, as shell commands in the checkout. `runs` is how many runs are stored, or null if
 * that is unknown. `hasKeys`: the service reads the keys of the terminal.
 */
export const nextSteps = (url, tokenFile, dataDir, { runs = null, hasKeys = false } = {}) => {
  const token = tokenFile ? `$(cat ${quoted(tokenFile)})` : '$TOKEN'
  const headers = `-H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -H 'Content-Encoding: gzip'`
  return `
Evaluation Results is ready: ${url}
${runsStored(runs)}
Open it in a browser. Until an account exists, the first visitor can create one and becomes the admin.

Upload ${runs ? 'an example' : 'a first run'}:

  curl -sS -w '\\n' ${headers} --data-binary @${sample} ${url}/api/v1/runs

Or all the sample runs:

  SERVICE_SERVER_URL=${url} SERVICE_TOKEN="${token}" npx ers import spec/data

Check that no stored record was altered (other ers commands take --data-dir too):

  npx ers verify --data-dir ${quoted(dataDir)}

Stop with Ctrl-C.${hasKeys ? ' Press ? to see this again.' : ''}
`
}

const quoted = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * Settings of glibc's allocator: few arenas, and freed large blocks are returned to the system. Without them the
 * process retains the memory of ended threads. They only take effect at the start of a process. Other systems ignore
 * them.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Runs Node on `args` with our terminal, forwards signals and returns its exit code. The child has its own process
 * group. Otherwise Ctrl-C would reach it two or three times (from the terminal, npm and this process), and a second
 * signal stops a server before it finishes the requests in flight. Signals repeated within `pause` milliseconds count
 * as one.
 */
export const relay = async (node, args, { env = process.env, cwd, started, stdio = 'inherit', pause = 1000 } = {}) => {
  const child = spawn(node, args, { env: { ...ALLOCATOR, ...env }, cwd, stdio, detached: process.platform !== 'win32' })
  const last = new Map()
  const forward = (signal) => {
    const before = last.get(signal) ?? -Infinity
    last.set(signal, Date.now())
    // A signal that repeats without a pause is a duplicate. After a pause, the user has sent it again.
    if (Date.now() - before > pause) child.kill(signal)
  }
  const end = () => child.kill()
  // If npm is terminated, it ends only its shell, and the shell sends no signal. Then only the change of the parent
  // process shows that the child must stop.
  const parent = process.ppid
  // If a signal was forwarded, the child is already stopping.
  const watch = setInterval(
    () => process.env.npm_lifecycle_event && process.ppid !== parent && last.size === 0 && forward('SIGTERM'),
    300,
  ).unref()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  process.on('exit', end)
  started?.(child)
  try {
    const [code, signal] = await once(child, 'exit')
    return signal ? 128 + constants.signals[signal] : code
  } finally {
    for (const signal of signals) process.off(signal, forward)
    process.off('exit', end)
    clearInterval(watch)
  }
}

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const install = async () => {
  const record = 'node_modules/.package-lock.json'
  const installed = () => existsSync(join(root, record)) && isInstalled(read('package-lock.json'), read(record))
  if (installed()) return
  console.log('Installing the dependencies (npm ci). The first time this can take several minutes …')
  // NODE_ENV=production must not omit packages that the specs need.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--no-progress',
  ]
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const child = spawn(npm[0], [...npm.slice(1), ...args], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32' && npm.length === 1,
  })
  const stop = showInstalling(root, packagePaths(read('package-lock.json'), process))
  const [code, signal] = await once(child, 'exit').finally(stop)
  if (code !== 0) throw new UserError(`npm ci failed (${signal ?? `exit code ${code}`})`)
  if (installed()) return
  console.warn(
    'package-lock.json lists packages that package.json does not need, so every start installs again: run `npm install` and commit the lock file',
  )
}

/**
 * Returns how to install PostgreSQL for the specs. Null if it is installed, or if this user cannot install it: the
 * specs then use the one from npm.
 */
export const postgresInstall = ({ platform, uid, path, exists = existsSync, list = readdirSync }) => {
  const installed = '/usr/lib/postgresql'
  if (exists(installed) && list(installed).some((version) => exists(join(installed, version, 'bin', 'initdb'))))
    return null
  const isOnPath = (program) => path.split(delimiter).some((folder) => folder !== '' && exists(join(folder, program)))
  if (platform !== 'linux' || uid !== 0 || !isOnPath('apt-get')) return null
  const aptOptions = [
    '-o',
    'Acquire::http::Timeout=15',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'DPkg::Lock::Timeout=60',
    '-q',
  ]
  return {
    // Otherwise Debian creates a database cluster and starts it, now and at every boot.
    settings: {
      file: '/etc/postgresql-common/createcluster.d/no-main-cluster.conf',
      text: 'create_main_cluster = false\n',
    },
    commands: [
      ['apt-get', ...aptOptions, 'update'],
      ['apt-get', ...aptOptions, 'install', '-y', '--no-install-recommends', 'postgresql'],
    ],
  }
}

const installPostgres = async () => {
  const plan = postgresInstall({ platform: process.platform, uid: process.getuid?.(), path: process.env.PATH ?? '' })
  if (!plan) return
  console.log('Installing PostgreSQL for the specs (apt-get); this can take some minutes. It is not started …')
  mkdirSync(dirname(plan.settings.file), { recursive: true })
  writeFileSync(plan.settings.file, plan.settings.text)
  for (const [program, ...args] of plan.commands) {
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    const [code, signal] = await once(child, 'exit')
    if (code === 0) continue
    console.warn(
      `${program} ${args.at(-1)} failed (${signal ?? `exit code ${code}`}); the specs use the PostgreSQL from npm`,
    )
    return
  }
}

/** Sources of the web app: a change to them needs a new build. */
export const WEB_SOURCES = [
  'webapp',
  'domain/lists',
  'domain/run/matrix-values.ts',
  'domain/search/like.ts',
  'domain/statistics/statistics.ts',
  'domain/statistics/pair-asserts.ts',
  'domain/sso/return-to.ts',
  'domain/proof',
  'domain/report/receipt.ts',
  'domain/report/export-formats.ts',
  'domain/text/code-point-order.ts',
  'domain/text/printable.ts',
  'queries/access/viewer.ts',
  'package-lock.json',
]

/** Sources of the program. */
export const PROGRAM_SOURCES = [
  'cli',
  'commands',
  'domain',
  'engine',
  'interchange',
  'http',
  'interchange',
  'maintenance',
  'projections',
  'queries',
  'runtime',
  'storage',
  'package.json',
  'package-lock.json',
]

const changedAt = (path) => {
  const { mtimeMs } = statSync(path)
  // The time of a folder changes when a file is added or removed.
  const within = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name !== 'dist')
        .map((name) => changedAt(join(path, name)))
    : []
  return Math.max(mtimeMs, ...within)
}

const isCurrent = (checkout, complete, sources) => {
  const path = join(checkout, complete)
  return (
    existsSync(path) &&
    statSync(path).mtimeMs >= Math.max(...sources.map((source) => changedAt(join(checkout, source))))
  )
}

/** Whether the web app of a checkout is built from its current sources. */
export const isWebBuilt = (checkout) => {
  // The time of the source folder itself changes when a build starts.
  const sources = WEB_SOURCES.flatMap((path) =>
    path === 'webapp'
      ? readdirSync(join(checkout, path))
          .filter((name) => name !== 'dist')
          .map((name) => join(path, name))
      : [path],
  )
  return isCurrent(checkout, 'webapp/dist/complete', sources)
}

/** Whether the program of a checkout is built from its current sources. */
export const isProgramBuilt = (checkout) => isCurrent(checkout, 'dist/complete', PROGRAM_SOURCES)

const BUILDS = [
  { name: 'web app', isBuilt: isWebBuilt, config: 'webapp/vite.config.ts' },
  { name: 'program', isBuilt: isProgramBuilt, config: 'cli/vite.config.ts' },
]

const build = async (node) => {
  for (const { name, isBuilt, config } of BUILDS) {
    if (isBuilt(root)) continue
    console.log(`Building the ${name}; this takes some seconds …`)
    const code = await relay(
      node,
      ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn'],
      { env: { ...process.env, NODE_ENV: 'production' }, cwd: root },
    )
    if (code !== 0) throw new UserError(`the ${name} could not be built (exit code ${code})`)
  }
}

/**
 * Returns a Chromium: the one in CHROMIUM_PATH, the system's, or the one downloaded for the specs. Null if there is
 * none.
 */
export const findBrowser = (env, exists = existsSync) => {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH
  // The headless shell renders the same pages without windows, at half the cost.
  return (
    [
      '/usr/bin/chromium-headless-shell',
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      join(root, DOWNLOADED_BROWSER, 'package.json'),
    ].find((path) => exists(path)) ?? null
  )
}

const DOWNLOADED_BROWSER = 'node_modules/.cache/chromium/node_modules/@sparticuz/chromium'

const succeeds = async (command, args) => {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit').catch(() => [1])
  return code === 0
}

/**
 * Installs a browser for the specs. As root with apt-get it comes from the system's packages, else from npm into a
 * cache folder.
 */
const installBrowser = async () => {
  if (findBrowser(process.env)) return
  console.log('Installing Chromium for the browser specs; this can take some minutes …')
  const isRoot = process.getuid?.() === 0
  if (isRoot && existsSync('/usr/bin/apt-get') && (await succeeds('apt-get', ['-qq', 'update']))) {
    for (const name of ['chromium-headless-shell', 'chromium'])
      if (
        (await succeeds('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', name])) &&
        findBrowser(process.env)
      )
        return
  }
  mkdirSync(join(root, 'node_modules/.cache/chromium'), { recursive: true })
  if (
    await succeeds('npm', [
      'install',
      '--prefix',
      'node_modules/.cache/chromium',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '@sparticuz/chromium@153.0.0',
    ])
  )
    return
  throw new UserError(
    'no Chromium could be installed for the browser specs: install one, and set CHROMIUM_PATH to its path',
  )
}

/**
 * Makes the checks that are written in Go collect garbage only when memory is short. They are short-lived and use
 * less than 2 GiB. With these settings they take a quarter less time.
 */
const SHORT_LIVED_GO = { GOGC: 'off', GOMEMLIMIT: '2GiB' }

const test = async (args) => {
  const node = thisNode()
  await installPostgres()
  await installBrowser()
  const env = {
    ...process.env,
    PATH: [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  }
  const specs = { name: 'specs', command: ['node_modules/vitest/vitest.mjs', 'run', ...args] }
  const format = { name: 'format', command: ['node_modules/oxfmt/bin/oxfmt', '--list-different'] }
  const unused = { name: 'unused code', command: ['node_modules/knip/bin/knip.js', '--no-progress'] }
  const lint = { name: 'lint', command: ['node_modules/oxlint/bin/oxlint'] }
  const types = { name: 'types', command: ['node_modules/typescript7/bin/tsc', '--noEmit', '--singleThreaded'] }
  // Lint and types use TypeScript 7, which is written in Go and takes a third of the time of version 6. The next two
  // checks need version 6, because only this version reads Vue components. With more space for young objects, Node
  // needs less time for garbage collection.
  const youngSpace = '--max-semi-space-size=64'
  const webLint = {
    name: 'lint of Vue and JavaScript',
    command: [youngSpace, 'node_modules/eslint/bin/eslint.js', '.'],
  }
  const webTypes = {
    name: 'types of the web app',
    command: [youngSpace, 'node_modules/vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'spec/webapp'],
  }
  const checks = args.length > 0 ? [] : [format, unused, lint, types, webLint, webTypes]
  const began = Date.now()
  if (checks.length > 0) console.log(`\n— ${checks.map(({ name }) => name).join(', ')}`)
  // Most checks have one thread, so they run concurrently to use all cores.
  for (const { name, code } of await Promise.all(
    checks.map((check) => quietly(node, check, { ...SHORT_LIVED_GO, ...env })),
  ))
    if (code !== 0) return failed(name, code)
  console.log(`\n— ${specs.name}`)
  const code = await relay(node, specs.command, { env, cwd: root })
  if (code !== 0) return failed(specs.name, code)
  console.log(
    `\nPassed: ${[...checks, specs].map(({ name }) => name).join(', ')} (${Math.round((Date.now() - began) / 1000)} s)`,
  )
  return 0
}

const failed = (name, code) => {
  console.error(`\nFailed: ${name} (exit code ${code})`)
  return code
}

/** Runs a check and prints its output in one piece at its end, because other checks run concurrently. */
const quietly = async (node, { name, command }, env) => {
  const output = []
  let closed
  const started = (child) => {
    closed = once(child, 'close')
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  }
  const code = await relay(node, command, { env, cwd: root, started, stdio: ['inherit', 'pipe', 'pipe'] })
  // The last output may arrive after the exit.
  await closed
  process.stdout.write(Buffer.concat(output))
  return { name, code }
}

/**
 * Returns the port to serve on; 0 selects a free one. Throws if the port is in use: otherwise the health check would
 * reach the other server. `command` is what the user typed.
 */
export const freePort = async (port, command = 'npm start') => {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new UserError(
      `port ${port} cannot be used (${cause.code}); choose another: ${command} -- --port ${port === 9000 ? 9001 : 9000}`,
      { cause },
    )
  }
  const free = server.address().port
  server.close()
  await once(server, 'close')
  return free
}

/** Returns how many runs a service stores; null if this token may not see them, or the service does not answer. */
const countRuns = async (url, token) => {
  try {
    const response = await fetch(`${url}/api/v1/projects`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(1000),
    })
    if (!response.ok) return null
    const { projects } = await response.json()
    return projects.reduce((sum, { run_count }) => sum + run_count, 0)
  } catch {
    // Without the number the next steps are shown all the same.
    return null
  }
}

/**
 * The log options of a service whose output is a terminal: no line for each request, unless the user set the level. The
 * requests of a browser would otherwise push everything else off the screen.
 */
export const logOptions = (env, isTerminal) =>
  isTerminal && !env.RUST_LOG && !env.SERVICE_LOG_FORMAT ? ['--quiet-requests'] : []

const start = async (args) => {
  const node = thisNode()
  const options = startOptions(args, process.env)
  const port = await freePort(options.port)
  await build(node)
  const token = tokenIn(resolve(root, options.dataDir))
  const tokenFile = join(options.dataDir, 'token')
  // A user who sets SERVICE_TOKENS defines the credentials. An empty variable counts as unset.
  const usesLocalToken = !process.env.SERVICE_TOKENS
  const env = {
    ...process.env,
    SERVICE_TOKENS: process.env.SERVICE_TOKENS || `admin:${token}`,
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
  }

  const url = `http://localhost:${port}`
  const hasKeys = mayReadKeys()
  const announce = async () => {
    const runs = await countRuns(url, env.SERVICE_TOKENS.split(',')[0].split(':').slice(1).join(':'))
    console.log(nextSteps(url, usesLocalToken ? tokenFile : null, options.dataDir, { runs, hasKeys }))
  }
  let endKeys = () => {}
  const started = (child) => {
    child.once('message', async () => {
      await announce()
      if (hasKeys && child.exitCode === null)
        endKeys = watchKeys(() => void announce(), {
          stdin: process.stdin,
          stdout: process.stdout,
          // On Windows a signal to this process would end it at once.
          interrupt: () => process.emit('SIGINT', 'SIGINT'),
        })
    })
  }
  const serve = [
    'dist/ers.js',
    'serve',
    '--data-dir',
    options.dataDir,
    '--port',
    String(port),
    ...logOptions(process.env, process.stderr.isTTY === true),
    ...options.rest,
  ]
  try {
    return await relay(node, serve, { env, cwd: root, started, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  } finally {
    endKeys()
  }
}

/** Starts the service next to two identity providers, to try single sign-on. */
const ssoDemo = async (args) => {
  const node = thisNode()
  await build(node)
  return relay(node, ['spec/support/sso/demo.ts', ...args], { cwd: root })
}

const commands = { start, test, 'sso-demo': ssoDemo }

const main = async ([name = '', ...args]) => {
  if (!Object.hasOwn(commands, name))
    throw new UserError('usage: node cli/bootstrap.mjs start|test|sso-demo [arguments]')
  await install()
  return commands[name](args)
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exit(await main(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
