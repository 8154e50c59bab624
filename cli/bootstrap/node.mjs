// The Node that runs the service. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from './user-error.mjs'

/** The folder of this checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const packageName = ({ platform, arch }) => `node-${platform === 'win32' ? 'win' : platform}-${arch}`

/** The path of the Node that the lock file installs for a platform, in the first of the folders `modules` that has it. */
const installedNode = (machine, exists) =>
  machine.modules
    .map((folder) => join(folder, packageName(machine), 'bin', machine.platform === 'win32' ? 'node.exe' : 'node'))
    .find((path) => exists(path))

/**
 * Returns the path of Node 24 or newer: the running Node if it is new enough, else the binary that the lock file
 * installs for this platform.
 */
export const findNode = (machine, exists = existsSync) => {
  const { version, execPath } = machine
  if (Number(version.split('.')[0]) >= 24) return execPath
  const installed = installedNode(machine, exists)
  if (installed) return installed
  throw new UserError(
    `Node 24 or newer is needed (this is ${version}), and no ${packageName(machine)} is installed: run \`npm ci\`, or install Node 24`,
  )
}

/** The process and where its packages are: npm may install those of a package next to it. */
const thisMachine = () => ({
  version: process.versions.node,
  execPath: process.execPath,
  platform: process.platform,
  arch: process.arch,
  modules: createRequire(join(ROOT, 'package.json')).resolve.paths(packageName(process)) ?? [],
})

/** `findNode` for this process and this checkout. */
export const thisNode = () => findNode(thisMachine())

/** The Node of the lock file, which makes releases: their bytes do not depend on the Node of the machine. */
export const lockedNode = () => {
  const installed = installedNode(thisMachine(), existsSync)
  if (installed) return installed
  throw new UserError(
    `releases are made with the Node of the lock file, and no ${packageName(process)} is installed: run \`npm ci\` on Linux`,
  )
}
