const NAME = 'http_request_duration_seconds'
const HELP = 'Time from the first byte of a request to the end of its answer.'

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

type Series = { readonly labels: string; readonly counts: number[]; sum: number; count: number }

/**
 * A Prometheus histogram of request times. Every request is counted, so we do not use prom-client's histogram: it
 * builds, sorts and joins the labels each time, which costs as much as finding a cached response.
 */
export const requestTimes = () => {
  const series = new Map<string, Series>()

  const seriesOf = (method: string, route: string, status: number): Series => {
    const key = `${method} ${status} ${route}`
    const existing = series.get(key)
    if (existing) return existing
    const added: Series = {
      labels: `method="${escaped(method)}",route="${escaped(route)}",status="${status}"`,
      counts: BOUNDS.map(() => 0),
      sum: 0,
      count: 0,
    }
    series.set(key, added)
    return added
  }

  return {
    observe: (method: string, route: string, status: number, seconds: number): void => {
      const target = seriesOf(method, route, status)
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) target.counts[bucket] = (target.counts[bucket] ?? 0) + 1
      target.sum += seconds
      target.count++
    },

    /** Returns the exposition format, in which each bucket also counts all smaller ones. */
    text: (): string => {
      const lines = [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`]
      for (const { labels, counts, sum, count } of series.values()) {
        let cumulative = 0
        for (const [i, bound] of BOUNDS.entries())
          lines.push(`${NAME}_bucket{le="${bound}",${labels}} ${(cumulative += counts[i] ?? 0)}`)
        lines.push(
          `${NAME}_bucket{le="+Inf",${labels}} ${count}`,
          `${NAME}_sum{${labels}} ${sum}`,
          `${NAME}_count{${labels}} ${count}`,
        )
      }
      return `${lines.join('\n')}\n`
    },
  }
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
