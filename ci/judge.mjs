// Judges and summarizes runs with the program.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { annotate, isTrue, lines } from './runner.mjs'

/**
 * Judges runs by the rules of the input, or by the program's own rule. Returns the exit code, the outcome, the Markdown and the
 * number of cases that are worse; null with the exit code 3 if the runs could not be judged.
 */
export const gateRuns = async ({ ers, folder }, ids, against) => {
  const file = join(folder, 'gate.md')
  const args = ['--json', '--summary-md', file]
  for (const rule of lines('RULES')) args.push('--rule', rule)
  if (against !== '') args.push('--against', against)
  if (isTrue('ALLOW_NO_BASELINE')) args.push('--allow-no-baseline')
  if (isTrue('ALLOW_UNCALIBRATED')) args.push('--allow-uncalibrated')
  const { code, stdout } = await ers(['gate', ...args, '--', ...ids], { quiet: true })
  if (stdout === '') return { code, gate: null }
  const { outcome, runs } = JSON.parse(stdout)
  for (const { run_id, rules } of runs)
    for (const { rule, outcome: result, numbers } of rules)
      annotate('notice', `${run_id}: ${rule}: ${numbers}: ${result}`)
  const regressed = runs.reduce((sum, { worse }) => sum + (worse ?? 0), 0)
  return { code, gate: { outcome, regressed, markdown: readFileSync(file, 'utf8') } }
}

/** The summary of a run and its outputs, from a run document. Null if the program cannot read it. */
export const summarize = async ({ ers, folder }, run, more = []) => {
  const [summary, outputs] = [join(folder, 'run.md'), join(folder, 'outputs.txt')]
  rmSync(outputs, { force: true })
  const { code } = await ers(['ci-summary', '--out', summary, '--github-output', outputs, ...more, '--', run])
  return code === 0 ? { summary: readFileSync(summary, 'utf8'), outputs: readFileSync(outputs, 'utf8') } : null
}
