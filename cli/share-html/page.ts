import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { HarnessError } from '../../engine/json.ts'
import { packageFile } from '../../storage/disk/package-file.ts'
import type { Collected } from './collect.ts'

/** Where the data belong in the page that `npm run build` writes. */
const PLACE = '<!-- data -->'

/** The page without data. Throws `HarnessError` if it was not built. */
export const readTemplate = (): string => {
  const path = packageFile('webapp/dist/share.html')
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new HarnessError('the page is not built yet: `npm run build` builds it', { cause: error })
  }
}

/**
 * Returns the page with its data, in pieces. Data are compressed and in base64, which has no character that could end an
 * element. Each block of cases is on its own, because the page unpacks it when one of its cases is opened. The same data
 * give the same bytes.
 */
export function* sharedPage(template: string, { file, blocks }: Collected): Generator<string> {
  const [before, after, more] = template.split(PLACE)
  if (before === undefined || after === undefined || more !== undefined)
    throw new HarnessError('the page that `npm run build` wrote has no place for data: build it again')
  yield before
  yield element('file', JSON.stringify(file))
  for (const [run, texts] of blocks.entries())
    for (const [n, text] of texts.entries()) yield element(`cases-${run}-${n}`, text)
  yield after
}

const element = (id: string, text: string): string =>
  `<script type="application/octet-stream" id="${id}">${packed(text).toString('base64')}</script>\n`

/** Byte 9 of a gzip header names the system that wrote it. */
const SYSTEM_BYTE = 9
const UNKNOWN_SYSTEM = 255

const packed = (text: string): Buffer => {
  const bytes = gzipSync(text, { level: 9 })
  bytes[SYSTEM_BYTE] = UNKNOWN_SYSTEM
  return bytes
}
