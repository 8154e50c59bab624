import type { CacheClient } from '../../../engine/cache/client.ts'
import type { ProgramCall, Programs } from '../../../engine/processes/program.ts'
import type { Ports } from '../../../engine/ports.ts'
import type { Selection } from '../../../engine/runner/cells/cells.ts'
import type { PartsFolder } from '../../../engine/evidence/parts-folder.ts'
import { prepareSuiteRun, type RunPlan } from '../../../engine/runner/prepare-suite-run.ts'
import type { RunEvent } from '../../../engine/runner/progress.ts'
import { cellsOf, runSuite, type RunResult } from '../../../engine/runner/run-suite.ts'
import type { ExpandedTest, LoadedSuite } from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import { enginePorts } from '../vendors/engine-ports.ts'
import { memoryCache } from './memory-cache.ts'
import { memoryParts } from './memory-parts.ts'

/** What a program answers to a request, or the reason why it fails. */
export type Answer = (request: { readonly vars: Readonly<Record<string, unknown>> }, call: ProgramCall) => unknown

/** Programs that run in this process. Each call counts, and its signal is respected. */
export const programsInProcess = (answer: Answer): Programs & { readonly calls: () => number } => {
  let calls = 0
  return {
    calls: () => calls,
    run: async (call, signal) => {
      signal.throwIfAborted()
      calls++
      const response = await answer(JSON.parse(call.stdin) as Parameters<Answer>[0], call)
      signal.throwIfAborted()
      return { stdout: JSON.stringify(response), stderr: '', durationMs: 1 }
    },
  }
}

export type InProcessRun = {
  readonly loaded: LoadedSuite
  readonly tests: readonly ExpandedTest[]
  readonly programs: Programs
  readonly cache?: CacheClient
  readonly parts?: PartsFolder
  readonly ports?: Ports
  readonly selection?: Partial<Selection>
  readonly options?: Partial<RunPlan['options']>
  readonly onEvent?: (event: RunEvent) => void
  readonly signal?: AbortSignal
}

/** Runs a suite without a process, a file or a network of its own. */
export const runInProcess = (run: InProcessRun): Promise<RunResult> => {
  const { loaded, tests, ports = enginePorts() } = run
  const { runner, cache } = loaded.suite
  const selection = { tags: [], filters: [], providers: [], prompts: [], repeat: 1, ...run.selection }
  return runSuite(
    prepareSuiteRun({
      loaded,
      tests,
      selection,
      cells: cellsOf(loaded, tests, selection, true),
      options: {
        concurrency: runner.concurrency,
        retries: runner.retries,
        cacheMode: 'normal',
        storeEmptyOutputs: cache.store_empty_outputs,
        fallbackOnEmptyReason: runner.fallback_on_empty_reason,
        withFallback: true,
        withRaw: true,
        graderCache: true,
        ...run.options,
      },
      cache: run.cache ?? memoryCache().client,
      templates: createTemplates({ now: ports.now, env: ports.env }),
      programs: run.programs,
      parts: run.parts ?? memoryParts(),
      ports,
      version: '0.0.0',
      digests: { config_digest: 'blake3:config' },
      provenance: async () => ({}),
      onEvent: run.onEvent ?? (() => {}),
      signal: run.signal ?? new AbortController().signal,
    }),
  )
}
