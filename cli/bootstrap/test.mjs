// `npm test` and `npm run quick`. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { build, buildSite } from './builds.mjs'
import { installBrowser } from './chromium.mjs'
import { ROOT, thisNode } from './node.mjs'
import { relay } from './relay.mjs'

/**
 * Makes the checks that are written in Go collect garbage only when memory is short. They are short-lived and use
 * less than 2 GiB. With these settings they take a quarter less time.
 */
const SHORT_LIVED_GO = { GOGC: 'off', GOMEMLIMIT: '2GiB' }

/** With more space for young objects, Node needs less time for garbage collection. */
const YOUNG_SPACE = '--max-semi-space-size=64'

/**
 * The checks without specs, the slowest first. Lint and types use TypeScript 7, which is written in Go and takes a third
 * of the time of version 6. Those of the web app need version 6, because only this version reads Vue components.
 */
const CHECKS = [
  { name: 'lint of Vue and JavaScript', command: [YOUNG_SPACE, 'node_modules/eslint/bin/eslint.js', '.'] },
  {
    name: 'types of the web app',
    command: [YOUNG_SPACE, 'node_modules/vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'spec/webapp'],
  },
  { name: 'lint', command: ['node_modules/oxlint/bin/oxlint'] },
  { name: 'types', command: ['node_modules/typescript7/bin/tsc', '--noEmit', '--singleThreaded'] },
  { name: 'format', command: ['node_modules/oxfmt/bin/oxfmt', '--list-different'] },
  { name: 'unused code', command: ['node_modules/knip/bin/knip.js', '--no-progress'] },
]

/** The environment of checks and specs: what they start is our Node, and the programs of our packages. */
const environment = (node) => ({
  ...process.env,
  PATH: [dirname(node), join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
})

/**
 * Runs all checks and all specs, or with arguments the specs that they select. Returns the exit code. What each step
 * needs alone is one thread, so the checks, the builds and the installation of a browser run at the same time.
 */
export const test = async (args) => {
  const node = thisNode()
  const env = environment(node)
  const checks = args.length > 0 ? [] : CHECKS
  const began = Date.now()
  if (checks.length > 0) console.log(`\n— ${checks.map(({ name }) => name).join(', ')}`)
  const [results] = await Promise.all([
    Promise.all(checks.map((check) => quietly(node, check, { ...SHORT_LIVED_GO, ...env }))),
    build(node),
    // Specs of some files build it themselves, if they need it.
    ...(checks.length > 0 ? [buildSite(node)] : []),
    installBrowser(),
  ])
  for (const { name, code } of results) if (code !== 0) return failed(name, code)
  console.log('\n— specs')
  const code = await relay(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], { env, cwd: ROOT })
  if (code !== 0) return failed('specs', code)
  const names = [...checks.map(({ name }) => name), 'specs']
  console.log(`\nPassed: ${names.join(', ')} (${Math.round((Date.now() - began) / 1000)} s)`)
  return 0
}

/** Runs the checks of what changed; see `spec/loop/quick.ts`. Returns the exit code. */
export const quick = (args) => {
  const node = thisNode()
  return relay(node, ['spec/loop/quick.ts', ...args], { env: { ...SHORT_LIVED_GO, ...environment(node) }, cwd: ROOT })
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
  const code = await relay(node, command, { env, cwd: ROOT, started, stdio: ['inherit', 'pipe', 'pipe'] })
  // The last output may arrive after the exit.
  await closed
  process.stdout.write(Buffer.concat(output))
  return { name, code }
}
