import { aDocument, theExample, type ADocument } from '../documents/documents.ts'
import { openApp, type SpecApp } from '../servers/app.ts'

/** Examples of the API's document by operation: of its request, and of its response by status. */
type Examples = Record<string, Record<string, unknown>>

/** When the examples are made, by the clock of the service. */
const NOW = Date.parse('2026-05-04T09:05:00Z')

/**
 * The worked example of the wire format, and a run before it in which one case of it failed. So the examples of a
 * comparison show a difference.
 */
const runs = (): { readonly older: ADocument; readonly newer: ADocument } => {
  const newer = theExample()
  const cases = newer.cases
    .slice(0, 2)
    .map((item, i) => (i === 0 ? { ...item, status: 'fail' as const, score: 0.2 } : item))
  const older = aDocument({
    ...newer,
    run_id: '01K2YS3M5D8F1H6J9K0N4P7QRT',
    started_at: '2026-05-03T09:00:00Z',
    finished_at: '2026-05-03T09:00:40Z',
    cases,
  })
  return { older, newer }
}

/** Asks a service for everything that the API's document shows as an example. */
export const makeExamples = async (): Promise<Examples> => {
  const spec = await openApp({ now: () => NOW })
  const { older, newer } = runs()
  const uploadRun = { request: small(newer), ...(await posted(spec, newer)) }
  await spec.ingest(older)
  const suite = `/projects/${newer.project ?? ''}/suites/${newer.suite ?? ''}`
  const run = `/runs/${newer.run_id}`
  const key = newer.cases[0]?.case_key ?? ''
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const { statusCode, body } = await spec.sendAs('admin')('GET', path)
    return { [statusCode]: JSON.parse(body) as unknown }
  }
  const examples: Examples = {
    getHealth: await read('/health'),
    uploadRun,
    listRuns: await read('/runs?limit=1'),
    getRun: { ...(await read(run)), ...(await read('/runs/absent')) },
    listCases: await read(`${run}/cases?limit=1`),
    getCase: await read(`${run}/cases/${key}`),
    getMatrix: await read(`${run}/matrix?limit=1`),
    compareRuns: await read(`/runs/${older.run_id}/compare/${newer.run_id}`),
    getRunStatistics: await read(`${run}/statistics`),
    getLeaderboard: await read(`/runs/${newer.run_id}/leaderboard`),
    getComparisonStatistics: await read(`/runs/${older.run_id}/compare/${newer.run_id}/statistics`),
    getCalibration: await read(`${run}/calibration`),
    compareCalibration: await read(`/runs/${older.run_id}/compare/${newer.run_id}/calibration`),
    getSuiteTrend: await read(`${suite}/trend`),
    getCaseHistory: await read(`${suite}/cases/${key}/history`),
    searchRuns: await read('/search/runs?q=refund'),
    listProjects: await read('/projects'),
    listSuites: await read(`/projects/${newer.project ?? ''}/suites`),
    pinBaseline: { request: { run_id: newer.run_id } },
  }
  await spec.close()
  return examples
}

/** A document with the first of its cases. */
const small = (document: ADocument): ADocument => aDocument({ ...document, cases: document.cases.slice(0, 1) })

const posted = async (spec: SpecApp, document: ADocument): Promise<Record<string, unknown>> => {
  const { statusCode, body } = await spec.ingest(document)
  return { [statusCode]: JSON.parse(body) as unknown }
}
