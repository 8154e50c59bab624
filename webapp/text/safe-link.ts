/** An http or https address, or null: a document may contain any address, even a script. */
export const safeLink = (address: string | null): string | null => {
  if (address === null || !URL.canParse(address)) return null
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
