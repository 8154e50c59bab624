// The browser of the specs. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './node.mjs'
import { UserError } from './user-error.mjs'

const CACHE = 'node_modules/.cache/chromium'

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
      join(ROOT, CACHE, 'node_modules/@sparticuz/chromium/package.json'),
    ].find((path) => exists(path)) ?? null
  )
}

/**
 * Returns the commands that install a browser for the specs, to be tried in order until there is one: as root with
 * apt-get from the system's packages, last from npm into a cache folder.
 */
export const browserCommands = ({ uid, exists = existsSync }) => {
  const apt = ['apt-get', '-qq', '-y', '-o', 'Acquire::Retries=1', '-o', 'DPkg::Lock::Timeout=60']
  const hasApt = uid === 0 && exists('/usr/bin/apt-get')
  return [
    ...(hasApt
      ? [
          [...apt, 'update'],
          [...apt, '--no-install-recommends', 'install', 'chromium-headless-shell'],
          [...apt, '--no-install-recommends', 'install', 'chromium'],
        ]
      : []),
    ['npm', 'install', '--prefix', CACHE, '--no-audit', '--no-fund', '--loglevel=error', '@sparticuz/chromium@153.0.0'],
  ]
}

/** Installs a browser for the specs if there is none. Prints each command before it runs it. */
export const installBrowser = async () => {
  if (findBrowser(process.env)) return
  console.log('The browser specs need Chromium, and there is none. It is installed; this can take some minutes:')
  mkdirSync(join(ROOT, CACHE), { recursive: true })
  for (const [program, ...args] of browserCommands({ uid: process.getuid?.() })) {
    console.log(`  ${program} ${args.join(' ')}`)
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    // A program that is missing is a command that failed: the next one may succeed.
    const [code] = await once(child, 'exit').catch(() => [1])
    if (code === 0 && findBrowser(process.env)) return
  }
  throw new UserError(
    'no Chromium could be installed for the browser specs: install one, and set CHROMIUM_PATH to its path',
  )
}
