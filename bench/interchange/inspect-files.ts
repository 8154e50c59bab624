import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeZip } from '../../spec/support/interchange/make-zip.ts'
import { fileInMemory } from '../../interchange/read/source-file.ts'
import { openZip } from '../../interchange/read/zip/zip.ts'
import type { Print } from '../measures.ts'
import type { Converted } from './convert-folder.ts'

const SAMPLE = '2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval'
const FOLDER = new URL('../../spec/interchange/samples/inspect/', import.meta.url)
const FILES = Number(process.env['BENCH_FILES'] ?? 100_000)

/**
 * Converts a folder of `.eval` files of one sample each, 100,000 or `BENCH_FILES`, in one process. Goals on two cores:
 * 150 files/s, 300 MiB, the first converted run 2 s after the start. A second pass finds all runs known.
 */
export const inspectFiles = async (print: Print): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'eval-files-'))
  try {
    const bytes = await makeEvalFiles(folder, FILES)
    print(`files: ${FILES} of ${Math.round(bytes / FILES)} bytes`)
    // The young generation grows with the rate of garbage: limited, as the thread of an import limits it.
    const script = fileURLToPath(new URL('./convert-folder.ts', import.meta.url))
    const output = execFileSync(process.execPath, ['--max-semi-space-size=8', script, folder], {
      encoding: 'utf8',
      maxBuffer: 1024 * 1024,
    })
    const { runs, seconds, firstSeconds, peakMiB, cpuSeconds, known } = JSON.parse(output) as Converted
    print(
      `converted: ${runs} runs, ${(runs / seconds).toFixed(0)} files/s (${(runs / cpuSeconds).toFixed(0)} a second of the processor), first run after ${firstSeconds.toFixed(2)} s, ${peakMiB.toFixed(0)} MiB at most`,
    )
    print(`known: ${known.runs} runs, ${(known.runs / known.seconds).toFixed(0)} files/s`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Copies one sample of a log with all its other members into each file, under an id of its own. */
export const makeEvalFiles = async (folder: string, files: number): Promise<number> => {
  using zip = await openZip(fileInMemory(SAMPLE, readFileSync(new URL(SAMPLE, FOLDER))))
  const contents: Array<{ name: string; content: string }> = []
  for (const [name, member] of zip.members)
    if (!name.startsWith('samples/') || name === 'samples/paris_epoch_1.json')
      contents.push({ name, content: (await zip.read(member)).toString() })
  let bytes = 0
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < files; n++) {
    const file = makeZip(
      contents.map(({ name, content }) => ({
        name,
        content: content.replace('"SnCV9gwMXhMrUYcmUKAMZY"', `"bench-${n}"`),
        method: 93,
      })),
    )
    bytes += file.length
    writeFileSync(join(folder, `2026-11-22T05-08-39_capitals_${n}.eval`), file)
  }
  return bytes
}
