/** The code of an error of Node, such as `ENOENT`; undefined if it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error ? (error as { code?: string }).code : undefined
