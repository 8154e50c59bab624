/** What the innermost cause of an error says: `fetch` itself only reports that it failed. */
export const causeText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return causeText(error.cause)
  return error.message || (error as { code?: string }).code || error.name
}
