import { OBJECT_OPS, OBJECT_RESULTS, OBJECT_SECONDS, type StoreHealth } from '../../storage/objects/s3/health.ts'

const TOTAL = 'service_object_requests_total'
const SECONDS = 'service_object_seconds'

/** The requests to the store of large parts in the exposition format of Prometheus. All threads of the process count them. */
export const objectTimes = ({ times }: StoreHealth): string => {
  const totals = [
    `# HELP ${TOTAL} Requests to the store of large parts, by what they do and how they end.`,
    `# TYPE ${TOTAL} counter`,
  ]
  const seconds = [`# HELP ${SECONDS} Time of such requests.`, `# TYPE ${SECONDS} histogram`]
  for (const op of OBJECT_OPS) {
    const { results, counts, seconds: sum } = times(op)
    for (const result of OBJECT_RESULTS) totals.push(`${TOTAL}{op="${op}",result="${result}"} ${results[result]}`)
    let cumulative = 0
    for (const [i, bound] of [...OBJECT_SECONDS, '+Inf'].entries())
      seconds.push(`${SECONDS}_bucket{le="${bound}",op="${op}"} ${(cumulative += counts[i] ?? 0)}`)
    seconds.push(`${SECONDS}_sum{op="${op}"} ${sum}`, `${SECONDS}_count{op="${op}"} ${cumulative}`)
  }
  return `${[...totals, ...seconds].join('\n')}\n`
}
