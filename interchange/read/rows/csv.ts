import { parse, type CsvError } from 'csv-parse'
import { uniqueNames } from '../../../domain/text/unique-names.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from '../json/json-elements.ts'
import { decodeUtf8 } from '../decode.ts'

/** A field as text. Null is an empty field; if `isExact`, one with quotes around it is the empty text. */
export type CsvField = string | null

/**
 * A record of a CSV file. `row` counts records from 1, the header included, as a spreadsheet shows them. `bad`: it is no
 * valid record, and why. `cut`: the file ends inside of it.
 */
export type CsvRecord =
  | { readonly row: number; readonly fields: readonly CsvField[] }
  | { readonly row: number; readonly bad: string; readonly isCut: boolean }

/**
 * Reads a CSV file (RFC 4180) record by record, in batches, whatever its line ends are. Blank lines are skipped. A record
 * that cannot be read is returned as bad, and the others follow. Throws `SourceRefused` for bytes that are not UTF-8, and
 * for a quote that is never closed, if it has taken further lines or there is no other row.
 */
export const csvRecords = async function* (
  chunks: AsyncIterable<Uint8Array>,
  { delimiter = ',', isExact = false }: { readonly delimiter?: string; readonly isExact?: boolean } = {},
): AsyncGenerator<readonly CsvRecord[]> {
  let batch: CsvRecord[] = []
  let row = 0
  let lastLine = 0
  let openLine: number | null = null
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    // A quote in the middle of a field is a character. Otherwise one such field would swallow the rows after it.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_ELEMENT_BYTES,
    // A call for each field halves the speed.
    ...(isExact && { cast: (value, { quoting }) => (value === '' && !quoting ? null : value) }),
    // Records are taken here and not from the stream, which would pass them on one by one.
    on_record: (fields: CsvField[], { lines }) => {
      lastLine = lines
      if (!isExact) for (let at = 0; at < fields.length; at++) if (fields[at] === '') fields[at] = null
      batch.push({ row: ++row, fields })
      return null
    },
    on_skip: (error) => {
      if (!error) return undefined
      const isCut = error.code === 'CSV_QUOTE_NOT_CLOSED'
      if (isCut && (Number(error['lines']) > lastLine + 1 || row < 2)) openLine = lastLine + 1
      batch.push({ row: ++row, bad: csvReason(error), isCut })
      return undefined
    },
  })
  const finished = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve)
    parser.on('error', reject)
  })
  // The stream is empty, but it ends only when it was read.
  parser.resume()
  try {
    // The decoder checks the bytes; the parser decodes them again, field by field.
    const read = tee(chunks)
    for await (const _ of decodeUtf8(read.chunks)) {
      for (const chunk of read.take()) await write(parser, chunk)
      yield batch
      batch = []
    }
    parser.end()
    await finished
    if (openLine !== null) throw openQuote(openLine)
    yield batch
  } finally {
    parser.destroy()
  }
}

/** All that follows a quote is one field, until the next quote: the rows after it would be lost. */
const openQuote = (line: number) =>
  new SourceRefused(`a quote opens in line ${line} and is never closed: close it, or write it twice inside of quotes`)

/** Passes chunks on, and keeps those that were not yet taken. */
const tee = (source: AsyncIterable<Uint8Array>) => {
  let waiting: Uint8Array[] = []
  return {
    chunks: (async function* () {
      for await (const chunk of source) {
        waiting.push(chunk)
        yield chunk
      }
    })(),
    take: (): readonly Uint8Array[] => {
      const taken = waiting
      waiting = []
      return taken
    },
  }
}

const write = (parser: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()))
  })

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_MAX_RECORD_SIZE: `longer than ${MAX_ELEMENT_BYTES} bytes`,
}

const csvReason = ({ code, message }: CsvError): string => REASONS[code] ?? message.split(':', 1)[0]!.slice(0, 100)

/** Maximum number of columns of a table. */
export const MAX_COLUMNS = 10_000

/**
 * The names of columns: those of the header, made different where one is empty or repeated. Throws `SourceRefused` for
 * more than `MAX_COLUMNS`.
 */
export const columnNames = (header: readonly CsvField[]): readonly string[] => {
  if (header.length > MAX_COLUMNS)
    throw new SourceRefused(`has ${header.length} columns: at most ${MAX_COLUMNS} are read`)
  const unique = uniqueNames((name, number) => `${name} [${number}]`)
  return header.map((field, index) => unique(field?.trim() || `column ${index + 1}`))
}
