import { SourceRefused } from '../document/source-refused.ts'
import { csvRecords, type CsvField } from '../read/rows/csv.ts'
import { chunksOf, labelCollector, timeIn, type LabelReader } from './label-file.ts'

const NEEDED = ['case', 'reviewer', 'answer'] as const
const OPTIONAL = ['comment', 'seconds', 'given_at'] as const
const KNOWN: ReadonlySet<string> = new Set([...NEEDED, ...OPTIONAL])

/** Reads CSV with the columns `case`, `reviewer` and `answer`, and `comment`, `seconds` and `given_at` if there are any. */
export const readCsv: LabelReader = async (content) => {
  const { take, leaveOut, found } = labelCollector()
  let header: readonly string[] | null = null
  for await (const batch of csvRecords(chunksOf(content)))
    for (const record of batch) {
      const row = `row ${record.row}`
      if ('bad' in record) throw new SourceRefused(`${row}: ${record.bad}`)
      if (header === null) {
        header = headerOf(record.fields)
        for (const name of header) if (!KNOWN.has(name)) leaveOut('column', name === '' ? '(without name)' : name)
        continue
      }
      if (record.fields.length > header.length)
        throw new SourceRefused(`${row}: has ${record.fields.length} fields, but the header has ${header.length}`)
      const fieldOf = (name: string): CsvField => record.fields[header!.indexOf(name)] ?? null
      const [reviewer, answer] = [fieldOf('reviewer'), fieldOf('answer')]
      if (reviewer === null) throw new SourceRefused(`${row}: reviewer: is empty`)
      if (answer === null) {
        leaveOut('no_answer', row)
        continue
      }
      take({
        ...{ place: row, key: fieldOf('case'), reviewer, answer, comment: fieldOf('comment') },
        seconds: secondsOf(fieldOf('seconds'), row),
        given_at: timeOf(fieldOf('given_at'), row),
      })
    }
  if (header === null)
    throw new SourceRefused('is empty: the first row must name the columns case, reviewer and answer')
  return found()
}

const headerOf = (fields: readonly CsvField[]): readonly string[] => {
  const names = fields.map((field) => field?.trim() ?? '')
  const missing = NEEDED.find((name) => !names.includes(name))
  if (missing !== undefined) throw new SourceRefused(`row 1: the column ${missing} is missing`)
  const twice = names.find((name, i) => KNOWN.has(name) && names.indexOf(name) < i)
  if (twice !== undefined) throw new SourceRefused(`row 1: the column ${twice} is there twice`)
  return names
}

const secondsOf = (field: CsvField, row: string): number | null => {
  if (field === null) return null
  const seconds = Number(field)
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new SourceRefused(`${row}: seconds: ${JSON.stringify(field)} is no number of seconds`)
  return seconds
}

const timeOf = (field: CsvField, row: string): number | null => {
  if (field === null) return null
  const time = timeIn(field)
  if (time === null) throw new SourceRefused(`${row}: given_at: ${JSON.stringify(field)} is no time`)
  return time
}
