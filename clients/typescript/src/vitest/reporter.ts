import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { connect } from '../client.ts'
import { caseOf } from './cases.ts'
import { runDocument } from './run-document.ts'

export type ReporterOptions = {
  /** The suite of the run. Without it, the reporter does nothing. */
  readonly suite?: string
  readonly project?: string
  /** Writes the run there, also when it is uploaded. */
  readonly file?: string
  /** Uploads the run there; SERVICE_SERVER_URL if not given. The token is SERVICE_TOKEN. */
  readonly url?: string
  readonly run_id?: string
  readonly tags?: readonly string[]
  /** Every test of a file whose path matches is a case, and every test that recorded something. */
  readonly files?: RegExp
}

const DEFAULT_FILE = 'ers-run.json'
const EVAL_FILES = /\.eval\.[cm]?[jt]sx?$/

/**
 * A vitest reporter: the tests of evaluations become the cases of one run, which is uploaded, or written to a file. In
 * watch mode it makes no runs.
 */
export default class ErsReporter implements Reporter {
  readonly #options: ReporterOptions
  #vitest: Vitest | undefined
  #startedMs = Date.now()

  constructor(options: ReporterOptions = {}) {
    this.#options = options
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    this.#startedMs = Date.now()
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    _errors: unknown,
    reason: 'passed' | 'interrupted' | 'failed',
  ): Promise<void> {
    const { suite, files = EVAL_FILES, tags = [] } = this.#options
    const vitest = this.#vitest
    if (suite === undefined || !vitest || vitest.config.watch) return
    const cases = modules
      // Files finish in any order.
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.meta().ers !== undefined || test.module.moduleId.search(files) !== -1)
      .map(caseOf)
    if (cases.length === 0) {
      vitest.logger.log('no test of an evaluation ran: no run was made')
      return
    }
    const document = runDocument(cases, {
      run_id: this.#options.run_id ?? randomUUID(),
      suite,
      project: this.#options.project,
      startedMs: this.#startedMs,
      finishedMs: Date.now(),
      tags: [...tags, ...(reason === 'interrupted' ? ['status:interrupted'] : [])],
      tool: `vitest ${vitest.version}`,
      environment: process.env,
      folder: vitest.config.root,
    })
    await this.#deliver(vitest, JSON.stringify(document), cases.length)
  }

  /** Uploads the run, or writes it. A run that cannot be uploaded is written, and vitest ends with the exit code 1. */
  async #deliver({ config, logger }: Vitest, text: string, count: number): Promise<void> {
    const url = this.#options.url ?? (process.env['SERVICE_SERVER_URL'] || undefined)
    const file = resolve(config.root, this.#options.file ?? DEFAULT_FILE)
    const write = (): void => writeFileSync(file, text)
    if (url === undefined || this.#options.file !== undefined) {
      write()
      logger.log(`wrote ${count} cases to ${file}`)
    }
    if (url === undefined) return
    try {
      const uploaded = await connect({ url, token: process.env['SERVICE_TOKEN'] || undefined }).uploadRun(text)
      logger.log(`uploaded ${count} cases: ${uploaded.url}`)
    } catch (error) {
      write()
      logger.error(
        `the run could not be uploaded: ${error instanceof Error ? error.message : String(error)}; it is in ${file}`,
      )
      process.exitCode = 1
    }
  }
}
