/** Why `fetch` failed: a code of Node or its HTTP client. Messages are left out, because they may quote what was sent. */
export const fetchFailure = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return typeof code === 'string' ? code : 'the connection failed'
}
