import { benchDocument } from '../documents.ts'
import { ask, paceFor, pacer } from './clients.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import { MIB, MAX_RESIDENT_MIB, quantile, type SoakContext } from './soak.ts'

const CASES = 35_000
const CONCURRENT = 16

/** Documents of 64 MiB: one during list requests, then sixteen at once during small uploads. */
export const large = async ({ print, expect, fail }: SoakContext): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: CASES, bytesPerCase: 1300 }))
  const copyOf = (n: number): Buffer =>
    Buffer.from(body.toString('latin1').replace('bench-00000000', `large-${String(n).padStart(8, '0')}`), 'latin1')
  const server = await startSoakServer()
  try {
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(n + 1)) }),
      ),
    )
    print(
      `document: ${(body.length / MIB).toFixed(1)} MiB, ${CASES} cases; the server starts with ${server.usage().resident.toFixed(0)} MiB`,
    )

    const describeTimes = (times: readonly number[]): string =>
      `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, ${times.length} requests`
    print(`lists, idle: ${describeTimes(await paceFor(server, '/runs', 2000))}`)
    server.forgetPeak()
    const duringUpload = pacer(server, '/runs')
    const single = await ask(server, '/runs', { method: 'POST', body })
    expect(
      single.status === 201,
      `one upload: status ${single.status} in ${(single.ms / 1000).toFixed(1)} s, peak memory ${server.usage().peak.toFixed(0)} MiB`,
    )
    print(`lists, during the upload: ${describeTimes(await duringUpload.stop())}`)
    const exported = await ask(server, '/runs/bench-00000000/export')
    expect(exported.body.equals(body), `its export is byte-equal: ${exported.body.length} bytes`)

    server.forgetPeak()
    const lists = pacer(server, '/runs')
    const small = smallUploads(server)
    const answers = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, n) =>
        ask(server, '/runs', { method: 'POST', body: copyOf(n) }).catch((error: Error) =>
          fail(`upload ${n}: ${error.message}`),
        ),
      ),
    )
    const smallAnswers = await small.stop()
    print(`lists, during the uploads: ${describeTimes(await lists.stop())}`)
    const stored = answers.filter((answer) => answer?.status === 201)
    const refused = answers.filter((answer) => answer?.status === 503 && answer.retryAfter !== null)
    expect(
      stored.length + refused.length === CONCURRENT && stored.length > 0,
      `${CONCURRENT} at once: ${stored.length} stored, ${refused.length} refused with 503 and Retry-After`,
    )
    expect(
      server.usage().peak <= MAX_RESIDENT_MIB,
      `peak resident memory ${server.usage().peak.toFixed(0)} MiB, limit ${MAX_RESIDENT_MIB} MiB`,
    )
    // A small write may arrive while a large document is stored. It must not wait for further large documents.
    const longest = Math.max(...smallAnswers.map(({ ms }) => ms))
    const slowest = Math.max(single.ms, ...gaps(stored.map((answer) => answer?.ms ?? 0)))
    const summary = `small writes during the uploads: ${smallAnswers.length}, ${smallAnswers.filter(({ status }) => status === 503).length} refused with 503, longest ${(longest / 1000).toFixed(1)} s; one large document takes up to ${(slowest / 1000).toFixed(1)} s`
    expect(longest <= slowest * 1.5 + 1000, summary)
    expect(
      server.isAlive() && server.failures.length === 0,
      `the server ${server.isAlive() ? 'is running' : 'has exited'}; ${server.failures.length} failures in its log ${server.failures[0] ?? ''}`,
    )
  } finally {
    await server.stop()
  }
}

/** Times between consecutive responses: how long one large document occupies the writer. */
const gaps = (times: readonly number[]): number[] => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted.slice(1).map((ms, i) => ms - (sorted[i] ?? 0))
}

/** Alternates small uploads and pins, one at a time, until `stop` is called. */
const smallUploads = (server: SoakServer) => {
  const answers: Array<{ readonly status: number; readonly ms: number }> = []
  let isRunning = true
  const done = (async () => {
    for (let n = 1000; isRunning; n++) {
      const body = Buffer.from(benchDocument(n, { cases: 3 }))
      answers.push(await ask(server, '/runs', { method: 'POST', body }))
      answers.push(
        await ask(server, '/projects/project-1/suites/suite-0/baseline', {
          method: 'PUT',
          body: Buffer.from('{"run_id":"bench-00000001"}'),
        }),
      )
    }
  })()
  return {
    stop: async () => {
      isRunning = false
      await done
      return answers
    },
  }
}
