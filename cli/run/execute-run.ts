import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestFile } from '../../domain/evidence/run-folder.ts'
import { counted } from '../../domain/plain/counted.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { RESULT_SCHEMA_VERSION } from '../../domain/run/document.ts'
import { openSuiteCache } from '../../engine/cache/cache-of.ts'
import { expandTests } from '../../engine/data/expand-tests.ts'
import { partsFolder } from '../../engine/evidence/parts-folder.ts'
import { removeStaleParts, UNSTORED_PARTS } from '../../engine/evidence/stale-parts.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { createPrograms } from '../../engine/processes/run-program.ts'
import { comparisonMarkdown } from '../../engine/report/compare-markdown.ts'
import { compareWithBaseline, type Compared } from '../../engine/report/compare-baseline.ts'
import { runMarkdown } from '../../engine/report/markdown.ts'
import { runWarnings } from '../../engine/runner/run-warnings.ts'
import { runReportChunks } from '../../engine/report/run-report.ts'
import { EXIT, exitOf } from '../../engine/runner/exit-code.ts'
import { checkCredentials, prepareSuiteRun } from '../../engine/runner/prepare-suite-run.ts'
import { provenanceMode, readProvenance } from '../../engine/runner/provenance.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { cellsOf, runSuite } from '../../engine/runner/run-suite.ts'
import type { RunEvidence } from '../../engine/store/run-store.ts'
import { baselineReference, checkBaselineReference } from '../../engine/store/baseline.ts'
import { suiteDigests } from '../../engine/suite/suite-digests.ts'
import { loadSuite } from '../../engine/suite/load-suite.ts'
import type { ExpandedTest, LoadedSuite, SuiteIssue } from '../../engine/suite/suite.ts'
import { createTemplates } from '../../engine/templates/templates.ts'
import { configuredBaselineServer } from '../client/baseline-server.ts'
import { requiredServer, serverUrlOf, type EngineServer } from '../client/engine-server.ts'
import { shareRun } from '../client/share-run.ts'
import { ShareFailed, sharePreflight } from '../client/upload-run.ts'
import { localStore } from '../runs/command.ts'
import { enginePorts } from '../suite/engine-ports.ts'
import { logOf } from '../suite/global-options.ts'
import { usesColour } from '../terminal/colour.ts'
import type { Log } from '../terminal/log.ts'
import { writeStdoutChunks } from '../terminal/stdout.ts'
import type { StopSignals } from '../terminal/stop-signals.ts'
import { VERSION } from '../version.ts'
import { errorMessages } from './error-messages.ts'
import { gitIn, thisMachine } from './git.ts'
import { progressDisplay, type ProgressDisplay } from './progress-display.ts'
import { keepHeapSmall } from '../terminal/keep-heap-small.ts'
import { runOptionsOf, selectionOf, warningsOf } from './run-choices.ts'
import type { RunCommandOptions } from './options.ts'

/**
 * Runs a suite, and returns the exit code. Loads, checks, runs, stores, prints, compares, uploads: that order is the
 * contract of the command.
 */
