import { convertFiles } from './convert-files.ts'

// Converts a file and prints what that took, in a process of its own so that its memory can be seen.

const [path = ''] = process.argv.slice(2)
const started = performance.now()
const totals = { runs: 0, cases: 0, bytes: 0, refused: [] as string[] }
for await (const result of convertFiles([path])) {
  if (result.outcome === 'refused') totals.refused.push(result.reason)
  if (result.outcome !== 'converted') continue
  totals.runs += 1
  totals.cases += result.run.cases
  totals.bytes += result.run.bytes.length
}
const seconds = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage()
const cpuSeconds = (user + system) / 1e6
console.log(JSON.stringify({ ...totals, seconds, cpuSeconds, rssMiB: process.resourceUsage().maxRSS / 1024 }))
