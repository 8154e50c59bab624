import type { PreparedRun } from './prepare.ts'

/**
 * Whether a name is one that clients drop from an address: `.` and `..` are steps there, however they are escaped.
 * `a/../b` then asks for `b`, so a request that names such a part would mean something else.
 */
export const isDotName = (name: string | null): boolean => name === '.' || name === '..'

/** What is wrong with such a name. */
export const DOT_NAME = 'must not be . or .., which clients drop from an address'

/**
 * The field of a document that holds such a name, or null. Asked for uploads of something new alone, and no part of
 * reading a document: what was recorded before stays readable.
 */
export const dotNameIn = ({ run: { id, project, suite }, cases }: PreparedRun): string | null => {
  for (const [field, name] of [
    ['run_id', id],
    ['project', project],
    ['suite', suite],
  ] as const)
    if (isDotName(name)) return field
  const found = cases.find(({ case_key }) => isDotName(case_key))
  return found ? `cases[${found.n}].case_key` : null
}