export const executeRun = async (path: string, options: RunCommandOptions, stop: StopSignals): Promise<number> => {
  // Garbage of loading a suite of 10,000 tests, and of as many calls, would otherwise double the memory of the process.
  keepHeapSmall()
  const ports = enginePorts(process.env)
  const { env } = ports
  const display = displayOf(options)
  const log = logOf(options, { stderr: { ...terminal, write: display.writeLine }, env, now: ports.now })
  const templates = createTemplates({ now: ports.now, env })
  const programs = createPrograms(ports)
  if (options.allowShareFailure === true && options.share !== true)
    throw new UsageError('--allow-share-failure needs --share')
  if (options.plan !== undefined && options.share !== true) throw new UsageError('--plan needs --share')
  for (const warning of warningsOf(options)) log.warn(warning)

  const loaded = await loadSuite(path, { env })
  warnOf(loaded.warnings, log)
  const choices = runOptionsOf(options, env, loaded.suite)
  const selection = selectionOf(options, env)
  const serverUrl = serverUrlOf(options, env)
  const reference = baselineReference(options.against, loaded.suite, serverUrl !== undefined)
  if (reference !== null) checkBaselineReference(reference)
  const server = options.share === true ? await sharingServer(options, stop.signal, log) : null
  const provenance = provenanceMode(env['SERVICE_PROVENANCE'], !options.provenance)
  if (provenance.warning !== undefined) log.warn(provenance.warning)

  const expanded = await expandTests(loaded, { programs, templates, env, generators: true, signal: stop.signal })
  const { tests } = expanded
  warnOf(expanded.warnings, log)
  const cells = cellsOf(loaded, tests, selection, options.allowEmpty === true)
  // Next to the stored runs, so that parts are moved to theirs; its name is that of no run.
  removeStaleParts(localStore().directory, ports.now())
  const parts = partsFolder(join(localStore().directory, `${UNSTORED_PARTS}${randomUUID()}`), (message) =>
    log.warn(message),
  )
  let isEvidenceKept = false
  using _ = { [Symbol.dispose]: () => isEvidenceKept || parts.remove() }
  const plan = {
    loaded,
    tests,
    selection,
    cells,
    options: choices,
    cache: openSuiteCache(loaded, {
      cacheDir: options.cacheDir,
      ports,
      serverUrl,
      token: env['SERVICE_TOKEN'] || undefined,
      isShared: choices.cacheMode !== 'off',
      warn: (message) => log.warn(message),
    }),
    templates,
    programs,
    parts,
    ports,
    version: VERSION,
    digests: digestsOf(loaded, tests),
    provenance: () =>
      readProvenance({
        env,
        mode: provenance.mode,
        git: gitIn(loaded.directory),
        ...thisMachine(),
        version: VERSION,
        note: options.note ?? loaded.suite.description,
      }),
    onEvent: eventSink(display, log),
    signal: stop.signal,
  } as const
  for (const warning of [...runWarnings(loaded, tests, env), ...checkCredentials(plan)]) log.warn(warning)

  const { document, manifest, outcomes, interrupted } = await endOfDisplay(display, () =>
    runSuite(prepareSuiteRun(plan)),
  )
  // An interrupted run is neither the latest one nor a baseline.
  const evidence = manifest === null ? null : { manifest, directory: parts.directory }
  let folder = join(localStore().directory, document.run_id)
  const isStored = (interrupted && document.cases.length === 0) || (await store(document, evidence, interrupted, log))
  if (!isStored && evidence !== null && !existsSync(join(folder, manifestFile(0)))) {
    folder = parts.directory
    isEvidenceKept = true
    await warnIfFailing(log, 'the manifest of the parts is not written', () =>
      writeFile(join(folder, manifestFile(0)), evidence.manifest),
    )
    log.warn(`pictures and attachments of the run stay in ${folder}`)
  }
  const outputFailed = !(await emit(document, options, log))
  for (const message of errorMessages(document)) log.error(message)
  if (interrupted) {
    process.stderr.write(interruptedLine(document.cases.length, cells.length, choices.cacheMode !== 'off'))
    return stop.code() ?? EXIT.interrupted
  }

  const interruptedAfter = (missing: string): number => {
    process.stderr.write(`interrupted: all cells are done and the run is stored, but it is not ${missing}\n`)
    return stop.code() ?? EXIT.interrupted
  }
  const compared = reference === null ? {} : await compare(reference, document, options, stop.signal, loaded, log)
  if (compared === null) return interruptedAfter(server === null ? 'compared' : 'compared and not uploaded')
  if (compared.comparison !== undefined)
    process.stderr.write(
      `${comparisonMarkdown(compared.comparison)
        .map((block) => block.join('\n'))
        .join('\n\n')}\n`,
    )
  const shared = server === null ? null : await share(server, document, folder, options.plan, stop.signal, log)
  if (shared === 'interrupted') return interruptedAfter('uploaded: "ers share latest" uploads it')
  const share_url = shared === null ? undefined : shared.url
  if (share_url !== undefined) await recordShare({ ...document, share_url }, log)
  if (options.summaryMd !== undefined) {
    const summary = runMarkdown(document, {
      ...(compared.comparison && { comparison: compared.comparison }),
      ...(compared.note !== undefined && { note: compared.note }),
      runUrl: share_url,
      ciUrl: document.ci?.run_url,
    })
    await warnIfFailing(log, `${options.summaryMd} is not written`, () => writeFile(options.summaryMd ?? '', summary))
  }
  const { code, reason } = exitOf({
    interrupted,
    outcomes,
    outputFailed,
    shareFailed: shared !== null && share_url === undefined && options.allowShareFailure !== true,
    baselineFailed: compared.failed === true,
    newlyFailing: compared.comparison?.summary.newly_failing ?? 0,
  })
  if (reason !== null) log.info(`exit code ${code}: ${reason}`)
  return code
}

/** Stores the run. Returns false, with a warning, if that failed. */
const store = async (
  document: RunDocument,
  evidence: RunEvidence | null,
  isPartial: boolean,
  log: Log,
): Promise<boolean> => {
  const { write, writePartial } = localStore()
  try {
    log.info(`the run is stored in ${await (isPartial ? writePartial(document, evidence) : write(document, evidence))}`)
    return true
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error
    log.warn(`the run is not stored: ${error.message}`)
    return false
  }
}

const digestsOf = (
  loaded: LoadedSuite,
  tests: readonly ExpandedTest[],
): Pick<RunDocument, 'config_digest' | 'digests'> => {
  const { config, ...digests } = suiteDigests(loaded, tests)
  return { config_digest: config, digests }
}

