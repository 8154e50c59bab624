import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { columnText, type Column } from '../../domain/lists/column.ts'
import {
  DEFAULT_RULE,
  BadRule,
  needsBaseline,
  needsCalibration,
  parseRule,
  RULE_FORMS,
  type Rule,
} from '../../domain/gate/rules.ts'
import { decidingP, judge, unseenDrop } from '../../domain/gate/judge.ts'
import { adjustForMany } from '../../domain/statistics/many.ts'
import { UsageError } from '../../engine/json.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import { requiredServer, type EngineServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { note, runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import { resolveRunId } from '../runs/run-id.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { findBaseline, readCalibrations, readComparedFacts, readRun, readRunFacts, type Run } from './read-facts.ts'
import { gateJson, gateMarkdown, gateText, type RunVerdict } from './write-gate.ts'
import { COLUMN, columnOption, repeated } from '../terminal/option-values.ts'

const EXIT_FAILED = 1
/** There is no baseline, or a calibration that cannot be relied on. */
const EXIT_NOT_JUDGED = 2

type GateOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly against: string
    readonly rule?: readonly string[]
    readonly alpha: string
    readonly clusterBy?: string
    readonly column?: Column
    readonly allowNoBaseline?: boolean
    readonly allowUncalibrated?: boolean
    readonly summaryMd?: string
    readonly json?: boolean
  }

export const gateCommand = (): Command => {
  const command = runsCommandNamed('gate')
    .argument('<run...>', 'runs of the service: latest, a file, a folder with result.json, or the id of a run')
    .option(
      '--against <ref>',
      'a run, baseline, previous, or branch:<name>: what each run is compared with',
      'baseline',
    )
    .option('--rule <rule>', `a rule that must hold; repeatable (default ${DEFAULT_RULE}): ${RULE_FORMS}`, repeated)
    .option('--alpha <p>', 'a regression is reported at this p-value or a lower one', '0.05')
    .option('--cluster-by <group>', 'cases that depend on each other: test, tag:<prefix> or var:<name>')
    .option(
      '--column <column>',
      `judge only this column of each run, against the same one of its baseline: ${COLUMN}`,
      columnOption,
    )
    .option('--allow-no-baseline', 'a run without a baseline passes the rules that need one, with a note')
    .option('--allow-uncalibrated', 'a rule about a judge without a good calibration is a note')
    .option('--summary-md <file>', 'write the result as Markdown to this file')
    .option('--json', 'print the result as JSON')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nExit code 0: all rules hold; 1: a rule failed; 2: a wrong option, no such run, no baseline, or no good calibration; 3: the service did not answer.',
    )
    .action((references: string[], options: GateOptions) =>
      runCommand(options, async ({ signal, log, store }) => {
        const rules = rulesOf(options.rule ?? [DEFAULT_RULE])
        if (options.column && rules.some(needsCalibration))
          throw new UsageError('--column: labels of people are of the whole run, so rules about a judge have no column')
        const allowsUncalibrated = options.allowUncalibrated === true
        const alpha = alphaOf(options.alpha)
        const server = requiredServer(options, process.env, signal)
        const gated = await gateRuns(server, await distinctRunIds(references, store), { ...options, rules, alpha })
        await writeStdout(options.json === true ? gateJson(gated, alpha) : gateText(gated, allowsUncalibrated))
        const { summaryMd: file } = options
        if (file !== undefined)
          await writeFile(file, gateMarkdown(gated)).catch((error: Error) =>
            log.warn(`${file} is not written: ${error.message}`),
          )
        return exitCode(gated, { allowsNoBaseline: options.allowNoBaseline === true, allowsUncalibrated })
      }),
    )
}

const rulesOf = (texts: readonly string[]): readonly Rule[] => {
  try {
    return texts.map(parseRule)
  } catch (error) {
    if (error instanceof BadRule) throw new UsageError(`--rule: ${error.message}`)
    throw error
  }
}

