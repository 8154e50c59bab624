import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isWebBuilt } from '../../../cli/bootstrap.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Builds the web app once for all specs, unless the build is current. */
export const setup = (): void => {
  if (!isWebBuilt(ROOT))
    execFileSync(
      process.execPath,
      ['node_modules/vite/bin/vite.js', 'build', '--config', 'webapp/vite.config.ts', '--logLevel', 'warn'],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } },
    )
}