const warnOf = (warnings: readonly SuiteIssue[], log: Log): void => {
  for (const { file, line, column, path, message } of warnings) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    log.warn(`${place}: ${path === '' ? '' : `${path}: `}${message}`)
  }
}

const terminal = { isTTY: process.stderr.isTTY }

const displayOf = ({ progress, verbose }: RunCommandOptions): ProgressDisplay =>
  progressDisplay({
    stream: process.stderr,
    isShown: progress && verbose < 2,
    monotonic: () => performance.now(),
    every: (ms, draw) => {
      const timer = setInterval(draw, ms)
      return () => clearInterval(timer)
    },
  })

const endOfDisplay = async <T>(display: ProgressDisplay, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } finally {
    display.end()
  }
}

type EventSink = Parameters<typeof prepareSuiteRun>[0]['onEvent']

const eventSink =
  (display: ProgressDisplay, log: Log): EventSink =>
  (event) => {
    display.follow(event)
    if (event.kind === 'warning') log.warn(event.message)
    else if (event.kind === 'run_started') log.info(`run ${event.run_id}: ${counted(event.total, 'cell')}`)
    else if (event.kind === 'case_finished' && log.isEnabled('info')) {
      const { name, cell, status, score, latency_ms, cached, error } = event.case
      log.info(
        `${status} ${name ?? cell.test_id} (${cell.provider_id}), score ${score.toFixed(2)}, ${cached ? 'cached' : `${latency_ms} ms`}${error === undefined ? '' : `: ${error}`}`,
        { index: event.index, cell, status, score, latency_ms, cached },
      )
    }
  }

const interruptedLine = (done: number, total: number, isCached: boolean): string =>
  `interrupted: ${done} of ${total} cells are done. ${isCached ? 'Run the same command again to resume: finished calls come from the cache.' : 'Without a cache, a further run starts over.'}\n`

/** The service for `--share`. Throws `UsageError` if it is clear that the upload cannot work. */
const sharingServer = async (
  options: RunCommandOptions,
  signal: AbortSignal,
  log: Log,
): Promise<EngineServer | null> => {
  const server = requiredServer(options, process.env, signal)
  const found = await sharePreflight(server, RESULT_SCHEMA_VERSION)
  if (found.kind === 'refused' && options.allowShareFailure !== true) throw new UsageError(found.reason)
  if (found.kind !== 'ready') log.warn(found.reason)
  return server
}

/** Writes the run in all formats. Returns false if one could not be written. */
const emit = async (document: RunDocument, options: RunCommandOptions, log: Log): Promise<boolean> => {
  const { format = ['table'], out } = options
  for (const name of format) {
    const colour = out === undefined && usesColour(options, process.env, process.stdout.isTTY)
    const chunks = runReportChunks(document, name, { colour })
    try {
      if (out === undefined) await writeStdoutChunks(chunks)
      else await writeFile(out, chunks)
    } catch (error) {
      log.error(`the format ${name} is not written: ${messageOf(error)}`)
      return false
    }
  }
  return true
}

/** Compares the run with its baseline. A baseline that does not exist yet is no failure. Null: interrupted. */
const compare = async (
  reference: string,
  run: RunDocument,
  options: RunCommandOptions,
  signal: AbortSignal,
  loaded: LoadedSuite,
  log: Log,
): Promise<Compared | null> => {
  const compared = await compareWithBaseline(reference, {
    run,
    store: localStore(),
    server: configuredBaselineServer(options, process.env, signal),
  })
  const { reason, failed = false } = compared
  if (failed && signal.aborted) return null
  if (reason !== undefined && failed) log.error(reason)
  else if (reason !== undefined) log.info(`${loaded.file}: nothing to compare with: ${reason}`)
  return compared
}

/** Uploads the run. Returns its address on the service, none if the upload failed. */
const share = async (
  server: EngineServer,
  document: RunDocument,
  folder: string,
  plan: string | undefined,
  signal: AbortSignal,
  log: Log,
): Promise<{ readonly url?: string } | 'interrupted'> => {
  try {
    const { url, hiddenCases } = await shareRun(server, document, { plan, folder, warn: log.warn })
    if (hiddenCases > 0) log.warn(hiddenNote(hiddenCases))
    process.stderr.write(`View run: ${url}\n`)
    return { url }
  } catch (error) {
    if (signal.aborted) return 'interrupted'
    if (!(error instanceof ShareFailed)) throw error
    log.error(`the run is not uploaded: ${error.message}`)
    return {}
  }
}

const recordShare = (document: RunDocument, log: Log): Promise<void> =>
  warnIfFailing(log, 'the address of the uploaded run is not stored', () => localStore().rewrite(document))

const warnIfFailing = async (log: Log, what: string, work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    log.warn(`${what}: ${messageOf(error)}`)
  }
}
