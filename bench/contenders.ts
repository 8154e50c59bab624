import { median } from './load.ts'
import type { Print } from './measures.ts'
import { freshUrl } from './postgres.ts'
import type { PostgresServer } from '../spec/support/postgres/server.ts'
import { PEER, startBenchServer, type Server } from './servers.ts'

// The servers that one measure compares: the reference server, the service on both storages, and the peer that
// `BENCH_PEER` names.

const CONTENDERS = ['floor', 'service', 'postgres', 'peer'] as const
export type Contender = (typeof CONTENDERS)[number]

export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)

/** The documents of the peer may have another schema version. */
const PEER_SCHEMA = Number(process.env['BENCH_PEER_SCHEMA'] ?? 3)
export const schemaVersionOf = (server: Server): number => (server.name === 'peer' ? PEER_SCHEMA : 3)

/** All contenders, or those that `BENCH_CONTENDERS` lists. */
export const selectedContenders = (): readonly Contender[] => {
  const selected = process.env['BENCH_CONTENDERS']?.split(',')
  return CONTENDERS.filter((name) => (name !== 'peer' || PEER !== undefined) && (selected?.includes(name) ?? true))
}

/** Starts a contender with an empty store. `database` is needed for the service on PostgreSQL only. */
export const startContender = async (contender: Contender, database: PostgresServer | null): Promise<Server> =>
  contender === 'postgres'
    ? startBenchServer('service', undefined, database ? { SERVICE_DATABASE_URL: await freshUrl(database) } : {})
    : startBenchServer(contender)

/** What was measured: by the title of a row, then by contender, one value per round. */
export type Results<T> = Map<string, Map<Contender, T[]>>

export const note = <T>(results: Results<T>, title: string, contender: Contender, measured: T): void => {
  const row = results.get(title) ?? new Map<Contender, T[]>()
  results.set(title, row.set(contender, [...(row.get(contender) ?? []), measured]))
}

export type Figure<T> = { readonly unit: string; readonly pick: (measured: T) => number; readonly digits: number }

/** Prints a line per figure of each row: the medians of all rounds, and the ratios of the service to each other contender. */
export const printTable = <T>(
  print: Print,
  contenders: readonly Contender[],
  results: Results<T>,
  figuresOf: (title: string) => ReadonlyArray<Figure<T>>,
): void => {
  const others = contenders.filter((name) => name !== 'service')
  print(`| | ${contenders.join(' | ')} | ${others.map((name) => `service of ${name}`).join(' | ')} |`)
  print(`|---|${contenders.map(() => '---|').join('')}${others.map(() => '---|').join('')}`)
  for (const [title, row] of results)
    for (const { unit, pick, digits } of figuresOf(title)) {
      const figure = (name: Contender): number | null => {
        const measured = row.get(name)
        return measured ? median(measured.map(pick)) : null
      }
      const own = figure('service')
      const ratios = others.map((name) => {
        const other = figure(name)
        return own === null || other === null ? '' : (own / other).toFixed(2)
      })
      print(
        `| ${unit === '' ? title : `${title}, ${unit}`} | ${contenders.map((name) => figure(name)?.toFixed(digits) ?? '').join(' | ')} | ${ratios.join(' | ')} |`,
      )
    }
}
