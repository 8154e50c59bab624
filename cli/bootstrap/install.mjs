// The installation of the packages. Plain JavaScript with built-in modules only, like bootstrap.mjs.
/* global clearInterval, setInterval */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './node.mjs'
import { UserError } from './user-error.mjs'

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

/** The paths of a lock file's packages that are installed on a machine. */
export const packagePaths = ({ packages }, { platform, arch }) => {
  const takes = (allowed, value) => allowed === undefined || allowed.includes(value)
  return Object.entries(packages).flatMap(([path, { os, cpu }]) =>
    path !== '' && takes(os, platform) && takes(cpu, arch) ? [path] : [],
  )
}

/**
 * Prints how many packages are installed, because npm prints nothing for minutes: on a terminal in one line, else a line
 * every `quietMs` milliseconds. Returns a function that stops it.
 */
export const showInstalling = (root, paths, { stderr = process.stderr, everyMs = 500, quietMs = 15_000 } = {}) => {
  let printed = -1
  let last = Date.now()
  const count = () => paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const print = () => {
    if (!stderr.isTTY && Date.now() - last < quietMs) return
    const installed = count()
    if (installed === printed) return
    printed = installed
    last = Date.now()
    const text = `${installed} of ${paths.length} packages`
    stderr.write(stderr.isTTY ? `\r${text}` : `${text}\n`)
  }
  const timer = setInterval(print, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    if (stderr.isTTY && printed >= 0) stderr.write('\r\x1b[K')
  }
}

const read = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

/** Installs the packages of the lock file, unless they are installed. Throws `UserError` if npm fails. */
export const install = async () => {
  const record = 'node_modules/.package-lock.json'
  const installed = () => existsSync(join(ROOT, record)) && isInstalled(read('package-lock.json'), read(record))
  if (installed()) return
  console.log('Installing the dependencies (npm ci). The first time this can take several minutes …')
  // NODE_ENV=production must not omit packages that the specs need.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    // The binaries of all packages are in them. The only script that does something compiles SQLite once more, and needs
    // Python and a compiler.
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--no-progress',
  ]
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const child = spawn(npm[0], [...npm.slice(1), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32' && npm.length === 1,
  })
  const stop = showInstalling(ROOT, packagePaths(read('package-lock.json'), process))
  const [code, signal] = await once(child, 'exit').finally(stop)
  if (code !== 0) throw new UserError(`npm ci failed (${signal ?? `exit code ${code}`})`)
  if (installed()) return
  console.warn(
    'package-lock.json lists packages that package.json does not need, so every start installs again: run `npm install` and commit the lock file',
  )
}
