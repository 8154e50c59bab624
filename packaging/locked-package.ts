import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { readTarGz } from './tar.ts'

const Locked = z.object({ version: z.string(), integrity: z.string() })
const Lock = z.object({ packages: z.record(z.string(), z.unknown()) })
const Packed = z.tuple([z.object({ filename: z.string() })])

/** The version and the digest that the lock file has of a package. Throws if it has none. */
const lockedVersion = async (checkout: string, name: string): Promise<z.infer<typeof Locked>> => {
  const lock = Lock.parse(JSON.parse(await readFile(join(checkout, 'package-lock.json'), 'utf8')))
  const found = Locked.safeParse(lock.packages[`node_modules/${name}`])
  if (!found.success) throw new Error(`package-lock.json has no version of ${name}`)
  return found.data
}

/** Throws unless bytes have the digest of a lock file (`sha512-…`, of Subresource Integrity). */
export const checkIntegrity = (name: string, bytes: Uint8Array, integrity: string): void => {
  const digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (digest !== integrity) throw new Error(`${name} is not the one of package-lock.json: its digest is ${digest}`)
}

/**
 * The files of a package of the lock file by their paths in it. npm gets it from its cache or the registry, also for
 * machines of another kind. Throws unless it has the digest of the lock file.
 */
export const lockedPackage = async (checkout: string, name: string): Promise<Map<string, Buffer>> => {
  const { version, integrity } = await lockedVersion(checkout, name)
  const folder = await mkdtemp(join(tmpdir(), 'ers-release-'))
  try {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', `${name}@${version}`, '--json', '--prefer-offline', '--pack-destination', folder],
      // Not in the checkout, whose lock file is for other packages.
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
    )
    const [{ filename }] = Packed.parse(JSON.parse(stdout))
    const bytes = await readFile(join(folder, filename))
    checkIntegrity(name, bytes, integrity)
    return new Map([...readTarGz(bytes)].map(([path, content]) => [path.replace(/^[^/]+\//, ''), content]))
  } finally {
    await rm(folder, { recursive: true })
  }
}
