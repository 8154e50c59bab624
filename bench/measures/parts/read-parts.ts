import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_REAL_SERVER, startVersitygw, versitygw } from '../../../spec/support/s3/real-server.ts'
import { KEYS } from '../../../spec/support/s3/stand-in.ts'
import { digestOf, FORM_TYPE, formOf, manifestOf, octets } from '../../../spec/support/documents/parts.ts'
import { ROUNDS } from '../../contenders.ts'
import { benchDocument, randomOf } from '../../documents.ts'
import { ask, load, median, quantile } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { SERVICE, startBenchServer, type Server } from '../../servers.ts'
import { bodyOf, writeBody, type Body } from './bodies.ts'
import { rateOf, run, timesOfSignedRanges } from './yardsticks.ts'
import { timeOfUpload } from './uploads.ts'

const MIB = 2 ** 20
const BYTES = Number(process.env['BENCH_PART_MIB'] ?? 256) * MIB
const RANGE = 64 * 1024
const RANGES = 200

/** A document with another run id, which may name a manifest. */
const documentOf = (n: number, manifest?: string): Buffer => {
  const document = JSON.parse(benchDocument(n, { cases: 10 })) as Record<string, unknown>
  return Buffer.from(JSON.stringify({ ...document, ...(manifest ? { evidence_manifest: manifest } : {}) }))
}

const post = async (server: Server, agent: Agent, path: string, body: Buffer, extra = {}): Promise<void> => {
  const { status } = await ask(agent, server, `/api/v1${path}`, {
    method: path.startsWith('/parts/') ? 'PUT' : 'POST',
    body,
    extra,
  })
  if (status >= 300) throw new Error(`${path} was answered with ${status}`)
}

/** Stores a part with a run that names it. Returns the path at which it is read. */
const storePart = async (server: Server, body: Body): Promise<string> => {
  await timeOfUpload(server, body)
  const manifest = Buffer.from(
    JSON.stringify({ evidence: 1, parts: [{ sha256: body.sha256, bytes: body.bytes, role: 'original' }] }),
  )
  const agent = new Agent()
  await post(server, agent, `/parts/${digestOf(manifest)}`, manifest, octets)
  const document = documentOf(0, digestOf(manifest))
  await post(server, agent, '/runs', document)
  agent.destroy()
  const { run_id } = JSON.parse(document.toString()) as { run_id: string }
  return `/api/v1/runs/${run_id}/parts/${body.sha256}`
}

/** Serves one file, whole, as the simplest server would. */
const serveFile = async (file: string) => {
  const server = createServer((_request, response) => createReadStream(file).pipe(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {}, stop: () => server.close() }
}

type Read = { readonly ms: number; readonly firstMs: number }

const readWhole = async (of: Pick<Server, 'url' | 'headers'>, path: string): Promise<Read> => {
  const agent = new Agent()
  const from = performance.now()
  let firstMs = 0
  const { status, bytes, ms } = await ask(agent, of, path, {
    onChunk: () => (firstMs ||= performance.now() - from),
  })
  agent.destroy()
  if (status !== 200 || bytes !== BYTES) throw new Error(`a part was answered with ${status} and ${bytes} bytes`)
  return { ms, firstMs }
}

const timeOf = async (program: string, args: readonly string[]): Promise<number> => {
  const from = performance.now()
  await run(program, args)
  return performance.now() - from
}

/** How fast `ers verify --parts all` is, with its start, next to `sha256sum` of the same bytes. */
const verifyAll = async (print: Print, dataDir: string, file: string): Promise<void> => {
  const ratios: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const sum = await timeOf('sha256sum', [file])
    ratios.push(sum / (await timeOf(process.execPath, [SERVICE, 'verify', '--data-dir', dataDir, '--parts', 'all'])))
  }
  print(`\n\`ers verify --parts all\` of it: ${median(ratios).toFixed(2)} of \`sha256sum\` (goal 0.5)\n`)
}

