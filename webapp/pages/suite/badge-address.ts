/** What a badge may show, in the order of the choice. */
export const METRICS = [
  ['pass-rate', 'Pass rate'],
  ['status', 'Passing or failing'],
  ['score', 'Mean score'],
] as const
export type Metric = (typeof METRICS)[number][0]

/** The address of a badge that shows a metric. The pass rate is shown without being named. */
export const withMetric = (address: string, metric: Metric): string => {
  if (metric === 'pass-rate') return address
  const url = new URL(address)
  url.searchParams.set('metric', metric)
  return url.href
}

/** An image in Markdown that links to the page of its suite. The name is text: it can be no link of its own. */
export const badgeMarkdown = (name: string, image: string, page: string): string => {
  const label = name.replace(/\s+/g, ' ').replace(/[\\[\]`*_<>&!|]/g, '\\$&')
  const target = (address: string): string => address.replaceAll('(', '%28').replaceAll(')', '%29')
  return `[![${label}](${target(image)})](${target(page)})`
}
