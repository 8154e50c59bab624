import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { withoutEmpty } from '../../read/row.ts'

/** The members of a run that have its cases. */
export const CASE_LISTS = ['testCases', 'conversationalTestCases'] as const

/**
 * The hash of a run, which has no id: the same for its JSON, the file of the latest run, and its row in the database. These
 * differ in what is around the run, and in members without a value.
 */
export const newContentHash = () => {
  const hash = createHash('sha256')
  const update = (value: unknown) => hash.update(`${canonicalJson(withoutEmpty(value) ?? null)}\n`, 'utf8')
  return {
    /** Call it for each case, in the order of the run. */
    add: (item: Json): void => void update(item),
    /** `run` is the run without its cases. */
    end: (run: Readonly<Record<string, Json>>): string => {
      const others = { ...run }
      for (const key of CASE_LISTS) delete others[key]
      update(others)
      return hash.digest('hex')
    },
  }
}
