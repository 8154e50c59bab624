import type { ComparedFacts } from '../../domain/gate/facts.ts'
import type { Judged } from '../../domain/gate/judge.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { code, name, table } from '../../domain/text/markdown.ts'
import type { Run } from './read-facts.ts'

/** A run that was judged. */
export type RunVerdict = {
  readonly run: Run
  /** The column of the run that was judged; null for all its cases. */
  readonly column: string | null
  /** What it was compared with; null without a baseline, and where no rule needs one. */
  readonly base: Run | null
  /** Why there is no baseline although a rule needs one. */
  readonly absent: string | null
  readonly compared: ComparedFacts | null
  readonly p_value: number | null
  /** Adjusted for all runs of the call; null for a single run. */
  readonly q_value: number | null
  readonly rules: readonly Judged[]
  /** What the comparison could not have shown. */
  readonly note: string | null
}

const WORDS = { holds: 'PASS', failed: 'FAIL', not_judged: 'not judged', not_calibrated: 'not judged' } as const

const suiteText = ({ project, suite, id }: Run): string =>
  [project, suite].filter((part) => part !== null).join('/') || id

const comparison = ({ run, column, base, absent }: RunVerdict, quoted: (text: string) => string): string => {
  const judged = column === null ? quoted(run.id) : `${quoted(run.id)} (column ${quoted(column)})`
  if (base !== null) return `${judged} against ${quoted(base.id)}`
  return absent === null ? judged : `${judged}, no baseline: ${quoted(absent)}`
}

/** A rule with its numbers. What a calibration cannot say is a note where that is allowed. */
const ruleText = ({ rule, numbers, outcome }: Judged, allowsUncalibrated: boolean): string =>
  outcome === 'not_calibrated'
    ? `${allowsUncalibrated ? 'note: ' : ''}${printable(rule)}: ${printable(numbers)}`
    : `${printable(rule)}: ${printable(numbers)}: ${WORDS[outcome]}`

/** The result as lines for a terminal: each rule with its numbers. */
export const gateText = (gated: readonly RunVerdict[], allowsUncalibrated: boolean): string =>
  gated
    .flatMap((item) => [
      `${printable(suiteText(item.run))}: ${comparison(item, printable)}`,
      ...item.rules.map((judged) => ruleText(judged, allowsUncalibrated)),
      ...(item.note === null ? [] : [`note: ${item.note}`]),
    ])
    .map((line) => `${line}\n`)
    .join('')

type Outcome = Judged['outcome']

const worstOutcome = (rules: readonly Judged[]): Outcome =>
  (['failed', 'not_judged', 'not_calibrated', 'holds'] as const).find((outcome) =>
    rules.some((rule) => rule.outcome === outcome),
  ) ?? 'holds'

/** The result as a part of a pull request's comment. */
export const gateMarkdown = (gated: readonly RunVerdict[]): string => {
  const outcome = worstOutcome(gated.flatMap(({ rules }) => rules))
  const head = {
    holds: '**Pass**',
    failed: '**Fail**',
    not_judged: '**No baseline**',
    not_calibrated: '**Not calibrated**',
  }[outcome]
  const rows = gated.flatMap(({ run, rules }) =>
    rules.map((rule) => [name(suiteText(run)), code(rule.rule), code(rule.numbers), WORDS[rule.outcome]]),
  )
  const lines = gated.flatMap((item) => [
    `- ${name(suiteText(item.run))}: ${comparison(item, name)}${item.note === null ? '' : `; ${item.note}`}`,
  ])
  return `${['### Gate', '', head, '', ...table(['Suite', 'Rule', 'Numbers', 'Result'], rows), '', ...lines].join('\n')}\n`
}

/** The result as a JSON document. */
export const gateJson = (gated: readonly RunVerdict[], alpha: number): string =>
  printableLines(
    `${JSON.stringify(
      {
        outcome: worstOutcome(gated.flatMap(({ rules }) => rules)),
        alpha,
        runs: gated.map(({ run, column, base, absent, compared, p_value, q_value, rules, note }) => ({
          run_id: run.id,
          column,
          project: run.project,
          suite: run.suite,
          baseline_run_id: base?.id ?? null,
          no_baseline: absent,
          outcome: worstOutcome(rules),
          pairs: compared?.pairs ?? null,
          worse: compared?.worse ?? null,
          better: compared?.better ?? null,
          p_value,
          q_value,
          rules,
          note,
        })),
      },
      null,
      2,
    )}\n`,
  )
