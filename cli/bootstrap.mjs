// Entry point of `npm start`, `npm test`, `npm run quick`, `npm run build`, `npm run docs`, `npm run release` and `npm run sso:demo`. Plain JavaScript with built-in
// modules only, because it must run on Node 20 before anything is installed.
import { build, buildAnew, buildSite } from './bootstrap/builds.mjs'
import { install } from './bootstrap/install.mjs'
import { ROOT, lockedNode, thisNode } from './bootstrap/node.mjs'
import { relay } from './bootstrap/relay.mjs'
import { start } from './bootstrap/start.mjs'
import { quick, test } from './bootstrap/test.mjs'
import { UserError } from './bootstrap/user-error.mjs'

/** Starts the service next to two identity providers, to try single sign-on. */
const ssoDemo = async (args) => {
  const node = thisNode()
  await build(node)
  return relay(node, ['spec/support/sso/demo.ts', ...args], { cwd: ROOT })
}

/** Builds the web app and the program, where they are not current. */
const buildAll = async () => {
  await build(thisNode())
  return 0
}

/** Builds the documentation site, where it is not current. */
const docs = async () => {
  await buildSite(thisNode())
  return 0
}

/** Writes what is published into the folder `release`, from a new build. */
const release = async (args) => {
  const node = lockedNode()
  await buildAnew(node)
  return relay(node, ['packaging/release.ts', ...args], { cwd: ROOT })
}

const commands = { start, test, quick, build: buildAll, docs, release, 'sso-demo': ssoDemo }

const main = async ([name = '', ...args]) => {
  if (!Object.hasOwn(commands, name))
    throw new UserError('usage: node cli/bootstrap.mjs start|test|quick|build|docs|release|sso-demo [arguments]')
  await install()
  return commands[name](args)
}

try {
  process.exit(await main(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exit(1)
}
