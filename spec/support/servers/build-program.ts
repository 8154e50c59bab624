import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isProgramBuilt } from '../../../cli/bootstrap.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const build = (): void => {
  if (!isProgramBuilt(ROOT))
    execFileSync(
      process.execPath,
      ['node_modules/vite/bin/vite.js', 'build', '--config', 'cli/vite.config.ts', '--logLevel', 'warn'],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } },
    )
}

/**
 * Builds the program for the processes that specs start, unless the build is current. Builds again when specs are
 * rerun.
 */
export const setup = (project: TestProject): void => {
  build()
  project.onTestsRerun(async () => build())
}
