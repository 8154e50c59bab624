import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { convertSource, type RunResult, type Target } from '../../interchange/convert/convert-source.ts'
import { planSources } from '../../interchange/convert/plan-sources.ts'
import type { ImportOptions } from '../../interchange/document/import-options.ts'
import { fileOnDisk, folderOf } from '../../interchange/read/source-file.ts'

const NOTHING: Target = { known: async () => null, content: async () => null }

/** Converts the runs of files of one folder for a target, by default an empty one. Throws if a file is not recognised. */
export const convertFiles = async function* (
  paths: readonly string[],
  {
    options = {},
    format = null,
    target = NOTHING,
  }: { options?: ImportOptions; format?: string | null; target?: Target } = {},
): AsyncGenerator<RunResult> {
  const files = paths.map((path) => fileOnDisk(path, statSync(path)))
  const folder = folderOf(dirname(paths[0] ?? ''), files)
  using _ = folder.scope.temporary
  for await (const planned of planSources([{ folder, files }], format)) {
    if (planned.kind !== 'source') throw new Error(`not recognised: ${JSON.stringify(planned)}`)
    const { importer, source } = planned
    yield* convertSource({ importer, source, options }, target, { verify: false, onChanged: 'report' })
  }
}
