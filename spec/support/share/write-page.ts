import { writeFileSync } from 'node:fs'
import { collect, type Collected } from '../../../cli/share-html/collect.ts'
import { readTemplate, sharedPage } from '../../../cli/share-html/page.ts'
import type { SharedParts } from '../../../domain/report/shared-case.ts'
import type { ADocument } from '../documents/documents.ts'

const WHOLE: SharedParts = { without: new Set(), maxOutputBytes: null }

/** Reads what a page has of a run, and of one that it is compared with. */
export const collectRuns = (head: ADocument, base: ADocument | null = null, parts = WHOLE): Promise<Collected> => {
  const found = (document: ADocument) => ({
    id: document.run_id,
    bytes: Buffer.from(JSON.stringify(document)),
    gzip: false,
    isRestricted: false,
    warning: null,
  })
  return collect(found(head), base && found(base), parts)
}

/** The data in a page by the ids of their elements: compressed, in base64. */
export const dataIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/<script type="application\/octet-stream" id="([^"]+)">([A-Za-z\d+/=]*)<\/script>/g)].map(
      ([, id = '', base64 = '']) => [id, base64],
    ),
  )

/** Writes the page of a run to a file, as `ers share-html` does. */
export const writePage = async (path: string, ...runs: Parameters<typeof collectRuns>): Promise<void> =>
  writeFileSync(path, [...sharedPage(readTemplate(), await collectRuns(...runs))].join(''))
