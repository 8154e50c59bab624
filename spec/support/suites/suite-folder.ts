import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { expandTests, type ExpandedTests } from '../../../engine/data/expand-tests.ts'
import { createPrograms } from '../../../engine/processes/run-program.ts'
import { SuiteError } from '../../../engine/suite/issues.ts'
import { loadSuite } from '../../../engine/suite/load-suite.ts'
import type { LoadedSuite, SuiteIssue } from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a suite needs besides its subject. */
export const MINIMAL = 'version: 1\nproviders: [{id: bot, type: exec, command: [bot]}]\n'

/** Writes files into a new folder, which is deleted after the example. Returns the path of the folder. */
export const suiteFolder = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** Loads a suite from its text and files next to it. */
export const load = (
  text: string,
  { files = {}, env = {} }: { readonly files?: Readonly<Record<string, string>>; readonly env?: Environment } = {},
): Promise<LoadedSuite> => loadSuite(suiteFolder({ 'service.yaml': text, ...files }), { env })

/** Returns the errors of a suite that does not load, as `path: message`. */
export const errorsOf = async (work: Promise<unknown>): Promise<string[]> =>
  (await issuesOf(work))
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path}: ${message}`)

export const issuesOf = async (work: Promise<unknown>): Promise<readonly SuiteIssue[]> => {
  try {
    await work
  } catch (error) {
    if (error instanceof SuiteError) return error.issues
    throw error
  }
  return []
}

/** Expands the tests of a suite with real templates and programs. */
export const expand = async (
  text: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  { generators = true, env = { PATH: process.env['PATH'] } }: { generators?: boolean; env?: Environment } = {},
): Promise<ExpandedTests> => {
  const loaded = await loadSuite(suiteFolder({ 'service.yaml': MINIMAL + text, ...files }), { env: {} })
  return expandTests(loaded, {
    templates: createTemplates({ now: () => 0, env: {} }),
    programs: createPrograms({
      spawn,
      monotonic: () => performance.now(),
      // A clock for programs: timeouts below a second are over at once, all others never.
      sleep: (ms, signal) =>
        ms < 1000
          ? Promise.resolve()
          : new Promise((_, reject) =>
              signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
            ),
    }),
    env,
    generators,
    signal: new AbortController().signal,
  })
}
