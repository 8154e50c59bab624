/** Any JSON value. */
export type Json = NonNullable<unknown> | null

/** Missing in browsers that have no numbers as text. */
const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean }

/** Whether a JSON value is an object: no array, and no number that `parseExact` left as text. */
export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && isRawJSON?.(value) !== true
