import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Only the command line reads it. */
const SHARE_PAGE = 'share.html'

const TEXT = /\.(?:js|css|svg|html)$/

/**
 * Writes `.br` and `.gz` next to every text file that the server sends, so that it never compresses them.
 */
export const precompress = (): Plugin => {
  let folder = ''
  let failed = false
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir)
    },
    buildEnd: (error) => {
      failed = error !== undefined
    },
    closeBundle: () => {
      if (failed) return
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      for (const name of names.filter((each) => TEXT.test(each) && each !== SHARE_PAGE)) {
        const path = join(folder, name)
        const bytes = readFileSync(path)
        writeFileSync(
          `${path}.br`,
          brotliCompressSync(bytes, {
            params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
          }),
        )
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
