import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bareEnvironment } from '../support/bare-environment.ts'
import { startServer } from '../support/servers/server.ts'
import { blocksOf, matches, stepsOf } from './read-page.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ADDRESS = 'http://localhost:8321'
const STEPS = blocksOf(readFileSync(join(ROOT, 'docs/api-tour.md'), 'utf8')).flatMap(stepsOf)

/** What each step prints in one shell, whose last step starts nothing of its own. */
const printedBy = async (commands: readonly string[], directory: string): Promise<readonly string[]> => {
  const script = commands.map((command, index) => `printf '\\n@@ ${index}\\n'\n${command}\n`).join('')
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: directory,
    env: {
      ...bareEnvironment(),
      HOME: directory,
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    },
  })
  child.stdin.end()
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return printed.split(/^@@ \d+\n/m).slice(1)
}

it('every command of the tour runs, and prints what the page shows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-tour-'))
  const server = await startServer({ env: { SERVICE_MCP_ENABLED: 'true' } })
  try {
    for (const part of ['cli', 'spec', 'verifier']) symlinkSync(join(ROOT, part), join(folder, part))
    symlinkSync(server.dataDir, join(folder, 'data'))
    writeFileSync(join(folder, 'data/token'), server.token)
    const here = (line: string): string => line.replaceAll(ADDRESS, server.url)
    const printed = await printedBy(
      STEPS.map(({ command }) => here(command)),
      folder,
    )
    expect(STEPS.length).toBeGreaterThan(25)
    const wrong = STEPS.flatMap(({ command, expected, line }, index) => {
      const shown = printed[index]!.replace(/\n\n?$/, '\n')
      // A step without an answer on the page may print anything but an error.
      const isRight =
        expected.trim() === ''
          ? !/"error":"|not found|^error|usage:/im.test(shown)
          : matches(here(expected).trimEnd() + '\n', shown)
      return isRight ? [] : [{ line, command, shown: shown.slice(0, 2000) }]
    })
    expect(wrong).toEqual([])
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
})
