import { readFileSync } from 'node:fs'
import { setUp } from '../../spec/support/browser.ts'
import { randomOf } from '../documents.ts'
import { ask } from './clients.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import { storeTranscript } from './stored-transcript.ts'
import { transcriptPage } from './transcript-page.ts'
import { MIB, quantile, setting, type SoakContext } from './soak.ts'

const PAGES = 200
const PAGE = 200

/** Processor time that a process has used, in ms. The kernel counts in hundredths of a second. */
const cpuOf = ({ pid }: SoakServer): number => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  return 10 * (Number(user) + Number(system))
}

/** A transcript of 100,000 events and a gigabyte: its first events, pages of it, one event, a word that it does not have, and its page in a browser. */
export const transcripts = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const events = setting('SOAK_EVENTS', 100_000)
  const shape = { events, resultBytes: setting('SOAK_EVENT_BYTES', 40_000) }
  const server = await startSoakServer()
  const read = async (path: string) => {
    const answer = await ask(server, path)
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body.toString()}`)
    return { ms: answer.ms, data: JSON.parse(answer.body.toString()) as Record<string, unknown> }
  }
  try {
    const stored = await storeTranscript(server, shape)
    const { run_id, sha256, bytes } = stored
    print(`transcript: ${events} events, ${(bytes / MIB).toFixed(0)} MiB`)

    const path = `/runs/${run_id}/transcripts/${sha256}`
    server.forgetPeak()
    const start = performance.now()
    const first = await read(path)
    const page = await read(`${path}/events?from=1&limit=${PAGE}`)
    print(
      `first summary ${first.ms.toFixed(0)} ms (goal of the page: 1,000), first events ${page.ms.toFixed(0)} ms more`,
    )
    for (let done = false; !done; done = (await read(path)).data['complete'] === true);
    print(
      `whole outline ${((performance.now() - start) / 1000).toFixed(1)} s, peak memory ${server.usage().peak.toFixed(0)} MiB`,
    )

    const random = randomOf(seed)
    const timesOf = async (pathOf: (n: number) => string): Promise<string> => {
      const times: number[] = []
      const used = cpuOf(server)
      for (let i = 0; i < PAGES; i++) times.push((await read(pathOf(1 + Math.floor(random() * (events - PAGE))))).ms)
      const cpu = (cpuOf(server) - used) / PAGES
      return `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, processor ${cpu.toFixed(1)} ms, ${PAGES} requests`
    }
    print(
      `events of a page of ${PAGE}: ${await timesOf((n) => `${path}/events?from=${n}&limit=${PAGE}`)} (goal p99 25)`,
    )
    print(`outline of a page of ${PAGE}: ${await timesOf((n) => `${path}/outline?from=${n}&limit=${PAGE}`)}`)
    print(`one event: ${await timesOf((n) => `${path}/events/${n}`)}`)
    let next: unknown = 1
    let ms = 0
    const used = cpuOf(server)
    let requests = 0
    while (typeof next === 'number') {
      const found = await read(`${path}/find?q=zzz%20absent&from=${next}&limit=1`)
      ms += found.ms
      requests++
      next = found.data['next']
    }
    expect(
      ms < 30_000,
      `find of absent words: ${(ms / 1000).toFixed(1)} s in ${requests} requests, processor ${((cpuOf(server) - used) / 1000).toFixed(1)} s (goal 5)`,
    )
    await transcriptPage(server, stored, { session: await setUp(server.url), events, print })
  } finally {
    await server.stop()
  }
}