/** Reads a part whole and in ranges, next to a static file server and to what the bucket itself does. */
const readParts = async (print: Print, root: string): Promise<void> => {
  const gateway = versitygw === null ? null : await startVersitygw(versitygw)
  if (gateway === null) print(`${NO_REAL_SERVER}\n`)
  const body = bodyOf('text', BYTES)
  const file = join(root, 'part')
  await writeBody(body, file)
  const plain = await serveFile(file)
  print(`A part of ${BYTES / MIB} MiB, read by a client on the same machine.\n`)
  print(
    '| from | MiB/s, ratio to a static file server (goal 0.25) | first byte, ms | ranges of 64 KiB, p50 / p99 ms | the bucket itself, p50 / p99 |',
  )
  print('|---|---|---|---|---|')
  try {
    for (const place of ['files', 's3'] as const) {
      if (place === 's3' && gateway === null) continue
      const env = place === 's3' ? { ...KEYS, SERVICE_OBJECT_STORE_URL: gateway?.storeUrl('read') ?? '' } : {}
      const server = await startBenchServer('service', undefined, env)
      try {
        const path = await storePart(server, body)
        const [own, others, ratios]: [Read[], Read[], number[]] = [[], [], []]
        for (let n = 0; n < ROUNDS; n++) {
          others.push(await readWhole(plain, '/'))
          own.push(await readWhole(server, path))
          ratios.push((others.at(-1)?.ms ?? 0) / (own.at(-1)?.ms ?? 1))
        }
        const random = randomOf(3)
        const starts = Array.from({ length: RANGES }, () => Math.floor(random() * (BYTES - RANGE)))
        const ranges = await load(1, RANGES, (agent, n) => {
          const start = starts[n] ?? 0
          return ask(agent, server, path, { extra: { range: `bytes=${start}-${start + RANGE - 1}` } })
        })
        const direct =
          place === 's3' && gateway ? await timesOfSignedRanges(gateway.storeUrl('direct'), body, RANGE, RANGES) : []
        const rate = median(own.map(({ ms }) => rateOf(BYTES, ms)))
        print(
          `| ${place} | ${rate.toFixed(0)}, ${median(ratios).toFixed(2)} | ${median(own.map(({ firstMs }) => firstMs)).toFixed(1)} | ${ranges.p50.toFixed(1)} / ${ranges.p99.toFixed(1)} | ${direct.length === 0 ? '' : `${quantile(direct, 0.5).toFixed(1)} / ${quantile(direct, 0.99).toFixed(1)}`} |`,
        )
        if (place === 'files') await verifyAll(print, server.dataDir, file)
      } finally {
        await server.stop()
      }
    }
  } finally {
    plain.stop()
    await gateway?.[Symbol.asyncDispose]()
  }
}

const SMALL_BYTES = 30_000
const [SMALL_PARTS, SMALL_RUNS, SMALL_CLIENTS] = [10, 60, 4] as const

/** Sends runs with small parts, next to the same documents alone. */
const sendSmall = async (print: Print): Promise<void> => {
  const noise = randomOf(11)
  const partsOf = (): Buffer[] =>
    Array.from({ length: SMALL_PARTS }, () => Buffer.from(Float64Array.from({ length: SMALL_BYTES / 8 }, noise).buffer))
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const withParts = Array.from({ length: SMALL_RUNS }, (_, n) => {
      const parts = partsOf()
      const manifest = manifestOf(parts.map((bytes) => ({ bytes, role: 'original' })))
      const files = [...parts, manifest].map((bytes) => ({ name: digestOf(bytes), bytes }))
      return { form: formOf(files), document: documentOf(n, digestOf(manifest)) }
    })
    const perSecond = async (send: (server: Server, agent: Agent, n: number) => Promise<void>): Promise<number> => {
      const server = await startBenchServer('service')
      const done = await load(SMALL_CLIENTS, SMALL_RUNS, async (agent, n) => {
        await send(server, agent, n)
        return { status: 201, ms: 0, bytes: 0 }
      })
      await server.stop()
      return done.perSecond
    }
    const alone = await perSecond((server, agent, n) => post(server, agent, '/runs', documentOf(n)))
    const together = await perSecond(async (server, agent, n) => {
      const { form, document } = withParts[n] ?? { form: Buffer.alloc(0), document: Buffer.alloc(0) }
      await post(server, agent, '/parts', form, FORM_TYPE)
      await post(server, agent, '/runs', document)
    })
    rates.push(together)
    ratios.push(together / alone)
  }
  print(
    `Runs of 10 cases with ${SMALL_PARTS} parts of 30 KB: ${median(rates).toFixed(0)} documents a second, ${median(ratios).toFixed(2)} of the documents alone (goal 0.5)\n`,
  )
}

/** What reading parts and sending small ones costs, next to a static file server, the bucket itself and the documents alone. */
export const readAndSmall = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'ers-bench-reads-'))
  try {
    await readParts(print, root)
    await sendSmall(print)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
