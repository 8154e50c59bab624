import { benchDocument } from '../documents.ts'
import { ask, paceFor, pacer } from './clients.ts'
import { startSoakServer } from './server.ts'
import type { SoakServer } from './server.ts'
import { MIB, MAX_RESIDENT_MIB, quantile } from './soak.ts'
import type { Ground } from './soak.ts'

const CASES = 35_000
const AT_ONCE = 16

/** Documents of 64 MiB: one beside list requests, then sixteen at once beside small ones. */
export const large = async ({ say, expect, fail }: Ground): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: CASES, bytesACase: 1300 }))
  const named = (n: number): Buffer =>
    Buffer.from(body.toString('latin1').replace('bench-00000000', `large-${String(n).padStart(8, '0')}`), 'latin1')
  const server = await startSoakServer()
  try {
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(n + 1)) }),
      ),
    )
    say(
      `document: ${(body.length / MIB).toFixed(1)} MiB, ${CASES} cases; the server begins with ${server.usage().resident.toFixed(0)} MiB`,
    )

    const pace = (times: readonly number[]): string =>
      `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, ${times.length} requests`
    say(`lists, idle: ${pace(await paceFor(server, '/runs', 2000))}`)
    server.forgetPeak()
    const meanwhile = pacer(server, '/runs')
    const one = await ask(server, '/runs', { method: 'POST', body })
    expect(
      one.status === 201,
      `one: ${one.status} in ${(one.ms / 1000).toFixed(1)} s, ${server.usage().peak.toFixed(0)} MiB at most`,
    )
    say(`lists, meanwhile: ${pace(await meanwhile.stop())}`)
    const exported = await ask(server, '/runs/bench-00000000/export')
    expect(exported.body.equals(body), `its export is byte-equal: ${exported.body.length} bytes`)

    server.forgetPeak()
    const lists = pacer(server, '/runs')
    const small = smallUploads(server)
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        ask(server, '/runs', { method: 'POST', body: named(n) }).catch((error: Error) =>
          fail(`upload ${n}: ${error.message}`),
        ),
      ),
    )
    const waits = await small.stop()
    say(`lists, meanwhile: ${pace(await lists.stop())}`)
    const stored = answers.filter((answer) => answer?.status === 201)
    const refused = answers.filter((answer) => answer?.status === 503 && answer.retryAfter !== null)
    expect(
      stored.length + refused.length === AT_ONCE && stored.length > 0,
      `${AT_ONCE} at once: ${stored.length} stored, ${refused.length} told to come back`,
    )
    expect(
      server.usage().peak <= MAX_RESIDENT_MIB,
      `resident memory ${server.usage().peak.toFixed(0)} MiB at most, bound ${MAX_RESIDENT_MIB}`,
    )
    // One large document may be under way when a small one comes; what waits behind it must not go first.
    const longest = Math.max(...waits.map(({ ms }) => ms))
    const slowest = Math.max(one.ms, ...gaps(stored.map((answer) => answer?.ms ?? 0)))
    const told = `small writes meanwhile: ${waits.length}, ${waits.filter(({ status }) => status === 503).length} told to come back, longest ${(longest / 1000).toFixed(1)} s; one large document takes up to ${(slowest / 1000).toFixed(1)} s`
    expect(longest <= slowest * 1.5 + 1000, told)
    expect(
      server.isAlive() && server.failures.length === 0,
      `the server lives; ${server.failures.length} failures in its log ${server.failures[0] ?? ''}`,
    )
  } finally {
    await server.stop()
  }
}

/** Times between one answer and the next: what one large document keeps the writer for. */
const gaps = (times: readonly number[]): number[] => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted.slice(1).map((ms, i) => ms - (sorted[i] ?? 0))
}

/** Small uploads and pins in turn, one after another, until told to stop. */
const smallUploads = (server: SoakServer) => {
  const answers: Array<{ readonly status: number; readonly ms: number }> = []
  let going = true
  const done = (async () => {
    for (let n = 1000; going; n++) {
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
      going = false
      await done
      return answers
    },
  }
}