const alphaOf = (text: string): number => {
  const alpha = Number(text)
  if (!/^[\d.]+$/.test(text) || !(alpha > 0 && alpha < 1))
    throw new UsageError(`--alpha must be a number between 0 and 1: ${text}`)
  return alpha
}

/** The ids of the runs, each once: a run that was named twice would be tested twice. */
const distinctRunIds = async (references: readonly string[], store: RunStore): Promise<readonly string[]> => {
  const ids = new Set<string>()
  for (const reference of references) ids.add(await resolveRunId(reference, store))
  return [...ids]
}

const exitCode = (
  gated: readonly RunVerdict[],
  {
    allowsNoBaseline,
    allowsUncalibrated,
  }: { readonly allowsNoBaseline: boolean; readonly allowsUncalibrated: boolean },
): number => {
  const outcomes = new Set(gated.flatMap(({ rules }) => rules.map(({ outcome }) => outcome)))
  if (!allowsNoBaseline && outcomes.has('not_judged')) {
    note('a run, or its column, has no baseline: pin one with `ers baseline set`, or give --allow-no-baseline')
    return EXIT_NOT_JUDGED
  }
  if (outcomes.has('failed')) return EXIT_FAILED
  if (allowsUncalibrated || !outcomes.has('not_calibrated')) return 0
  note('a judge has no good calibration: label more cases, or give --allow-uncalibrated')
  return EXIT_NOT_JUDGED
}

const NO_COLUMN = 'the run that it is compared with has no case in the column'

type Asked = {
  readonly rules: readonly Rule[]
  readonly alpha: number
  readonly against: string
  readonly clusterBy?: string
  readonly column?: Column
}

const isSameSuite = (a: Run, b: Run): boolean => a.project === b.project && a.suite === b.suite

/** Reads what the rules need of each run, then judges all: the p-values of several runs are one family. */
const gateRuns = async (
  server: EngineServer,
  ids: readonly string[],
  { rules, alpha, against, clusterBy, column }: Asked,
): Promise<readonly RunVerdict[]> => {
  const part = { clusterBy, column }
  const isComparing = rules.some(needsBaseline)
  const known: Array<Awaited<ReturnType<typeof readKnown>>> = []
  for (const id of ids) known.push(await readKnown(id))
  const tested = known.flatMap(({ compared }) => (compared === null ? [] : (decidingP(compared) ?? [])))
  const adjusted = ids.length > 1 ? adjustForMany(tested) : []
  return known.map(({ run, base, absent, head, compared, calibrations }) => {
    const p_value = compared === null ? null : decidingP(compared)
    const q_value = p_value === null ? null : (adjusted.shift() ?? null)
    return {
      run,
      column: column ? columnText(column) : null,
      base,
      absent,
      compared,
      p_value,
      q_value,
      rules: rules.map((rule) => judge(rule, { head, compared, calibrations, alpha, q_value })),
      note: compared === null || !rules.some(seesDrops) ? null : unseenDrop(compared),
    }
  })

  async function readKnown(id: string) {
    const run = await readRun(server, id)
    const head = await readRunFacts(server, run, part, { scores: rules.some(({ kind }) => kind === 'score') })
    const calibrations = await readCalibrations(server, run, rules.filter(needsCalibration), clusterBy)
    const known = { run, head, calibrations, base: null, absent: null, compared: null }
    if (!isComparing) return known
    const baseline = await findBaseline(server, run, against)
    if ('absent' in baseline) return { ...known, absent: baseline.absent }
    const base = await readRun(server, baseline.id)
    if (!isSameSuite(base, run)) throw new UsageError(`the run ${base.id} is of another suite than ${run.id}`)
    const newlyFailing = rules.some(({ kind }) => kind === 'no-newly-failing')
    const compared = await readComparedFacts(server, base, run, part, { newlyFailing })
    return compared === null ? { ...known, absent: NO_COLUMN } : { ...known, base, compared }
  }
}

/** Rules that say something about a drop of the pass rate. */
const seesDrops = ({ kind }: Rule): boolean => kind === 'no-regression'
