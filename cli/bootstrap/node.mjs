// The Node that runs the service. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from './user-error.mjs'

/** The folder of this checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

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
  return findNode({ version: versions.node, execPath, platform, arch, modules: join(ROOT, 'node_modules') })
}
