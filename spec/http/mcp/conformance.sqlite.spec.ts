import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { ENDLESS, MCP } from '../../support/http/mcp.ts'
import { openApp } from '../../support/servers/app.ts'

// The official conformance tool, over a socket: the scenarios for what this endpoint offers. The other scenarios are
// about resources, sampling, streams and tools that only a test server has.

const TOOL = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
type Check = { readonly id: string; readonly status: string }
afterAll(async () => {
  await spec.close()
  rmSync(folder, { recursive: true })
})

/** Runs a scenario; returns its checks. The tool exits with 1 if one failed. */
const checksOf = async (version: string, scenario: string): Promise<readonly Check[]> => {
  const into = join(folder, `${version}-${scenario}`)
  const args = ['server', '--url', endpoint, '--spec-version', version, '--scenario', scenario, '--output-dir', into]
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [TOOL, ...args], (_, stdout, stderr) => resolve(stdout + stderr))
  })
  const [results] = readdirSync(into)
  if (results === undefined) throw new Error(printed)
  return JSON.parse(readFileSync(join(into, results, 'checks.json'), 'utf8')) as readonly Check[]
}
const failed = (checks: readonly Check[]): string[] =>
  checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id }) => id)
const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
const spec = await openApp({ mode: 'open', mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })
await spec.ingest(aDocument({ run_id: 'r1' }))
const endpoint = `${await spec.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/mcp`

it.each([
  ['2025-06-18', 'server-initialize'],
  ['2025-06-18', 'ping'],
  ['2025-06-18', 'tools-list'],
  ['2025-06-18', 'prompts-list'],
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'ping'],
  ['2025-11-25', 'tools-list'],
  ['2025-11-25', 'prompts-list'],
  ['2025-11-25', 'dns-rebinding-protection'],
  ['2026-07-28', 'tools-list'],
  ['2026-07-28', 'prompts-list'],
  ['2026-07-28', 'dns-rebinding-protection'],
  ['2026-07-28', 'http-header-validation'],
])('version %s: %s', async (version, scenario) => {
  const checks = await checksOf(version, scenario)
  expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0)
  expect(failed(checks)).toEqual([])
})

it('version 2026-07-28: server-stateless, but for tools of a test server and for two methods of earlier versions', async () => {
  expect(failed(await checksOf('2026-07-28', 'server-stateless'))).toEqual([
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    // Answered in every version, since clients that know several versions probe with them.
    'sep-2575-http-server-method-not-found-404-initialize',
    'sep-2575-http-server-method-not-found-404-ping',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ])
})

it('version 2026-07-28: caching, but for resources, which it does not offer', async () => {
  expect(failed(await checksOf('2026-07-28', 'caching'))).toEqual([
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ])
})
