import type { PreparedRun } from './prepare.ts'

/**
 * Whether clients remove the name from a URL: `.` and `..` are relative segments of a path, even if they are escaped. A
 * request for `a/../b` would become a request for `b`, which is something else.
 */
export const isDotName = (name: string | null): boolean => name === '.' || name === '..'

/** The error text for such a name. */
export const DOT_NAME = 'must not be . or .., which clients drop from an address'

/**
 * Returns the field of a document that contains such a name, or null. Only new uploads are checked, not documents that
 * are recorded already: those stay readable.
 */
export const findDotName = ({ run: { id, project, suite }, cases }: PreparedRun): string | null => {
  for (const [field, name] of [
    ['run_id', id],
    ['project', project],
    ['suite', suite],
  ] as const)
    if (isDotName(name)) return field
  const invalidCase = cases.find(({ case_key }) => isDotName(case_key))
  return invalidCase ? `cases[${invalidCase.n}].case_key` : null
}
