import { rowVectors, vectorRow, type RowScope } from '../../../storage/search/search-index.ts'
import type { Value } from '../../../storage/storage.ts'

/** A row of the PostgreSQL index, from the words of each field. */
export const wordsRow = (rowid: bigint, scope: RowScope, words: Parameters<typeof rowVectors>[1]): Value[] =>
  vectorRow(rowid, scope, rowVectors(scope, words))
