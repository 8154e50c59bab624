import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:js|css|svg|html)$/

/**
 * Writes `.br` and `.gz` next to every text file of a build, so that the server never compresses them. Then writes the
 * file `complete`, which marks the build as complete.
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
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => TEXT.test(name))) {
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
      writeFileSync(join(folder, 'complete'), '')
    },
  }
}
