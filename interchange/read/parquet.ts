import { parquetMetadataAsync, parquetReadObjects, parquetSchema, type FileMetaData } from 'hyparquet'
import { SourceRefused } from '../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from './json/json-elements.ts'
import type { SourceFile } from './source-file.ts'
import { windowOf } from './zip/zip-window.ts'

/** A value of the types that this service writes. */
export type ParquetValue = string | number | bigint | boolean | Date | readonly string[] | null | undefined

/** An open Parquet file. */
export type Parquet = {
  /** The program that wrote it, as its footer says; null without. */
  readonly writer: string | null
  readonly columns: readonly string[]
  /** Its rows, one row group after the other. Throws `SourceRefused` if it is damaged, or a group is larger than 64 MiB. */
  readonly rows: () => AsyncGenerator<Readonly<Record<string, ParquetValue>>>
}

/** Reads the footer of a Parquet file. Throws `SourceRefused` if it is damaged or cut off. */
export const openParquet = async (file: SourceFile): Promise<Parquet> => {
  const window = await windowOf(file)
  const source = {
    byteLength: window.size,
    slice: async (start: number, end = window.size): Promise<ArrayBuffer> =>
      new Uint8Array(await window.read(start, Math.max(0, Math.min(end, window.size) - start))).buffer,
  }
  const metadata: FileMetaData = await reading(() => parquetMetadataAsync(source))
  return {
    writer: metadata.created_by ?? null,
    columns: parquetSchema(metadata).children.map(({ element }) => element.name),
    rows: async function* () {
      let rowStart = 0
      for (const { num_rows, total_byte_size } of metadata.row_groups) {
        if (total_byte_size > MAX_ELEMENT_BYTES)
          throw new SourceRefused(`a row group is larger than ${MAX_ELEMENT_BYTES} bytes`)
        const rowEnd = rowStart + Number(num_rows)
        yield* await reading(() => parquetReadObjects({ file: source, metadata, rowStart, rowEnd, parsers: PARSERS }))
        rowStart = rowEnd
      }
    },
  }
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** By default, a text that begins with a byte order mark would lose it. */
const PARSERS = { stringFromBytes: (bytes: Uint8Array | undefined) => bytes && DECODER.decode(bytes) }

/** The library throws plain errors for whatever is wrong in a file. */
const reading = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SourceRefused || !(error instanceof Error) || 'syscall' in error) throw error
    throw new SourceRefused(`damaged or cut-off Parquet file: ${error.message.slice(0, 200)}`, { cause: error })
  }
}
