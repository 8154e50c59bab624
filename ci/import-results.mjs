// Imports results of any tool into a service, and judges the runs that they became.
import * as files from 'node:fs'
import { join } from 'node:path'
import { gateRuns, summarize } from './judge.mjs'
import { annotate, InputError, isTrue, lines, variable } from './runner.mjs'

/** Runs with a summary of their own. Further ones are judged, and are in the table of the gate. */
const MAX_SUMMARIES = 10

export const importResults = async (context) => {
  const { ers, folder, serverUrl } = context
  if (serverUrl === '') throw new InputError('the input results needs server-url')
  const report = join(folder, 'report.jsonl')
  const paths = lines('RESULTS').flatMap(pathsOf)
  const imported = await ers(['import', '--report', report, '--json', ...options(), '--', ...paths])
  const entries = reportEntries(report)
  const ids = [...new Set(entries.filter(isThere).map(({ run_id }) => run_id))]
  const problem = importProblem(imported.code, entries, ids)
  if (ids.length === 0) return { exitCode: problem ?? 0, summaries: [], outputs: [], gate: null }
  const stored = []
  for (const id of ids.slice(0, MAX_SUMMARIES)) stored.push(await readSummary(context, id))
  writeResults(folder, stored)
  const found = stored.filter((item) => item !== null)
  const judged = await gateRuns(context, ids, variable('INPUT_AGAINST').trim())
  const more = ids.length - MAX_SUMMARIES
  return {
    exitCode: problem ?? (found.length < stored.length ? Math.max(3, judged.code) : judged.code),
    summaries: [...found.map(({ summary }) => summary), ...(more > 0 ? [`_…and ${more} more runs._\n`] : [])],
    outputs: found.map(({ outputs }) => outputs),
    gate: judged.gate,
  }
}

/** A path, or what a pattern matches. Patterns need Node 22, which has them built in. */
const pathsOf = (path) => {
  if (!/[*?[]/.test(path) || files.existsSync(path)) return [path]
  if (files.globSync === undefined)
    throw new InputError(`the pattern ${path} needs Node 22 or newer: use actions/setup-node`)
  const found = files.globSync(path).sort()
  if (found.length === 0 && !isTrue('ALLOW_EMPTY')) throw new InputError(`the input results matches no file: ${path}`)
  return found
}

const options = () => {
  const given = (name) => variable(`INPUT_${name}`).trim()
  return [
    ['--server', given('SERVER_URL')],
    ['--from', given('FROM')],
    ['--project', given('PROJECT')],
    ['--suite', given('SUITE')],
    // Few tools record where they ran.
    ['--branch', given('BRANCH') || branchOfJob()],
    ['--commit', variable('GITHUB_SHA')],
  ].flatMap(([option, value]) => (value === '' ? [] : [option, value]))
}

/** The branch that the job works for: that of a pull request, else the pushed one; an empty text for a tag. */
const branchOfJob = () =>
  variable('GITHUB_HEAD_REF') || (variable('GITHUB_REF_TYPE') === 'branch' ? variable('GITHUB_REF_NAME') : '')

const reportEntries = (report) => {
  if (!files.existsSync(report)) return []
  return files
    .readFileSync(report, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const FAULTS = ['refused', 'failed', 'changed']
/** Whether the service has the run as the file has it. */
const isThere = ({ outcome, run_id }) => typeof run_id === 'string' && ['imported', 'already_there'].includes(outcome)

const importFault = ({ outcome, path, part, run_id, reason }) => {
  const place = part === null ? path : `${path}:${part}`
  if (outcome === 'changed') return `${place}: the service has ${run_id} with other content, which stays`
  return `${place}: ${outcome}${reason ? `: ${reason.replace(new RegExp(`^${outcome} `), '')}` : ''}`
}

/** The exit code if not everything was imported; null if it was. */
const importProblem = (code, entries, ids) => {
  for (const entry of entries) if (FAULTS.includes(entry.outcome)) annotate('error', importFault(entry))
  if (entries.some(({ outcome }) => outcome === 'failed')) return 3
  if (code !== 0) return code === 2 && ids.length === 0 && entries.length === 0 && isTrue('ALLOW_EMPTY') ? null : 2
  if (ids.length > 0 || isTrue('ALLOW_EMPTY')) return null
  annotate('error', 'nothing was imported')
  return 2
}

/** The summary of a stored run, its outputs and its JUnit XML; null if it cannot be read. */
const readSummary = async (context, id) => {
  const { ers, folder, serverUrl } = context
  const file = join(folder, 'run.json')
  if ((await ers(['export', '--server', serverUrl, '--force', '-o', file, '--', id])).code !== 0) return null
  const run = JSON.parse(files.readFileSync(file, 'utf8'))
  // The pages are those of this service and of this job. An address in a foreign file could lead anywhere.
  const share_url = `${serverUrl}/runs/${encodeURIComponent(id)}`
  files.writeFileSync(file, JSON.stringify({ ...run, ci: undefined, share_url }))
  const junit = await ers(['view', '--format', 'junit', '--', file], { quiet: true })
  const summary = await summarize(context, file)
  return summary === null || junit.code !== 0 ? null : { ...summary, junit: junit.stdout }
}

const writeResults = (folder, stored) => {
  const suites = stored.filter((item) => item !== null).map(({ junit }) => junit.replace(/^<\?xml[^>]*\?>\s*/, ''))
  const content = suites.length === 1 ? suites[0] : `<testsuites>\n${suites.join('')}</testsuites>\n`
  files.writeFileSync(join(folder, 'results.xml'), `<?xml version="1.0" encoding="UTF-8"?>\n${content}`)
}
