import { gzipSync } from 'node:zlib'
import { setUp } from '../browser.ts'
import { hostileRun, trialRuns } from '../documents/hostile-cases.ts'
import { realDocuments } from '../documents/documents.ts'
import { startServer, type RunningServer } from './server.ts'

/**
 * Starts the real program with the real runs of the case specs and with hostile ones. `session` belongs to an account
 * that may see everything.
 */
export const startWithCases = async (): Promise<{ readonly server: RunningServer; readonly session: string }> => {
  const server = await startServer()
  const session = await setUp(server.url)
  const real = realDocuments().filter(({ name }) => /^(?:tau-bench|inspect|agbenchmark\/beebot)/.test(name))
  for (const bytes of [
    ...real.map(({ bytes }) => bytes),
    hostileRun(),
    ...trialRuns().map((document) => JSON.stringify(document)),
  ]) {
    const headers = {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    }
    const answer = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers,
      body: new Uint8Array(gzipSync(bytes)),
    })
    if (!answer.ok) throw new Error(`a run was refused: ${answer.status} ${await answer.text()}`)
  }
  return { server, session }
}
