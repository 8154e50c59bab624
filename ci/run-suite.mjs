// Runs a suite, uploads the run where a service is named, and judges it.
import { join } from 'node:path'
import { gateRuns, summarize } from './judge.mjs'
import { InputError, isTrue, lines, variable } from './runner.mjs'

export const runSuite = async (context) => {
  const { ers, serverUrl } = context
  const rules = lines('RULES')
  if (rules.length > 0 && serverUrl === '') throw new InputError('the input rules needs server-url')
  const against = variable('INPUT_AGAINST').trim()
  const earlier = await latestRun(ers)
  const suite = variable('INPUT_CONFIG') || 'service.yaml'
  const { code } = await ers(['run', ...options(context, against), '--', suite])
  // Without a run of this step, `latest` would be an older one.
  const id = await latestRun(ers)
  const stored =
    id === null || id === earlier ? null : await summarize(context, id, against === '' ? [] : ['--against', against])
  const summaries = stored === null ? [] : [stored.summary]
  const outputs = stored === null ? [] : [stored.outputs]
  if (rules.length === 0 || code > 1 || stored === null) return { exitCode: code, summaries, outputs, gate: null }
  // The rules say what fails, in place of each failed case.
  const judged = await gateRuns(context, [id], gateReference(against))
  return { exitCode: judged.code, summaries, outputs, gate: judged.gate }
}

const options = ({ folder, serverUrl }, against) => [
  ...['--format', 'junit', '--out', join(folder, 'results.xml'), '--no-progress'],
  ...variable('INPUT_PROVIDER')
    .split(/[\s,]+/)
    .filter((name) => name !== '')
    .flatMap((name) => ['--provider', name]),
  ...(against === '' ? [] : ['--against', against]),
  ...(isTrue('ALLOW_EMPTY') ? ['--allow-empty'] : []),
  ...(serverUrl === '' ? [] : ['--share']),
  ...(serverUrl !== '' && isTrue('ALLOW_SHARE_FAILURE') ? ['--allow-share-failure'] : []),
]

/** The id of the newest whole run in the local store; null without one. */
const latestRun = async (ers) => {
  const { code, stdout } = await ers(['runs', '--json', '-n', '20'], { quiet: true })
  if (code !== 0) return null
  return JSON.parse(stdout).find(({ latest }) => latest)?.run_id ?? null
}

/** What `ers gate` calls a reference of `ers run`. */
const gateReference = (against) =>
  against === 'none' ? '' : against === 'latest' ? 'previous' : against.replace(/^server:/, '')
