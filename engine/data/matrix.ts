import type { Json, JsonObject } from '../json.ts'
import { hasKey, isMapping } from '../suite/values.ts'
import { compareBytes } from '../text/compare-bytes.ts'
import type { Templates } from '../templates/templates.ts'

/** More combinations than this in one test are an error of the suite: no run would end. */
export const MAX_COMBINATIONS = 1_000_000

/** One combination of a matrix: the values by axis, and what they add to the id of the test. */
export type Combination = { readonly values: JsonObject; readonly id: string }

/** Vars as ids and `$digest:` globs see them: unrendered, `{$raw: x}` as x. */
export const plainVars = (vars: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      const members: JsonObject | undefined = isMapping(value) ? value : undefined
      const isRaw = members !== undefined && hasKey(members, '$raw') && Object.keys(members).length === 1
      return [name, isRaw ? members['$raw']! : value]
    }),
  )

/** The number of combinations of a matrix. */
export const countCombinations = (matrix: Readonly<Record<string, readonly Json[]>>): number =>
  Object.values(matrix).reduce((count, values) => count * values.length, 1)

/**
 * Returns the combinations of a matrix: axes in the order of their names, the first varies slowest. The id is
 * `matrix_id` rendered with the values, or `<base>[a=1,b=x]`. Throws `TemplateError`.
 */
export const combinations = (
  base: string,
  matrix: Readonly<Record<string, readonly Json[]>>,
  matrixId: string | undefined,
  templates: Templates,
): Combination[] => {
  const axes = Object.keys(matrix).sort(compareBytes)
  const products = axes.reduce<JsonObject[]>(
    (rows, axis) => rows.flatMap((row) => matrix[axis]!.map((value) => ({ ...row, [axis]: value }))),
    [{}],
  )
  const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
  return products.map((values) => {
    const plain = plainVars(values)
    const id =
      matrixId === undefined
        ? `${base}[${axes.map((axis) => `${axis}=${text(plain[axis]!)}`).join(',')}]`
        : templates.render(matrixId, plain)
    return { values, id }
  })
}
