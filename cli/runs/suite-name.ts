import { isDotName } from '../../domain/run/dot-names.ts'
import { UsageError } from '../../engine/json.ts'
import type { SuiteName } from '../../engine/store/baseline.ts'

/**
 * The project and the name of the suite at a path. Throws `UsageError` if the suite has not both; the message says that
 * `thing` needs them.
 */
export const suiteNameOf = async (path: string, thing: string): Promise<SuiteName> => {
  const { loadSuite } = await import('../../engine/suite/load-suite.ts')
  const { file, suite: loaded } = await loadSuite(path, { env: process.env })
  const { project, suite } = loaded
  if (project === undefined || suite === undefined)
    throw new UsageError(`${file}: ${thing} needs a suite with both project and suite`)
  for (const name of [project, suite])
    if (isDotName(name)) throw new UsageError(`${file}: no service has a suite named ${name}`)
  return { project, suite }
}
