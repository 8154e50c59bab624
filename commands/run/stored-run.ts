import { zstdCompressSync } from 'node:zlib'
import type { PreparedRun } from '../../domain/run/prepare.ts'
import type { RunFacts } from '../../domain/run/run-columns.ts'
import type { SearchText } from '../../domain/search/search-text.ts'
import { indexTokens } from '../../domain/search/tokenizer.ts'
import { compressionBuffer } from '../../storage/documents/frames.ts'
import { rowVectors, rowScope, type RowScope } from '../../storage/search/search-index.ts'
import type { OpenVectors } from '../../storage/search/tsvector.ts'

/**
 * A prepared document with the bytes that read tables store for it. Making them takes long, so it is done before the
 * log is locked. Only PostgreSQL has `vectors`: one for each case, in order. In a replay they are absent and are made with
 * each row, because a replay delays no other command.
 */
export type StoredRun = PreparedRun & {
  readonly configBytes: Buffer
  readonly vectors: { readonly run: OpenVectors; readonly cases: readonly OpenVectors[] } | null
}

/** Makes the bytes that read tables store of a document: those of its search index only for PostgreSQL. */
export const storedRun = (prepared: PreparedRun, { withVectors }: { readonly withVectors: boolean }): StoredRun => {
  const { run, cases } = prepared
  const scope = scopeOfRun(run)
  const config = Buffer.from(run.config)
  return {
    ...prepared,
    configBytes: zstdCompressSync(config, compressionBuffer(config)),
    vectors: withVectors
      ? { run: searchVectors(scope, run.search), cases: cases.map(({ search }) => searchVectors(scope, search)) }
      : null,
  }
}

/** The scope of a run and of its cases in the search index. */
export const scopeOfRun = (run: RunFacts): RowScope => rowScope(run, run.fully_cached)

/** What the search index of PostgreSQL stores of a text: all but the number of its run, which is allocated under the lock. */
export const searchVectors = (
  scope: RowScope,
  { name, tags, error, reasons, output, prompt, parts = '' }: SearchText,
): OpenVectors =>
  rowVectors(scope, {
    name: indexTokens(name),
    tags: indexTokens(tags),
    error: indexTokens(error),
    reasons: indexTokens(reasons),
    output: indexTokens(output),
    // At the end of the last field: no phrase has words and parts.
    prompt: [...indexTokens(prompt), ...indexTokens(parts)],
  })
