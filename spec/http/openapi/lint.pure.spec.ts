import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

it('the OpenAPI document has no finding of the linter', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'clients/openapi.json', '--format', 'json'],
    // Both would use the network.
    { cwd: root, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  ).catch((error: { stdout: string }) => error)
  const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: Array<{ ruleId: string }> }
  expect({ totals, problems }).toEqual({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
})
