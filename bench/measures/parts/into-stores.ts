import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_REAL_SERVER, startVersitygw, versitygw } from '../../../spec/support/s3/real-server.ts'
import { KEYS } from '../../../spec/support/s3/stand-in.ts'
import { ROUNDS } from '../../contenders.ts'
import { median } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { freshUrl, startPostgres } from '../../postgres.ts'
import { startBenchServer } from '../../servers.ts'
import { bodyOf, writeBody, type Body, type Kind } from './bodies.ts'
import { timeOfUpload } from './uploads.ts'
import { rateOf, timeOfSignedPuts, timeOfZstd } from './yardsticks.ts'

const MIB = 2 ** 20
const BYTES = Number(process.env['BENCH_PART_MIB'] ?? 256) * MIB

type Place = 'files' | 's3' | 'table'
const GOALS: Readonly<Record<Place, string>> = { files: '≥ 0.4, + ≤ 160', s3: '≥ 0.7, + ≤ 320', table: '' }

type Round = { readonly rate: number; readonly ratio: number; readonly more: number }

/** Sends parts into each store, next to what the machine and the bucket do without the service. */
export const intoStores = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-parts-'))
  const gateway = versitygw === null ? null : await startVersitygw(versitygw)
  if (gateway === null) print(`${NO_REAL_SERVER}\n`)
  const postgres = await startPostgres({ durable: true })
  const environmentOf = async (place: Place, prefix: string): Promise<Record<string, string>> => {
    if (place === 'files') return {}
    if (place === 'table')
      return { SERVICE_DATABASE_URL: await freshUrl(postgres), SERVICE_PART_MAX_BYTES: String(5 * 1024 * MIB) }
    return { ...KEYS, SERVICE_OBJECT_STORE_URL: gateway?.storeUrl(prefix) ?? '' }
  }
  const measured = async (place: Place, body: Body, n: number): Promise<{ ms: number; more: number }> => {
    const server = await startBenchServer('service', undefined, await environmentOf(place, `${body.kind}-${n}`))
    try {
      const before = server.memory().now
      const ms = await timeOfUpload(server, body)
      return { ms, more: server.memory().peak - before }
    } finally {
      await server.stop()
    }
  }
  try {
    print(`A part of ${BYTES / MIB} MiB in pieces, four at a time, by a client on the same machine.\n`)
    print('| into | bytes | MiB/s | yardstick MiB/s | ratio, more MiB | goal |')
    print('|---|---|---|---|---|---|')
    for (const kind of ['text', 'noise'] satisfies Kind[]) {
      const file = join(root, kind)
      await writeBody(bodyOf(kind, BYTES), file)
      const places = (['files', 's3', 'table'] as const).filter((place) => place !== 's3' || gateway !== null)
      const rounds: Record<Place, Round[]> = { files: [], s3: [], table: [] }
      const yardsticks: Record<Place, number[]> = { files: [], s3: [], table: [] }
      for (let n = 0; n < ROUNDS; n++) {
        const body = bodyOf(kind, BYTES, n)
        const onDisk = rateOf(BYTES, await timeOfZstd(file))
        const puts = gateway
          ? rateOf(BYTES, await timeOfSignedPuts(gateway.storeUrl(`direct-${kind}-${n}`), body))
          : Infinity
        for (const place of places) {
          const yardstick = place === 's3' ? Math.min(onDisk, puts) : onDisk
          const { ms, more } = await measured(place, body, n)
          const rate = rateOf(BYTES, ms)
          rounds[place].push({ rate, ratio: rate / yardstick, more })
          yardsticks[place].push(yardstick)
        }
      }
      for (const place of places) {
        const of = (member: keyof Round): number => median(rounds[place].map((round) => round[member]))
        print(
          `| ${[place, kind, of('rate').toFixed(0), median(yardsticks[place]).toFixed(0), `${of('ratio').toFixed(2)}, ${of('more').toFixed(0)}`, GOALS[place]].join(' | ')} |`,
        )
      }
      rmSync(file)
    }
  } finally {
    await gateway?.[Symbol.asyncDispose]()
    await postgres.stop()
    rmSync(root, { recursive: true, force: true })
  }
}
