// `npm start`. Plain JavaScript with built-in modules only, like bootstrap.mjs.
/* global fetch, AbortSignal */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './builds.mjs'
import { ROOT, thisNode } from './node.mjs'
import { ALLOCATOR, relay } from './relay.mjs'
import { mayReadKeys, watchKeys } from './terminal.mjs'
import { UserError } from './user-error.mjs'

const SAMPLE = 'spec/data/swe-bench/lite/aider_gpt-4o-opus.json.gz'

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

  curl -sS -w '\\n' ${headers} --data-binary @${SAMPLE} ${url}/api/v1/runs

Or all the sample runs:

  SERVICE_SERVER_URL=${url} SERVICE_TOKEN="${token}" npx ers import spec/data

Check that no stored record was altered (other ers commands take --data-dir too):

  npx ers verify --data-dir ${quoted(dataDir)}

Stop with Ctrl-C.${hasKeys ? ' Press ? to see this again.' : ''}
`
}

const quoted = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

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

/** Builds what is not current, and serves. Returns the exit code of the service. */
export const start = async (args) => {
  const node = thisNode()
  const options = startOptions(args, process.env)
  const port = await freePort(options.port)
  await build(node)
  const token = tokenIn(resolve(ROOT, options.dataDir))
  const tokenFile = join(options.dataDir, 'token')
  // A user who sets SERVICE_TOKENS defines the credentials. An empty variable counts as unset.
  const usesLocalToken = !process.env.SERVICE_TOKENS
  const env = {
    ...ALLOCATOR,
    ...process.env,
    SERVICE_TOKENS: process.env.SERVICE_TOKENS || `admin:${token}`,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
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
    return await relay(node, serve, { env, cwd: ROOT, started, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  } finally {
    endKeys()
  }
}
