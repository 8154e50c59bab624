// The outputs of several runs as those of one.

const SUMS = [
  'passed',
  'failed',
  'errored',
  'failed-or-errored',
  'xfailed',
  'xpassed',
  'total',
  'cache-hits',
  'cache-misses',
  'cache-read-tokens',
  'cache-write-tokens',
  'fallback-cases',
  'regressed',
]
const COSTS = ['cost-usd', 'cache-savings-usd', 'grader-cost-usd']

const parseOutputs = (text) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

const percent = (part, whole) => (whole === 0 ? 0 : (100 * part) / whole).toFixed(1)

/**
 * The sums over runs, each as the lines that `ers ci-summary` writes. A cost that no run knows stays empty. `regressed` takes the
 * place of the sum where a service compared the runs.
 */
export const sumOutputs = (texts, regressed) => {
  const runs = texts.map(parseOutputs)
  const sum = (name) => runs.reduce((total, run) => total + Number(run[name] ?? 0), 0)
  const totals = Object.fromEntries(SUMS.map((name) => [name, sum(name)]))
  if (regressed !== null) totals.regressed = regressed
  const costs = COSTS.map((name) => [name, runs.some((run) => run[name]) ? sum(name).toFixed(6) : ''])
  const classes = new Set(runs.flatMap((run) => (run['error-classes'] ?? '').split(',').filter((name) => name !== '')))
  return {
    ...totals,
    ...Object.fromEntries(costs),
    'pass-rate': percent(totals.passed, totals.total),
    'cache-hit-rate': percent(totals['cache-hits'], totals['cache-hits'] + totals['cache-misses']),
    'error-classes': [...classes].sort().join(','),
    'run-url': runs.map((run) => run['run-url'] ?? '').find((url) => url !== '') ?? '',
  }
}
