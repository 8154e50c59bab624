/** Where the data belong in the page that `npm run build` writes. */
const PLACE = '<!-- data -->'

/** The text of the page before its data and after them. Throws if it has no place for data, or several. */
export const aroundData = (template: string): { readonly before: string; readonly after: string } => {
  const [before, after, more] = template.split(PLACE)
  if (before === undefined || after === undefined || more !== undefined)
    throw new Error('the page that `npm run build` wrote has no place for data: build it again')
  return { before, after }
}
