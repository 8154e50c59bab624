/** An address to follow, or null: what a document calls one may be anything, a script included. */
export const safeLink = (address: string | null): string | null => {
  if (address === null || !URL.canParse(address)) return null
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
