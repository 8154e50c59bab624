// The step that makes results: runs a suite or imports files, judges them by rules, and writes the summary.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytes, fit, MAX_SUMMARY_BYTES } from './fit.mjs'
import { importResults } from './import-results.mjs'
import { sumOutputs } from './outputs.mjs'
import { runSuite } from './run-suite.mjs'
import { addSummary, annotate, InputError, lines, runProgram, setOutput, variable } from './runner.mjs'

/** What a summary says where nothing was stored. */
const NOTHING = '### ers\n\nNo results: the log of the step says why.\n'

export const evaluate = async () => {
  const folder = artifactFolder(variable('INPUT_ARTIFACT_NAME'))
  let result
  try {
    const address = variable('INPUT_SERVER_URL').trim()
    const context = {
      folder,
      ers: programOf(),
      serverUrl: address.endsWith('/') ? address.slice(0, -1) : address,
    }
    result = await (lines('RESULTS').length > 0 ? importResults(context) : runSuite(context))
  } catch (error) {
    // Later steps report it, and fail the job.
    if (!(error instanceof InputError)) throw error
    annotate('error', error.message)
    result = { exitCode: 2, summaries: [], outputs: [], gate: null }
  }
  write(folder, result)
  return 0
}

/** A folder of its own for each artifact, so that two uses of the action in one job share nothing. */
const artifactFolder = (artifact) => {
  const folder = join(variable('RUNNER_TEMP'), `ers-${encodeURIComponent(artifact)}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs the program with the variables that the inputs set. */
const programOf = () => {
  const command = variable('ERS_COMMAND')
  if (command === '') throw new InputError('the program was not obtained')
  const given = (name, value) => (value === '' ? {} : { [name]: value })
  const env = {
    ...given('SERVICE_SERVER_URL', variable('INPUT_SERVER_URL').trim()),
    ...given('SERVICE_TOKEN', variable('INPUT_TOKEN')),
    ...given('SERVICE_CACHE_DIR', variable('INPUT_CACHE_DIR')),
    ...given('SERVICE_BRANCH', variable('INPUT_BRANCH')),
    // `ci-summary` would write its outputs among those of this step.
    GITHUB_OUTPUT: '',
  }
  const ers = JSON.parse(command)
  return (args, options = {}) => runProgram([...ers, ...args], { env, ...options })
}

const write = (folder, { exitCode, summaries, outputs, gate }) => {
  const totals = sumOutputs(outputs, gate?.regressed ?? null)
  const page = totals['run-url']
  const whole = [...(summaries.length === 0 ? [NOTHING] : summaries), ...(gate === null ? [] : [gate.markdown])].join(
    '\n',
  )
  const summaryPath = join(folder, 'summary.md')
  writeFileSync(summaryPath, whole)
  addSummary(fit(whole, { limit: MAX_SUMMARY_BYTES, size: bytes, page }))
  setOutput('folder', folder)
  setOutput('exit-code', exitCode)
  setOutput('gate', gate?.outcome ?? '')
  setOutput('summary-path', summaryPath)
  setOutput('results-path', join(folder, 'results.xml'))
  for (const [name, value] of Object.entries(totals)) setOutput(name, value)
}
