import { writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { collect, type SharedChoices } from '../../../cli/share-html/collect.ts'
import { NO_EXTRAS } from '../../../cli/share-html/find-run.ts'
import { readTemplate, sharedPage } from '../../../cli/share-html/page.ts'
import type {
  SharedComment,
  SharedComparison,
  SharedContents,
  SharedFacts,
  SharedRow,
} from '../../../queries/share/shared-file.ts'
import type { ADocument } from '../documents/documents.ts'

const WHOLE: SharedChoices = { without: [], with: [], max_output_bytes: null }

/** The elements that a page has of a run, and of one that it is compared with. */
export const collectRuns = (
  head: ADocument,
  base: ADocument | null = null,
  choices = WHOLE,
  comments: readonly SharedComment[] = [],
): Promise<readonly string[]> => {
  const found = (document: ADocument) => ({
    id: document.run_id,
    bytes: Buffer.from(JSON.stringify(document)),
    gzip: false,
  })
  const extrasOf = (id: string) => ({ ...NO_EXTRAS, comments: id === head.run_id ? comments : [] })
  return collect({ head: found(head), base: base && found(base), extrasOf }, choices)
}

/** The data in a page by the ids of their elements: compressed, in base64. */
export const dataIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/<script type="application\/octet-stream" id="([^"]+)">([A-Za-z\d+/=]*)<\/script>/g)].map(
      ([, id = '', base64 = '']) => [id, base64],
    ),
  )

/** The data in a page by the ids of their elements, unpacked. */
export const unpackedIn = (page: string): ReadonlyMap<string, string> =>
  new Map([...dataIn(page)].map(([id, text]) => [id, gunzipSync(Buffer.from(text, 'base64')).toString('utf8')]))

/** What a page has before a case is opened, as it is in its elements. */
export const contentsIn = (page: string) => {
  const texts = unpackedIn(page)
  const parsed = <T>(id: string): T => JSON.parse(texts.get(id) ?? 'null') as T
  const contents = parsed<SharedContents>('file')
  const each = <T>(length: number, read: (n: number) => T): T[] => Array.from({ length }, (_, n) => read(n))
  return {
    ...contents,
    runs: each(contents.runs, (n) => {
      const facts = parsed<SharedFacts>(`run-${n}`)
      return { ...facts, rows: facts.blocks.flatMap((_, block) => parsed<SharedRow[]>(`rows-${n}-${block}`)) }
    }),
    comparisons: each(contents.comparisons, (n) => parsed<SharedComparison>(`comparison-${n}`)),
  }
}

/** Writes the page of a run to a file, as `ers share-html` does. */
export const writePage = async (path: string, ...runs: Parameters<typeof collectRuns>): Promise<void> =>
  writeFileSync(path, [...sharedPage(readTemplate(), await collectRuns(...runs))].join(''))
