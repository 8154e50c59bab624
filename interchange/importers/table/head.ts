import type { Json } from '../../../domain/run/readers.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { Losses } from '../../document/losses.ts'
import { isSeconds, sourceTime } from '../../document/time/source-time.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { RunHead } from '../importer.ts'
import type { Place, TableMap } from './map.ts'
import { aroundRows, type TableRow } from './rows.ts'
import { asNumber, rowValues } from './values.ts'

/** Collects what the rows of a run say about it: the first value of each place, and the earliest and latest time. */
export const headCollector = (map: TableMap, options: ImportOptions, losses: Losses) => {
  const { run } = map
  const texts = new Map<string, string>()
  let start: string | null = null
  let end: string | null = null

  const lastTimes = new Map<string, { readonly text: string | null; readonly time: string | null }>()

  const timeAt = (place: Place | undefined, row: ReturnType<typeof rowValues>, path: string): string | null => {
    if (place === undefined) return null
    const text = row.place(place)
    // Rows that follow each other often have the same time.
    const last = lastTimes.get(path)
    if (last?.text === text) return last.time
    const time = readAt(text, path)
    lastTimes.set(path, { text, time })
    return time
  }
  const readAt = (text: string | null, path: string): string | null => {
    const number = asNumber(text)
    // Either unit is usual in tables.
    const usual = isSeconds(number ?? null, options) ? 'seconds' : 'milliseconds'
    return sourceTime(number ?? text, options, losses, path, usual)
  }
  const add = ({ values }: TableRow): void => {
    const row = rowValues(values)
    for (const key of ['project', 'suite', 'description', 'branch', 'commit'] as const) {
      if (run?.[key] === undefined || texts.has(key)) continue
      const text = row.place(run[key])
      if (text !== null && text !== '') texts.set(key, text)
    }
    const started = timeAt(run?.started_at, row, 'run.started_at')
    const finished = timeAt(run?.finished_at, row, 'run.finished_at') ?? started
    if (started !== null && (start === null || Date.parse(started) < Date.parse(start))) start = started
    if (finished !== null && (end === null || Date.parse(finished) > Date.parse(end))) end = finished
  }
  return {
    add,
    head: async (file: SourceFile): Promise<RunHead> => {
      const around: Json = await aroundRows(file, map)
      const get = (key: string) => texts.get(key) ?? null
      return {
        project: get('project'),
        suite: get('suite') ?? file.name.replace(/\.[^.]*$/, ''),
        description: get('description'),
        startedAt: start ?? end,
        finishedAt: end,
        git: { branch: get('branch'), commit: get('commit') },
        config: isObject(around) ? rowOf(around, '') : null,
      }
    },
  }
}
